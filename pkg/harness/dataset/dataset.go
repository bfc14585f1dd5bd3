// Package dataset finds, fetches, checks and reads the tables that experiments are run on. A manifest says of each data
// set where its files are, what their bytes must be and how they are read; nothing about one data set is in the code.
//
// A file is looked for in the cache, then in the mirror; its SHA-256 is checked before it is parsed. Rows and columns of a
// parsed table are those of the file.
package dataset

import (
	"fmt"
	"slices"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Options say where data sets are described and where their files are.
type Options struct {
	Manifest []byte   // the project's own, datasets/manifest.yaml
	Files    []string // manifests of the user's (--datasets); a name that is there already is refused
	Cache    string   // folder of fetched files; "" is datasets/cache
	Mirror   string   // folder or http(s) address with the cache's layout, looked in before the original source; may be ""
}

// Library is the data sets of all manifests. It is safe for concurrent use.
type Library struct {
	cache, mirror string
	names         []string // in the order of the manifests
	entries       map[string]*Entry
	net           network

	mu     sync.Mutex
	sums   map[string]string // path of a file without a pinned digest → its SHA-256 when it was first read
	loaded map[string]*slot
}

// slot is a data set that is parsed once.
type slot struct {
	mu   sync.Mutex
	data *Data
}

// Data is a parsed table. It is shared by all who loaded it: do not change it.
type Data struct {
	Name        string
	Path        string   // of the table's file, for messages
	Columns     []string // names; c1, c2, … where there are none
	Rows, Cols  int
	X           []float64 // Rows×Cols, row-major, the target among the columns
	Target      int       // index of the target's column; -1: none
	Permutation []int     // of 0..Rows-1, the released order of the rows; nil: none
	Splits      []Split   // nil: none
}

// Split is one division of the rows.
type Split struct{ Train, Test []int } // indices of rows

// At returns the value in row i and column j.
func (d *Data) At(i, j int) float64 { return d.X[i*d.Cols+j] }

// Column returns a copy of column j.
func (d *Data) Column(j int) []float64 {
	out := make([]float64, d.Rows)
	for i := range out {
		out[i] = d.At(i, j)
	}
	return out
}

// ConstantColumns returns the columns that have one value in all the given rows (nil: every row): they cannot be
// divided by their standard deviation.
func (d *Data) ConstantColumns(rows []int) []int {
	if rows == nil {
		rows = make([]int, d.Rows)
		for i := range rows {
			rows[i] = i
		}
	}
	var out []int
	for j := range d.Cols {
		if !slices.ContainsFunc(rows, func(i int) bool { return d.At(i, j) != d.At(rows[0], j) }) {
			out = append(out, j)
		}
	}
	return out
}

// fault is an error about a file's content.
type fault string

func (f fault) Error() string { return string(f) }

// Is makes a fault a damaged file for who asks.
func (f fault) Is(target error) bool { return target == record.ErrDamaged }

func faultf(format string, args ...any) error { return fault(fmt.Sprintf(format, args...)) }

// Open reads the manifests, no data.
func Open(o Options) (*Library, error) {
	l := &Library{
		cache: o.Cache, mirror: o.Mirror, net: defaultNetwork(),
		entries: map[string]*Entry{}, sums: map[string]string{}, loaded: map[string]*slot{},
	}
	if l.cache == "" {
		l.cache = defaultCache
	}
	if err := l.add(o.Manifest, ownManifest); err != nil {
		return nil, err
	}
	for _, file := range o.Files {
		b, err := readManifest(file)
		if err != nil {
			return nil, err
		}
		if err := l.add(b, file); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Names returns the names of the data sets in the order of the manifests.
func (l *Library) Names() []string { return slices.Clone(l.names) }

// Entry returns what the manifest says of a data set; a name that is none gets the nearest offered.
func (l *Library) Entry(name string) (*Entry, error) {
	if e := l.entries[name]; e != nil {
		return e, nil
	}
	return nil, usage.Unknown("data set", name, "", l.names)
}
