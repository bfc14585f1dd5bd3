package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// trial computes one trial, stores it, and returns what the store has then. Its error is not of the trial's making:
// hard ended, no process could be started, or the store cannot be written.
func (r *runner) trial(t *harness.Trial, started time.Time) (record.Trial, error) {
	if err := r.unmade[t.Key]; err != nil {
		return r.store.Put(r.hard, ended(t, record.StatusFailed, err.Error(), 0, started))
	}
	if r.Isolate != nil {
		return r.isolated(t, started)
	}
	return r.here(t, started)
}

// here computes a trial in this process. One that does not end in time, or when hard ends, is left behind: its
// goroutine goes on until its next iteration, if there is one, and what it does is lost.
func (r *runner) here(t *harness.Trial, started time.Time) (record.Trial, error) {
	late, cancel := within(r.hard, r.Timeout, r.Grace)
	defer cancel()
	var iter atomic.Int64
	done := make(chan *record.Result, 1)
	go func() {
		e := harness.ByName(r.experiments, t.Experiment)
		result, err := timed(r.hard, e, t, r.Threads, r.Timeout, func(i int) {
			if iter.Store(int64(i)); late.Err() == nil {
				r.Progress.Step(t, i)
			}
		})
		if err == nil {
			done <- result
		}
	}()
	select {
	case result := <-done:
		return r.store.Put(r.hard, result)
	case <-late.Done():
	}
	if r.hard.Err() != nil {
		return record.Trial{}, context.Cause(r.hard)
	}
	how := ", did not stop and was left behind: --isolate kills such trials"
	return r.store.Put(r.hard, tooLong(t, int(iter.Load()), r.Timeout, started, how))
}

// within returns a context that ends when ctx does or after the limit and the grace; a limit of 0 is none.
func within(ctx context.Context, limit, grace time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit+grace)
}

// timed computes a trial within its limit of time; its failures are results. The error is that hard ended.
func timed(hard context.Context, e *harness.Experiment, t *harness.Trial, threads int, limit time.Duration,
	step func(iter int)) (*record.Result, error) {
	started, last := time.Now(), 0
	ctx, cancel := within(hard, limit, 0)
	defer cancel()
	var result *record.Result
	err := safe.Call(func() (err error) {
		result, err = Compute(ctx, e, t, threads, func(iter int) { last = iter; step(iter) })
		return err
	})
	switch {
	case hard.Err() != nil:
		return nil, context.Cause(hard)
	case errors.Is(err, context.DeadlineExceeded):
		return tooLong(t, last, limit, started, strings.TrimPrefix(err.Error(), context.DeadlineExceeded.Error())), nil
	case err != nil:
		return ended(t, record.StatusFailed, err.Error(), last, started), nil
	}
	return result, nil
}

func tooLong(t *harness.Trial, iter int, limit time.Duration, started time.Time, how string) *record.Result {
	reason := fmt.Sprintf("not finished after %v, at iteration %d of %d%s", limit, iter, t.Config.Iterations, how)
	return ended(t, record.StatusTimeout, reason, iter, started)
}
