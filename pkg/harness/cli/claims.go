package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// asserted is what sifg claims --json prints.
type asserted struct {
	Claims   []harness.Row                  `json:"claims"`
	Findings map[string][]harness.Statement `json:"findings"` // by experiment
}

func (a *app) claims() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "claims [EXPERIMENT...|all]",
		Short: "Prints the paper's claims with verdict and evidence under each protocol of the report",
		Long: `Prints the paper's claims with verdict and evidence under each protocol of the report, and what the experiments found beside
them. Claims that rest on several experiments are decided from all of them.`,
		Example: `  sifg claims --scale smoke
  sifg claims gmm --scale smoke --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.request(args)
			if err != nil {
				return err
			}
			if err := a.isReport(); err != nil {
				return err
			}
			decided, err := harness.ReadClaims(a.resultsDir(), a.experiments)
			if err != nil {
				return err
			}
			if len(decided) == 0 {
				return exitf(exitStopped, "no report in %s: sifg run makes one", a.resultsDir())
			}
			out := asserted{Findings: map[string][]harness.Statement{}}
			for _, e := range r.Experiments {
				if out.Findings[e.Name], err = harness.ReadFindings(a.resultsDir(), e); err != nil {
					return err
				}
			}
			for _, row := range harness.Ledger(a.experiments, decided) {
				if slices.ContainsFunc(r.Experiments, func(e *harness.Experiment) bool { return e.Name == row.Experiment }) {
					out.Claims = append(out.Claims, row)
				}
			}
			if a.opt.json {
				return writeJSON(a.out, out)
			}
			if err := writeLedger(a.out, out.Claims, true); err != nil {
				return err
			}
			for _, e := range r.Experiments {
				for _, f := range out.Findings[e.Name] {
					fmt.Fprintf(a.out, "\n%s: %s\n    %s\n", e.Name, f.Title, f.Text)
				}
			}
			return nil
		},
	}
	a.scaleFlag(cmd)
	a.folders(cmd, scaled)
	a.jsonFlag(cmd)
	return cmd
}

// writeLedger prints the claims, with their evidence or a line each, and how many came out how.
func writeLedger(w io.Writer, rows []harness.Row, evidence bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if !evidence {
		fmt.Fprintln(t, "claim\tverdict\tof the paper")
	}
	for _, r := range rows {
		if !evidence {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.ID, r.Summary, r.Statement)
			continue
		}
		fmt.Fprintf(t, "%s. %s\n    %s (%s)\n", r.ID, r.Statement, r.Summary, r.Experiment)
		for _, o := range r.Under {
			d := harness.Decided{Scale: o.Scale, Complete: o.Complete}
			fmt.Fprintf(t, "    %s\t%s\t%s\n", o.Protocol+marks(d), o.Verdict, o.Evidence)
		}
		if err := t.Flush(); err != nil { // columns of their own for each claim
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d claims: %s\n", len(rows), harness.CountOutcomes(rows))
	return err
}

// marks says of a report what a reader of its verdicts must know.
func marks(d harness.Decided) string {
	var text string
	if d.Scale != "full" {
		text += ", " + d.Scale + " scale (not the paper's settings)"
	}
	if d.Changed {
		text += ", other settings"
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
	fmt.Fprintf(a.out, "report: %s (%s prints the evidence)\n", filepath.Join(a.resultsDir(), "index.html"), a.claimsCommand())
	return nil
}

// claimsCommand is the command that reads the claims of this report.
func (a *app) claimsCommand() string {
	dir := a.resultsDir()
	switch {
	case dir == "results":
		return "sifg claims"
	case dir == filepath.Join("results", a.opt.scale) && a.opt.results == "":
		return "sifg claims --scale " + a.opt.scale
	}
	return "sifg " + harness.Quote([]string{"claims", "--results", dir})
}
