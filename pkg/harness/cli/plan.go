package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// planLine is one method on one problem of a plan.
type planLine struct {
	Experiment string   `json:"experiment"`
	Protocol   string   `json:"protocol"`
	Problem    string   `json:"problem"`
	Method     string   `json:"method"`
	Particles  int      `json:"particles"`
	Iterations int      `json:"iterations"`
	Seeds      []uint64 `json:"seeds"`
	Keys       []string `json:"keys"`
	There      int      `json:"there"`             // trials in the store that ended
	Seconds    float64  `json:"seconds,omitempty"` // predicted for one trial
}

func planCommand(e *env) *cobra.Command {
	var s selection
	var jobs int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan [EXPERIMENT...|all]",
		Short: "Shows the trials that a run would consist of",
		Example: `  sifg plan gmm --protocol all
  sifg plan gmm --set methods.svgd.step=0.1 --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := s.open(e, args, false)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(e.out, w.lines())
			} else {
				err = w.print(e, jobs)
			}
			return errors.Join(err, w.damage())
		},
	}
	s.flags(cmd)
	jobsFlag(cmd.Flags(), &jobs)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func jobsFlag(f *pflag.FlagSet, jobs *int) {
	f.IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "trials computed at once")
}

// work is a plan with what the store has of it.
type work struct {
	*plan.Plan
	results string
	store   *store.Store // nil where there is none and none was to be made
	trials  []harness.Trial
	found   []store.Found // of each of trials
	costs   run.Costs
}

// open makes the plan of the flags and looks through the store once.
func (s *selection) open(e *env, names []string, write bool) (*work, error) {
	r, err := s.request(e, names)
	if err != nil {
		return nil, err
	}
	p, err := plan.New(r)
	if err != nil {
		return nil, err
	}
	w := &work{Plan: p, results: s.resultsDir()}
	if w.store, err = openStore(e, s.storeDir(), w.results, write); err != nil {
		return nil, err
	}
	return w, w.look(e)
}

// look asks the store what it has of the plan's trials, and predicts how long the others take.
func (w *work) look(e *env) error {
	if err := w.status(); err != nil {
		return err
	}
	w.measure(e)
	return nil
}

// status asks the store what it has of the plan's trials.
func (w *work) status() (err error) {
	w.trials = w.Unique()
	ids := make([]store.ID, len(w.trials))
	for i, t := range w.trials {
		ids[i] = store.ID{Experiment: t.Experiment, Key: t.Key}
	}
	if w.store == nil {
		w.found = make([]store.Found, len(ids))
		for i := range w.found {
			w.found[i] = store.Found{ID: ids[i], Status: store.Missing}
		}
		return nil
	}
	w.found, err = w.store.Status(ids)
	return err
}

// measure collects what trials cost, from the store and the report.
func (w *work) measure(e *env) {
	w.costs = run.Costs{}
	measured := map[string]bool{}
	for i, f := range w.found {
		if t := &w.trials[i]; f.Status == record.StatusOK {
			w.costs.Add(t.Experiment, t.Problem, t.Method, f.Particles, f.Iterations, f.Seconds)
			measured[t.Experiment+" "+t.Problem+" "+t.Method] = true
		}
	}
	earlier, _ := report.Read("results", e.experiments) // a prediction is no reason to fail
	for _, x := range earlier.Experiments {
		for _, p := range x.Protocols {
			for _, t := range p.Records.Trials {
				if m, ok := p.Timings[t.Key]; ok && t.Status == record.StatusOK && !measured[x.Name+" "+t.Problem+" "+t.Method] {
					w.costs.Add(x.Name, t.Problem, t.Method, t.Particles, t.Iterations, m.Seconds)
				}
			}
		}
	}
}

// with returns the trials whose status is one of these.
func (w *work) with(status ...string) []harness.Trial {
	var out []harness.Trial
	for i, f := range w.found {
		for _, s := range status {
			if f.Status == s {
				out = append(out, w.trials[i])
			}
		}
	}
	return out
}

// damage is the error for damaged trials; nil if there are none.
func (w *work) damage() error {
	n, first := 0, ""
	for _, f := range w.found {
		if f.Status == store.Damaged {
			if n++; n == 1 {
				first = f.Reason
			}
		}
	}
	if n == 0 {
		return nil
	}
	return exitf(exitDamaged, "%d of %d trials are damaged in the store (%s): sifg verify --repair moves them aside and the next run "+
		"computes them again", n, len(w.found), first)
}

// openStore opens the store; one that does not exist and is not to be written is nil.
func openStore(e *env, dir, results string, write bool) (*store.Store, error) {
	overlap := inside(results, dir) || inside(dir, filepath.Join(results, report.Grids))
	for _, x := range e.experiments {
		overlap = overlap || inside(dir, filepath.Join(results, x.Name))
	}
	if overlap {
		return nil, usage.Errorf("--store %s and --results %s overlap: the trials need a folder of their own, such as %s", dir, results,
			filepath.Join(results, "store"))
	}
	if write {
		s, err := store.Open(dir)
		if err != nil {
			return nil, usage.Errorf("--store %s: %v", dir, err)
		}
		return s, nil
	}
	s, err := store.OpenReadOnly(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, usage.Errorf("--store %s: %v", dir, err)
	}
	return s, nil
}

// inside reports whether a path is a folder or lies in it.
func inside(path, folder string) bool {
	a, errA := filepath.Abs(path)
	b, errB := filepath.Abs(folder)
	return errA == nil && errB == nil && (a == b || strings.HasPrefix(a, b+string(os.PathSeparator)))
}

func (w *work) lines() []planLine {
	there := map[string]bool{}
	for _, t := range w.with(record.StatusOK, record.StatusDiverged) {
		there[t.Key] = true
	}
	var out []planLine
	for i := range w.Trials {
		t := &w.Trials[i]
		n := len(out)
		if n == 0 || out[n-1].Experiment != t.Experiment || out[n-1].Protocol != t.Protocol ||
			out[n-1].Problem != t.Problem || out[n-1].Method != t.Method {
			l := planLine{Experiment: t.Experiment, Protocol: t.Protocol, Problem: t.Problem, Method: t.Method,
				Particles: t.Config.Particles, Iterations: t.Config.Iterations}
			l.Seconds, _ = w.costs.Seconds(t)
			out, n = append(out, l), n+1
		}
		l := &out[n-1]
		l.Seeds, l.Keys = append(l.Seeds, t.Seed), append(l.Keys, t.Key)
		if there[t.Key] {
			l.There++
		}
	}
	return out
}

// print prints the plan as a table and how long it will take.
func (w *work) print(e *env, jobs int) error {
	t := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "experiment\tprotocol\tproblem\tmethod\tparticles\titerations\ttrials\tthere\teach")
	for _, l := range w.lines() {
		each := "?"
		if l.Seconds > 0 {
			each = span(l.Seconds)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", l.Experiment, l.Protocol, l.Problem, l.Method,
			l.Particles, l.Iterations, len(l.Keys), l.There, each)
	}
	fmt.Fprintln(t, w.forecast(w.with(todoStatuses...), jobs))
	return t.Flush()
}

// forecast says how many trials there are, how many have to be computed and how long that will take.
func (w *work) forecast(todo []harness.Trial, jobs int) string {
	s := fmt.Sprintf("%s: %d already there, %d to compute", table.Count(len(w.found), "trial"),
		len(w.with(record.StatusOK, record.StatusDiverged)), len(todo))
	if len(todo) == 0 {
		return s
	}
	total, known := w.costs.Total(todo, jobs)
	switch {
	case known == 0:
		return s + "; no trial like them was measured yet, so the time is not known"
	case known < len(todo):
		return fmt.Sprintf("%s in about %s with %d at once (judged by %d of them)", s, span(total), jobs, known)
	}
	return fmt.Sprintf("%s in about %s with %d at once", s, span(total), jobs)
}
