package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) report() *cobra.Command {
	var address string
	var anyone, keep bool
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Writes tables, figures, claims, merged records and the page from the trials that are there",
		Example: `  sifg report gmm --scale smoke
  sifg report --protocol all --serve 127.0.0.1:8080     # the page, made again as trials end
  sifg report gmm --scale smoke --keep     # made again, with changed figures and rules, from what it holds itself`,
		RunE: func(_ *cobra.Command, args []string) error {
			if anyone && address == "" {
				return harness.Usagef("--serve-anyone is for --serve ADDRESS, which is not given")
			}
			if keep && address != "" {
				return harness.Usagef("--keep writes a report and --serve writes none: give one of them")
			}
			if address != "" {
				return a.serve(args, address, anyone)
			}
			if err := writable(a.resultsDir(), "--results"); err != nil {
				return err
			}
			p, err := a.prepare(args, false)
			if err != nil {
				return err
			}
			if keep {
				if p.survey, err = harness.Keep(a.resultsDir(), p.survey); err != nil {
					return err
				}
			}
			if err := a.merge(p, keep); err != nil {
				return err
			}
			return verdict(p.survey, nil)
		},
	}
	a.choosing(cmd)
	cmd.Flags().StringVar(&address, "serve", "", "write nothing; show the page at this `ADDRESS` of this machine, made again as trials end")
	cmd.Flags().BoolVar(&anyone, "serve-anyone", false, "with --serve, allow an address that other machines can reach")
	cmd.Flags().BoolVar(&keep, "keep", false, "take trials that the store lacks from the report that is there (a trial of the same settings and program\n"+
		"has the same key); figures of particles, which a report does not hold, stay as they are")
	return cmd
}

// merge writes the report and says what was left as it was.
func (a *app) merge(p prepared, keep bool) error {
	notes, err := harness.Merge(a.resultsDir(), p.store, p.Plan, a.experiments, keep)
	for _, n := range notes {
		fmt.Fprintln(a.err, n)
	}
	if err != nil {
		return err
	}
	return a.summarise(p.Experiments)
}
