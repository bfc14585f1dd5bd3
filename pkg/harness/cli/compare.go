package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/authors"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// What stands for the printed numbers in --against, and for those that the authors' scripts gave.
const (
	published  = "published"
	theAuthors = "authors"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	selection
	against     string
	all, strict bool
}

func compareCommand(e *env) *cobra.Command {
	var c compareFlags
	cmd := &cobra.Command{
		Use:   "compare [EXPERIMENT...|all]",
		Short: "Sets the report beside published numbers, or beside another report",
		Long:  compare.Tolerance,
		Example: `  sifg compare uci-bnn
  sifg compare gmm --scale smoke --against other/results`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, ours, err := c.read(e, args)
			if err != nil {
				return err
			}
			if scale := ours.Rehearsal(); scale != "" {
				fmt.Fprintf(e.out, "A rehearsal at %s scale, which decides nothing about a paper.\n\n", scale)
			}
			if c.against == theAuthors {
				if ours.Scripts == nil {
					return exitf(exitStopped, "no numbers of the authors' code in %s: make authors runs them", ours.Dir)
				}
				_, err := fmt.Fprint(e.out, authors.Table(ours.BesideScripts(), !c.all).Markdown())
				return err
			}
			parts, lacking, err := c.rows(e, args, r, ours)
			if err != nil {
				return err
			}
			c.print(e, r.Experiments, ours, parts)
			for _, text := range lacking {
				fmt.Fprintln(e.err, text)
			}
			if !c.strict {
				return nil
			}
			if err := strict(slices.Concat(parts...)); err != nil || lacking == nil {
				return err
			}
			return exitf(exitStopped, "%s", lacking[0])
		},
	}
	f := cmd.Flags()
	c.protocolFlag(f)
	c.reportFlags(f)
	f.StringVar(&c.against, "against", published,
		"the published numbers; authors, what their code gave (docs/authors.md); or a folder of another report, `DIR`")
	f.BoolVar(&c.all, "all", false,
		"print every cell: of all metrics, not just the experiment's first score, and those that cannot be compared")
	f.BoolVar(&c.strict, "strict", false,
		"exit with 4 where a number is outside its tolerance, with 75 where none can be compared")
	return cmd
}

// print prints the tables of the papers, how many cells of each part agree, and then the cells of
// experiments whose numbers no table has shown: those of the main metric that can be compared, or all.
func (c *compareFlags) print(
	e *env, chosen []*harness.Experiment, ours *report.Results, parts [][]compare.Row,
) {
	var tabled []string // experiments
	if c.against == published && !c.all {
		tabled = papers(e.out, chosen, ours)
	}
	if tabled == nil {
		fmt.Fprintf(e.out, "%s\n\n", wrapped(compare.Tolerance))
	}
	var without []string // a number that can be compared
	for _, part := range parts {
		name := part[0].Experiment + " " + part[0].Protocol
		if tabled != nil && !slices.ContainsFunc(part, compare.Row.Comparable) {
			without = append(without, name)
		} else {
			fmt.Fprintln(e.out, wrapped(name+": "+compare.Count(part)))
		}
	}
	if without != nil {
		fmt.Fprintln(e.out, wrapped("no number can be compared of "+strings.Join(without, ", ")+": --all says why"))
	}
	left := 0
	for _, part := range parts {
		if slices.Contains(tabled, part[0].Experiment) {
			continue
		}
		main := mainMetric(harness.ByName(e.experiments, part[0].Experiment), part)
		shown := slices.DeleteFunc(slices.Clone(part), func(r compare.Row) bool {
			return !c.all && (r.Metric != main || !r.Comparable())
		})
		left += len(part) - len(shown)
		if len(shown) > 0 {
			title := fmt.Sprintf("%s, protocol %s, beside %s", part[0].Experiment, part[0].Protocol, c.against)
			fmt.Fprintf(e.out, "\n%s", compare.Table(title, shown).Markdown())
		}
	}
	if left > 0 {
		fmt.Fprintf(e.out, "%s not shown: --all shows every one\n", table.Count(left, "cell"))
	}
}

