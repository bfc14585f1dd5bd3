package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Glance is Look and Measured for plans of thousands of trials, in one pass: of each it reads trial.json alone and compares
// the sizes of the other files, whose digests are checked when they are read. Of the trials in the store that are not in
// the plan, othersRead at most are read for their times.
func Glance(s *store.Store, plan *Plan, results string) (Survey, *Costs, error) {
	trials := plan.Unique()
	out := make(Survey, len(trials))
	costs := NewCosts()
	var mu sync.Mutex
	add := func(e *store.Entry) {
		mu.Lock()
		defer mu.Unlock()
		costs.Add(&e.Meta.Trial, e.Meta.Timing.Seconds)
	}
	err := each(len(trials), func(i int) error {
		f := Found{Trial: trials[i], Status: Missing}
		e, err := lookup(s, &trials[i])
		switch {
		case errors.Is(err, record.ErrDamaged):
			f.Status, f.Reason = Damaged, err.Error()
		case err != nil:
			return err
		case e != nil:
			f.Status, f.Reason, f.Seconds = e.Meta.Trial.Status, e.Meta.Trial.Reason, e.Meta.Timing.Seconds
			add(e)
		}
		out[i] = f
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	planned := map[string]bool{}
	for _, t := range trials {
		planned[t.Key] = true
	}
	costs.earlier = NewCosts()
	for _, e := range plan.Experiments {
		costs.earlier.addReport(filepath.Join(results, e.Name))
		if s == nil {
			continue
		}
		folders, err := os.ReadDir(filepath.Join(s.Dir(), e.Name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		folders = slices.DeleteFunc(folders, func(d fs.DirEntry) bool { return !d.IsDir() || planned[d.Name()] })
		every := (len(folders) + othersRead - 1) / othersRead
		err = each(min(len(folders), othersRead), func(i int) error {
			if k := i * every; k < len(folders) {
				if x, _, err := s.Lookup(e.Name, folders[k].Name()); err == nil && x != nil { // what is wrong with it is not asked here
					add(x)
				}
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return out, costs, nil
}

const othersRead = 1000

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
		m, traces, err := load(s, &trials[i])
		if err != nil || m == nil {
			return err
		}
		if keep != nil {
			traces = keep(traces)
		}
		row := m.Trial
		err = relabel(&row, traces, &trials[i])
		out[i] = &Recorded{row, m.Timing, traces}
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
