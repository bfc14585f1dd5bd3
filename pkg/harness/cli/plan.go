package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// planLine is one method on one problem of a plan, or one cell of a grid.
type planLine struct {
	Experiment string   `json:"experiment"`
	Protocol   string   `json:"protocol"`
	Problem    string   `json:"problem"`
	Method     string   `json:"method"`
	Cell       string   `json:"-"`
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
		RunE: s.planned(e, func(w *work) (err error) {
			w.measure(e)
			if asJSON {
				err = writeJSON(e.out, w.lines())
			} else {
				w.print(e, jobs)
			}
			return errors.Join(err, w.damage())
		}),
	}
	s.flags(cmd)
	jobsFlag(cmd.Flags(), &jobs)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func jobsFlag(f *pflag.FlagSet, jobs *int) {
	f.IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "trials computed at once")
}

// lines returns a line for each configuration, which the trials of a method on a problem share.
func (w *work) lines() []planLine {
	there := map[string]bool{}
	for _, f := range w.found {
		if f.Status == record.StatusOK || f.Status == record.StatusDiverged {
			there[f.ID.Key] = true
		}
	}
	var out []planLine
	for i, t := range w.Trials {
		if i == 0 || t.Config != w.Trials[i-1].Config {
			seconds, _ := w.costs.Seconds(&t)
			out = append(out, planLine{
				Experiment: t.Experiment,
				Protocol:   t.Protocol,
				Problem:    t.Problem,
				Method:     t.Method,
				Cell:       t.Cell,
				Particles:  t.Config.Particles,
				Iterations: t.Config.Iterations,
				Seconds:    seconds,
			})
		}
		l := &out[len(out)-1]
		l.Seeds, l.Keys = append(l.Seeds, t.Seed), append(l.Keys, t.Key)
		if there[t.Key] {
			l.There++
		}
	}
	return out
}

// print prints the plan as a table and how long it will take.
func (w *work) print(e *env, jobs int) {
	rows := [][]string{
		{"experiment", "protocol", "problem", "method", "particles", "iterations", "trials", "there", "each"},
	}
	for _, l := range w.lines() {
		each := "?"
		if l.Seconds > 0 {
			each = table.Seconds(l.Seconds)
		}
		method := l.Method
		if l.Cell != "" {
			method += ", " + l.Cell
		}
		row := []string{l.Experiment, l.Protocol, l.Problem, method}
		for _, n := range []int{l.Particles, l.Iterations, len(l.Keys), l.There} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, append(row, each))
	}
	columns(e.out, rows)
	fmt.Fprintln(e.out, w.forecast(w.with(todoStatuses...), jobs))
}

func statusCommand(e *env) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:     "status [EXPERIMENT...|all]",
		Short:   "Says which trials are there, missing or failed; sifg verify also reads all their files",
		Example: `  sifg status gmm --scale smoke`,
		RunE: s.planned(e, func(w *work) error {
			w.printCounts(e)
			return w.outcome(e)
		}),
	}
	s.flags(cmd)
	return cmd
}

// printCounts prints how many trials of each experiment have which status, and those that diverged, failed or are
// damaged.
func (w *work) printCounts(e *env) {
	statuses := slices.Concat([]string{record.StatusOK, record.StatusDiverged}, retryable,
		[]string{store.Damaged, store.Missing})
	rows, ended := [][]string{append([]string{"experiment"}, statuses...)}, [][]string{}
	for _, x := range w.Experiments {
		row, counts := []string{x.Name}, map[string]int{}
		for i, f := range w.found {
			if f.ID.Experiment != x.Name {
				continue
			}
			counts[f.Status]++
			if f.Reason != "" {
				ended = append(ended, []string{f.ID.Key, w.trials[i].Name(), became(f.Status, f.Reason)})
			}
		}
		for _, s := range statuses {
			row = append(row, fmt.Sprint(counts[s]))
		}
		rows = append(rows, row)
	}
	columns(e.out, rows)
	columns(e.out, ended)
}
