// Package study is what experiments share: the comparison of all methods of a problem, curves, and summaries.
package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Measure is a metric and its head in a table.
type Measure struct {
	Head, Metric string
	Index        int
}

// Comparison compares all methods on a problem with SIFG by one measure at the last checkpoint, of which less is
// better.
type Comparison struct {
	Problem string
	Title   string
	Measure
	// Overlap is that of record.Difference, where seeds are splits of one table; nil: they are independent.
	Overlap func(s *record.Set) float64
}

// baseline is the method that others are compared with.
const baseline = "sifg"

// most is the share of seeds that must agree with a verdict.
const most = 0.75

// ByEnergy compares all methods on a problem by energy distance.
func ByEnergy(problem, title string) harness.Section {
	return Comparison{
		Problem: problem,
		Title:   title,
		Measure: Measure{Head: "energy distance", Metric: "energy"},
	}.Section()
}

// Section is the picture of every seed, and the table.
func (c Comparison) Section() harness.Section {
	test := "a two-sided sign-flip test over seeds"
	if c.Overlap != nil {
		test += ", Nadeau and Bengio's t-test where their splits overlap,"
	}
	return harness.Section{
		ID:    "compare-" + c.Problem,
		Title: c.Title + ": " + c.Head + " of each seed",
		Text: "Each point is one seed at the last iteration; the bar is the median. Differences are the method's " +
			"minus SIFG's, paired by seed. A method is better or worse where " + test + " tells them apart (5 %, " +
			"Holm's correction over the table) and the median and at least three quarters of the seeds agree; " +
			"otherwise the comparison is inconclusive. A failed run counts as the largest value; the mean is of the " +
			"others.",
		Draw:  c.draw,
		Table: c.table,
	}
}

// row is a method beside SIFG.
type row struct {
	method string
	sample record.Sample
	record.Difference
	p     float64 // after Holm's correction; NaN of SIFG itself
	tests int
}

// rows are the methods that have trials, SIFG first; nil without its trials.
func (c Comparison) rows(s *record.Set) []row {
	e := record.View{Set: s, Problem: c.Problem}
	of := func(method string) record.Sample { return e.Last(method, c.Metric, c.Index) }
	own := of(baseline)
	if len(own) == 0 {
		return nil
	}
	overlap := 0.0
	if c.Overlap != nil {
		overlap = c.Overlap(s)
	}
	rows := []row{{method: baseline, sample: own, p: math.NaN()}}
	var p []float64
	for _, m := range s.Methods(c.Problem) {
		if m == baseline {
			continue
		}
		r := row{method: m, sample: of(m)}
		r.Difference = record.Pair(r.sample, own, overlap)
		rows = append(rows, r)
		if r.Pairs() > 0 {
			p = append(p, r.P(stats.TwoSided))
		}
	}
	corrected := stats.Holm(p)
	for i, k := 1, 0; i < len(rows); i++ {
		if rows[i].p = math.NaN(); rows[i].Pairs() > 0 {
			rows[i].p, rows[i].tests = corrected[k], len(p)
			k++
		}
	}
	return rows
}

// ahead is the share of pairs in which the method is lower than SIFG; a tie counts as half.
func (r row) ahead() float64 { return (1 - stats.Mean(r.Signs)) / 2 }

// verdict says how the method compares with SIFG.
func (r row) verdict() string {
	told := r.p <= stats.Level
	middle := stats.Median(r.Signs)
	if len(r.Gaps) == r.Pairs() {
		middle = stats.Median(r.Gaps)
	}
	switch {
	case r.method == baseline || r.Pairs() == 0:
		return "–"
	case told && middle < 0 && r.ahead() >= most:
		return "better"
	case told && middle > 0 && 1-r.ahead() >= most:
		return "worse"
	}
	return "inconclusive"
}

// detectable is the smallest true difference that so many seeds would tell apart with a chance of 80 %.
func (r row) detectable() table.Cell {
	if r.tests == 0 {
		return table.Text("–")
	}
	lead, why := r.Seen(stats.Level/2/float64(r.tests), 0)
	if why != "" {
		return table.Text(string(why))
	}
	return table.Number(lead, 3)
}

