package harness

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// What a Survey says of a trial beside the statuses of its record.
const (
	Missing = "missing" // no record: not computed yet
	Damaged = "damaged" // its files are not what was written
)

// Found is a trial and what the store has of it.
type Found struct {
	Trial   Trial
	Status  string // of its record, or Missing, or Damaged
	Reason  string
	Seconds float64
}

// Survey is what the store has of a plan's trials, those with one key once, in order of the plan.
type Survey []Found

// Look reads what the store has of a plan, every file's digest included. A nil store is empty.
func Look(s *store.Store, plan *Plan) (Survey, error) {
	var out Survey
	for _, t := range plan.Unique() {
		f := Found{Trial: t, Status: Missing}
		e, err := lookup(s, &t)
		if err == nil && e != nil {
			err = e.Check()
		}
		switch {
		case errors.Is(err, record.ErrDamaged):
			f.Status, f.Reason = Damaged, err.Error()
		case err != nil:
			return nil, err
		case e != nil:
			f.Status, f.Reason, f.Seconds = e.Meta.Trial.Status, e.Meta.Trial.Reason, e.Meta.Timing.Seconds
		}
		out = append(out, f)
	}
	return out, nil
}

// Is returns the trials of these statuses.
func (s Survey) Is(status ...string) []Found {
	return slices.DeleteFunc(slices.Clone(s), func(f Found) bool { return !slices.Contains(status, f.Status) })
}

// Final tells whether a trial of this status ends so each time: it need not be tried again.
func Final(status string) bool { return status == record.StatusOK || status == record.StatusDiverged }

// Retryable are the statuses of trials that may end otherwise another time. What diverged would diverge again.
var Retryable = []string{record.StatusFailed, record.StatusTimeout, record.StatusMemory, record.StatusKilled}

// Todo returns the trials that a run has to compute: the missing and the retryable ones. What is damaged is Verify's to
// move aside first.
func (s Survey) Todo() []Trial { return s.Retry(Retryable) }

// Retry returns the trials that are missing or have one of these statuses.
func (s Survey) Retry(statuses []string) []Trial {
	var out []Trial
	for _, f := range s.Is(append([]string{Missing}, statuses...)...) {
		out = append(out, f.Trial)
	}
	return out
}

// lookup returns a trial's entry, nil if there is none.
func lookup(s *store.Store, t *Trial) (*store.Entry, error) {
	if s == nil {
		return nil, nil
	}
	e, _, err := s.Lookup(t.Experiment, t.Key)
	return e, err
}

// load returns what a trial left, nil if there is nothing. A damaged trial counts as none: Look names it.
func load(s *store.Store, t *Trial) (*store.Meta, []record.Trace, error) {
	e, err := lookup(s, t)
	if err == nil && e != nil {
		var traces []record.Trace
		if traces, err = e.Traces(); err == nil {
			return &e.Meta, traces, nil
		}
	}
	if errors.Is(err, record.ErrDamaged) {
		err = nil
	}
	return nil, nil, err
}

// loader returns the function that gives figures a trial's arrays.
func loader(s *store.Store, experiment string) func(key, name string) (*record.Array, error) {
	return func(key, name string) (*record.Array, error) {
		e, err := lookup(s, &Trial{Experiment: experiment, Key: key})
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, &fs.PathError{Op: "load " + name + " of trial", Path: key, Err: fs.ErrNotExist}
		}
		return e.Array(name)
	}
}
