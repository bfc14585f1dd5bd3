package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) report() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Writes tables, figures, claims, merged records and the page from the trials that are there",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := writable(a.resultsDir(), "--results"); err != nil {
				return err
			}
			p, err := a.prepare(args, false)
			if err != nil {
				return err
			}
			if err := a.merge(p); err != nil {
				return err
			}
			return verdict(p.survey, nil)
		},
	}
	a.choosing(cmd)
	return cmd
}

// merge writes the report and says what was left as it was.
func (a *app) merge(p prepared) error {
	notes, err := harness.Merge(a.resultsDir(), p.store, p.Plan, a.experiments)
	for _, n := range notes {
		fmt.Fprintln(a.err, n)
	}
	if err != nil {
		return err
	}
	return a.summarise(p.Experiments)
}
