// Package dataset finds, fetches, checks and reads the tables that experiments are run on. The project's manifest says
// of each data set where its files are published, what their bytes must be and how they are read. Nothing about one
// data set is in the code. A person's own tables are added.
//
// Most tables of the project are part of the program (module datasets). Other files are in the cache or in the mirror.
// The SHA-256 of a file is checked before it is parsed. Rows and columns stay in the order of the file.
package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

var (
	// ErrDamaged is wrapped by errors for a file that is not what its manifest says: changed, cut, or no such table.
	ErrDamaged = errors.New("wrong data")
	// ErrAbsent is wrapped by errors for a file that is nowhere here.
	ErrAbsent = errors.New("there is no file")
)

// damaged returns an error that wraps ErrDamaged. Its text may quote a file.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, safe.Text(usage.Line(fmt.Sprintf(format, args...))))
}

// Options say where the files of data sets are.
type Options struct {
	Cache  string // folder of fetched files; "": datasets/cache
	Mirror string // a folder with the layout of the cache, read where that lacks a file; "": none
}

// Library is the project's data sets, and a person's own. It is safe for concurrent use.
type Library struct {
	Options
	entries map[string]*Entry
	client  *http.Client

	mu     sync.Mutex // of what follows
	loaded map[string]*Data
}

// Data is a parsed table, or files as they are. All callers of Load share it: do not change it.
type Data struct {
	Name        string
	Columns     []string // names; c1, c2, … where there are none
	Rows, Cols  int
	Read        string    // says how the table was read and which rows were left out
	Lines       []int     // in which the file has the rows, the first is 1
	X           []float64 // Rows×Cols, row-major, the target among the columns
	Target      int       // index of the target's column; -1: none
	Permutation []int     // of 0..Rows-1, the order that was published with the table; nil: none

	Raw map[string][]byte // by name, the files of the roles data and draws of a data set without a table

	digest string
}

// Open reads the manifest and no data.
func Open(o Options) (*Library, error) {
	o.Cache = cmp.Or(o.Cache, filepath.Join("datasets", "cache"))
	l := &Library{Options: o, entries: map[string]*Entry{}, loaded: map[string]*Data{},
		client: &http.Client{Timeout: 10 * time.Minute}}
	return l, l.add(datasets.Manifest)
}

// Names returns the names of the data sets, sorted.
func (l *Library) Names() []string { return slices.Sorted(maps.Keys(l.entries)) }

// Entry returns what the manifest says of a data set; of an unknown name a *usage.Error that offers the nearest.
func (l *Library) Entry(name string) (*Entry, error) {
	if e := l.entries[name]; e != nil {
		return e, nil
	}
	return nil, usage.Unknown("data set", name, "", l.Names())
}
