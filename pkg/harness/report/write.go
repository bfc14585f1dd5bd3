package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// marker is in every results folder that this program may write to.
const (
	marker     = "sifg-results.txt"
	markerText = "sifg writes this folder. Its data are the Parquet and NPY files. All else is made of them:\n" +
		"sifg report makes it again, and sifg report --check compares.\n"
)

// The folders in a results folder that are not of its own results: the store, and other results.
var others = []string{"store", "quick", "smoke", "custom", Grids, "authors"}

// Grids is the folder of the results of grids, each a results folder of one grid: see package grid.
const Grids = "grid"

// Writable refuses a folder for results that holds something else, or lies inside of other results.
func Writable(dir string) error {
	at, _ := filepath.Abs(dir)
	for ; filepath.Dir(at) != at; at = filepath.Dir(at) {
		_, absent := os.Lstat(filepath.Join(filepath.Dir(at), marker))
		if absent == nil && !slices.Contains(others[1:], filepath.Base(at)) {
			return usage.Errorf("--results %s is inside of other results, %s: want a folder of its own",
				dir, filepath.Dir(at))
		}
	}
	entries, err := os.ReadDir(dir)
	_, unmarked := os.Lstat(filepath.Join(dir, marker)) // which is written before all else
	other := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		return !slices.Contains(others, e.Name()) && !strings.HasPrefix(e.Name(), ".")
	})
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usage.Errorf("--results %s: %v", dir, err)
	case unmarked != nil && other >= 0:
		return usage.Errorf("--results %s has %s and no %s: want a folder that is empty, not there yet, or one of "+
			"sifg's", dir, safe.Text(entries[other].Name()), marker)
	}
	return nil
}

// Files are files of a results folder.
type Files struct {
	Data map[string]map[string][]byte // of experiments, by folder and by name in it
	Made map[string][]byte            // what is made of the data, by name
}

// NewFiles returns no files.
func NewFiles() Files { return Files{map[string]map[string][]byte{}, map[string][]byte{}} }

// Add adds the data of an experiment, whose folder it is, and what is made of them. The error names data that could not
// be made, or an array that is damaged.
func (f Files) Add(folder string, x *Experiment) error {
	err := x.takeFiles()
	for _, set := range x.Sets {
		for _, p := range x.Parts(set.Protocol) {
			at := path.Join(folder, set.Protocol, p.ID)
			if p.SVG != nil {
				f.Made[at+".svg"] = p.SVG
			}
			if p.Made != nil {
				f.Made[at+".csv"], f.Made[at+".md"] = []byte(p.Made.CSV()), []byte(p.Made.Markdown())
			}
			if p.CSV != nil {
				f.Made[at+".csv"] = p.CSV
			}
		}
	}
	data, wrong := x.Records.Encode()
	f.Data[folder] = data
	return errors.Join(err, cmp.Or(wrong, x.damaged))
}

// all are all files by name.
func (f Files) all() map[string][]byte {
	out := maps.Clone(f.Made)
	for folder, data := range f.Data {
		for name, b := range data {
			out[path.Join(folder, name)] = b
		}
	}
	return out
}

// Files returns the files of the results, without pages. The error names data that could not be made.
func (r *Results) Files() (Files, error) {
	out, errs := NewFiles(), []error(nil)
	out.Made[marker] = []byte(markerText)
	for _, x := range r.Experiments {
		errs = append(errs, out.Add(x.Name, x))
	}
	return out, errors.Join(errs...)
}

