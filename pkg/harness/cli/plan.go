package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// planLine is one method on one problem of a plan, or one cell of a grid.
type planLine struct {
	first  *harness.Trial
	trials int
	there  int // trials in the store that ended
	failed int // and that failed, which a run tries again
}

func planCommand(e *env) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "plan [EXPERIMENT...|all]",
		Short: "Shows the trials of a run, and which are there, missing or failed",
		Example: `  sifg plan gmm --protocol all
  sifg plan gmm --set methods.svgd.step=0.1`,
		RunE: s.planned(e, func(w *work) error {
			w.measure(e)
			w.print(e)
			return w.damage()
		}),
	}
	s.flags(cmd)
	return cmd
}

// lines returns a line for each configuration, which the trials of a method on a problem share.
func (w *work) lines() []planLine {
	status := map[string]string{}
	for _, f := range w.found {
		status[f.ID.Key] = f.Status
	}
	var out []planLine
	for i := range w.Trials {
		t := &w.Trials[i]
		if i == 0 || t.Config != w.Trials[i-1].Config {
			out = append(out, planLine{first: t})
		}
		l := &out[len(out)-1]
		l.trials++
		switch s := status[t.Key]; {
		case s == record.StatusOK || s == record.StatusDiverged:
			l.there++
		case slices.Contains(retryable, s):
			l.failed++
		}
	}
	return out
}

// print prints the plan as a table, what it comes to, and why trials failed or are damaged.
func (w *work) print(e *env) {
	rows := [][]string{
		{"experiment", "protocol", "problem", "method", "particles", "iterations", "trials", "there", "failed"},
	}
	for _, l := range w.lines() {
		t, method := l.first, l.first.Method
		if t.Cell != "" {
			method += ", " + t.Cell
		}
		row := []string{t.Experiment, t.Protocol, t.Problem, method}
		for _, n := range []int{t.Config.Particles, t.Config.Iterations, l.trials, l.there, l.failed} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	columns(e.out, rows)
	fmt.Fprintln(e.out, w.summary(w.with(todoStatuses...)))
	var failed [][]string
	for i, f := range w.found {
		if f.Status == store.Damaged || slices.Contains(retryable, f.Status) {
			failed = append(failed, []string{f.ID.Key, w.trials[i].Name(), became(f.Status, f.Reason)})
		}
	}
	columns(e.out, failed)
}
