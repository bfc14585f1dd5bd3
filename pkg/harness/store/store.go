// Package store keeps trials in folders: <dir>/<experiment>/<key>/ holds trial.json, trace.parquet and *.npy. A trial is
// absent or whole: it is written aside in <dir>/.tmp, synced, and renamed to its place. No file is ever changed, so that
// a reader needs no lock, and several processes can fill one store, also over a shared disk: who comes second finds the
// trial there and drops its own. A killed writer leaves nothing but a folder in .tmp, which a later Open removes.
//
// Beside the experiments, <dir> holds .tmp, .lock (see withLock), .quarantine (see Verify) and .shared (see Shared).
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const (
	tmpName        = ".tmp"
	lockName       = ".lock"
	quarantineName = ".quarantine"
	sharedName     = ".shared"
	logName        = ".log" // programs that use the store may write there what they like
	trialName      = "trial.json"
	traceName      = "trace.parquet"
	arrayExt       = ".npy"
)

// now is the clock. Nothing that keeps a trial whole depends on it: it says what is old enough to be swept, and names
// what is put into quarantine.
var now = time.Now

// Store is a folder of trials. Its methods may be called concurrently.
type Store struct {
	dir      string
	readOnly bool
}

// State of a trial in the store.
type State int

const (
	Absent State = iota
	Whole
	Damaged
)

// Damage is a file or folder of a store that is not as it was written, or not ours. As an error it wraps
// record.ErrDamaged.
type Damage struct {
	Path    string
	Reason  string
	MovedTo string // where Verify moved it, "" if it did not
}

func (d *Damage) Error() string { return d.Path + ": " + d.Reason }
func (d *Damage) Unwrap() error { return record.ErrDamaged }

// Open opens the store in dir, which is made if it does not exist, checks that it can be written to, and removes what
// killed writers left behind.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir}
	err := fault.At("make store")
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, tmpName), 0o777)
	}
	if err != nil {
		return nil, fmt.Errorf("results store %s cannot be made or written to: %w", dir, err)
	}
	probe, owner, err := s.scratch()
	if err == nil {
		err = errors.Join(fault.At("remove probe"), owner.Close(), os.Remove(probe))
	}
	if err != nil {
		return nil, fmt.Errorf("results store %s cannot be written to: %w", dir, err)
	}
	s.sweep()
	return s, nil
}

// OpenReadOnly opens the store in dir for reading; a folder that does not exist is an error (fs.ErrNotExist).
func OpenReadOnly(dir string) (*Store, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("results store: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("results store %s is not a folder", dir)
	}
	return &Store{dir: dir, readOnly: true}, nil
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// Shared returns the folder, made if need be, in which an experiment keeps what its trials share, in files of its own.
func (s *Store) Shared(experiment string) (string, error) {
	if err := checkName("experiment", experiment); err != nil {
		return "", err
	}
	dir := filepath.Join(s.dir, sharedName, experiment)
	return dir, os.MkdirAll(dir, 0o777)
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// checkName refuses names that are no plain file names, or that could be taken for one of the store's own.
func checkName(what, name string) error {
	if len(name) > 128 || !namePattern.MatchString(name) {
		return fmt.Errorf("store: %s %q: want letters, digits, '.', '_', '-', at most 128", what, name)
	}
	return nil
}

func (s *Store) path(experiment, key string) string { return filepath.Join(s.dir, experiment, key) }

// Lookup says whether a trial is there. It reads trial.json, which protects itself by a digest, and compares the sizes
// of the other files; Entry.Check reads them too. The error of a damaged trial is a *Damage; an error with Absent means
// that the store could not be read.
func (s *Store) Lookup(experiment, key string) (*Entry, State, error) {
	if err := errors.Join(checkName("experiment", experiment), checkName("key", key)); err != nil {
		return nil, Absent, err
	}
	dir := s.path(experiment, key)
	for try := 0; ; try++ {
		before, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Absent, nil
		}
		if err != nil {
			return nil, Absent, fmt.Errorf("store: %w", err)
		}
		e, err := open(dir, experiment, key)
		if err == nil {
			err = e.checkSizes()
		}
		if err == nil {
			return e, Whole, nil
		}
		// While we read, another process may have replaced the trial (see Pending.Commit): then read the new one.
		if after, again := os.Lstat(dir); try < 10 && (again != nil || !os.SameFile(before, after)) {
			continue
		}
		if errors.Is(err, record.ErrDamaged) {
			return nil, Damaged, err
		}
		return nil, Absent, fmt.Errorf("store: %w", err)
	}
}

// List returns the whole trials of an experiment in order of key, and what is damaged among them.
func (s *Store) List(experiment string) ([]*Entry, []Damage, error) {
	keys, err := s.Keys(experiment)
	if err != nil {
		return nil, nil, err
	}
	var entries []*Entry
	var damages []Damage
	for _, key := range keys {
		e, state, err := s.Lookup(experiment, key)
		var d *Damage
		switch {
		case state == Whole:
			entries = append(entries, e)
		case errors.As(err, &d):
			damages = append(damages, *d)
		case err != nil:
			return nil, nil, err
		}
	}
	return entries, damages, nil
}

// Keys returns the keys of the trials that an experiment has a folder of, sorted. What else is there Verify names.
func (s *Store) Keys(experiment string) ([]string, error) {
	if err := checkName("experiment", experiment); err != nil {
		return nil, err
	}
	names, err := os.ReadDir(filepath.Join(s.dir, experiment))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: %w", err)
	}
	var out []string
	for _, n := range names {
		if n.IsDir() && checkName("key", n.Name()) == nil {
			out = append(out, n.Name())
		}
	}
	return out, nil
}

// Experiments returns the names of the experiments that have a folder in the store, sorted. What else is there Verify names.
func (s *Store) Experiments() ([]string, error) {
	names, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	var out []string
	for _, n := range names {
		if n.IsDir() && checkName("experiment", n.Name()) == nil {
			out = append(out, n.Name())
		}
	}
	return out, nil
}
