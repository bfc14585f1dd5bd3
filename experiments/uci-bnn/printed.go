package ucibnn

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// against is Table 1 as the paper has it: a row a data set, a column a method under each metric. A cell has what is
// printed, what was measured below it with a mark where they differ, and the settings of both in its tip.
func against(s *record.Set) (*table.Table, error) {
	r, beside := read(s), besideOurs(s)
	t := &table.Table{Columns: table.Columns(1, "Data set")}
	for _, metric := range metrics {
		for _, m := range columns {
			head := table.Column{Header: figure.Label(m), Align: table.Right, Group: "test " + r.names(metric)}
			t.Columns = append(t.Columns, head)
		}
	}
	within, outside, marked, beaten := 0, 0, 0, 0
	for _, problem := range problems {
		row := []table.Cell{table.Text(r.names(problem))}
		for _, metric := range metrics {
			best := slices.MinFunc(columns, func(a, b string) int {
				return cmp.Compare(inPrint(problem, metric, a).Mean, inPrint(problem, metric, b).Mean)
			})
			for _, m := range columns {
				p := inPrint(problem, metric, m)
				c, is := r.printedCell(p), beside(p)
				c.Bold = m == best
				c.Below += is.Mark() + r.script(p)
				within += count(is.Verdict == compare.Agrees)
				outside += count(is.Verdict == compare.Differs)
				marked += count(is.Marked)
				beaten += count(p.Mean >= stats.Mean(r.trivial(problem, "ols", metric))-0.0005) // as printed
				row = append(row, c)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	verdict := fmt.Sprintf("%d cells agree with the published ones, %d do not (✗): the means differ by more "+
		"than %g standard errors of the difference. %d that agree differ by more than %d (~); chance alone "+
		"gives %.0f. Power's two cells of SVGD are Protein's copied, and do not count. The steps of "+
		"SGLD and SVGD were fitted to the published numbers, so their two columns are no evidence. %d published "+
		"cells do not improve on linear regression.",
		within, outside, claim.Errors, marked, claim.Marked, claim.Chance*float64(within+outside), beaten)
	if s.Incomparable != "" {
		verdict = "No verdict: " + s.Incomparable + "."
	}
	trials, _ := r.meaning()
	read := "Published mean ± standard deviation over ours; bold: the lowest of those published. "
	if s.Scripts != nil {
		read += "Third, where it was run: the mean of the authors' code (in brackets: its runs). "
	}
	t.Notes = []string{verdict, read + "A cell's settings show where the pointer rests on it. " + trials}
	return t, nil
}

// gaps draws Table 1 cell by cell: the measured mean less the printed one, in standard errors of the difference.
func gaps(s *record.Set) (*figure.Figure, error) {
	if s.Incomparable != "" {
		return nil, errors.New(s.Incomparable)
	}
	r, beside := read(s), besideOurs(s)
	f := &figure.Figure{}
	var names []string
	for _, problem := range slices.Backward(problems) {
		names = append(names, r.names(problem))
	}
	bottom, top := -0.5, float64(len(problems))-0.5
	within := func(errors float64, label string, grey uint8) figure.Band {
		style := figure.Style{Label: label, Color: color.NRGBA{R: grey, G: grey, B: grey, A: 255}}
		lo, hi := []float64{bottom, bottom}, []float64{top, top}
		return figure.Band{X: []float64{-errors, errors}, Lo: lo, Hi: hi, Style: style}
	}
	found, limit := false, 1.1*claim.Errors
	for _, metric := range metrics {
		p := figure.Panel{
			Title: "test " + r.names(metric),
			Y:     figure.Axis{Categories: names, Min: bottom, Max: top},
			Layers: []figure.Layer{
				within(claim.Errors, "agrees, within "+table.Num(claim.Errors), 0xb0),
				within(claim.Marked, "within "+table.Num(claim.Marked), 0x60),
			},
		}
		for j, m := range columns {
			e := figure.Scatter{Style: figure.Method(m), Radius: 2.4}
			for i, problem := range slices.Backward(problems) {
				is := beside(inPrint(problem, metric, m))
				if is.Verdict == compare.NotComparable || len(is.Ours) == 0 {
					continue
				}
				e.X = append(e.X, is.Difference/is.Error)
				limit = max(limit, 1.1*math.Abs(is.Difference/is.Error))
				e.Y = append(e.Y, float64(len(problems)-1-i)+0.15*(float64(len(columns)-1)/2-float64(j)))
			}
			found = found || e.X != nil
			p.Layers = append(p.Layers, e)
		}
		f.Panels = append(f.Panels, p)
	}
	if !found {
		return nil, fmt.Errorf("no trial ended well")
	}
	for i := range f.Panels {
		f.Panels[i].X = figure.Axis{Label: "difference in standard errors", Min: -limit, Max: limit}
	}
	return f, nil
}

// script is the mean of the authors' script where a number is printed, with how many runs; "" if it was not run.
func (r results) script(p claim.Published) string {
	if r.set.Scripts == nil {
		return ""
	}
	e := record.View{Set: r.set.Scripts, Problem: p.Problem}
	v := e.Final(p.Method, p.Metric, 0)
	if len(v) == 0 {
		return ""
	}
	return fmt.Sprintf(" / %s (%d)", table.Fixed(stats.Mean(v), 3).Text, len(v))
}

// printedCell is a printed number over the measured one, without a verdict.
func (r results) printedCell(p claim.Published) table.Cell {
	sample := r.last(p.Problem, p.Metric, p.Method)
	v := sample.Numbers()
	c := table.Cell{Text: p.Text, Value: fmt.Sprint(stats.Mean(v)), Below: "–", Tip: p.Note}
	if len(v) == 0 {
		return c
	}
	c.Below = table.Fixed(stats.Mean(v), 3).Text
	if math.Abs(stats.Mean(v)) >= 1e6 {
		c.Below = table.Significant(stats.Mean(v), 2)
	}
	if len(v) > 1 {
		c.Spread = fmt.Sprint(stats.SD(v))
		c.Below += " ± " + table.Significant(stats.SD(v), 1)
	}
	if len(v) < len(sample) {
		c.Below += fmt.Sprintf(" (%d of %d)", len(v), len(sample))
	}
	used, _ := config(r.set, p.Problem, p.Method)
	c.Tip = fmt.Sprintf("Here: step %s, %d iterations, %s. %s", table.Num(used.Sampler.Step), used.Iterations,
		table.Count(len(v), "trial"), p.Note)
	return c
}
