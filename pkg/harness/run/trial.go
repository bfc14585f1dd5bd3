package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// trial computes one trial. Its error is not of the trial's making: hard ended, or no process could be started.
func (r *runner) trial(t *harness.Trial, started time.Time) (outcome, error) {
	if err := r.unmade[t.Key]; err != nil {
		return of(ended(t, record.StatusFailed, err.Error(), 0, started)), nil
	}
	if r.Isolate != nil {
		return r.isolated(t, started)
	}
	return r.here(t, started)
}

func of(r *record.Result) outcome { return outcome{r.Trial.Status, r.Trial.Reason, r} }

// here computes a trial in this process. One that does not end in time, or when hard ends, is left behind: its goroutine goes on
// until its next iteration, if there is one, and what it does is lost.
func (r *runner) here(t *harness.Trial, started time.Time) (outcome, error) {
	type end struct {
		result *record.Result
		err    error
	}
	var iter atomic.Int64
	var left atomic.Bool
	defer left.Store(true)
	done := make(chan end, 1)
	go func() {
		result, err := timed(r.hard, r.experiment(t), t, r.Threads, r.Timeout, func(i int) {
			if iter.Store(int64(i)); !left.Load() {
				r.Progress.Step(t, i)
			}
		})
		done <- end{result, err}
	}()
	var late <-chan time.Time
	if r.Timeout > 0 {
		timer := time.NewTimer(r.Timeout + r.Grace)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case x := <-done:
		if x.err != nil {
			return outcome{}, x.err
		}
		return of(x.result), nil
	case <-r.hard.Done():
		return outcome{}, context.Cause(r.hard)
	case <-late:
		return of(tooLong(t, int(iter.Load()), r.Timeout, started,
			", did not stop and was left behind: --isolate kills such trials")), nil
	}
}

// timed computes a trial within its limit of time; its failures are results. The error is that hard ended.
func timed(hard context.Context, e *harness.Experiment, t *harness.Trial, threads int, limit time.Duration,
	step func(iter int)) (*record.Result, error) {
	started := time.Now()
	ctx, last := hard, 0
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(hard, limit)
		defer cancel()
	}
	var result *record.Result
	err := guarded(t, func() (err error) {
		result, err = Compute(ctx, e, t, threads, func(iter int) { last = iter; step(iter) })
		return err
	})
	switch {
	case hard.Err() != nil:
		return nil, context.Cause(hard)
	case errors.Is(err, context.DeadlineExceeded):
		return tooLong(t, last, limit, started, ""), nil
	case err != nil:
		return ended(t, record.StatusFailed, err.Error(), last, started), nil
	}
	return result, nil
}

// guarded calls code of an experiment. A panic of it is a trial's failure, not the program's.
func guarded(t *harness.Trial, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Debug("panic", "key", t.Key, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

func tooLong(t *harness.Trial, iter int, limit time.Duration, started time.Time, how string) *record.Result {
	return ended(t, record.StatusTimeout,
		fmt.Sprintf("not finished after %v, at iteration %d of %d%s", limit, iter, t.Config.Iterations, how), iter, started)
}
