package report

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

// waiting is the folder, beside data, of those that will replace them. They do when all are there, trials.parquet the
// last: so a killed program leaves the old data or the new, which the next one finds here.
const waiting = ".next"

// replace makes the data of a folder those given, whose names are below it. What is not among them stays.
func replace(root *os.Root, folder string, data map[string][]byte) error {
	if err := settle(root, folder); err != nil {
		return err
	}
	var changed []string
	for name, b := range data {
		if now, err := safe.ReadIn(root, path.Join(folder, name), maxData); err != nil || !bytes.Equal(now, b) {
			changed = append(changed, name)
		}
	}
	if changed == nil {
		return nil
	}
	for _, name := range slices.Sorted(slices.Values(changed)) {
		if name != trialsName {
			if err := write(root, path.Join(folder, waiting, name), data[name]); err != nil {
				return err
			}
		}
	}
	if err := write(root, path.Join(folder, waiting, trialsName), data[trialsName]); err != nil {
		return err
	}
	return settle(root, folder)
}

// settle moves the data that wait in a folder to their places if they are whole, and else removes them.
func settle(root *os.Root, folder string) error {
	at := path.Join(folder, waiting)
	if _, err := root.Lstat(path.Join(at, trialsName)); err == nil {
		var names []string
		err := fs.WalkDir(root.FS(), at, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !temporary(name) && path.Base(name) != trialsName {
				names = append(names, strings.TrimPrefix(name, at+"/"))
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, name := range append(names, trialsName) {
			to := path.Join(folder, name)
			if err := root.MkdirAll(path.Dir(to), 0o777); err != nil {
				return err
			}
			if err := disk.Rename(root, path.Join(at, name), to); err != nil {
				return err
			}
		}
		if err := disk.SyncDir(root, folder); err != nil {
			return err
		}
	}
	if _, err := root.Lstat(at); err != nil {
		return nil // there are none
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
		return err
	}
	return disk.WriteFileAtomic(filepath.Join(root.Name(), filepath.FromSlash(name)), b)
}

// readData reads a file of the data of a folder: the one that waits, if data wait that are whole.
func readData(dir, name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	if _, err := os.Lstat(filepath.Join(dir, waiting, trialsName)); err == nil {
		if b, err := safe.Read(filepath.Join(dir, waiting, name), maxData); err == nil {
			return b, nil
		}
	}
	return safe.Read(filepath.Join(dir, name), maxData)
}
