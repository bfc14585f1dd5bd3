package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Put stores a trial and returns what the store has then. That is another one where the trial is there already with
// status ok or diverged; one that failed is replaced, for which Put may wait for the lock of the store until ctx ends.
// Over a damaged one nothing is written.
func (s *Store) Put(ctx context.Context, r *record.Result) (record.Trial, error) {
	t, timing := r.Trial, r.Timing
	t.Reason = safe.Text(t.Reason)
	id := ID{Experiment: t.Experiment, Key: t.Key}
	h := head{Version: version, Trial: &t, Config: json.RawMessage(t.Config), Timing: &timing}
	files := map[string][]byte{}
	for name, a := range r.Arrays {
		files[name+arrayExt] = a.Encode()
	}
	trace, err := record.Encode(r.Traces)
	if files[traceName] = trace; err == nil {
		err = h.check(id, trialIndex) // a trial that no reader would accept is not written
	}
	var there *Entry
	if err == nil {
		there, err = s.publish(ctx, id, trialIndex, h, files)
	}
	if err != nil {
		return record.Trial{}, fmt.Errorf("store: writing trial %s: %w", id, err)
	}
	return *there.Trial, nil
}

// PutFiles stores a reference and removes its checkpoints. Where it is there already, it stays.
func (s *Store) PutFiles(ctx context.Context, id ID, files map[string][]byte) error {
	h := head{Version: version, Experiment: id.Experiment, Key: id.Key}
	_, err := s.publish(ctx, id, refIndex, h, files)
	if err == nil {
		err = disk.RemoveAll(s.root, scratchOf(id))
	}
	if err != nil {
		return fmt.Errorf("store: writing the reference %s: %w", id, err)
	}
	return nil
}

// publish puts a sealed folder in its place, durably. It returns what is there then: perhaps another, which stays.
func (s *Store) publish(ctx context.Context, id ID, index string, h head,
	files map[string][]byte) (there *Entry, err error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	tmp, err := s.temporary()
	if err != nil {
		return nil, err
	}
	defer disk.RemoveAll(s.root, tmp)
	f := &Entry{s.root, tmp, index, h}
	if err := f.write(files); err != nil {
		return nil, err
	}
	for _, folder := range []string{id.Experiment, id.shard()} {
		if err := s.mkdir(folder); err != nil {
			return nil, err
		}
	}
	for {
		err := disk.Rename(s.root, tmp, id.dir())
		if err == nil {
			return f, disk.SyncDir(s.root, id.shard())
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		if there, err := s.makeRoom(ctx, id, index); there != nil || err != nil {
			return there, err
		}
	}
}

// makeRoom removes a trial that failed. It returns what stays: a reference, or a trial that ended. Two
// processes that saw the same failed trial must not remove each other's new one, so one at a time looks and removes.
func (s *Store) makeRoom(ctx context.Context, id ID, index string) (there *Entry, err error) {
	unlock, err := disk.Lock(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	f, err := s.open(id, index)
	switch {
	case errors.Is(err, safe.ErrDamaged):
		return nil, fmt.Errorf("it is there and damaged: remove its folder: %w", err)
	case f == nil || err != nil:
		return nil, err
	case f.Trial == nil || f.Trial.Final(): // a reference is final
		return f, nil
	}
	tmp, err := s.temporary()
	if err != nil {
		return nil, err
	}
	defer disk.RemoveAll(s.root, tmp)
	return nil, disk.Rename(s.root, f.dir, path.Join(tmp, id.Key))
}

// temporary makes a folder in .tmp, which its maker removes or renames.
func (s *Store) temporary() (name string, err error) {
	name = path.Join(tmpName, rand.Text())
	return name, disk.Mkdir(s.root, name)
}

// youngest is the age at which a folder in .tmp is one of a writer that died: to write one takes seconds.
const youngest = 24 * time.Hour

// sweep removes the folders of dead writers from .tmp. What it cannot remove stays for the next time. Each is renamed
// before it is removed, so that a writer that lives in spite of its age finds it whole or not at all.
func (s *Store) sweep() {
	names, _ := fs.ReadDir(s.root.FS(), tmpName)
	for _, n := range names {
		info, err := n.Info()
		dead := path.Join(tmpName, rand.Text())
		if err == nil && time.Since(info.ModTime()) > youngest &&
			disk.Rename(s.root, path.Join(tmpName, n.Name()), dead) == nil {
			disk.RemoveAll(s.root, dead)
		}
	}
}

func scratchOf(id ID) string { return path.Join(scratchName, id.Experiment+"-"+id.Key) }

// Scratch returns the folder for the checkpoints of a reference that is being made; PutFiles removes it. One process at
// a time has it: the next waits until it is released, or until ctx ends, and finds there what the first has left. Links
// in it are refused: whoever writes checkpoints would follow them.
func (s *Store) Scratch(ctx context.Context, id ID) (dir string, release func(), err error) {
	if err := id.check(); err != nil {
		return "", nil, err
	}
	if err := errors.Join(s.mkdir(scratchName), s.mkdir(scratchOf(id))); err != nil {
		return "", nil, fmt.Errorf("store: %w", err)
	}
	dir = filepath.Join(s.dir, scratchOf(id))
	if release, err = disk.Lock(ctx, dir); err != nil {
		return "", nil, fmt.Errorf("store: the checkpoints of %s: %w", id, err)
	}
	err = fs.WalkDir(s.root.FS(), scratchOf(id), func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // PutFiles removed it while we waited
			return nil
		case err == nil && !d.IsDir() && !d.Type().IsRegular():
			return &safe.Damage{Path: filepath.Join(s.dir, name), Reason: "not a regular file: remove it"}
		}
		return err
	})
	if err != nil {
		release()
		return "", nil, err
	}
	return dir, release, nil
}
