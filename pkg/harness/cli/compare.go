package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// published stands for the printed numbers in --against.
const published = "published"

func compareCommand(e *env) *cobra.Command {
	var s selection
	var against string
	var metrics []string
	var strict bool
	cmd := &cobra.Command{
		Use:   "compare [EXPERIMENT...|all]",
		Short: "Sets the report beside the numbers that the paper prints, or beside another report",
		Long: "Sets the report beside the numbers that the paper prints, or beside another report. " +
			"" + compare.Tolerance,
		Example: `  sifg compare uci-bnn
  sifg compare gmm --scale smoke --against other/results`,
		RunE: func(_ *cobra.Command, args []string) error {
			parts, err := compareReports(e, &s, args, against, metrics)
			if err != nil {
				return err
			}
			rows := slices.Concat(parts...)
			if len(rows) == 0 {
				return exitf(exitStopped, "nothing in %s can be set beside %s", s.resultsDir(nil), against)
			}
			for _, part := range parts {
				title := fmt.Sprintf("%s, protocol %s, beside %s", part[0].Experiment, part[0].Protocol, against)
				fmt.Fprintln(e.out, compare.Table(title, part).Markdown())
			}
			if strict {
				return judge(rows)
			}
			return nil
		},
	}
	f := cmd.Flags()
	s.protocolFlag(f)
	s.reportFlags(f)
	f.StringVar(&against, "against", published, "the printed numbers, or the folder of another report, `DIR`")
	f.StringSliceVar(&metrics, "metric", nil, "only these metrics, by `NAME`")
	f.BoolVar(
		&strict,
		"strict",
		false,
		"exit with 4 where a number is outside its tolerance, with 75 where none can be compared",
	)
	return cmd
}

// compareReports returns the rows of each experiment and protocol that have some.
func compareReports(
	e *env,
	s *selection,
	names []string,
	against string,
	metrics []string,
) (parts [][]compare.Row, err error) {
	r, ours, err := s.read(e, names)
	if err != nil {
		return nil, err
	}
	theirs := &report.Report{}
	if against != published {
		if theirs, err = readReport(e, "--against", against); err != nil {
			return nil, err
		}
		if len(theirs.Experiments) == 0 {
			return nil, usage.Errorf(
				"--against %s: there is no report; want %s or the folder of a report",
				against,
				published,
			)
		}
	}
	for _, x := range r.Experiments {
		part := ours.Experiment(x.Name)
		if part == nil {
			continue
		}
		for _, p := range part.Protocols {
			if r.Protocols != nil && !slices.Contains(r.Protocols, p.Name) && !slices.Contains(r.Protocols, plan.All) {
				continue
			}
			var rows []compare.Row
			q := theirs.Experiment(x.Name).Protocol(p.Name)
			switch {
			case against == published:
				rows = compare.Published(x, p)
			case q != nil:
				rows = compare.Reports(p, q)
			}
			rows = slices.DeleteFunc(
				rows,
				func(row compare.Row) bool { return metrics != nil && !slices.Contains(metrics, row.Metric) },
			)
			if len(rows) > 0 {
				parts = append(parts, rows)
			}
		}
	}
	return parts, nil
}

// judge turns rows into the exit code of --strict.
func judge(rows []compare.Row) error {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Verdict]++
	}
	switch {
	case count[compare.Differs] > 0:
		return exitf(exitOutside, "%d of %d numbers are outside their tolerance", count[compare.Differs], len(rows))
	case count[compare.Agrees] == 0:
		return exitf(exitStopped, "none of %d numbers can be compared: %s", len(rows), rows[0].Why)
	}
	return nil
}