func (c Comparison) table(s *record.Set) (*table.Table, error) {
	rows := c.rows(s)
	if len(rows) < 2 {
		return nil, harness.ErrNoTrials
	}
	t := table.Of(rows)
	t.Words("Method", func(r row) string { return figure.Label(r.method) })
	t.Column("seeds", func(r row) table.Cell {
		if lost := r.sample.Lost(); lost > 0 {
			return table.Text(fmt.Sprintf("%d of %d", len(r.sample)-lost, len(r.sample)))
		}
		return table.Int(len(r.sample))
	})
	t.Column("median", func(r row) table.Cell {
		return cell(r.sample, func([]float64) table.Cell { return table.Number(median(r.sample), 3) })
	})
	t.Column("mean", func(r row) table.Cell {
		return cell(r.sample, func(v []float64) table.Cell { return table.Number(stats.Mean(v), 3) })
	})
	t.Column("minus SIFG [95 %]", func(r row) table.Cell { return r.difference() })
	t.Column("seeds ahead of SIFG", func(r row) table.Cell {
		if r.Pairs() == 0 {
			return table.Text("–")
		}
		return table.Text(fmt.Sprintf("%.0f %%", 100*r.ahead()))
	})
	t.Words("than SIFG", row.verdict)
	t.Column("minimum detectable", row.detectable)
	t.Column("seconds", func(r row) table.Cell { return table.Number(Seconds(s, c.Problem, r.method), 3) })
	return &t.Table, nil
}

// median is that of the tries, of which lost ones are larger than any number: ∞ where half are lost.
func median(s record.Sample) float64 {
	var v []float64
	for _, x := range s {
		switch {
		case x.Lost():
			v = append(v, math.Inf(1))
		case x.Measured():
			v = append(v, x.Number)
		}
	}
	return stats.Median(v)
}

// difference is the mean difference with its interval.
func (r row) difference() table.Cell {
	if len(r.Gaps) == 0 {
		return table.Text("–")
	}
	c := table.Number(r.Mean(), 3)
	if lo, hi := r.Interval(1 - stats.Level); !math.IsNaN(lo) {
		c.Text += fmt.Sprintf(" [%s, %s]", table.Num(lo), table.Num(hi))
	}
	return c
}

// line is a row of the picture.
type line struct {
	name   string
	style  figure.Style
	values []float64
	median float64
}

// draw draws a row for each method and one for exact draws where they were measured.
func (c Comparison) draw(s *record.Set) (*figure.Figure, error) {
	rows := c.rows(s)
	if len(rows) < 2 {
		return nil, harness.ErrNoTrials
	}
	var lines []line
	for _, r := range rows {
		l := line{figure.Label(r.method), figure.Method(r.method), finite(r.sample.Numbers()), median(r.sample)}
		lines = append(lines, l)
	}
	exact := record.View{Set: s, Problem: c.Problem}.Shared("floor-" + c.Metric)
	if exact = finite(exact); len(exact) > 0 {
		lines = append(lines, line{"exact draws", figure.Method("truth"), exact, stats.Median(exact)})
	}
	p := figure.Panel{X: figure.Axis{Label: c.Head, Scale: figure.AutoLog}}
	for i, l := range slices.Backward(lines) {
		y := float64(len(lines) - 1 - i)
		p.Y.Categories = append(p.Y.Categories, l.name)
		style := l.style.As("")
		p.Layers = append(p.Layers, figure.Scatter{
			X: l.values, Y: slices.Repeat([]float64{y}, len(l.values)), Style: style, Radius: 1.8,
		})
		if len(finite([]float64{l.median})) > 0 {
			bar := figure.Line{X: []float64{l.median, l.median}, Y: []float64{y - 0.36, y + 0.36}, Style: style}
			bar.Style.Dash, bar.Style.Width = nil, 2
			p.Layers = append(p.Layers, bar)
		}
	}
	return &figure.Figure{Panels: []figure.Panel{p}, Width: 16}, nil
}

// finite are the finite of some values.
func finite(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// Seconds returns the median time of a method's trials on a problem, NaN of none.
func Seconds(s *record.Set, problem, method string) float64 {
	var out []float64
	for _, key := range (record.View{Set: s, Problem: problem}).Keys(method) {
		out = append(out, s.Timings[key].Seconds)
	}
	return stats.Median(out)
}
