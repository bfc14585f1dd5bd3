package store

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// digits is how many digits of a key name the folder that its trial is in: the trials of an experiment are spread over
// 256 folders, since file systems, those of clusters above all, are slow with many thousands of names in one.
const digits = 2

// shard is the folder that the trial's folder is in.
func (id ID) shard() string { return id.Experiment + "/" + id.Key[:min(digits, len(id.Key))] }

// dir is the folder of the trial.
func (id ID) dir() string { return id.shard() + "/" + id.Key }

// flat is where stores had the trial before shards: it is read there, and no longer written. Keys that are as short as
// the name of a shard have no such place.
func (id ID) flat() (dir string, ok bool) { return id.Experiment + "/" + id.Key, len(id.Key) > digits }

// dirs are the folders in which the trial may be, the current one first.
func (id ID) dirs() []string {
	if flat, ok := id.flat(); ok {
		return []string{id.dir(), flat}
	}
	return []string{id.dir()}
}

// place says what a folder below an experiment's is: the trial that it is to hold, or that it is a shard.
func place(dir string) (id ID, shard bool) {
	part := strings.Split(dir, "/")
	switch {
	case len(part) == 2 && len(part[1]) <= digits:
		return ID{part[0], part[1]}, true
	case len(part) == 2:
		return ID{part[0], part[1]}, false
	case len(part) == 3:
		if id := (ID{part[0], part[2]}); id.dir() == dir {
			return id, false
		}
	}
	return ID{}, false
}

// isStore reports whether a folder has the folder for writers of a store, or a trial or a reference. A folder of other
// things is no store: a repair would move them away.
func isStore(folder fs.FS) (yes bool, err error) {
	if _, err := fs.Stat(folder, tmpName); err == nil {
		return true, nil
	}
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch depth := strings.Count(name, "/"); {
		case err != nil:
			return err
		case d.IsDir() && depth > 2: // of a trial in a shard
			return fs.SkipDir
		case depth > 1 && slices.Contains([]string{trialIndex, refIndex}, d.Name()):
			yes = true
			return fs.SkipAll
		}
		return nil
	})
	return yes, err
}

// Result returns a trial with its trace and without its arrays, nil if it is absent: see Get.
func (s *Store) Result(id ID) (*record.Result, error) {
	e, err := s.Get(id)
	if e == nil || err != nil {
		return nil, err
	}
	traces, err := e.Traces()
	return &record.Result{Trial: e.Trial, Timing: e.Timing, Traces: traces}, err
}

// Find returns the trials of an experiment whose keys begin with prefix, in order of key. A nil store has none.
func (s *Store) Find(experiment, prefix string) (out []ID, err error) {
	if s == nil {
		return nil, nil
	}
	folders := []string{experiment}
	for len(folders) > 0 {
		folder := folders[0]
		folders = folders[1:]
		entries, err := fs.ReadDir(s.root.FS(), folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			id, shard := place(name)
			if shard && e.IsDir() {
				folders = append(folders, name)
			}
			if !strings.HasPrefix(id.Key, prefix) || shard || id.check() != nil {
				continue
			}
			if _, err := s.root.Lstat(path.Join(name, trialIndex)); err == nil {
				out = append(out, id)
			}
		}
	}
	slices.SortFunc(out, func(a, b ID) int { return strings.Compare(a.Key, b.Key) })
	return slices.Compact(out), nil
}
