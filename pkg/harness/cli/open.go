package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// retryable are the statuses of trials that may end otherwise another time. What diverged would diverge again.
var retryable = []string{record.StatusFailed, record.StatusTimeout}

// todoStatuses are those of trials that a run computes.
var todoStatuses = append([]string{store.Missing}, retryable...)

// work is a plan with what the store has of it.
type work struct {
	*plan.Plan
	results string
	store   *store.Store // nil where there is none and none was to be made
	trials  []harness.Trial
	found   []record.Result      // of each of trials
	times   map[string][]float64 // seconds of the trials that the store has, by kind
}

// open makes the plan of the flags and looks through the store once.
func (s *selection) open(e *env, names []string, write bool) (*work, error) {
	if err := s.request(e, names); err != nil {
		return nil, err
	}
	p, err := plan.New(s.Request)
	if err != nil {
		return nil, err
	}
	if s.shard != "" {
		i, n, err := shardOf(s.shard)
		if err != nil {
			return nil, err
		}
		p.Shard(i, n)
	}
	w := &work{Plan: p, results: s.resultsDir()}
	if w.store, err = openStore(s.storeDir(), w.results, write); err != nil {
		return nil, err
	}
	return w, w.look()
}

// openStore opens the store; one that does not exist and is not to be written is nil. Trials have a folder of their
// own, which may be the folder store of their results.
func openStore(dir, results string, write bool) (*store.Store, error) {
	d, _ := filepath.Abs(dir)
	r, _ := filepath.Abs(results)
	if strings.HasPrefix(r+"/", d+"/") || strings.HasPrefix(d+"/", r+"/") && d != filepath.Join(r, "store") {
		return nil, usage.Errorf("--store %s and --results %s overlap: the trials need a folder of their own, "+
			"such as %s", dir, results, filepath.Join(results, "store"))
	}
	opener := store.OpenReadOnly
	if write {
		opener = store.Open
	}
	s, err := opener(dir)
	if !write && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage.Errorf("--store %s: %v", dir, err)
	}
	return s, nil
}

// read makes the request of the flags and reads the report that they name.
func (s *selection) read(e *env, names []string) (*report.Results, error) {
	if err := cmp.Or(s.request(e, names), s.Known()); err != nil {
		return nil, err
	}
	rep, err := report.Read(s.resultsDir(), e.experiments)
	if err == nil && len(rep.Experiments) == 0 {
		err = exitf(exitStopped, "no report in %s: sifg run makes one", rep.Dir)
	}
	return rep, err
}

// look asks the store what it has of the plan's trials, and how long these took.
func (w *work) look() (err error) {
	w.trials, w.times = w.Unique(), map[string][]float64{}
	ids := make([]store.ID, len(w.trials))
	for i, t := range w.trials {
		ids[i] = store.ID{Experiment: t.Experiment, Key: t.Key}
	}
	if w.found, err = w.store.Status(ids); err != nil {
		return err
	}
	for i, f := range w.found {
		if f.Trial.Status == record.StatusOK {
			kind := kindOf(&w.trials[i])
			w.times[kind] = append(w.times[kind], f.Timing.Seconds)
		}
	}
	return nil
}

// with returns the trials whose status is one of these.
func (w *work) with(status ...string) (out []harness.Trial) {
	for i, f := range w.found {
		if slices.Contains(status, f.Trial.Status) {
			out = append(out, w.trials[i])
		}
	}
	return out
}

// count returns how many trials have one of these statuses.
func (w *work) count(status ...string) int { return len(w.with(status...)) }

// damage is the error for damaged trials; nil if there are none.
func (w *work) damage() error {
	if all := w.with(store.Damaged); len(all) > 0 {
		return exitf(exitDamaged, "%d of %d trials are damaged in the store, the first is %s: remove its folder %s, "+
			"and then sifg run; sifg verify names all", len(all), len(w.found), w.first(store.Damaged),
			filepath.Join(w.store.Dir(), all[0].Experiment, all[0].Key[:2], all[0].Key))
	}
	return nil
}

// first says what became of the first trial with one of these statuses.
func (w *work) first(status ...string) string {
	i := slices.IndexFunc(w.found, func(f record.Result) bool { return slices.Contains(status, f.Trial.Status) })
	f := w.found[i].Trial
	return fmt.Sprintf("%s (%s) %s", w.trials[i].Name(), f.Key, became(f.Status, f.Reason))
}

// summary says how many trials there are and how many have to be computed, after what needs to be known of it.
func (w *work) summary(todo []harness.Trial) string {
	s := fmt.Sprintf("%s: %d already there, %d to compute", table.Count(len(w.found), "trial"),
		w.count(record.StatusOK, record.StatusDiverged), len(todo))
	if n := w.count(todoStatuses...) - len(todo); n > 0 {
		s += fmt.Sprintf(", %d left out because data are missing", n)
	}
	return strings.Join(append(slices.Clone(w.LeftOut), s), "\n")
}

func planCommand(e *env) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "plan [EXPERIMENT...|all]",
		Short: "Shows the trials of a run, and which are there, missing or failed",
		Example: `  sifg plan gmm --protocol all
  sifg plan gmm --set methods.svgd.step=0.1`,
		RunE: func(_ *cobra.Command, names []string) error {
			w, err := s.open(e, names, false)
			if err != nil {
				return err
			}
			w.print(e)
			return w.damage()
		},
	}
	s.flags(cmd)
	return cmd
}

// print prints the plan as a table with a row for each configuration, which the trials of a method on a problem share;
// what it comes to; and why trials failed or are damaged.
func (w *work) print(e *env) {
	status := map[string]string{}
	for _, f := range w.found {
		status[f.Trial.Key] = f.Trial.Status
	}
	rows := [][]string{
		{"experiment", "protocol", "problem", "method", "particles", "iterations", "trials", "there", "failed"},
	}
	for i := 0; i < len(w.Trials); {
		t, trials, there, failed := w.Trials[i], 0, 0, 0
		for ; i < len(w.Trials) && w.Trials[i].Config == t.Config; i++ {
			trials++
			switch s := status[w.Trials[i].Key]; {
			case s == record.StatusOK || s == record.StatusDiverged:
				there++
			case slices.Contains(retryable, s): // a run tries them again
				failed++
			}
		}
		method := strings.TrimSuffix(t.Method+", "+t.Cell, ", ")
		row := []string{t.Experiment, t.Protocol, t.Problem, method}
		for _, n := range []int{t.Config.Particles, t.Config.Iterations, trials, there, failed} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	columns(e.out, rows)
	fmt.Fprintln(e.out, w.summary(w.with(todoStatuses...)))
	var failed [][]string
	for i, f := range w.found {
		if f.Trial.Status == store.Damaged || slices.Contains(retryable, f.Trial.Status) {
			failed = append(failed, []string{f.Trial.Key, w.trials[i].Name(), became(f.Trial.Status, f.Trial.Reason)})
		}
	}
	columns(e.out, failed)
}
