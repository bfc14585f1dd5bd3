package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func reportCommand(e *env) *cobra.Command {
	var s selection
	var address string
	var keep bool
	var formats []string
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Writes tables, figures, claims and the page from the trials that are there",
		Example: `  sifg report gmm --scale smoke
  sifg report gmm --scale smoke --keep      # with changed figures and rules, from the records that the report holds itself
  sifg report gmm --scale smoke --format pdf,png
  sifg report --protocol all --serve 127.0.0.1:8080     # the page, made again as trials end`,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, f := range formats {
				if !slices.Contains(figure.Formats, f) {
					return usage.Unknown("format", f, "--format", figure.Formats)
				}
			}
			if address != "" && (keep || formats != nil) {
				return usage.Errorf("--serve writes nothing: leave --keep and --format out")
			}
			w, err := s.open(e, args, false)
			if err != nil {
				return err
			}
			if address != "" {
				return serve(e, w, address)
			}
			if err := writable(w.results); err != nil {
				return err
			}
			if err := w.report(e, keep); err != nil {
				return err
			}
			if len(formats) > 0 {
				if err := report.Export(filepath.Join(w.results, "export"), w.Plan, w.store, formats); err != nil {
					return err
				}
			}
			if keep { // a fresh clone has the report and no store
				return w.damage()
			}
			return w.outcome(e, nil)
		},
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&keep, "keep", false, "take trials that the store lacks from the report that is there; figures of particles, which a report\ndoes not hold, stay as they are")
	f.StringSliceVar(&formats, "format", nil, "also write the figures in these `FORMATS` ("+strings.Join(figure.Formats, ", ")+"), to export in the folder of the report")
	f.StringVar(&address, "serve", "", "write nothing; show the page at this `ADDRESS` of this machine, made again as trials end")
	return cmd
}

// summarise prints what a run or a report has come to: the claims in a line each, and where the page is.
func summarise(e *env, w *work, r *report.Report) error {
	t := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	some := false
	for _, row := range r.Ledger(e.experiments) {
		if slices.ContainsFunc(w.Experiments, func(x *harness.Experiment) bool { return x.Name == row.Experiment }) && row.Outcome != claim.NoResult.String() {
			if !some {
				fmt.Fprintln(t, "claim\tverdict\tstatement")
				some = true
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", row.ID, row.Summary, row.Statement)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "page: %s\n", filepath.Join(w.results, "index.html"))
	return nil
}
