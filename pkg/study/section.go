// Package study is what experiments share: the comparison of methods pair by pair, with its rules, the control by a
// network that has nothing to learn, curves, and summaries.
package study

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// NewFlows is what an experiment has under a protocol of this project, in place of the paper's figures, tables and
// claims.
type NewFlows struct {
	Protocol string // "": beyond
	Figures  []harness.Figure
	Compare  []Versus
	Claims   []claim.Claim // of this project's own, shown as a table
}

// Under is a finding of one protocol's records.
func Under(protocol string, find func(s *record.Set) *harness.Statement) harness.Finding {
	return func(by map[string]*record.Set) *harness.Statement {
		if s := by[protocol]; s != nil {
			return find(s)
		}
		return nil
	}
}

func (p NewFlows) protocol() string { return cmp.Or(p.Protocol, "beyond") }

// Apart returns the figures and tables, for harness.Experiment.Apart.
func (p NewFlows) Apart() map[string]harness.Contents {
	out := harness.Contents{Figures: p.Figures}
	for _, v := range p.Compare {
		out.Tables = append(out.Tables, harness.Table{Name: "versus-" + v.Problem, Title: v.Title, Make: v.Table})
	}
	if p.Claims != nil {
		title := "Claims of our own, not the paper's"
		out.Tables = append(out.Tables, harness.Table{Name: "own-claims", Title: title, Make: p.own})
	}
	return map[string]harness.Contents{p.protocol(): out}
}

// Findings returns what is found, of each comparison.
func (p NewFlows) Findings() []harness.Finding {
	var out []harness.Finding
	for _, v := range p.Compare {
		out = append(out, func(by map[string]*record.Set) *harness.Statement {
			s := by[p.protocol()]
			if s == nil || s.Methods(v.Problem) == nil {
				return nil
			}
			out := &harness.Statement{Title: v.Says(s), Protocol: p.protocol()}
			if t, err := v.Table(s); err == nil && t.Comparisons != nil {
				out.Text, out.Table = "The flows that the paper does not have, against each rival.", t
			}
			return out
		})
	}
	return out
}

// own is the table of this project's own claims.
func (p NewFlows) own(s *record.Set) (*table.Table, error) {
	words := map[claim.Verdict]string{claim.Reproduced: "holds", claim.NotReproduced: "does not hold"}
	outcomes := map[string]claim.Outcome{}
	for _, c := range p.Claims {
		outcomes[c.Statement] = c.Check(s)
	}
	t := table.Of(p.Claims)
	t.Words("Claim", func(c claim.Claim) string { return c.Statement })
	t.Words("Rule", func(c claim.Claim) string { return c.Rule })
	t.Words("Verdict", func(c claim.Claim) string {
		verdict := outcomes[c.Statement].Verdict
		return cmp.Or(words[verdict], verdict.String())
	})
	t.Words("Evidence", func(c claim.Claim) string { return outcomes[c.Statement].Evidence })
	return &t.Table, nil
}

// Measure is a metric and its head in a table.
type Measure struct {
	Head, Metric string
	Index        int
}

// Summary is the table of one problem: for each method the median over seeds of each measure at the last checkpoint,
// with half the range; the last rows are what draws of the reference chains, if any, and exact draws score.
func (w Words) Summary(name, problem string, measures ...Measure) harness.Table {
	return w.Table(name, summary(problem, measures))
}

func summary(problem string, measures []Measure) func(s *record.Set) (*table.Table, error) {
	return func(s *record.Set) (*table.Table, error) {
		seeds := 0
		for _, m := range s.Methods(problem) {
			for _, x := range measures {
				seeds = max(seeds, len(s.Curves(problem, m, x.Metric, x.Index)))
			}
		}
		t := Finals(s, problem, medianAndRange, measures...)
		t.Notes = []string{fmt.Sprintf("Median of %d seeds ± half their range, at the last iteration. Exact draws: "+
			"as many as there are particles, at the first method's initial σ where the metric smooths.", seeds)}
		return t, nil
	}
}

func medianAndRange(v []float64) table.Cell {
	switch len(v) {
	case 0:
		return table.Text("–")
	case 1:
		return table.Number(v[0], 3)
	}
	return table.PlusMinus(stats.Median(v), (slices.Max(v)-slices.Min(v))/2)
}

// Finals is a table of measures at the last checkpoint: a row a method, and one each for draws of the reference chains
// and for exact draws where they were judged. cell makes a cell of values, one a seed.
func Finals(s *record.Set, problem string, cell func(v []float64) table.Cell, measures ...Measure) *table.Table {
	type judged struct {
		label string
		final func(x Measure) []float64
	}
	e, methods := record.Series{Set: s, Problem: problem}, s.Methods(problem)
	var rows []judged
	for _, m := range methods {
		final := func(x Measure) []float64 { return e.Final(m, x.Metric, x.Index) }
		rows = append(rows, judged{figure.Of(s, m).Label, final})
	}
	for _, draws := range []struct{ label, prefix string }{{"HMC draws", "hmc-"}, {"exact draws", "floor-"}} {
		final := func(x Measure) []float64 { // the same for all methods
			for _, m := range methods {
				if v := e.Final(m, draws.prefix+x.Metric, x.Index); len(v) > 0 {
					return v
				}
			}
			return nil
		}
		if slices.ContainsFunc(measures, func(x Measure) bool { return final(x) != nil }) {
			rows = append(rows, judged{draws.label, final})
		}
	}
	t := table.Of(rows)
	t.Words("Method", func(r judged) string { return r.label })
	for _, x := range measures {
		t.Column(x.Head, func(r judged) table.Cell { return cell(r.final(x)) })
	}
	return &t.Table
}
