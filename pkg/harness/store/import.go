package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Conflict is one trial with two results, in two stores. They may be of different machines: a trial has the same bits
// again on the same build and the same kind of processor.
type Conflict struct {
	Here, There *Entry
	Differ      string // what of them does
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("trial %s/%s: %s has another %s than %s (computed on %s with %s, and on %s with %s)", c.Here.Meta.Trial.Experiment,
		c.Here.Meta.Trial.Key, c.There.Dir, c.Differ, c.Here.Dir, c.There.Meta.Timing.CPU, c.There.Meta.Timing.Kernel,
		c.Here.Meta.Timing.CPU, c.Here.Meta.Timing.Kernel)
}

// Import copies a trial of another store into this one, byte by byte, its files checked against their digests on the way,
// and reports whether it did. A trial that is here with status ok or diverged stays; if the results differ, the error is a
// *Conflict. One that failed here gives way to one that did not.
func (s *Store) Import(e *Entry) (copied bool, err error) {
	t := &e.Meta.Trial
	here, state, err := s.Lookup(t.Experiment, t.Key)
	switch {
	case state == Damaged || err != nil:
		return false, err
	case state == Whole && final(here) && final(e):
		if d := differ(here, e); d != "" {
			return false, &Conflict{here, e, d}
		}
		return false, e.Check()
	case state == Whole && (final(here) || !final(e)):
		return false, e.Check()
	}
	p, err := s.Begin(t.Experiment, t.Key)
	if err != nil {
		return false, err
	}
	defer p.Abort()
	for _, f := range e.Meta.Files {
		b, err := e.read(f.Name)
		if err != nil {
			return false, err
		}
		if err := p.write(f.Name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
			return false, err
		}
	}
	b, err := os.ReadFile(filepath.Join(e.Dir, trialName))
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	var current Meta
	if err := current.unmarshal(b); err != nil {
		return false, &Damage{Path: filepath.Join(e.Dir, trialName), Reason: err.Error()}
	}
	if current.Trial != e.Meta.Trial || !slices.Equal(current.Files, e.Meta.Files) { // what is copied is what was checked
		return false, fmt.Errorf("store: trial %s was replaced while it was copied: do it again", e.Dir)
	}
	if err := p.write(trialName, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
		return false, err
	}
	if err := p.settle(); err != nil {
		return false, fmt.Errorf("store: writing trial %s/%s: %w", t.Experiment, t.Key, err)
	}
	there, err := p.put(&e.Meta)
	if err != nil {
		return false, err
	}
	if d := differ(there, e); d != "" { // another process was first
		return false, &Conflict{there, e, d}
	}
	return true, nil
}

// differ says what differs between the results of two entries of a trial; "" if nothing does. When and where they were
// computed is no part of the result.
func differ(a, b *Entry) string {
	x, y := a.Meta.Trial, b.Meta.Trial
	if x.Status != y.Status || x.Reason != y.Reason || x.Iterations != y.Iterations {
		return "end (" + y.Status + ", not " + x.Status + ")"
	}
	for _, f := range a.Meta.Files {
		i := slices.IndexFunc(b.Meta.Files, func(g File) bool { return g.Name == f.Name })
		if i < 0 || b.Meta.Files[i].SHA256 != f.SHA256 {
			return f.Name
		}
	}
	if len(a.Meta.Files) != len(b.Meta.Files) {
		return "number of files"
	}
	return ""
}
