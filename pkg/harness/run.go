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
	Timeout  time.Duration // of one trial; 0: none
	Watch    Watcher       // told of progress
}

// Watcher is told how a run goes. Its methods are called from several goroutines at once.
type Watcher interface {
	Start(t *Trial)
	Step(t *Trial, iter int)
	End(t *Trial, status, reason string, took time.Duration) // status "" if it was stopped
}

// Run computes the trials and returns how many it computed. soft ending lets the trials that run finish and starts no
// more; hard ending stops them. A trial that fails, panics or runs out of time is recorded and the others go on. The
// error is for what no trial is guilty of: a store that cannot be written.
func (r *Runner) Run(soft, hard context.Context, experiments []*Experiment, todo []Trial) (computed int, err error) {
	soft, stop := context.WithCancel(soft)
	defer stop()
	var mu sync.Mutex
	work := func(t *Trial) {
		status, failure := r.trial(hard, byName(experiments, t.Experiment), t)
		mu.Lock()
		defer mu.Unlock()
		if failure != nil {
			if hard.Err() == nil && err == nil {
				err = fmt.Errorf("%s: %w", t.Name(), failure)
			}
			stop()
			return
		}
		computed++
		if r.FailFast && status != record.StatusOK {
			stop()
		}
	}
	var wg sync.WaitGroup
	queue := make(chan *Trial)
	for range max(1, r.Jobs) {
		wg.Go(func() {
			for t := range queue {
				if soft.Err() == nil {
					work(t)
				}
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

// trial runs and stores one trial. Its error is not of the trial's making: the store cannot be written, or hard ended.
func (r *Runner) trial(hard context.Context, e *Experiment, t *Trial) (status string, err error) {
	started, reason := time.Now(), ""
	r.Watch.Start(t)
	slog.Debug("trial starts", "key", t.Key, "trial", t.Name())
	defer func() {
		r.Watch.End(t, status, reason, time.Since(started))
		slog.Debug("trial ends", "key", t.Key, "trial", t.Name(), "status", status, "reason", reason, "took", time.Since(started))
	}()
	ctx := hard
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(hard, r.Timeout)
		defer cancel()
	}
	res, err := r.guarded(ctx, e, t)
	switch {
	case hard.Err() != nil:
		return "", context.Cause(hard)
	case errors.Is(err, context.DeadlineExceeded):
		res = &result{status: record.StatusTimeout, reason: fmt.Sprintf("not finished after %v", r.Timeout)}
	case err != nil:
		res = &result{status: record.StatusFailed, reason: strings.Join(strings.Fields(err.Error()), " ")}
	}
	if err := save(r.Store, t, res, started); err != nil {
		return "", err
	}
	status, reason = res.status, res.reason
	return status, nil
}

// guarded computes a trial; a panic of its code is its failure, not the program's.
func (r *Runner) guarded(ctx context.Context, e *Experiment, t *Trial) (res *result, err error) {
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
	return compute(ctx, t, p, r.Threads, func(iter int) { r.Watch.Step(t, iter) })
}
