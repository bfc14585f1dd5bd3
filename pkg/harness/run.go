package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Runner computes the trials of a plan that the store does not have yet.
type Runner struct {
	Store    *store.Store
	Jobs     int           // trials at once, 1 or more
	Threads  int           // cores that one trial may use; changes no result
	FailFast bool          // start no more trials after the first that does not end with StatusOK
	Timeout  time.Duration // of one trial, heeded between two iterations; 0: none
	Grace    time.Duration // from Timeout to where a trial that has not ended by itself is killed; or, in this process, left behind
	Isolate  *Isolation    // each trial in a process of its own; nil: all in this one
	Watch    Watcher       // told of progress
}

// Watcher is told how a run goes. Its methods are called from several goroutines at once.
type Watcher interface {
	Start(t *Trial)
	Step(t *Trial, iter int)
	End(t *Trial, status, reason string, took time.Duration) // status "" if it was stopped
}

// ended is how a trial ended.
type ended struct {
	*result
	took   time.Duration
	stored bool // by its own process
}

// Run computes the trials and returns how many it computed. soft ending lets the trials that run finish and starts no
// more; hard ending stops them. A trial that fails, panics or exceeds its limits is recorded and the others go on. The
// error is for what no trial is guilty of: a store that cannot be written.
func (r *Runner) Run(soft, hard context.Context, experiments []*Experiment, todo []Trial) (computed int, err error) {
	if r.Isolate != nil && r.Isolate.Memory > 0 {
		if _, err := resident(0); err != nil {
			return 0, Usagef("a limit on memory needs /proc, which this system does not have: %v", err)
		}
	}
	soft, stop := context.WithCancel(soft)
	defer stop()
	var mu sync.Mutex
	count := func(t *Trial, failure error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case failure == nil:
			computed++
		case hard.Err() == nil && err == nil:
			err = fmt.Errorf("%s: %w", t.Name(), failure)
		}
	}
	var wg sync.WaitGroup
	queue := make(chan *Trial)
	for range max(1, min(r.Jobs, len(todo))) {
		wg.Go(func() {
			var saving sync.WaitGroup // a trial is written while this worker computes its next
			defer saving.Wait()
			for t := range queue {
				if soft.Err() != nil {
					continue
				}
				started := time.Now()
				r.Watch.Start(t)
				slog.Debug("trial starts", "key", t.Key, "trial", t.Name())
				x, failure := r.trial(hard, byName(experiments, t.Experiment), t)
				if failure != nil || r.FailFast && x.status != record.StatusOK {
					stop()
				}
				saving.Wait()
				saving.Go(func() {
					failure := r.end(t, x, failure, started)
					if failure != nil {
						stop()
					}
					count(t, failure)
				})
			}
		})
	}
	for i := 0; i < len(todo) && soft.Err() == nil; i++ {
		select {
		case queue <- &todo[i]:
		case <-soft.Done():
		}
	}
	close(queue)
	wg.Wait()
	return computed, err
}

func byName(experiments []*Experiment, name string) *Experiment {
	return experiments[slices.IndexFunc(experiments, func(e *Experiment) bool { return e.Name == name })]
}

// end stores how a trial ended, if it did.
func (r *Runner) end(t *Trial, x ended, failure error, started time.Time) error {
	status, reason := "", ""
	if failure == nil {
		status, reason = x.status, x.reason
		if !x.stored {
			status, reason, failure = save(r.Store, t, x, started)
		}
	}
	r.Watch.End(t, status, reason, x.took)
	slog.Debug("trial ends", "key", t.Key, "trial", t.Name(), "status", status, "reason", reason, "took", x.took)
	return failure
}

// trial computes one trial. Its error is not of the trial's making: hard ended, or no process could be started.
func (r *Runner) trial(hard context.Context, e *Experiment, t *Trial) (x ended, err error) {
	started := time.Now()
	if r.Isolate != nil {
		x, err = r.isolated(hard, t)
	} else {
		x.result, err = r.here(hard, e, t)
	}
	x.took = time.Since(started)
	return x, err
}

// here computes a trial in this process. One that does not end in time, or when hard ends, is left behind: its goroutine
// goes on until its next iteration, if there is one, and what it does is lost.
func (r *Runner) here(hard context.Context, e *Experiment, t *Trial) (*result, error) {
	type outcome struct {
		result *result
		err    error
	}
	var iter atomic.Int64
	var left atomic.Bool
	defer left.Store(true)
	done := make(chan outcome, 1)
	go func() {
		res, err := r.timed(hard, e, t, func(i int) {
			if iter.Store(int64(i)); !left.Load() {
				r.Watch.Step(t, i)
			}
		})
		done <- outcome{res, err}
	}()
	var late <-chan time.Time
	if r.Timeout > 0 {
		timer := time.NewTimer(r.Timeout + r.Grace)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-hard.Done():
		return nil, context.Cause(hard)
	case <-late:
		return tooLong(t, int(iter.Load()), r.Timeout, ", did not stop and was left behind: --isolate kills such trials"), nil
	}
}

// timed computes a trial within its limit of time; its failures are results. The error is that hard ended.
func (r *Runner) timed(hard context.Context, e *Experiment, t *Trial, step func(iter int)) (*result, error) {
	ctx, last := hard, 0
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(hard, r.Timeout)
		defer cancel()
	}
	res, err := r.guarded(ctx, e, t, func(iter int) { last = iter; step(iter) })
	switch {
	case hard.Err() != nil:
		return nil, context.Cause(hard)
	case errors.Is(err, context.DeadlineExceeded):
		return tooLong(t, last, r.Timeout, ""), nil
	case err != nil:
		return failed(record.StatusFailed, last, err.Error()), nil
	}
	return res, nil
}

// guarded computes a trial; a panic of its code is its failure, not the program's.
func (r *Runner) guarded(ctx context.Context, e *Experiment, t *Trial, step func(iter int)) (res *result, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Debug("panic", "key", t.Key, "stack", string(debug.Stack()))
			res, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	p, err := e.Setup(t)
	if err != nil {
		return nil, err
	}
	return compute(ctx, t, p, r.Threads, step)
}

// failed is the result of a trial that has none.
func failed(status string, iterations int, reason string) *result {
	return &result{status: status, reason: strings.Join(strings.Fields(reason), " "), iterations: iterations}
}

func tooLong(t *Trial, iter int, limit time.Duration, how string) *result {
	return failed(record.StatusTimeout, iter,
		fmt.Sprintf("not finished after %v, at iteration %d of %d%s", limit, iter, t.Config.Iterations, how))
}
