package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const (
	version    = 2 // of trial.json and reference.json
	trialIndex = "trial.json"
	refIndex   = "reference.json"
	traceName  = "trace.parquet"
	arrayExt   = ".npy"
)

// head is what trial.json says of a trial, or reference.json of a reference, besides its files.
type head struct {
	Version int             `json:"version"`
	Trial   *record.Trial   `json:"trial,omitempty"`
	Config  json.RawMessage `json:"config,omitempty"`
	Timing  *record.Timing  `json:"timing,omitempty"`

	Experiment string `json:"experiment,omitempty"` // of a reference
	Key        string `json:"key,omitempty"`

	Files []file `json:"files"` // in order of name; the index is not among them
}

// Traces returns the rows of the trial's trace.
func (e *Entry) Traces() ([]record.Trace, error) {
	b, err := e.Read(traceName)
	if err != nil {
		return nil, err
	}
	rows, err := record.Decode[record.Trace](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path(traceName), err)
	}
	for i := range rows {
		if rows[i].Key != e.Trial.Key {
			return nil, &safe.Damage{Path: e.Path(traceName), Reason: "it has rows of the trial " + rows[i].Key}
		}
		rows[i].Key = e.Trial.Key // one copy
	}
	return rows, nil
}

// Array returns the array that was stored under the name; fs.ErrNotExist if there is none. An array that is the same as
// another is stored once: sample-T as particles-T where the particles are judged, particles-T of the last iteration as
// particles.
func (e *Entry) Array(name string) (*record.Array, error) {
	if at, ok := strings.CutPrefix(name, "sample-"); ok && !e.Lists(name+arrayExt) {
		name = "particles-" + at
	}
	if name == fmt.Sprint("particles-", e.Trial.Iterations) && !e.Lists(name+arrayExt) {
		name = "particles"
	}
	b, err := e.Read(name + arrayExt)
	if err != nil {
		return nil, err
	}
	a, err := record.ArrayOf(b)
	if err != nil {
		return nil, &safe.Damage{Path: e.Path(name + arrayExt), Reason: err.Error()}
	}
	return a, nil
}

// Get returns a trial, nil if it is absent. Its files are compared with their digests when they are read. The error of
// a damaged trial is a *Damage. A nil store has no trials.
func (s *Store) Get(id ID) (*Entry, error) { return s.open(id, trialIndex) }

// check completes the rows of a trial. It refuses what is not of this trial or reference, or what no program of ours
// has written, as a store may be sent.
func (h *head) check(id ID, index string) error {
	if h.Version != version {
		return fmt.Errorf("it has version %d, this program reads version %d", h.Version, version)
	}
	of := ID{Experiment: h.Experiment, Key: h.Key}
	if index == trialIndex {
		if h.Trial == nil || h.Timing == nil {
			return errors.New("it has no trial or no times")
		}
		of = ID{Experiment: h.Trial.Experiment, Key: h.Trial.Key}
	}
	if of != id {
		return fmt.Errorf("it is of %s", of)
	}
	if index == refIndex {
		return nil
	}
	var config bytes.Buffer
	json.Compact(&config, h.Config) // as rows have it, "" for none: of JSON that was decoded it is never an error
	h.Timing.Key, h.Trial.Config = h.Trial.Key, config.String()
	return errors.Join(h.Trial.Check(), h.Timing.Check())
}

// Files returns what reads the files of a reference, nil if it is absent. Each file is compared with its digest when it
// is read. The error of a damaged reference is a *Damage.
func (s *Store) Files(id ID) (func(name string) ([]byte, error), error) {
	f, err := s.open(id, refIndex)
	if f == nil || err != nil {
		return nil, err
	}
	return f.Read, nil
}

// open reads the index of a trial or reference and checks that it is of this; nil if it is absent, or s is nil.
func (s *Store) open(id ID, index string) (f *Entry, err error) {
	if s == nil {
		return nil, nil
	}
	if err := id.check(); err != nil {
		return nil, err
	}
	for range 5 { // while we read, another process may have replaced the folder (see publish): then read the new one
		f = &Entry{root: s.root, dir: id.dir(), index: index}
		if err = f.open(); err == nil {
			err = f.check(id, index)
		}
		if err == nil && index == trialIndex && !f.Lists(traceName) { // see Put
			err = fmt.Errorf("it lists no %s", traceName)
		}
		if err == nil {
			return f, nil
		}
		err = f.damage(index, err)
		if _, absent := s.root.Lstat(id.dir()); errors.Is(absent, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return nil, err
}

// Status says how each trial ended, with its times: Missing or Damaged where the store has no record, Missing where it
// is nil. The error is that it cannot be read.
func (s *Store) Status(ids []ID) ([]record.Result, error) {
	out := make([]record.Result, len(ids))
	err := Each(len(ids), func(i int) error {
		out[i].Trial = record.Trial{Key: ids[i].Key, Status: Missing}
		f, err := s.open(ids[i], trialIndex)
		switch {
		case errors.Is(err, safe.ErrDamaged):
			out[i].Trial.Status, out[i].Trial.Reason = Damaged, err.Error()
		case err != nil:
			return err
		case f != nil:
			out[i].Trial, out[i].Timing = *f.Trial, *f.Timing
		}
		return nil
	})
	return out, err
}

// Each calls f with 0 to n−1, on all cores at once, as reading trials waits for the system. It returns the first error.
func Each(n int, f func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error { return f(i) })
	}
	return all.Wait()
}
