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
			r, rep, err := s.read(e, args)
			if err != nil {
				return err
			}
			if len(rep.Experiments) == 0 {
				return exitf(exitStopped, "no report in %s: sifg run makes one", s.resultsDir(nil))
			}
			out := said{Findings: map[string][]harness.Statement{}}
			var names []string
			for _, x := range r.Experiments {
				names = append(names, x.Name)
				if part := rep.Experiment(x.Name); part != nil {
					out.Findings[x.Name] = part.Findings
				}
			}
			// a claim may rest on others
			out.Claims = slices.DeleteFunc(rep.Ledger(e.experiments), func(row claim.Row) bool {
				return !slices.Contains(names, row.Experiment) || len(row.Under) == 0
			})
			if asJSON {
				return writeJSON(e.out, out)
			}
			out.print(e, r.Experiments)
			return nil
		},
	}
	s.reportFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// said is what a report says in words.
type said struct {
	Claims   claim.Ledger                   `json:"claims"`
	Findings map[string][]harness.Statement `json:"findings"` // by experiment
}

// print prints the claims with their evidence, how many came out how, and the findings.
func (s *said) print(e *env, experiments []*harness.Experiment) {
	for _, row := range s.Claims {
		fmt.Fprintf(e.out, "%s. %s\n    %s (%s)\n", row.ID, row.Statement, row.Summary, row.Experiment)
		var under [][]string
		for _, o := range row.Under {
			under = append(under, []string{"    " + o.Protocol, o.Verdict.String(), o.Evidence})
		}
		columns(e.out, under)
	}
	fmt.Fprintln(e.out, cmp.Or(s.Claims.Count(), "no claim was checked"))
	for _, x := range experiments {
		for _, f := range s.Findings[x.Name] {
			fmt.Fprintf(e.out, "\n%s: %s\n%s\n", x.Name, f.Title, f.Text)
			if f.Table != nil {
				fmt.Fprintf(e.out, "\n%s", f.Table.Markdown())
			}
		}
	}
}
