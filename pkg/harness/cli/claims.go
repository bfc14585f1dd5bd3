package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) claims() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "claims [EXPERIMENT...|all]",
		Short: "Prints the paper's claims with verdict and evidence under each protocol of the report",
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.request(args)
			if err != nil {
				return err
			}
			all, err := harness.ReadClaims(a.resultsDir(), r.Experiments)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				return exitf(exitStopped, "no report in %s: sifg run makes one", a.resultsDir())
			}
			if a.opt.json {
				return writeJSON(a.out, all)
			}
			for _, d := range all {
				fmt.Fprintf(a.out, "%s, protocol %s%s\n", d.Experiment, d.Protocol, marks(d))
				for _, c := range d.Claims {
					fmt.Fprintf(a.out, "  %-3s %-14s  %s\n      %s\n", c.ID, c.Verdict, c.Statement, c.Evidence)
				}
				fmt.Fprintln(a.out)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&a.opt.scale, "scale", "full", "full, quick or smoke")
	a.folders(cmd)
	a.jsonFlag(cmd)
	return cmd
}

// marks says of a report what a reader of its verdicts must know.
func marks(d harness.Decided) string {
	var text string
	if d.Scale != "full" {
		text += ", " + d.Scale + " scale: not the paper's settings"
	}
	if !d.Complete {
		text += ", incomplete"
	}
	return text
}

// summarise prints where the report is and how its claims came out.
func (a *app) summarise(experiments []*harness.Experiment) error {
	all, err := harness.ReadClaims(a.resultsDir(), experiments)
	if err != nil {
		return err
	}
	for _, d := range all {
		count := map[string]int{}
		for _, c := range d.Claims {
			count[c.Verdict]++
		}
		var text []string
		for _, v := range []string{harness.Reproduced, harness.NotReproduced, harness.NotDecided, harness.NotTestable} {
			if count[v] > 0 {
				text = append(text, fmt.Sprintf("%d %s", count[v], v))
			}
		}
		fmt.Fprintf(a.out, "claims, %s, %s%s: %s\n", d.Experiment, d.Protocol, marks(d), strings.Join(text, ", "))
	}
	fmt.Fprintf(a.out, "report: %s (sifg claims prints the evidence)\n", filepath.Join(a.resultsDir(), "index.html"))
	return nil
}
