package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
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
	There      int      `json:"there"`  // trials in the store that ended
	Failed     int      `json:"failed"` // and that failed, which a run tries again
}

func planCommand(e *env) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan [EXPERIMENT...|all]",
		Short: "Shows the trials of a run, and which are there, missing or failed",
		Example: `  sifg plan gmm --protocol all
  sifg plan gmm --set methods.svgd.step=0.1 --json`,
		RunE: s.planned(e, func(w *work) (err error) {
			w.measure(e)
			if asJSON {
				err = writeJSON(e.out, w.lines())
			} else {
				w.print(e)
			}
			return errors.Join(err, w.damage())
		}),
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lines returns a line for each configuration, which the trials of a method on a problem share.
func (w *work) lines() []planLine {
	status := map[string]string{}
	for _, f := range w.found {
		status[f.ID.Key] = f.Status
	}
	var out []planLine
	for i, t := range w.Trials {
		if i == 0 || t.Config != w.Trials[i-1].Config {
			out = append(out, planLine{
				Experiment: t.Experiment,
				Protocol:   t.Protocol,
				Problem:    t.Problem,
				Method:     t.Method,
				Cell:       t.Cell,
				Particles:  t.Config.Particles,
				Iterations: t.Config.Iterations,
			})
		}
		l := &out[len(out)-1]
		l.Seeds, l.Keys = append(l.Seeds, t.Seed), append(l.Keys, t.Key)
		switch s := status[t.Key]; {
		case s == record.StatusOK || s == record.StatusDiverged:
			l.There++
		case slices.Contains(retryable, s):
			l.Failed++
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
		method := l.Method
		if l.Cell != "" {
			method += ", " + l.Cell
		}
		row := []string{l.Experiment, l.Protocol, l.Problem, method}
		for _, n := range []int{l.Particles, l.Iterations, len(l.Keys), l.There, l.Failed} {
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
