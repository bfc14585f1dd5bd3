package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Grids is the folder of the grids' results. Each is a sealed folder with the index GridIndex, GRID/PROTOCOL.
const (
	Grids     = "grid"
	GridIndex = "grid.json"
)

// others are what lies in a results folder and is none of the report: the store, plans of clusters, the reports of other scales, figures
// in other formats.
var others = []string{"store", "cluster", "quick", "smoke", "export"}

// verifier collects what is wrong with a results folder.
type verifier struct {
	root   *os.Root
	dir    string
	found  []record.Damage
	folder map[string]string // digests of the indexes by path
}

// Verify compares every file of a results folder with what was written: the folder of each experiment and grid, and the page. It
// returns what is damaged, missing or not ours, in order of path; it changes nothing.
func Verify(dir string) ([]record.Damage, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	v := &verifier{root: root, dir: dir, folder: map[string]string{}}
	err = record.Alone(dir, v.all)
	slices.SortFunc(v.found, func(a, b record.Damage) int { return strings.Compare(a.Path, b.Path) })
	return v.found, err
}

func (v *verifier) add(name, format string, args ...any) {
	v.found = append(v.found, record.Damage{Path: filepath.Join(v.dir, filepath.FromSlash(name)), Reason: fmt.Sprintf(format, args...)})
}

func (v *verifier) all() error {
	names, err := v.visible(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		switch {
		case slices.Contains(others, name) || name == pageName:
		case name == Grids:
			if err := v.grids(); err != nil {
				return err
			}
		default:
			if err := v.sealed(name, indexName); err != nil {
				return err
			}
		}
	}
	return v.page(slices.Contains(names, pageName))
}

// visible returns the names in a folder but the dotted ones, which belong to writes that are under way or were cut off.
func (v *verifier) visible(dir string) ([]string, error) {
	entries, err := fs.ReadDir(v.root.FS(), dir)
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (v *verifier) grids() error {
	grids, err := v.visible(Grids)
	if err != nil {
		return err
	}
	for _, grid := range grids {
		protocols, err := v.visible(path.Join(Grids, grid))
		if err != nil {
			v.add(path.Join(Grids, grid), notOurs)
			continue
		}
		for _, p := range protocols {
			if err := v.sealed(path.Join(Grids, grid, p), GridIndex); err != nil {
				return err
			}
		}
	}
	return nil
}

const notOurs = "not written by this program"

// sealed checks a sealed folder.
func (v *verifier) sealed(dir, index string) error {
	if names, err := v.visible(dir); err != nil || !slices.Contains(names, index) && !slices.Contains(names, trialsName) {
		v.add(dir, notOurs)
		return nil
	}
	f, err := record.OpenFolder(v.root, dir, index, &struct{}{})
	var d *record.Damage
	if errors.As(err, &d) {
		v.found = append(v.found, *d)
		return nil
	}
	if err != nil {
		return err
	}
	b, err := safe.ReadIn(v.root, path.Join(dir, index), maxPage)
	if err != nil {
		return err
	}
	v.folder[path.Join(dir, index)] = digest(b)
	found, err := f.Check()
	if err != nil {
		return err
	}
	v.found = append(v.found, found...)
	foreign, err := f.Foreign()
	for _, name := range foreign {
		v.add(path.Join(dir, name), notOurs)
	}
	return err
}

var named = regexp.MustCompile(`(?m)^<!-- ([^ ]+) sha256 ([0-9a-f]{64}) -->$`)

// page checks the page and that it is of these experiments.
func (v *verifier) page(there bool) error {
	if !there {
		if len(v.folder) > 0 {
			v.add(pageName, "missing; sifg report makes it")
		}
		return nil
	}
	b, err := safe.ReadIn(v.root, pageName, maxPage)
	if err != nil {
		v.add(pageName, "%v", err)
		return nil
	}
	body := b[:bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')+1]
	if string(b[len(body):]) != fmt.Sprintf("<!-- sha256 %s -->\n", digest(body)) {
		v.add(pageName, "its digest is not that of its content")
		return nil
	}
	for _, m := range named.FindAllSubmatch(body, -1) {
		name, want := string(m[1]), string(m[2])
		switch v.folder[name] {
		case want:
		case "":
			if !slices.ContainsFunc(v.found, func(d record.Damage) bool { return d.Path == filepath.Join(v.dir, name) }) {
				v.add(name, "missing, and the page shows it")
			}
		default:
			v.add(pageName, "it shows another %s than the one that is there; sifg report makes it again", name)
		}
		delete(v.folder, name)
	}
	for name := range v.folder {
		if !strings.HasPrefix(name, Grids+"/") {
			v.add(pageName, "it does not show %s; sifg report makes it again", name)
		}
	}
	return nil
}
