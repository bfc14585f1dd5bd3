package sealed

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
)

// successor and predecessor are the names under which a folder's next content is made and its last one waits to be
// removed.
func successor(dir string) string   { return path.Join(path.Dir(dir), "."+path.Base(dir)+".new") }
func predecessor(dir string) string { return path.Join(path.Dir(dir), "."+path.Base(dir)+".old") }

// Replace makes dir a sealed folder of exactly these files (see Write), or leaves it as it was. Files in it that its
// index does not list are someone else's: they are moved over and their names returned, a new one where a file of ours
// has the old one. Calls for one folder must not overlap: see disk.Alone.
func Replace(root *os.Root, dir, index string, head Head, files map[string][]byte) (foreign []string, err error) {
	next := successor(dir)
	for _, step := range []func() error{
		func() error { return Restore(root, dir, index) },
		func() error { return disk.RemoveAll(root, next) },
		func() error { return disk.Mkdir(root, next) },
		func() error { return Write(root, next, index, head, files) },
		func() error { return renameIfThere(root, dir, predecessor(dir)) },
		func() error { return disk.Rename(root, next, dir) },
		func() error { return disk.SyncDir(root, path.Dir(dir)) },
		func() error { return rescue(root, dir, index) },
	} {
		if err := step(); err != nil {
			disk.RemoveAll(root, next)
			return nil, err
		}
	}
	f, err := Open(root, dir, index, &Index{})
	if err != nil {
		return nil, err
	}
	return f.Foreign()
}

// Restore ends what a Replace that was killed had begun: dir is again there, the old one or the new one, whole.
func Restore(root *os.Root, dir, index string) error {
	_, err := root.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return renameIfThere(root, predecessor(dir), dir)
	} else if err != nil {
		return err
	}
	return rescue(root, dir, index)
}

func renameIfThere(root *os.Root, from, to string) error {
	if _, err := root.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return disk.Rename(root, from, to)
}

// rescue moves the files of others from dir's predecessor to dir and removes the predecessor. Where its index cannot be
// read, every file that has no successor is taken for another's.
func rescue(root *os.Root, dir, index string) error {
	old := predecessor(dir)
	if _, err := root.Lstat(old); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ours := func(name string) bool { return exists(root, path.Join(dir, name)) }
	if f, err := Open(root, old, index, &Index{}); err == nil {
		ours = func(name string) bool { return name == index || f.Lists(name) }
	}
	aside := path.Join(dir, "kept-"+rand.Text()[:8])
	err := walk(root, old, func(name string) error {
		if ours(name) {
			return nil
		}
		to, err := vacant(root, dir, aside, name)
		if err != nil {
			return err
		}
		return disk.Rename(root, path.Join(old, name), to)
	})
	if err != nil {
		return err
	}
	return disk.RemoveAll(root, old)
}

// vacant returns a path for a file of this name, and makes its folder: in dir, or where its name or that of its folder
// is taken there, in aside.
func vacant(root *os.Root, dir, aside, name string) (to string, err error) {
	to = path.Join(dir, name)
	if err := root.MkdirAll(path.Dir(to), 0o777); err == nil && !exists(root, to) {
		return to, nil
	}
	to = path.Join(aside, name)
	return to, root.MkdirAll(path.Dir(to), 0o777)
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}
