package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// published stands for the printed numbers in --against.
const published = "published"

// compareFlags are the flags of compare.
type compareFlags struct {
	selection
	against     string
	metrics     []string
	all, strict bool
}

func compareCommand(e *env) *cobra.Command {
	var c compareFlags
	cmd := &cobra.Command{
		Use:   "compare [EXPERIMENT...|all]",
		Short: "Sets the report beside the numbers that the paper prints, or beside another report",
		Long:  compare.Tolerance,
		Example: `  sifg compare uci-bnn
  sifg compare gmm --scale smoke --against other/results`,
		RunE: func(_ *cobra.Command, args []string) error {
			parts, err := c.rows(e, args)
			if err != nil {
				return err
			}
			c.print(e, parts)
			if c.strict {
				return strict(slices.Concat(parts...))
			}
			return nil
		},
	}
	f := cmd.Flags()
	c.protocolFlag(f)
	c.reportFlags(f)
	f.StringVar(&c.against, "against", published, "the printed numbers, or the folder of another report, `DIR`")
	f.StringSliceVar(&c.metrics, "metric", nil, "these metrics, by `NAME` (default the experiment's first score)")
	f.BoolVar(&c.all, "all", false, "print every cell, those that cannot be compared too")
	f.BoolVar(&c.strict, "strict", false,
		"exit with 4 where a number is outside its tolerance, with 75 where none can be compared")
	return cmd
}

// print prints how many cells of each part agree, and then the cells that can be compared: those of its experiment's
// main metric, unless metrics or all were asked for.
func (c *compareFlags) print(e *env, parts [][]compare.Row) {
	summary := [][]string{{"experiment", "protocol", "cells"}}
	for _, part := range parts {
		summary = append(summary, []string{part[0].Experiment, part[0].Protocol, compare.Count(part)})
	}
	columns(e.out, summary)
	fmt.Fprintf(e.out, "%s\n\n", compare.Tolerance)
	left := 0
	for _, part := range parts {
		shown := slices.DeleteFunc(slices.Clone(part), func(r compare.Row) bool { return !c.shows(e, part, r) })
		left += len(part) - len(shown)
		if len(shown) > 0 {
			title := fmt.Sprintf("%s, protocol %s, beside %s", part[0].Experiment, part[0].Protocol, c.against)
			fmt.Fprintln(e.out, compare.Table(title, shown).Markdown())
		}
	}
	if left > 0 {
		fmt.Fprintf(e.out, "%s not shown: --metric NAME shows a metric's, --all every one\n", table.Count(left, "cell"))
	}
}

// shows reports whether a row of a part is printed.
func (c *compareFlags) shows(e *env, part []compare.Row, r compare.Row) bool {
	if c.all || c.metrics != nil {
		return c.all || r.Verdict != compare.NotComparable
	}
	x := harness.ByName(e.experiments, r.Experiment)
	main := append(slices.Clone(x.Scores), part[0].Metric)
	at := slices.IndexFunc(main, func(metric string) bool {
		return slices.ContainsFunc(part, func(r compare.Row) bool { return r.Metric == metric })
	})
	return r.Metric == main[at] && r.Verdict != compare.NotComparable
}

// rows returns the rows of each experiment and protocol that have some.
func (c *compareFlags) rows(e *env, names []string) (parts [][]compare.Row, err error) {
	r, ours, err := c.read(e, names)
	if err != nil {
		return nil, err
	}
	var known []string // metrics
	for _, x := range r.Experiments {
		for _, m := range x.Metrics {
			known = append(known, m.Name)
		}
	}
	if err := usage.Among("metric", c.metrics, "--metric", known); err != nil {
		return nil, err
	}
	theirs := &report.Report{}
	if c.against != published {
		if theirs, err = readReport(e, "--against", c.against); err != nil {
			return nil, err
		}
		if len(theirs.Experiments) == 0 {
			return nil, usage.Errorf("--against %s has no report: want %s or the folder of one", c.against, published)
		}
	}
	for _, x := range r.Experiments {
		for _, p := range ours.Protocols(x.Name) {
			if r.Protocols != nil && !slices.Contains(r.Protocols, p.Name) && !slices.Contains(r.Protocols, plan.All) {
				continue
			}
			var rows []compare.Row
			if c.against == published {
				rows = compare.Published(x, p)
			} else if q := theirs.Experiment(x.Name).Protocol(p.Name); q != nil {
				rows = compare.Reports(p, q)
			}
			rows = slices.DeleteFunc(rows, func(row compare.Row) bool {
				return c.metrics != nil && !slices.Contains(c.metrics, row.Metric)
			})
			if len(rows) > 0 {
				parts = append(parts, rows)
			}
		}
	}
	prints := func(x *harness.Experiment) bool { return x.Published != nil }
	switch {
	case parts != nil:
		return parts, nil
	case c.against == published && !slices.ContainsFunc(r.Experiments, prints):
		return nil, usage.Errorf("the paper prints no numbers of %s: --against DIR sets it beside another report",
			strings.Join(names, ", "))
	}
	return nil, exitf(exitStopped, "nothing in %s can be set beside %s", c.resultsDir(nil), c.against)
}

// strict turns rows into the exit code of --strict.
func strict(rows []compare.Row) error {
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
