// Package run computes trials: the loop of one, a pool of workers, and the references that trials are judged by.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Progress is told how a run goes. Its methods are called from several goroutines at once.
type Progress interface {
	Note(line string) // for the user: a reference is being made, say
	Start(t *harness.Trial)
	Step(t *harness.Trial, iter int)
	End(t *harness.Trial, status, reason string, took time.Duration) // status "" if it was stopped
}

// Options say how trials are computed. None of them changes a result.
type Options struct {
	Jobs     int           // trials at once, 1 or more
	Threads  int           // cores that one trial may use
	Timeout  time.Duration // of one trial, heeded between two iterations; 0: none
	Data     plan.Datasets // the keys of references depend on data sets; nil: none
	Progress Progress
}

// runner is one call of Run.
type runner struct {
	Options
	store       *store.Store
	experiments []*harness.Experiment
	hard        context.Context
	unmade      map[string]error // why a trial's reference could not be made, by the trial's key
	done        atomic.Int64
}

// grace is for what runs when hard ends: what has not stopped then is left behind, and what it does is lost.
const grace = time.Second / 2

// Run computes trials and stores them; the references that they need come first. soft ending lets running trials finish
// and starts no more; hard ending stops them. A trial that fails, panics or exceeds its limits is recorded and the
// others go on. Run fails only for causes outside any trial, such as an unwritable store.
func Run(soft, hard context.Context, s *store.Store, experiments []*harness.Experiment, todo []harness.Trial,
	o Options) (computed int, err error) {
	o.Timeout = cmp.Or(o.Timeout, math.MaxInt64/2) // a hundred years
	r := &runner{Options: o, store: s, experiments: experiments, hard: hard, unmade: map[string]error{}}
	soft, stop := context.WithCancel(soft)
	defer stop()
	defer context.AfterFunc(hard, stop)()
	ended := make(chan error, 1)
	go func() { ended <- r.run(soft, stop, slices.Clone(todo)) }()
	select {
	case err = <-ended:
	case <-hard.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
		}
	}
	return int(r.done.Load()), err
}

// run is Run, which does not wait for what hangs when hard ends. stop ends soft.
func (r *runner) run(soft context.Context, stop func(), todo []harness.Trial) error {
	if err := r.references(soft, todo); err != nil || soft.Err() != nil {
		return err
	}
	var workers errgroup.Group
	workers.SetLimit(max(1, r.Jobs))
	for i := range todo {
		workers.Go(func() error {
			if soft.Err() != nil {
				return nil
			}
			t, started := &todo[i], time.Now()
			r.Progress.Start(t)
			row, failure := r.trial(t, started)
			r.Progress.End(t, row.Status, row.Reason, time.Since(started))
			if row.Status == record.StatusOK && row.Reason != "" {
				r.Progress.Note(t.Name() + ": " + row.Reason)
			}
			if failure == nil {
				r.done.Add(1)
				return nil
			}
			stop()
			if r.hard.Err() != nil {
				return nil
			}
			return fmt.Errorf("%s: %w", t.Name(), failure)
		})
	}
	return workers.Wait()
}

// trial computes one trial, stores it, and returns what the store has then. The error is not of the trial's making:
// hard ended, the store cannot be written, or its reference there is damaged.
func (r *runner) trial(t *harness.Trial, started time.Time) (record.Trial, error) {
	if err := r.unmade[t.Key]; err != nil {
		status := record.StatusFailed
		if errors.Is(err, errLate) {
			status = record.StatusTimeout
		}
		return r.store.Put(r.hard, ended(t, status, err.Error(), 0, started))
	}
	result, err := r.compute(t, started)
	if err != nil {
		return record.Trial{}, err
	}
	return r.store.Put(r.hard, result)
}

// compute computes a trial within its limit of time; its failures are results. The error is that hard ended, or that
// the trial's reference is damaged.
func (r *runner) compute(t *harness.Trial, started time.Time) (*record.Result, error) {
	last := 0
	step := func(iter int) {
		last = iter
		r.Progress.Step(t, iter)
	}
	ctx, cancel := context.WithTimeout(r.hard, r.Timeout)
	defer cancel()
	e := harness.ByName(r.experiments, t.Experiment)
	var result *record.Result
	err := safe.Call(func() (err error) {
		result, err = Compute(ctx, e, t, r.Threads, step)
		return err
	})
	switch {
	case r.hard.Err() != nil:
		return nil, context.Cause(r.hard)
	case t.Reference != nil && errors.Is(err, safe.ErrDamaged):
		return nil, fmt.Errorf("its reference: %w: sifg verify names what to remove, and the same command goes on", err)
	case errors.Is(err, context.DeadlineExceeded):
		how := strings.TrimPrefix(err.Error(), context.DeadlineExceeded.Error())
		reason := fmt.Sprintf("not finished after %v, at iteration %d of %d%s", r.Timeout, last, t.Config.Iterations,
			strings.Replace(how, "\n", "; ", 1))
		return ended(t, record.StatusTimeout, reason, last, started), nil
	case err != nil:
		return ended(t, record.StatusFailed, err.Error(), last, started), nil
	}
	return result, nil
}
