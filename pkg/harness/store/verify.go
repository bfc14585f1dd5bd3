package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
)

// Verify reads everything in the store and returns what is damaged, missing or not ours. With repair it moves damaged
// trials and references and foreign files to <dir>/.quarantine, so that the next run computes them again; nothing is
// deleted. Trials that are added meanwhile may or may not be looked at. Its error names every file that the system does
// not let it read: the rest is compared.
func (s *Store) Verify(ctx context.Context, repair bool) (found []safe.Damage, err error) {
	if repair && s.readOnly {
		return nil, fmt.Errorf("store: %s is open for reading only", s.dir)
	}
	err = disk.Alone(ctx, s.dir, func(*os.Root) error { // no other process moves a trial away meanwhile
		misfits, err := s.misfits()
		for _, m := range misfits {
			moved := ""
			if repair {
				to, stuck := s.quarantine(m.name)
				moved, err = to, errors.Join(err, stuck)
			}
			for _, d := range m.damages {
				d.Moved = moved
				found = append(found, d)
			}
		}
		return err
	})
	return found, err
}

// misfit is what a repair moves, and why.
type misfit struct {
	name    string
	damages []safe.Damage
}

func (s *Store) foreign(name string) misfit {
	return misfit{name, []safe.Damage{{Path: filepath.Join(s.dir, name), Reason: "not a file of the store"}}}
}

func (s *Store) misfits() (out []misfit, unread error) {
	own := []string{tmpName, scratchName, quarantineName}
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		_, _, inside := strings.Cut(name, "/")
		id, shard := place(name)
		switch {
		case err != nil:
			unread = errors.Join(unread, fmt.Errorf("%s: %w", filepath.Join(s.dir, name), err))
			return nil
		case name == "." || !inside && d.IsDir() && namePattern.MatchString(name):
			return nil
		case shard && d.IsDir() && id.check() == nil:
			return nil
		case inside && d.IsDir() && !shard && id.check() == nil:
			more, err := s.look(id, name)
			out, unread = append(out, more...), errors.Join(unread, err)
		case inside || !d.IsDir() || !slices.Contains(own, name):
			out = append(out, s.foreign(name))
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return out, errors.Join(unread, err)
}

// look looks at a trial or a reference in a folder. A foreign file in a sound folder is moved alone.
func (s *Store) look(id ID, dir string) (out []misfit, err error) {
	index := trialIndex
	if _, absent := s.root.Lstat(path.Join(dir, refIndex)); absent == nil {
		index = refIndex
	}
	_, f, err := s.openIndex(id, dir, index, sealed.Open)
	if d, ok := errors.AsType[*safe.Damage](err); ok {
		return []misfit{{dir, []safe.Damage{*d}}}, nil
	} else if err != nil {
		return nil, err
	}
	damages, err := f.Check()
	if len(damages) > 0 {
		return []misfit{{dir, damages}}, err
	}
	if err != nil {
		return nil, err
	}
	names, err := f.Foreign()
	for _, name := range names {
		out = append(out, s.foreign(path.Join(dir, name)))
	}
	return out, err
}

// quarantine moves what name stands for to a new name under .quarantine, made of the time, which need not be right, a
// random word and the old name.
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
	return filepath.Join(s.dir, to), err
}
