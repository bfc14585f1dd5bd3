package report

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
)

// Grids is the folder of the grids' results. Each is a sealed folder with the index GridIndex, GRID/PROTOCOL.
const (
	Grids     = "grid"
	GridIndex = "grid.json"
)

// others are what lies in a results folder and is not of its report: the store, plans of clusters, and the reports of
// other scales and of changed settings, which have manifests of their own.
var others = []string{"store", "cluster", "quick", "smoke", "custom"}

// Verified is what Verify finds, in order of path.
type Verified struct {
	Damaged []safe.Damage
	Foreign []string // what this program did not write
	Mend    []string // the commands that make again what is damaged, as far as that can be said
}

// verifier collects what is wrong with a results folder.
type verifier struct {
	Verified
	root   *os.Root
	listed listing
	heads  map[string]head // of the sealed folders whose index can be read
	err    error           // that something cannot be read
}

// Verify compares every file of a results folder with what was written: those that the manifest lists, and those of
// the sealed folders of experiments and grids. It changes nothing. Its error names every file that the system does not
// let it read: the rest is compared.
func Verify(dir string) (*Verified, error) {
	v := &verifier{heads: map[string]head{}}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &v.Verified, nil
	}
	err := disk.Alone(context.Background(), dir, func(root *os.Root) error {
		v.root = root
		v.listed = readListing(root)
		v.look(".") // what is wrong with a folder says more than that its index is not the one of the manifest
		v.manifest()
		v.mend()
		return v.err
	})
	byPath := func(a, b safe.Damage) int { return strings.Compare(a.Path, b.Path) }
	slices.SortStableFunc(v.Damaged, byPath)
	v.Damaged = slices.CompactFunc(v.Damaged, func(a, b safe.Damage) bool { return a.Path == b.Path })
	slices.Sort(v.Foreign)
	return &v.Verified, err
}

// path is that of a name below the root.
func (v *verifier) path(name string) string {
	return filepath.Join(v.root.Name(), filepath.FromSlash(name))
}

// blame notes what is wrong with a file.
func (v *verifier) blame(name, reason string) {
	v.Damaged = append(v.Damaged, safe.Damage{Path: v.path(name), Reason: reason})
}

// sort takes an error for damage, or for what cannot be read.
func (v *verifier) sort(err error) {
	if d, ok := errors.AsType[*safe.Damage](err); ok {
		v.Damaged = append(v.Damaged, *d)
	} else {
		v.err = errors.Join(v.err, err)
	}
}

// manifest compares the files that the manifest lists. One that is missing is noted by what it does not list.
func (v *verifier) manifest() {
	f, err := openManifest(v.root, &manifest{})
	if err != nil {
		if _, absent := v.root.Lstat(manifestName); !errors.Is(absent, fs.ErrNotExist) {
			v.sort(err)
		}
		return
	}
	found, err := f.Check()
	v.Damaged, v.err = append(v.Damaged, found...), errors.Join(v.err, err)
}

// look looks at what is in a folder. Dotted names belong to writes that are under way or were cut off.
func (v *verifier) look(dir string) {
	for _, name := range glob(v.root, path.Join(dir, "[^.]*")) {
		_, listed := v.listed[name]
		info, err := v.root.Lstat(name)
		switch {
		case listed || name == manifestName || dir == "." && slices.Contains(others, name):
		case err != nil:
			v.sort(err)
		case ours(v.root, name, indexName) && dir == ".":
			v.sealed(name, indexName)
		case ours(v.root, name, GridIndex) && strings.HasPrefix(name, Grids+"/"):
			v.sealed(name, GridIndex)
		case info.IsDir() && v.within(name):
			v.look(name)
		case v.listed == nil: // nobody knows whose it is
		default:
			v.Foreign = append(v.Foreign, v.path(name))
		}
	}
}

// within reports whether files of ours belong below a folder: of a grid, or that the manifest lists.
func (v *verifier) within(dir string) bool {
	below := func(name string) bool { return strings.HasPrefix(name, dir+"/") }
	return slices.ContainsFunc(slices.Collect(maps.Keys(v.listed)), below) ||
		dir == Grids || path.Dir(dir) == Grids && glob(v.root, dir+"/[^.]*/"+GridIndex) != nil
}

// sealed checks a sealed folder: its files, and that it is the one of its name.
func (v *verifier) sealed(dir, index string) {
	at := path.Join(dir, index)
	_, listed := v.listed[at]
	head := headOf(index)
	f, err := sealed.Open(v.root, dir, index, head)
	if err != nil {
		v.sort(err)
		return
	}
	v.heads[dir] = head
	switch of := head.folder(); {
	case of != dir && !listed:
		v.Foreign = append(v.Foreign, v.path(dir))
		return
	case of != dir:
		v.blame(at, "it is of "+of)
	case v.listed == nil && len(glob(v.root, manifestName)) == 0:
		v.blame(manifestName, "missing")
	case v.listed == nil: // it is damaged
	case !listed:
		v.blame(manifestName, "it does not list "+at)
	}
	found, err1 := f.Check()
	foreign, err2 := f.Foreign()
	v.Damaged, v.err = append(v.Damaged, found...), errors.Join(v.err, err1, err2)
	for _, name := range foreign {
		if _, listed := v.listed[path.Join(dir, name)]; !listed {
			v.Foreign = append(v.Foreign, v.path(path.Join(dir, name)))
		}
	}
}

// mend says how what is damaged is made again. Pages and drawings are made again with any report. What a folder is
// made with is said by the manifest, or by the index that is of it, which may lie in another.
func (v *verifier) mend() {
	of := map[string][]string{}
	for _, x := range v.heads {
		of[x.folder()] = x.commands()
	}
	for name, f := range v.listed {
		if f.commands != nil {
			of[path.Dir(name)] = f.commands
		}
	}
	for _, d := range v.Damaged {
		below := func(dir string) bool { return strings.HasPrefix(d.Path, v.path(dir)+string(filepath.Separator)) }
		dirs := slices.Sorted(maps.Keys(of))
		if i := slices.IndexFunc(dirs, below); i >= 0 {
			v.Mend = append(v.Mend, of[dirs[i]]...)
			continue
		}
		rel, err := filepath.Rel(v.root.Name(), d.Path)
		top, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case err == nil && nested && top == Grids:
			const again = "the sifg grid command of each grid that is named; sifg report forgets what is gone"
			v.Mend = append(v.Mend, again)
		case err == nil && nested:
			names := cmp.Or(strings.Join(protocolsOf(v.root, top), ","), "all")
			v.Mend = append(v.Mend, plan.Command("report", top, names, "full", nil, "--keep"))
		default:
			v.Mend = append(v.Mend, "sifg report --keep")
		}
	}
	slices.Sort(v.Mend)
	v.Mend = slices.Compact(v.Mend)
}

// protocolsOf returns the protocols of a report whose index cannot be read, by the folders of their figures and tables.
func protocolsOf(root *os.Root, experiment string) (names []string) {
	for _, part := range slices.Concat(glob(root, experiment+"/*/figures"), glob(root, experiment+"/*/tables")) {
		names = append(names, path.Base(path.Dir(part)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
