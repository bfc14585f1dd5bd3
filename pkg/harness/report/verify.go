package report

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Grids is the folder of the grids' results. Each is a sealed folder with the index GridIndex, GRID/PROTOCOL.
const (
	Grids     = "grid"
	GridIndex = "grid.json"
)

// others are what lies in a results folder and is no experiment: the store, plans of clusters, the reports of other
// scales and of changed settings, and what is looked at by itself.
var others = []string{
	"store", "cluster", "quick", "smoke", "custom", Grids,
	pageName, answerName + ".svg", answerName + ".csv", comparisonsName + ".svg", comparisonsName + ".csv",
}

// verifier collects what is wrong with a results folder.
type verifier struct {
	root    *os.Root
	found   []record.Damage
	foreign []string // what this program did not write
	err     error    // that something cannot be read
	shown   []string // what the page says of the experiments that are there
}

// Verify compares every file of a results folder with what was written: the folders of experiments and grids, and the
// page. It returns what is damaged or missing, and what is not ours, in order of path; it changes nothing.
func Verify(dir string) (found []record.Damage, foreign []string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	v := &verifier{}
	err = disk.Alone(context.Background(), dir, func(root *os.Root) error { v.root = root; v.all(); return v.err })
	slices.SortFunc(v.found, func(a, b record.Damage) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(v.foreign)
	return v.found, v.foreign, err
}

// path is that of a name below the root.
func (v *verifier) path(name string) string {
	return filepath.Join(v.root.Name(), filepath.FromSlash(name))
}

// blame notes what is wrong with the page.
func (v *verifier) blame(reason string) {
	v.found = append(v.found, record.Damage{Path: v.path(pageName), Reason: reason})
}

// all looks at what is there. Dotted names belong to writes that are under way or were cut off.
func (v *verifier) all() {
	names := glob(v.root, "[^.]*")
	for _, name := range names {
		if !slices.Contains(others, name) {
			v.sealed(name, indexName)
		}
	}
	for _, grid := range glob(v.root, Grids+"/[^.]*") {
		parts := glob(v.root, grid+"/[^.]*")
		if parts == nil {
			v.foreign = append(v.foreign, v.path(grid))
		}
		for _, name := range parts {
			v.sealed(name, GridIndex)
		}
	}
	if slices.Contains(names, pageName) {
		v.page()
	} else if v.shown != nil {
		v.blame("missing; sifg report makes it")
	}
}

// sealed checks a sealed folder.
func (v *verifier) sealed(dir, index string) {
	if !ours(v.root, dir, index) {
		v.foreign = append(v.foreign, v.path(dir))
		return
	}
	f, err := sealed.Open(v.root, dir, index, &sealed.Index{})
	if d, ok := errors.AsType[*record.Damage](err); ok {
		v.found = append(v.found, *d)
		return
	} else if err != nil {
		v.err = err
		return
	}
	found, err1 := f.Check()
	foreign, err2 := f.Foreign()
	sum, err3 := digestOf(v.root, path.Join(dir, index))
	v.err = errors.Join(v.err, err1, err2, err3)
	v.found = append(v.found, found...)
	for _, name := range foreign {
		v.foreign = append(v.foreign, v.path(path.Join(dir, name)))
	}
	if index == indexName {
		v.shown = append(v.shown, shows(dir, sum))
	}
}

// page checks the page's own digest, and that it is of the experiments that are there.
func (v *verifier) page() {
	b, err := safe.ReadIn(v.root, pageName, maxPage)
	body := b[:bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')+1]
	shown := shown.FindAllString(string(body), -1)
	slices.Sort(shown)
	switch {
	case err != nil:
		v.blame(err.Error())
	case string(b) != string(seal(body)):
		v.blame("its digest is not that of its content")
	case !slices.Equal(shown, v.shown):
		v.blame("it does not show the reports that are there; sifg report makes it again")
	}
}
