package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) report() *cobra.Command {
	var address string
	var anyone bool
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Writes tables, figures, claims, merged records and the page from the trials that are there",
		Example: `  sifg report gmm --scale smoke
  sifg report --protocol all --serve 127.0.0.1:8080     # the page, made again as trials end`,
		RunE: func(_ *cobra.Command, args []string) error {
			if anyone && address == "" {
				return harness.Usagef("--serve-anyone is for --serve ADDRESS, which is not given")
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
			if err := a.merge(p); err != nil {
				return err
			}
			return verdict(p.survey, nil)
		},
	}
	a.choosing(cmd)
	cmd.Flags().StringVar(&address, "serve", "", "write nothing; show the page at this `ADDRESS` of this machine, made again as trials end")
	cmd.Flags().BoolVar(&anyone, "serve-anyone", false, "with --serve, allow an address that other machines can reach")
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
