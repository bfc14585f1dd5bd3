package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// compared are the methods, and their rivals.
func (c Comparison) compared() (methods, rivals []string) {
	if c.Methods == nil {
		return newFlows, newRivals
	}
	return c.Methods, c.Rivals
}

// Apart returns what the protocol has in place of the paper's figures and tables, for harness.Experiment.Apart.
func (c Comparison) Apart() map[string]harness.Contents {
	out := harness.Contents{Figures: c.Figures}
	for _, v := range c.Problems {
		made := func(s *record.Set) (*table.Table, error) { return c.table(s, v) }
		out.Tables = append(out.Tables, harness.Table{Name: "versus-" + v.Name, Title: v.Title, Make: made})
	}
	if c.Claims != nil {
		title := "Claims of our own, not the paper's"
		out.Tables = append(out.Tables, harness.Table{Name: "own-claims", Title: title, Make: c.claims})
	}
	return map[string]harness.Contents{c.Protocol: out}
}

// Each returns a finding for each problem: the method with the lowest mean, and the table.
func (c Comparison) Each() []harness.Find {
	var out []harness.Find
	for _, v := range c.Problems {
		out = append(out, func(by map[string]*record.Set) *harness.Finding {
			s := by[c.Protocol]
			if s == nil || s.Methods(v.Name) == nil {
				return nil
			}
			out := &harness.Finding{Title: v.says(s), Protocol: c.Protocol}
			if t, err := c.table(s, v); err == nil && t.Comparisons != nil {
				out.Text, out.Table = "The flows that the paper does not have, against each rival.", t
				if c.About != "" {
					out.Title, out.Text = v.Title+": "+against(t.Comparisons), c.About
				}
			}
			return out
		})
	}
	return out
}

// against says how each method compares with its rivals, of more than two how many.
func against(all []table.Comparison) string {
	phrases := map[string]string{
		"better": "better than",
		"worse":  "worse than",
		"equal":  "equal to",
		"open":   "open against",
	}
	rivals := map[string]map[string][]string{} // by method and verdict
	var methods, parts []string
	for _, c := range all {
		if rivals[c.Method] == nil {
			rivals[c.Method] = map[string][]string{}
			methods = append(methods, c.Method)
		}
		of := rivals[c.Method]
		of[c.Verdict] = append(of[c.Verdict], figure.Label(c.Rival))
	}
	for _, m := range methods {
		var said []string
		for _, verdict := range slices.Sorted(maps.Keys(rivals[m])) {
			names := rivals[m][verdict]
			who := strings.Join(names, " and ")
			if len(names) > 2 {
				who = table.Count(len(names), "rival")
			}
			said = append(said, phrases[verdict]+" "+who)
		}
		parts = append(parts, figure.Label(m)+" is "+strings.Join(said, ", "))
	}
	return strings.Join(parts, "; ")
}

// says which method ends lowest.
func (v Problem) says(s *record.Set) string {
	if none := v.none(s); none != "" {
		return v.Title + ": no verdict, since " + none
	}
	best := v.lowest(s, s.Methods(v.Name))
	if best == "" {
		return v.Title + ": no method has a value in every try"
	}
	return fmt.Sprintf("%s: the lowest %s is that of %s", v.Title, v.Metrics[0].Head, figure.Label(best))
}

// claims is the table of this project's own claims.
func (c Comparison) claims(s *record.Set) (*table.Table, error) {
	words := map[claim.Verdict]string{claim.Reproduced: "holds", claim.NotReproduced: "does not hold"}
	outcomes := map[string]claim.Outcome{}
	for _, x := range c.Claims {
		outcomes[x.Statement] = x.Check(s)
	}
	t := table.Of(c.Claims)
	t.Words("Claim", func(x claim.Claim) string { return x.Statement })
	t.Words("Rule", func(x claim.Claim) string { return x.Rule })
	t.Words("Verdict", func(x claim.Claim) string {
		verdict := outcomes[x.Statement].Verdict
		return cmp.Or(words[verdict], verdict.String())
	})
	t.Words("Evidence", func(x claim.Claim) string { return outcomes[x.Statement].Evidence })
	return &t.Table, nil
}

// table has a row for each method and one for exact draws: the mean of each metric with its 95 % interval (Student's
// t over seeds), and how each of the methods that are compared does against it.
func (c Comparison) table(s *record.Set, v Problem) (*table.Table, error) {
	all := s.Methods(v.Name)
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no trials on %s", v.Name)
	}
	methods, rivals := c.compared()
	methods = slices.DeleteFunc(slices.Clone(methods), func(m string) bool { return !slices.Contains(all, m) })
	found := v.relate(s, methods, rivals)
	t := &table.Table{Columns: table.Columns(1, "Method"),
		Notes: []string{"Mean [95 % interval, Student's t over seeds] at the last iteration.", v.rule(found)}}
	if none := v.none(s); none != "" {
		t.Notes = append(t.Notes, "No verdict: "+none+".")
	}
	for _, m := range v.Metrics {
		t.Columns = append(t.Columns, table.Columns(0, m.Head)...)
	}
	for _, m := range methods {
		t.Columns = append(t.Columns, table.Column{Header: figure.Label(m)})
	}
	e := record.Series{Set: s, Problem: v.Name}
	row := func(label, method, prefix string) {
		cells := []table.Cell{table.Text(label)}
		for _, m := range v.Metrics {
			cells = append(cells, cell(e.Last(method, prefix+m.Metric, 0), interval))
		}
		for _, m := range methods {
			text := ""
			if i := indexOf(found, m, method); i >= 0 && prefix == "" {
				text = found[i].words() + ", " + pText(found[i].p)
			}
			cells = append(cells, table.Text(text))
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, m := range all {
		label := figure.Label(m)
		if well, planned := e.Ended(m); well < planned {
			label += fmt.Sprintf(" (%d of %d trials ended well)", well, planned)
		}
		row(label, m, "")
	}
	if e.Final(all[0], "floor-"+v.Metrics[0].Metric, 0) != nil {
		row("exact draws", all[0], "floor-")
	}
	t.Comparisons = v.data(found)
	return t, nil
}

// cell shows the numbers of a sample, or why it has none.
func cell(sample record.Sample, show func(numbers []float64) table.Cell) table.Cell {
	if numbers := sample.Numbers(); numbers != nil {
		return show(numbers)
	}
	return table.Text(sample.Why())
}

// interval is the mean of values with its 95 % interval.
func interval(x []float64) table.Cell {
	c := table.Number(stats.Mean(x), 3)
	if lo, hi := stats.TInterval(x, 1-stats.Level); !math.IsNaN(lo) {
		c.Text += fmt.Sprintf(" [%s, %s]", table.Num(lo), table.Num(hi))
	}
	return c
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + table.PValue(p).Text
}

// inOrder returns values in order of seed.
func inOrder(bySeed map[uint64]float64) (out []float64) {
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		out = append(out, bySeed[seed])
	}
	return out
}
