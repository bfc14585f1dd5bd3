package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Pending is a trial that is being written aside. It belongs to one goroutine.
type Pending struct {
	s               *Store
	experiment, key string
	dir             string   // "" when it is in its place
	owner           *os.File // dir, locked: says that the writer lives
	files           []*file
	err             error // the first one; it keeps the trial from being committed
}

// file is a file of a pending trial, written but not synced.
type file struct {
	*os.File
	name string
	n    int64
	sum  hash.Hash
}

func (f *file) Write(b []byte) (int, error) {
	if err := fault.At("write " + f.name); err != nil {
		return 0, err
	}
	n, err := f.File.Write(b)
	f.sum.Write(b[:n])
	f.n += int64(n)
	return n, err
}

func (f *file) sync() error {
	if err := fault.At("sync " + f.name); err != nil {
		return err
	}
	return f.Sync()
}

// Begin starts to write a trial, best when its results are there. Abort or Commit must follow.
func (s *Store) Begin(experiment, key string) (*Pending, error) {
	if s.readOnly {
		return nil, fmt.Errorf("store: %s is open for reading only", s.dir)
	}
	if err := errors.Join(checkName("experiment", experiment), checkName("key", key)); err != nil {
		return nil, err
	}
	dir, owner, err := s.scratch()
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &Pending{s: s, experiment: experiment, key: key, dir: dir, owner: owner}, nil
}

// WriteTrace writes the rows of the trial's trace.
func (p *Pending) WriteTrace(rows []record.Trace) error {
	return p.write(traceName, func(w io.Writer) error { return record.EncodeTraces(w, rows) })
}

// WriteArray writes an array, C-ordered, under a name of its own: particles, sample-2000, …
func (p *Pending) WriteArray(name string, shape []int, data []float32) error {
	if err := checkName("array", name); err != nil {
		p.err = errors.Join(p.err, err)
		return err
	}
	return p.write(name+arrayExt, func(w io.Writer) error { return record.EncodeNPY(w, shape, data) })
}