// papers prints the tables with printed numbers of the papers that the chosen experiments reproduce, and returns the
// experiments of the tables.
func papers(out io.Writer, chosen []*harness.Experiment, ours *report.Results) (tabled []string) {
	seen := map[*harness.Paper]bool{nil: true}
	for _, experiment := range chosen {
		paper := experiment.Paper
		if seen[paper] {
			continue
		}
		seen[paper] = true
		for _, of := range paper.Parts {
			for _, x := range of.Shows {
				from := ours.Experiment(x.Experiment)
				if from == nil || harness.ByName(chosen, x.Experiment) == nil ||
					from.Section(x.ID).Draw != nil { // it is not drawn for this
					continue
				}
				if p := from.Part(x.Protocol, x.ID); p != nil && p.Made.Groups() != nil {
					fmt.Fprintf(out, "%s: %s, protocol %s\n\n", of.Name, of.Title, x.Protocol)
					groups(out, p.Made)
					tabled = append(tabled, x.Experiment)
				}
			}
		}
	}
	return tabled
}

// groups prints a table, one group of columns after the other, each after the first column, and its first note.
func groups(w io.Writer, t *table.Table) {
	from := 1
	for _, g := range t.Groups() {
		if g.Name == "" {
			continue
		}
		head, rows := []string{g.Name}, [][]string(nil)
		for _, column := range t.Columns[from : from+g.Columns] {
			head = append(head, column.Header)
		}
		for _, row := range t.Rows {
			above, below := []string{row[0].Text}, []string{""}
			for _, cell := range row[from : from+g.Columns] {
				ours, _, _ := strings.Cut(cell.Below, " / ") // what the authors' code gave has no room
				above, below = append(above, cell.Text), append(below, ours)
			}
			rows = append(rows, above, below)
		}
		columns(w, append([][]string{head}, rows...))
		fmt.Fprintln(w)
		from += g.Columns
	}
	fmt.Fprintf(w, "%s\n\n", wrapped(t.Notes[0]))
}

// mainMetric is the first of an experiment's scores that a part has, or else the part's first metric.
func mainMetric(x *harness.Experiment, part []compare.Row) string {
	for _, score := range x.Scores {
		metric, _, _ := record.Component(score)
		if slices.ContainsFunc(part, func(r compare.Row) bool { return r.Metric == metric }) {
			return metric
		}
	}
	return part[0].Metric
}

// rows returns the rows of each experiment and protocol that have some, and what one side does not have.
func (c *compareFlags) rows(
	e *env, names []string, r plan.Request, ours *report.Results,
) (parts [][]compare.Row, lacking []string, err error) {
	theirs := &report.Results{}
	if c.against != published {
		if theirs, err = readResults(e, "--against", c.against); err != nil {
			return nil, nil, err
		}
		if len(theirs.Experiments) == 0 {
			return nil, nil, exitf(exitStopped, "no report in %[1]s: sifg run --results %[1]s makes one", c.against)
		}
	}
	wanted := func(protocol string) bool {
		return r.Protocols == nil || slices.Contains(r.Protocols, plan.All) || slices.Contains(r.Protocols, protocol)
	}
	for _, x := range r.Experiments {
		mine, other := ours.Experiment(x.Name), theirs.Experiment(x.Name)
		for _, p := range mine.Under(wanted) {
			var rows []compare.Row
			if c.against == published {
				rows = compare.Published(mine.Published, p)
			} else if q := other.Set(p.Protocol); q != nil {
				rows = compare.Reports(p, q)
			} else {
				lacking = append(lacking, c.against+" has no "+x.Name+" "+p.Protocol)
			}
			if len(rows) > 0 {
				parts = append(parts, rows)
			}
		}
		for _, q := range other.Under(wanted) {
			if mine.Set(q.Protocol) == nil {
				lacking = append(lacking, c.resultsDir(nil)+" has no "+x.Name+" "+q.Protocol)
			}
		}
	}
	prints := func(x *harness.Experiment) bool { return x.Published != nil }
	switch {
	case parts != nil:
		return parts, lacking, nil
	case c.against == published && !slices.ContainsFunc(r.Experiments, prints):
		return nil, nil, usage.Errorf("no numbers are published of %s: --against DIR sets it beside another report",
			strings.Join(names, ", "))
	}
	return nil, nil, exitf(exitStopped, "nothing in %s can be compared with %s: sifg run makes results",
		c.resultsDir(nil), c.against)
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
