package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Verify reads everything in the store and returns what is damaged, missing or not ours, in order of path. With repair
// it moves damaged trials and foreign files to <dir>/.quarantine, so that the next run computes those trials again;
// nothing is deleted. Trials that are added meanwhile may or may not be looked at.
func (s *Store) Verify(ctx context.Context, repair bool) ([]Damage, error) {
	if repair && s.readOnly {
		return nil, fmt.Errorf("store: %s is open for reading only", s.dir)
	}
	var found []Damage
	top, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for _, x := range top {
		name := x.Name()
		switch {
		case x.IsDir() && slices.Contains([]string{tmpName, quarantineName, sharedName, logName}, name), name == lockName && x.Type().IsRegular():
			continue
		case !x.IsDir() || checkName("experiment", name) != nil:
			d, err := s.foreign(repair, name)
			if err != nil {
				return found, err
			}
			found = append(found, d)
			continue
		}
		trials, err := os.ReadDir(filepath.Join(s.dir, name))
		if err != nil {
			return found, fmt.Errorf("store: %w", err)
		}
		for _, t := range trials {
			if err := ctx.Err(); err != nil {
				return found, err
			}
			if !t.IsDir() || checkName("key", t.Name()) != nil {
				d, err := s.foreign(repair, name, t.Name())
				if err != nil {
					return found, err
				}
				found = append(found, d)
				continue
			}
			damages, err := s.verifyTrial(repair, name, t.Name())
			if err != nil {
				return found, err
			}
			found = append(found, damages...)
		}
	}
	return found, nil
}

// foreign is the damage of a file that the store did not write; elem is its path within the store.
func (s *Store) foreign(repair bool, elem ...string) (Damage, error) {
	d := Damage{Path: filepath.Join(append([]string{s.dir}, elem...)...), Reason: "not a file of the store"}
	if !repair {
		return d, nil
	}
	err := s.withLock(func() (err error) {
		d.MovedTo, err = s.quarantine(d.Path, elem)
		return err
	})
	return d, err
}

// verifyTrial returns the damages of one trial. A foreign file in it is moved alone, the trial stays.
func (s *Store) verifyTrial(repair bool, experiment, key string) ([]Damage, error) {
	found, err := s.inspect(experiment, key)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 && repair {
		err = s.withLock(func() error {
			// Another process may have moved the trial away since, or computed it again: look again.
			if found, err = s.inspect(experiment, key); err != nil || len(found) == 0 {
				return err
			}
			to, err := s.quarantine(s.path(experiment, key), []string{experiment, key})
			for i := range found {
				found[i].MovedTo = to
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	names, err := os.ReadDir(s.path(experiment, key))
	if errors.Is(err, fs.ErrNotExist) || len(found) > 0 && err != nil { // a folder that cannot be read is named already
		return found, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	e, state, err := s.Lookup(experiment, key)
	if state != Whole {
		return found, nil // its foreign files go with it
	}
	for _, n := range names {
		ours := n.Name() == trialName || slices.ContainsFunc(e.Meta.Files, func(f File) bool { return f.Name == n.Name() })
		if ours {
			continue
		}
		d, err := s.foreign(repair, experiment, key, n.Name())
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}

// inspect reads all of a trial and returns every file that is not as it was written, or cannot be read.
func (s *Store) inspect(experiment, key string) ([]Damage, error) {
	e, state, err := s.Lookup(experiment, key)
	if state == Damaged {
		e, err = open(s.path(experiment, key), experiment, key) // where only other files are damaged, all are named
	}
	var d *Damage
	var unread *fs.PathError
	switch {
	case errors.As(err, &d):
		return []Damage{*d}, nil
	case errors.As(err, &unread):
		return []Damage{{Path: unread.Path, Reason: unread.Err.Error()}}, nil
	case e == nil: // of a later version
		return nil, err
	}
	var found []Damage
	for _, f := range e.Meta.Files {
		if _, err := e.read(f.Name); errors.As(err, &d) {
			found = append(found, *d)
		} else if err != nil {
			found = append(found, Damage{Path: filepath.Join(e.Dir, f.Name), Reason: err.Error()})
		}
	}
	return found, nil
}

// quarantine moves path to a new name under .quarantine made of the time, which need not be right, a random word, and
// elem, its path within the store.
func (s *Store) quarantine(path string, elem []string) (string, error) {
	dir := filepath.Join(s.dir, quarantineName)
	err := fault.At("make quarantine")
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	name := now().UTC().Format("20060102T150405Z") + "-" + rand.Text()[:8] + "-" + strings.Join(elem, "-")
	const longest = 255 // bytes that file systems take
	to := filepath.Join(dir, strings.ToValidUTF8(name[:min(len(name), longest)], ""))
	if err := fault.At("move aside"); err != nil {
		return "", fmt.Errorf("store: moving %s aside: %w", path, err)
	}
	if err := os.Rename(path, to); err != nil {
		return "", fmt.Errorf("store: moving %s aside: %w", path, err)
	}
	return to, errors.Join(record.SyncDir(dir), record.SyncDir(filepath.Dir(path)))
}
