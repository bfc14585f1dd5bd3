package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// line is one method on one problem of a plan.
type line struct {
	Experiment string   `json:"experiment"`
	Protocol   string   `json:"protocol"`
	Problem    string   `json:"problem"`
	Method     string   `json:"method"`
	Particles  int      `json:"particles"`
	Iterations int      `json:"iterations"`
	Seeds      []uint64 `json:"seeds"`
	Keys       []string `json:"keys"`
	There      int      `json:"there"`             // trials in the store
	Seconds    float64  `json:"seconds,omitempty"` // predicted for one trial
}

func (a *app) plan() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [EXPERIMENT...|all]",
		Short: "Shows the trials that a run would consist of",
		Example: `  sifg plan gmm --protocol all
  sifg plan gmm --set methods.svgd.step=0.1 --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.jobsWanted(); err != nil {
				return err
			}
			p, err := a.overview(args)
			if err != nil {
				return err
			}
			lines := p.lines()
			if a.opt.json {
				return writeJSON(a.out, lines)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "experiment\tprotocol\tproblem\tmethod\tparticles\titerations\ttrials\tthere\teach")
			for _, l := range lines {
				each := "?"
				if l.Seconds > 0 {
					each = harness.Span(l.Seconds)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\n", l.Experiment, l.Protocol, l.Problem, l.Method,
					l.Particles, l.Iterations, len(l.Keys), l.There, each)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Fprintln(a.out, p.foretell(p.survey.Todo(), a.opt.jobs))
			return nil
		},
	}
	a.choosing(cmd)
	a.jobsFlag(cmd)
	a.jsonFlag(cmd)
	return cmd
}

// prepared is a plan and what the store has of it.
type prepared struct {
	*harness.Plan
	store  *store.Store // nil where there is none and none was to be made
	survey harness.Survey
	costs  *harness.Costs
}

// prepare makes the plan of the flags, opens the store and looks what it has, every file's digest included.
func (a *app) prepare(names []string, write bool) (p prepared, err error) {
	if p, err = a.planned(names, write); err != nil {
		return p, err
	}
	if p.survey, err = harness.Look(p.store, p.Plan); err != nil {
		return p, err
	}
	p.costs, err = harness.Measured(p.store, a.resultsDir(), p.Experiments)
	return p, err
}

// overview is prepare for commands that only tell: of files other than the trials' records it looks at the size alone, so that it
// takes no time with thousands of trials.
func (a *app) overview(names []string) (p prepared, err error) {
	if p, err = a.planned(names, false); err != nil {
		return p, err
	}
	p.survey, p.costs, err = harness.Glance(p.store, p.Plan, a.resultsDir())
	return p, err
}

// planned makes the plan of the flags and opens the store.
func (a *app) planned(names []string, write bool) (p prepared, err error) {
	r, err := a.request(names)
	if err != nil {
		return p, err
	}
	if p.Plan, err = harness.NewPlan(r); err != nil {
		return p, err
	}
	if len(p.Trials) == 0 {
		return p, harness.Usagef("there is no trial: the include of every problem is empty")
	}
	if a.opt.trial != "" {
		if err := p.Plan.Only(a.opt.trial); err != nil {
			return p, err
		}
	}
	p.store, err = a.open(write)
	return p, err
}

// open opens the store; one that does not exist and is not to be written is nil.
func (a *app) open(write bool) (*store.Store, error) {
	if err := isStore(a.storeDir()); err != nil {
		return nil, err
	}
	if sameFolder(a.storeDir(), a.resultsDir()) {
		return nil, harness.Usagef("--store and --results are both %s: the trials need a folder of their own", a.storeDir())
	}
	if write {
		s, err := store.Open(a.storeDir())
		if err != nil {
			return nil, harness.Usagef("%v", err)
		}
		return s, nil
	}
	s, err := store.OpenReadOnly(a.storeDir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, harness.Usagef("%v", err)
	}
	return s, nil
}

// sameFolder tells whether two paths are of one folder, which need not be there.
func sameFolder(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(x, y)
	}
	x1, errA := filepath.Abs(a)
	y1, errB := filepath.Abs(b)
	return errA == nil && errB == nil && x1 == y1
}

// isStore refuses a folder with other things in it: trials do not belong there, and sifg verify --repair would move them aside.
// What is not there or cannot be read is left to who opens it.
func isStore(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{".tmp", ".lock", logName, ".shared", quarantine}, e.Name())
	}) {
		return nil
	}
	if trials, err := fs.Glob(os.DirFS(dir), "*/*/trial.json"); err != nil || len(trials) > 0 {
		return err
	}
	return harness.Usagef("%s is no store: it has no trial, but other things, such as %s", dir, entries[0].Name())
}

func (p prepared) lines() []line {
	there := map[string]bool{}
	for _, f := range p.survey.Is(record.StatusOK, record.StatusDiverged) {
		there[f.Trial.Key] = true
	}
	var out []line
	for i := range p.Trials {
		t := &p.Trials[i]
		n := len(out)
		if n == 0 || out[n-1].Experiment != t.Experiment || out[n-1].Protocol != t.Protocol ||
			out[n-1].Problem != t.Problem || out[n-1].Method != t.Method {
			l := line{Experiment: t.Experiment, Protocol: t.Protocol, Problem: t.Problem, Method: t.Method,
				Particles: t.Config.Particles, Iterations: t.Config.Iterations}
			l.Seconds, _ = p.costs.Seconds(t)
			out = append(out, l)
			n++
		}
		l := &out[n-1]
		l.Seeds, l.Keys = append(l.Seeds, t.Seed), append(l.Keys, t.Key)
		if there[t.Key] {
			l.There++
		}
	}
	return out
}

// foretell says how many trials there are, how many have to be computed and how long that will take.
func (p prepared) foretell(todo []harness.Trial, jobs int) string {
	s := fmt.Sprintf("%s: %d already there, %d to compute", table.Count(len(p.survey), "trial"),
		len(p.survey.Is(record.StatusOK, record.StatusDiverged)), len(todo))
	if n := len(p.survey.Is(harness.Damaged)); n > 0 {
		s += fmt.Sprintf(", %d damaged", n)
	}
	if len(todo) == 0 {
		return s
	}
	total, known := p.costs.Total(todo, jobs)
	switch {
	case known == 0:
		return s + "; none like them was measured yet, so the time is not known"
	case known < len(todo):
		return fmt.Sprintf("%s in about %s with %d at once (judged by %d of them)", s, harness.Span(total), jobs, known)
	}
	return fmt.Sprintf("%s in about %s with %d at once", s, harness.Span(total), jobs)
}
