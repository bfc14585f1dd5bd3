package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Find returns the trials of an experiment whose keys begin with prefix, in order of key.
func (s *Store) Find(experiment, prefix string) ([]ID, error) {
	names, err := os.ReadDir(filepath.Join(s.dir, experiment))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []ID
	for _, n := range names {
		if !n.IsDir() || !strings.HasPrefix(n.Name(), prefix) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(s.dir, experiment, n.Name(), trialIndex)); err == nil { // not a reference
			out = append(out, ID{experiment, n.Name()})
		}
	}
	return out, nil
}
