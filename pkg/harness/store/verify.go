package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Verify reads everything in the store and returns what is damaged, missing or not ours. With repair it moves damaged trials and
// references and foreign files to <dir>/.quarantine, so that the next run computes them again; nothing is deleted. Trials that
// are added meanwhile may or may not be looked at.
func (s *Store) Verify(repair bool) (found []Damage, err error) {
	if repair && s.readOnly {
		return nil, fmt.Errorf("store: %s is open for reading only", s.dir)
	}
	// Nobody moves a trial away meanwhile.
	locked := record.Alone(s.dir, func() error { found, err = s.verifyAll(repair); return nil })
	return found, errors.Join(err, locked)
}

func (s *Store) verifyAll(repair bool) (found []Damage, err error) {
	add := func(name string, damages ...Damage) error {
		if len(damages) > 0 && repair {
			moved, err := s.quarantine(name)
			if err != nil {
				return err
			}
			for i := range damages {
				damages[i].Moved = moved
			}
		}
		found = append(found, damages...)
		return nil
	}
	top, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	own := []string{tmpName, scratchName, quarantineName, logName}
	for _, x := range top {
		if x.IsDir() && slices.Contains(own, x.Name()) {
			continue
		}
		if !x.IsDir() || !namePattern.MatchString(x.Name()) {
			if err := add(x.Name(), s.foreign(x.Name())); err != nil {
				return found, err
			}
			continue
		}
		inside, err := fs.ReadDir(s.root.FS(), x.Name())
		if err != nil {
			return found, fmt.Errorf("store: %w", err)
		}
		for _, y := range inside {
			if err := s.verify(ID{x.Name(), y.Name()}, y.IsDir(), add); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

func (s *Store) foreign(name string) Damage {
	return Damage{Path: filepath.Join(s.dir, filepath.FromSlash(name)), Reason: "not a file of the store"}
}

// verify looks at one entry of an experiment's folder. A foreign file in a sound folder is moved alone.
func (s *Store) verify(id ID, isDir bool, add func(name string, damages ...Damage) error) error {
	if !isDir || id.check() != nil {
		return add(id.dir(), s.foreign(id.dir()))
	}
	index := trialIndex
	if _, absent := s.root.Lstat(path.Join(id.dir(), refIndex)); absent == nil {
		index = refIndex
	}
	_, f, err := s.openIndex(id, index)
	var d *Damage
	if errors.As(err, &d) {
		return add(id.dir(), *d)
	} else if err != nil {
		return err
	}
	damages, err := f.Check()
	if err != nil {
		return err
	}
	if len(damages) > 0 {
		return add(id.dir(), damages...)
	}
	names, err := f.Foreign()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := add(path.Join(id.dir(), name), s.foreign(path.Join(id.dir(), name))); err != nil {
			return err
		}
	}
	return nil
}

// quarantine moves what name stands for to a new name under .quarantine, made of the time, which need not be right, a random word
// and the old name.
func (s *Store) quarantine(name string) (moved string, err error) {
	if err := s.mkdir(quarantineName); err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	to := now().UTC().Format("20060102T150405Z") + "-" + rand.Text()[:8] + "-" + strings.ReplaceAll(name, "/", "-")
	const longest = 255 // bytes that file systems take
	to = path.Join(quarantineName, strings.ToValidUTF8(to[:min(len(to), longest)], ""))
	if err := disk.Rename(s.root, name, to); err != nil {
		return "", fmt.Errorf("store: moving %s aside: %w", name, err)
	}
	err = errors.Join(disk.SyncDir(s.root, quarantineName), disk.SyncDir(s.root, path.Dir(name)))
	return filepath.Join(s.dir, filepath.FromSlash(to)), err
}