// Alone runs f, which reads, adds to and writes results, while no other process does so: none loses what another adds.
func Alone(dir string, f func() error) error {
	unlock, err := disk.Lock(context.Background(), dir)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

// Write writes files to a results folder, and removes what they replace: the picture of a section that has none now,
// and arrays of trials that are not there. Each file is the old or the new one, whole, and so are the data of an
// experiment. No other process may write meanwhile: see Alone.
func (f Files) Write(dir string) error {
	if err := errors.Join(Writable(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := put(root, marker, []byte(markerText)); err != nil {
		return err
	}
	for _, folder := range slices.Sorted(maps.Keys(f.Data)) {
		if err := replace(root, folder, f.Data[folder]); err != nil {
			return err
		}
	}
	stem := func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }
	made := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(f.Made)) {
		made[stem(name)] = true
		if err := put(root, name, f.Made[name]); err != nil {
			return err
		}
	}
	stale, err := f.stale(root)
	for _, name := range stale {
		if temporary(name) || made[stem(name)] || path.Base(path.Dir(name)) == arraysName {
			err = errors.Join(err, disk.RemoveAll(root, name))
		}
	}
	return err
}

// put writes a file unless it is there.
func put(root *os.Root, name string, b []byte) error {
	if there(root, name, b) {
		return nil
	}
	return write(root, name, b)
}

// there reports whether a file has these bytes.
func there(root *os.Root, name string, b []byte) bool {
	now, err := safe.ReadIn(root, name, maxData)
	return err == nil && bytes.Equal(now, b)
}

// endings are those of files that this program makes.
var endings = []string{".svg", ".csv", ".md", ".html", ".npy", ".parquet", ".yaml"}

// stale returns pages, and files in folders of experiments, as this program writes them, that are none of the files. A
// folder is a person's: this program makes none of such a name.
func (f Files) stale(root *os.Root) (names []string, err error) {
	all := f.all()
	add := func(name string, d fs.DirEntry, err error) error {
		ours := temporary(name) || slices.Contains(endings, path.Ext(name))
		if _, made := all[name]; err == nil && !d.IsDir() && ours && !made {
			names = append(names, name)
		}
		return err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, d := range entries {
		if name := d.Name(); temporary(name) || path.Ext(name) == ".html" {
			add(name, d, nil)
		}
	}
	for folder := range f.Data {
		err = errors.Join(err, fs.WalkDir(root.FS(), folder, add))
	}
	slices.Sort(names)
	return names, err
}

// Check returns the files of a results folder that are not what is made again, in order of name.
func (f Files) Check(dir string) (different []safe.Damage, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	blame := func(name, reason string) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		different = append(different, safe.Damage{Path: at, Reason: reason})
	}
	all := f.all()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			blame(name, "missing")
		} else if !there(root, name, all[name]) {
			blame(name, "is not what the records give now")
		}
	}
	stale, err := f.stale(root)
	for _, name := range stale {
		blame(name, "is not made of the records any more")
	}
	return different, err
}

// waiting is the folder, beside data, of those that will replace them. They do when all are there, trials.parquet the
// last: so a killed program leaves the old data or the new, which the next one finds here.
const waiting = ".next"

// replace makes the data of a folder those given, whose names are below it. What is not among them stays.
func replace(root *os.Root, folder string, data map[string][]byte) error {
	if err := settle(root, folder); err != nil {
		return err
	}
	changed := slices.DeleteFunc(slices.Sorted(maps.Keys(data)), func(name string) bool {
		return name == trialsName || there(root, path.Join(folder, name), data[name])
	})
	if len(changed) == 0 && there(root, path.Join(folder, trialsName), data[trialsName]) {
		return nil
	}
	for _, name := range append(changed, trialsName) {
		if err := write(root, path.Join(folder, waiting, name), data[name]); err != nil {
			return err
		}
	}
	return settle(root, folder)
}

// settle moves the data that wait in a folder to their places if they are whole, and removes what is left of them.
func settle(root *os.Root, folder string) error {
	at := path.Join(folder, waiting)
	if _, err := root.Lstat(at); err != nil {
		return nil // there are none
	}
	last := path.Join(at, trialsName)
	move := func(name string) error {
		to := path.Join(folder, strings.TrimPrefix(name, at))
		if err := root.MkdirAll(path.Dir(to), 0o777); err != nil {
			return err
		}
		return disk.Rename(root, name, to)
	}
	if _, absent := root.Lstat(last); absent == nil {
		err := fs.WalkDir(root.FS(), at, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name == last {
				return err
			}
			return move(name)
		})
		if err == nil {
			err = move(last)
		}
		if err == nil {
			err = disk.SyncDir(root, folder)
		}
		if err != nil {
			return err
		}
	}
	return disk.RemoveAll(root, at)
}

// temporary reports whether a file is one that a killed program did not come to rename: see disk.WriteFileAtomic.
func temporary(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && strings.Contains(base, ".tmp-")
}

// write writes a file, in a folder that need not be there.
func write(root *os.Root, name string, b []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return fmt.Errorf("%s: %w", root.Name(), err)
	}
	return disk.WriteFileAtomic(filepath.Join(root.Name(), filepath.FromSlash(name)), b)
}

// place is where a file of the data of a folder is: the one that waits, if data wait that are whole.
func place(dir, name string) string {
	at := filepath.Join(dir, waiting, name)
	_, partly := os.Lstat(filepath.Join(dir, waiting, trialsName))
	if _, absent := os.Lstat(at); partly == nil && absent == nil {
		return at
	}
	return filepath.Join(dir, name)
}
