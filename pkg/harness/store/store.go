// Package store keeps trials and references in sealed folders: <dir>/<experiment>/<first two digits of the key>/<key>/
// holds trial.json, trace.parquet and *.npy, or reference.json and the files of a reference. A folder is absent or
// whole: it is written in <dir>/.tmp, synced, and renamed to its place. No file is ever changed, so a reader needs no
// lock, and several processes can fill one store, also over a shared disk: of two that finish the same trial, the
// second keeps the first one's. A killed writer leaves nothing but a folder in .tmp, which a later Open removes. A
// folder may also be copied in by hand: it is checked when it is read.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Folders of the store's own, besides those of the experiments.
const (
	tmpName     = ".tmp"
	scratchName = ".scratch" // see Scratch
)

// Status of a trial that has no record.
const (
	Missing = record.StatusMissing
	Damaged = "damaged"
)

// Store is a folder of trials and references. Its methods may be called concurrently.
type Store struct {
	dir  string
	root *os.Root
}

// ID names a trial or a reference.
type ID struct{ Experiment, Key string }

func (id ID) String() string { return id.Experiment + "/" + id.Key }

// Open opens the store in dir, or makes it, checks that it can be written to, and removes what killed writers left.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("results store %s cannot be made: %w", dir, err)
	}
	s, err := OpenReadOnly(dir)
	if err != nil {
		return nil, err
	}
	tmp := ""
	if err = s.mkdir(tmpName); err == nil {
		tmp, err = s.temporary()
	}
	if err != nil {
		s.root.Close()
		return nil, fmt.Errorf("results store %s cannot be written to: %w", dir, err)
	}
	disk.RemoveAll(s.root, tmp)
	s.sweep()
	return s, nil
}

// OpenReadOnly opens the store in dir for reading; fs.ErrNotExist if there is no such folder. One that is neither a
// store nor empty is refused: among other things trials would be lost.
func OpenReadOnly(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("results store %s: %w", dir, err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if _, absent := root.Stat(tmpName); err == nil && len(entries) > 0 && absent != nil {
		err = fmt.Errorf("%s is no results store: %s is in it, and no folder %s, which even an empty one has", dir,
			entries[0].Name(), tmpName)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Store{dir: dir, root: root}, nil
}

// Close releases the folder. A nil store has none.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.root.Close()
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// mkdir makes a folder that may be there, durably.
func (s *Store) mkdir(name string) error {
	err := disk.Mkdir(s.root, name)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return disk.SyncDir(s.root, path.Dir(name))
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// check refuses names that are no plain file names, or that could be taken for one of the store's own.
func (id ID) check() error {
	for _, name := range []string{id.Experiment, id.Key} {
		if !namePattern.MatchString(name) {
			return fmt.Errorf("store: the name %q: want at most 128 letters, digits, '.', '_', '-'", name)
		}
	}
	return nil
}

// digits is how many digits of a key name the folder that its trial is in: the trials of an experiment are spread over
// 256 folders, since file systems, those of clusters above all, are slow with many thousands of names in one.
const digits = 2

// shard is the folder that the trial's folder is in.
func (id ID) shard() string { return id.Experiment + "/" + id.Key[:min(digits, len(id.Key))] }

// dir is the folder of the trial.
func (id ID) dir() string { return id.shard() + "/" + id.Key }

// Result returns a trial with its trace and without its arrays, nil if it is absent: see Get.
func (s *Store) Result(id ID) (*record.Result, error) {
	e, err := s.Get(id)
	if e == nil || err != nil {
		return nil, err
	}
	traces, err := e.Traces()
	return &record.Result{Trial: *e.Trial, Timing: *e.Timing, Traces: traces}, err
}
