package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
)

func claimsCommand(e *env) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "claims [EXPERIMENT...|all]",
		Short: "Prints the paper's claims with verdict and evidence, and the findings, from the report",
		Example: `  sifg claims gmm --scale smoke
  sifg claims gmm --scale smoke --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := s.request(e, args)
			if err != nil {
				return err
			}
			rep, err := readReport(e, "--results", s.resultsDir(nil))
			if err != nil {
				return err
			}
			if len(rep.Experiments) == 0 {
				return exitf(exitStopped, "no report in %s: sifg run makes one", s.resultsDir(nil))
			}
			ledger := slices.DeleteFunc(rep.Ledger(e.experiments), func(row claim.Row) bool {
				named := slices.ContainsFunc(r.Experiments, func(x *harness.Experiment) bool { return x.Name == row.Experiment })
				return !named || len(row.Under) == 0
			})
			findings := map[string][]harness.Statement{}
			for _, x := range r.Experiments {
				if part := rep.Experiment(x.Name); part != nil {
					findings[x.Name] = part.Findings
				}
			}
			if asJSON {
				return writeJSON(e.out, struct {
					Claims   claim.Ledger                   `json:"claims"`
					Findings map[string][]harness.Statement `json:"findings"` // by experiment
				}{ledger, findings})
			}
			if err := printLedger(e, ledger); err != nil {
				return err
			}
			for _, x := range r.Experiments {
				for _, f := range findings[x.Name] {
					fmt.Fprintf(e.out, "\n%s: %s\n%s\n", x.Name, f.Title, f.Text)
					if f.Table != nil {
						fmt.Fprintf(e.out, "\n%s", f.Table.Markdown())
					}
				}
			}
			return nil
		},
	}
	s.reportFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printLedger prints the claims with their evidence, and how many came out how.
func printLedger(e *env, ledger claim.Ledger) error {
	for _, row := range ledger {
		fmt.Fprintf(e.out, "%s. %s\n    %s (%s)\n", row.ID, row.Statement, row.Summary, row.Experiment)
		var under [][]string
		for _, o := range row.Under {
			under = append(under, []string{"    " + o.Protocol, o.Verdict.String(), o.Evidence})
		}
		if err := columns(e.out, under); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(e.out, cmp.Or(ledger.Count(), "no claim was checked"))
	return err
}