func (p *Pending) write(name string, write func(io.Writer) error) (err error) {
	if p.err != nil {
		return p.err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("store: writing %s of trial %s/%s: %w", name, p.experiment, p.key, err)
			p.err = err
		}
	}()
	if err := fault.At("create " + name); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(p.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	out := &file{File: f, name: name, sum: sha256.New()}
	p.files = append(p.files, out)
	b := bufio.NewWriterSize(out, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// Abort drops the trial. After Commit it does nothing, so that it can be deferred.
func (p *Pending) Abort() {
	for _, f := range p.files {
		f.Close()
	}
	p.files = nil
	if p.owner != nil {
		if p.dir != "" {
			os.RemoveAll(p.dir)
		}
		p.owner.Close()
		p.owner = nil
	}
	if p.err == nil {
		p.err = errors.New("store: the trial is written or dropped already")
	}
}

// Commit puts the trial in its place. Of m it takes Trial and Timing; the experiment and the key must be those given to
// Begin. If the trial is there already and ended with status ok or diverged, it stays, ours is dropped, and the entry
// returned is the one that is there. One that failed or timed out is replaced: it is moved away first, so that the trial
// is absent for a moment and whole again. Over a damaged one nothing is written: Verify moves it aside.
func (p *Pending) Commit(m Meta) (*Entry, error) {
	defer p.Abort()
	if p.err != nil {
		return nil, p.err
	}
	if m.Trial.Experiment != p.experiment || m.Trial.Key != p.key {
		return nil, fmt.Errorf("store: trial %s/%s committed as %s/%s", m.Trial.Experiment, m.Trial.Key, p.experiment, p.key)
	}
	if err := p.finish(&m); err != nil {
		return nil, fmt.Errorf("store: writing trial %s/%s: %w", p.experiment, p.key, err)
	}
	return p.put(&m)
}

// put makes the finished trial be in its place, durably.
func (p *Pending) put(m *Meta) (*Entry, error) {
	e, err := p.publish(m)
	if err != nil {
		return nil, err
	}
	if err := record.SyncDir(filepath.Join(p.s.dir, p.experiment)); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return e, nil
}

// makeFolder makes a folder that may be there, durably.
func makeFolder(dir string) error {
	if err := fault.At("make folder"); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return record.SyncDir(filepath.Dir(dir))
}

// finish completes m from what was written, writes trial.json and makes all files durable.
func (p *Pending) finish(m *Meta) error {
	m.Version, m.Provenance, m.Config = metaVersion, provenance(), nil
	if m.Trial.Config != "" {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(m.Trial.Config)); err != nil {
			return fmt.Errorf("its configuration: %w", err)
		}
		m.Config, m.Trial.Config = compact.Bytes(), compact.String()
	}
	m.Timing.Key = m.Trial.Key
	m.Attempt = 0
	if e, state, _ := p.s.Lookup(p.experiment, p.key); state == Whole && !final(e) {
		m.Attempt = max(1, e.Meta.Attempt) + 1
	}
	m.Files = nil
	for _, f := range p.files {
		m.Files = append(m.Files, File{Name: f.name, Bytes: f.n, SHA256: hex.EncodeToString(f.sum.Sum(nil))})
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	b, err := m.marshal()
	if err != nil {
		return err
	}
	if err := p.write(trialName, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
		return err
	}
	return p.settle()
}

// settle makes all files durable.
func (p *Pending) settle() error {
	errs := make([]error, len(p.files)+1)
	var all sync.WaitGroup
	for i, f := range p.files { // at once, so that the file system can join them into one transaction
		all.Go(func() { errs[i] = errors.Join(f.sync(), f.Close()) })
	}
	all.Go(func() { errs[len(errs)-1] = p.syncFolder() })
	all.Wait()
	p.files = nil
	return errors.Join(errs...)
}

// syncFolder makes the names in the pending folder durable, as record.SyncDir does.
func (p *Pending) syncFolder() error {
	if err := fault.At("sync pending folder"); err != nil {
		return err
	}
	if err := p.owner.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// publish renames the folder to its place, or finds out why not.
func (p *Pending) publish(m *Meta) (*Entry, error) {
	place := p.s.path(p.experiment, p.key)
	for made := false; ; {
		err := fault.At("rename")
		if err == nil {
			err = os.Rename(p.dir, place)
		}
		if err == nil {
			p.dir = ""
			return &Entry{Dir: place, Meta: *m}, nil
		}
		if errors.Is(err, fs.ErrNotExist) && !made { // the first trial of its experiment
			if err := makeFolder(filepath.Dir(place)); err != nil {
				return nil, fmt.Errorf("store: %w", err)
			}
			made = true
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("store: %w", err)
		}
		e, state, err := p.s.Lookup(p.experiment, p.key)
		switch {
		case state == Damaged:
			return nil, fmt.Errorf("store: trial %s/%s is there and damaged, move it aside by verifying with repair: %w",
				p.experiment, p.key, err)
		case err != nil:
			return nil, err
		case state == Whole && final(e):
			return e, nil
		}
		if err := p.s.moveAway(p.experiment, p.key); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
}

// final says whether the trial would end the same way again.
func final(e *Entry) bool {
	return e.Meta.Trial.Status == record.StatusOK || e.Meta.Trial.Status == record.StatusDiverged
}

// moveAway removes a trial that failed or timed out, if it is still one when nobody else can do so.
func (s *Store) moveAway(experiment, key string) error {
	return s.withLock(func() error {
		e, state, err := s.Lookup(experiment, key)
		if err != nil || state != Whole || final(e) {
			return nil // the caller looks again
		}
		dir, owner, err := s.scratch()
		if err != nil {
			return err
		}
		defer func() { os.RemoveAll(dir); owner.Close() }()
		if err := fault.At("move away"); err != nil {
			return err
		}
		if err := os.Rename(e.Dir, filepath.Join(dir, key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return fault.At("remove")
	})
}
