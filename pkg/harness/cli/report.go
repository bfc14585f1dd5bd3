package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

func reportCommand(e *env) *cobra.Command {
	var s selection
	var keep bool
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Writes tables, figures, claims and the page from the trials that are there",
		Example: `  sifg report gmm --scale smoke
  sifg report gmm --scale smoke --keep      # with changed figures and rules, from the records of the report`,
		RunE: s.planned(e, func(w *work) error {
			if _, err := os.Stat(w.results); err != nil && w.count(store.Missing) == len(w.found) {
				return w.outcome(e) // there is nothing to write
			}
			if err := writable(w.results); err != nil {
				return err
			}
			if err := w.report(e, keep); err != nil {
				return errors.Join(w.damage(), err)
			}
			if keep { // a fresh clone has the report and no store
				return w.damage()
			}
			return w.outcome(e)
		}),
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&keep, "keep", false, "take trials that the store lacks from the report that is there; "+
		"figures of particles,\nwhich a report does not hold, stay as they are")
	return cmd
}

// report writes the report of the plan and shows what came out.
func (w *work) report(e *env, keep bool) error {
	r, err := w.update(e, w.Plan, keep)
	if err != nil {
		return err
	}
	if len(r.Experiments) == 0 {
		return nil
	}
	w.show(e, r)
	_, err = fmt.Fprintf(e.out, "page: %s\n", filepath.Join(w.results, "index.html"))
	return err
}

// update writes the report of a plan with all pages, and says what was left as it was.
func (w *work) update(e *env, p *plan.Plan, keep bool) (*report.Report, error) {
	r, notes, err := report.Update(w.results, p, w.store, e.experiments, keep, page.Render)
	for _, n := range notes {
		fmt.Fprintln(e.err, safe.Text(n))
	}
	return r, err
}

// show prints the verdicts where the trials are about the paper, else the last values under each protocol of the plan.
// There are hundreds of these in a run of everything, which the page shows better.
func (w *work) show(e *env, r *report.Report) {
	rows := [][]string{{"claim", "verdict", "statement"}}
	for _, row := range r.Ledger(w.Experiments) {
		if row.Outcome != claim.NoResult.String() {
			rows = append(rows, []string{row.ID, row.Summary, row.Statement})
		}
	}
	x := r.Experiment(w.Experiments[0].Name)
	switch {
	case x != nil && w.Experiments[0].OfProgram(): // the answer, as the page has it
		for _, p := range x.Protocols {
			if len(p.Tables) > 0 && p.Tables[0].Table != nil {
				fmt.Fprintln(e.out, p.Tables[0].Table.Markdown())
			}
		}
	case len(w.Set) == 0 && w.Scale == "full" && len(rows) > 1:
		columns(e.out, rows)
	case x != nil && len(w.Experiments) == 1:
		for _, p := range x.Protocols {
			planned := slices.ContainsFunc(w.Trials, func(t harness.Trial) bool { return t.Protocol == p.Name })
			if t := p.Summary(w.Experiments[0]); planned && t != nil {
				fmt.Fprintln(e.out, t.Markdown())
			}
		}
	}
}
