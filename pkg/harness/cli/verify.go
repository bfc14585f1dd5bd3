package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) verify() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Reads every file of the store and of the report and names those that are not what was written",
		Example: `  sifg verify
  sifg verify --repair`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			damaged, left := 0, 0
			s, err := a.open(repair)
			if err != nil {
				return err
			}
			if s != nil {
				found, err := s.Verify(context.Background(), repair)
				if err != nil {
					return err
				}
				for _, d := range found {
					line := fmt.Sprintf("%s: %s", d.Path, d.Reason)
					if d.MovedTo != "" {
						line += ", moved to " + d.MovedTo
					} else {
						left++
					}
					fmt.Fprintln(a.out, line)
				}
				damaged += len(found)
			}
			reports, err := harness.VerifyResults(a.resultsDir())
			if err != nil {
				return err
			}
			for _, line := range reports {
				fmt.Fprintln(a.out, line)
			}
			switch {
			case left > 0:
				return exitf(exitDamaged, "%d files are damaged: sifg verify --repair moves those of the store aside", damaged+len(reports))
			case len(reports) > 0:
				return exitf(exitDamaged, "%d files of the report are damaged: sifg report writes them again", len(reports))
			case damaged > 0:
				fmt.Fprintf(a.out, "%d damaged files were moved aside: the next run computes their trials again\n", damaged)
			default:
				fmt.Fprintln(a.out, "all files are what was written")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move what is damaged in the store aside; nothing is deleted")
	a.folders(cmd)
	return cmd
}
