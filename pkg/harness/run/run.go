// Package run computes trials: the loop of one, a pool of workers with limits, and the references that trials are
// judged by.
package run

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
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
	FailFast bool          // start no more trials after the first that does not end with record.StatusOK
	Timeout  time.Duration // of one trial, heeded between two iterations; 0: none
	Grace    time.Duration // from Timeout until a trial that does not stop is killed, or left behind without Isolate
	Isolate  *Isolation    // each trial in a process of its own; nil: all in this one
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
	if o.Isolate != nil && o.Isolate.Memory > 0 && resident(os.Getpid()) == 0 {
		return 0, usage.Errorf("a limit on memory needs /proc, which this system does not have")
	}
	r := &runner{Options: o, store: s, experiments: experiments, hard: hard, unmade: map[string]error{}}
	soft, stop := context.WithCancel(soft)
	defer stop()
	defer context.AfterFunc(hard, stop)()
	todo = slices.Clone(todo)
	if err := r.references(soft, todo); err != nil || soft.Err() != nil {
		return 0, err
	}
	var mu sync.Mutex
	count := func(t *harness.Trial, failure error) {
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
	queue := make(chan *harness.Trial)
	for range max(1, min(o.Jobs, len(todo))) {
		wg.Go(func() {
			for t := range queue {
				started := time.Now()
				r.Progress.Start(t)
				row, failure := r.trial(t, started)
				r.Progress.End(t, row.Status, row.Reason, time.Since(started))
				if failure != nil || r.FailFast && row.Status != record.StatusOK {
					stop()
				}
				count(t, failure)
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
