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
	"github.com/semi-implicit/sifg/pkg/harness/program"
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
}

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
	program.Watch(soft, r.Progress.Note)
	todo = slices.Clone(todo)
	if err := r.references(soft, todo); err != nil || soft.Err() != nil {
		return 0, err
	}
	var done atomic.Int64
	var workers errgroup.Group
	workers.SetLimit(max(1, o.Jobs))
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
				done.Add(1)
				return nil
			}
			stop()
			if hard.Err() != nil {
				return nil
			}
			return fmt.Errorf("%s: %w", t.Name(), failure)
		})
	}
	err = workers.Wait()
	return int(done.Load()), err
}

// grace is from Options.Timeout until what does not stop is left behind.
const grace = 2 * time.Second

// trial computes one trial, stores it, and returns what the store has then. One that does not end in time, or when hard
// ends, is left behind: its goroutine goes on until its next iteration, if there is one, and what it does is lost. The
// error is not of the trial's making: hard ended, the store cannot be written, or its reference there is damaged.
func (r *runner) trial(t *harness.Trial, started time.Time) (record.Trial, error) {
	if err := r.unmade[t.Key]; err != nil {
		return r.store.Put(r.hard, ended(t, statusOf(err), err.Error(), 0, started))
	}
	late, cancel := context.WithTimeout(r.hard, r.Timeout+grace)
	defer cancel()
	var iter atomic.Int64
	result, err := patiently(late, func() (*record.Result, error) {
		return r.compute(t, func(i int) {
			if iter.Store(int64(i)); late.Err() == nil {
				r.Progress.Step(t, i)
			}
		})
	})
	switch {
	case r.hard.Err() != nil && err != nil:
		return record.Trial{}, context.Cause(r.hard)
	case err != nil && err == late.Err():
		how := ", did not stop and was left behind"
		result = tooLong(t, int(iter.Load()), r.Timeout, started, how)
	case err != nil:
		return record.Trial{}, err
	}
	return r.store.Put(r.hard, result)
}

// patiently calls f and leaves it behind where it goes on when late has ended: then the error is late's.
func patiently[T any](late context.Context, f func() (T, error)) (x T, err error) {
	type answer struct {
		x   T
		err error
	}
	ended := make(chan answer, 1)
	go func() {
		x, err := f()
		ended <- answer{x, err}
	}()
	select {
	case a := <-ended:
		return a.x, a.err
	case <-late.Done():
		return x, late.Err()
	}
}

// statusOf is the status of a trial whose reference could not be made.
func statusOf(err error) string {
	if errors.Is(err, errLate) {
		return record.StatusTimeout
	}
	return record.StatusFailed
}

// compute computes a trial within its limit of time, or measures it of stored particles; its failures are results. The
// error is that hard ended, or that the trial's reference is damaged.
func (r *runner) compute(t *harness.Trial, step func(iter int)) (*record.Result, error) {
	started, last := time.Now(), 0
	ctx, cancel := context.WithTimeout(r.hard, r.Timeout)
	defer cancel()
	e := harness.ByName(r.experiments, t.Experiment)
	var result *record.Result
	err := safe.Call(func() (err error) {
		if x, _ := sourceOf(r.store, e, t, r.Data); x != nil {
			if result, err = x.measure(e, t); err == nil {
				return nil
			} // what is stored is damaged: the run gives the same
		}
		result, err = Compute(ctx, e, t, r.Threads, func(iter int) { last = iter; step(iter) })
		return err
	})
	switch {
	case r.hard.Err() != nil:
		return nil, context.Cause(r.hard)
	case t.Reference != nil && errors.Is(err, safe.ErrDamaged):
		return nil, fmt.Errorf("its reference: %w: sifg verify names what to remove, and the same command goes on", err)
	case errors.Is(err, context.DeadlineExceeded):
		how := strings.TrimPrefix(err.Error(), context.DeadlineExceeded.Error())
		return tooLong(t, last, r.Timeout, started, strings.Replace(how, "\n", "; ", 1)), nil
	case err != nil:
		return ended(t, record.StatusFailed, err.Error(), last, started), nil
	}
	return result, nil
}

func tooLong(t *harness.Trial, iter int, limit time.Duration, started time.Time, how string) *record.Result {
	reason := fmt.Sprintf("not finished after %v, at iteration %d of %d%s", limit, iter, t.Config.Iterations, how)
	return ended(t, record.StatusTimeout, reason, iter, started)
}
