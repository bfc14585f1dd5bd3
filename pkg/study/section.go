package study

import (
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Summary is the table of one problem: for each method the median over seeds of each measure at the last checkpoint,
// with half the range; the last rows are what draws of the reference chains, if any, and exact draws score.
func (w Words) Summary(name, problem string, measures ...Measure) harness.Section {
	return w.Table(name, func(s *record.Set) (*table.Table, error) {
		seeds := 0
		for _, m := range s.Methods(problem) {
			for _, x := range measures {
				seeds = max(seeds, len(s.Curves(problem, m, x.Metric, x.Index)))
			}
		}
		t := Finals(s, problem, medianAndRange, measures...)
		t.Notes = []string{fmt.Sprintf("Median of %s ± half their range, at the last iteration. Exact draws: "+
			"i.i.d. samples of equal size; where a metric smooths, with the first method's initial σ.",
			table.Count(seeds, "seed"))}
		return t, nil
	})
}

func medianAndRange(v []float64) table.Cell {
	if len(v) == 1 {
		return table.Number(v[0], 3)
	}
	return table.PlusMinus(stats.Median(v), (slices.Max(v)-slices.Min(v))/2)
}

// Finals is a table of measures at the last checkpoint: a row a method, and one each for draws of the reference chains
// and for exact draws where they were judged. show makes a cell of values, one a seed, of one or more.
func Finals(s *record.Set, problem string, show func(v []float64) table.Cell, measures ...Measure) *table.Table {
	type judged struct{ label, method, prefix string } // method "": draws, which are the same for all methods
	e, methods := record.View{Set: s, Problem: problem}, s.Methods(problem)
	sample := func(r judged, x Measure) record.Sample {
		if r.method != "" {
			return e.Last(r.method, x.Metric, x.Index)
		}
		out := record.Sample{{Why: record.NotMeasured}}
		for _, m := range methods {
			draws := e.Last(m, r.prefix+x.Metric, x.Index)
			if draws.Numbers() != nil {
				return draws
			}
			if draws.Why() == string(record.Untold[r.prefix+x.Metric]) {
				out = draws
			}
		}
		return out
	}
	var rows []judged
	for _, m := range methods {
		rows = append(rows, judged{figure.Label(m), m, ""})
	}
	for _, draws := range []judged{{"HMC draws", "", "hmc-"}, {"exact draws", "", "floor-"}} {
		if slices.ContainsFunc(measures, func(x Measure) bool { return sample(draws, x).Numbers() != nil }) {
			rows = append(rows, draws)
		}
	}
	t := table.Of(rows)
	t.Words("Method", func(r judged) string { return r.label })
	for _, x := range measures {
		t.Column(x.Head, func(r judged) table.Cell {
			of := sample(r, x)
			if v := of.Numbers(); r.method == "" && v != nil && slices.Min(v) == slices.Max(v) {
				return show(v[:1]) // what draws are expected to score, by a formula
			}
			return cell(of, show)
		})
	}
	return &t.Table
}

// cell shows the numbers of a sample, or says why it has none.
func cell(sample record.Sample, show func(numbers []float64) table.Cell) table.Cell {
	if numbers := sample.Numbers(); numbers != nil {
		return show(numbers)
	}
	return table.Text(sample.Why())
}
