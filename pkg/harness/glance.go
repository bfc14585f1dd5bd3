package harness

import (
	"errors"
	"runtime"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Glance is Look for plans of thousands of trials: of each it reads trial.json alone and compares the sizes of the other
// files, whose digests are checked when they are read.
func Glance(s *store.Store, plan *Plan) (Survey, error) {
	trials := plan.Unique()
	out := make(Survey, len(trials))
	return out, each(len(trials), func(i int) error {
		f := Found{Trial: trials[i], Status: Missing}
		e, err := lookup(s, &trials[i])
		switch {
		case errors.Is(err, record.ErrDamaged):
			f.Status, f.Reason = Damaged, err.Error()
		case err != nil:
			return err
		case e != nil:
			f.Status, f.Reason, f.Seconds = e.Meta.Trial.Status, e.Meta.Trial.Reason, e.Meta.Timing.Seconds
		}
		out[i] = f
		return nil
	})
}

// Recorded is what a trial left, under the labels of the plan that asks for it.
type Recorded struct {
	Trial  record.Trial
	Timing record.Timing
	Traces []record.Trace
}

// Records reads what trials left, each file checked against its digest; nil stands for a trial that is missing or
// damaged. keep says which rows of the traces are wanted; nil: all.
func Records(s *store.Store, trials []Trial, keep func(all []record.Trace) []record.Trace) ([]*Recorded, error) {
	out := make([]*Recorded, len(trials))
	return out, each(len(trials), func(i int) error {
		row, timing, traces, err := load(s, &trials[i])
		if err != nil || row == nil {
			return err
		}
		if keep != nil {
			traces = keep(traces)
		}
		err = relabel(row, traces, &trials[i])
		out[i] = &Recorded{*row, timing, traces}
		return err
	})
}

// each calls f for 0, …, n−1 on all cores and returns one of its errors.
func each(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	next := 0
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := first != nil || i >= n
				mu.Unlock()
				if stop {
					return
				}
				if err := f(i); err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}
