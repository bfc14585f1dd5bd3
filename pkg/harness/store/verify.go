package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

// Verify reads everything in the store and returns what is damaged, missing or not ours. Who removes the folder of a
// damaged trial lets the next run compute it again. Trials that are added meanwhile may or may not be read. Its error
// names every file that the system does not let it read: the rest is compared.
func (s *Store) Verify(ctx context.Context) (found []safe.Damage, unread error) {
	blame := func(err error) {
		if d, ok := errors.AsType[*safe.Damage](err); ok {
			found = append(found, *d)
		} else {
			unread = errors.Join(unread, err)
		}
	}
	foreign := func(name string) {
		blame(&safe.Damage{Path: filepath.Join(s.dir, name), Reason: "not a file of the store"})
	}
	visit := func(name string, d fs.DirEntry, err error) error {
		part := strings.Split(name, "/")
		id := ID{Experiment: part[0], Key: part[len(part)-1]}
		switch {
		case err != nil:
			blame(fmt.Errorf("%s: %w", filepath.Join(s.dir, name), err))
			return nil
		case name == ".":
			return nil
		case d.IsDir() && (name == tmpName || name == scratchName):
			return fs.SkipDir
		case !d.IsDir() || id.check() != nil || len(part) == 2 && len(id.Key) > digits ||
			len(part) == 3 && name != id.dir():
			foreign(name)
		case len(part) < 3:
			return nil
		default:
			s.read(id, blame, foreign)
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	unlock, err := disk.Lock(ctx, s.dir) // no other process replaces a trial meanwhile
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = fs.WalkDir(s.root.FS(), ".", visit)
	return found, errors.Join(unread, err)
}

// read reads all files of a trial or a reference. It blames what cannot be read, and foreign are the files that the
// index does not list.
func (s *Store) read(id ID, blame func(error), foreign func(name string)) {
	index := trialIndex
	if _, absent := s.root.Lstat(path.Join(id.dir(), refIndex)); absent == nil {
		index = refIndex
	}
	f, err := s.open(id, index)
	if f == nil || err != nil {
		blame(err)
		return
	}
	for _, x := range f.Files {
		_, err := f.Read(x.Name)
		blame(err)
	}
	entries, err := fs.ReadDir(s.root.FS(), id.dir())
	blame(err)
	for _, e := range entries {
		if !f.Lists(e.Name()) && e.Name() != index {
			foreign(path.Join(id.dir(), e.Name()))
		}
	}
}
