package posteriors

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/study"
)

// sections are what the page of a paper has besides claims: of each problem samples, curves and final values, the
// published numbers, and what the references are worth.
func (p *paper) sections(file *settings.File) (out []harness.Section) {
	for _, problem := range file.Problems {
		of := words.Figures["paper-curves"]
		w := study.Words{
			Figures: map[string]study.Heading{"curves-" + problem: {Title: problem + ": " + of.Title, Caption: of.Caption}},
		}
		samples := words.Figure("paper-samples", samplesOf(problem))
		samples.ID, samples.Title = "samples-"+problem, problem+": "+samples.Title
		finals := words.Table("paper-finals", func(s *record.Set) (*table.Table, error) { return finalsOf(s, problem) })
		finals.ID, finals.Title = "final-"+problem, problem+": "+finals.Title
		out = append(out, samples, w.Curves("curves-"+problem, problem,
			study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
			study.Panel{Metric: "error-mean", Index: 1, Label: "error of the mean", Scale: figure.AutoLog},
			study.Panel{Metric: "error-sd", Index: 1, Label: "error of the sd", Scale: figure.AutoLog}), finals)
	}
	if p.e.Published != nil {
		out = append(out, words.Table("paper-published", func(s *record.Set) (*table.Table, error) {
			return publishedTable(p.e, s)
		}))
	}
	return append(out, words.Table("paper-references", referenceTable))
}

// parts are the parts of a paper: its problems with their claims, then its numbers and the claims on several problems.
func (p *paper) parts(file *settings.File) *harness.Paper {
	out := &harness.Paper{Title: p.Title, Address: p.Link, Summary: p.Summary}
	shown := func(id, problem string) harness.Shown {
		return harness.Shown{Experiment: p.e.Name, ID: id, Protocol: file.Default, Problem: problem}
	}
	for _, problem := range file.Problems {
		out.Parts = append(out.Parts, harness.Part{Name: problem, Title: "samples and curves",
			Shows:  []harness.Shown{shown("samples-"+problem, problem), shown("curves-"+problem, "")},
			Claims: p.about[problem]})
	}
	numbers := harness.Part{Name: "Numbers", Title: "published over measured", Claims: p.about[""]}
	if p.e.Published != nil {
		numbers.Shows = []harness.Shown{shown("paper-published", "")}
	} else {
		numbers.Title = "claims on several problems"
	}
	out.Parts = append(out.Parts, numbers)
	return out
}

// finalsOf is what each method has at the end.
func finalsOf(s *record.Set, problem string) (*table.Table, error) {
	if s.Methods(problem) == nil {
		return nil, harness.ErrNoTrials
	}
	measures := []study.Measure{{Head: "energy distance", Metric: "energy"},
		{Head: "error of the mean", Metric: "error-mean", Index: 1}, {Head: "error of the sd", Metric: "error-sd", Index: 1},
		{Head: "ratio of sds", Metric: "sd-ratio"}, {Head: "KSD", Metric: "ksd"}}
	t := study.Finals(s, problem, func(v []float64) table.Cell {
		if slices.Min(v) == slices.Max(v) { // such as the error that exact draws have on average
			return table.Number(v[0], 3)
		}
		return table.MeanSD(v)
	}, measures...)
	t.Spread = "standard deviation over seeds"
	return t, nil
}

// samplesOf draws a panel for each method: the last sample of its first trial that ended well over reference draws, in
// the first two values; of one value the distribution functions.
func samplesOf(problem string) func(s *record.Set) (*figure.Figure, error) {
	return func(s *record.Set) (*figure.Figure, error) {
		f := &figure.Figure{}
		for _, m := range s.Methods(problem) {
			t, ok := record.First(s, problem, m)
			if !ok || m == chainsName {
				continue
			}
			sample, err1 := pointsOf(s, t.Key, "values")
			reference, err2 := pointsOf(s, t.Key, "reference")
			if err := errors.Join(err1, err2); err != nil {
				return nil, err
			}
			f.Panels = append(f.Panels, samplePanel(m, valueNames(&t), sample, reference))
		}
		if f.Panels == nil {
			return nil, harness.ErrNoTrials
		}
		f.Cols = min(3, len(f.Panels))
		return f, nil
	}
}

// pointsOf reads an array of a trial as points.
func pointsOf(s *record.Set, key, name string) (metric.Points, error) {
	a, err := s.Load(key, name)
	if err != nil {
		return metric.Points{}, err
	}
	return metric.Points{N: a.Shape[0], D: a.Shape[1], Data: a.Double}, nil
}

func samplePanel(method string, names []string, sample, reference metric.Points) figure.Panel {
	truth, own := figure.Method("truth").As("reference draws"), figure.Method(method)
	truth.Color = color.NRGBA{R: 0xb4, G: 0xb4, B: 0xb4, A: 255}
	p := figure.Panel{Title: figure.Label(method), X: axisOf(names[0], reference.Column(0))}
	if reference.D == 1 {
		p.Y = figure.Axis{Label: "share below", Min: 0, Max: 1}
		p.Layers = []figure.Layer{distribution(reference, truth), distribution(sample, own)}
		return p
	}
	p.Y = axisOf(names[1], reference.Column(1))
	p.Layers = []figure.Layer{
		figure.Scatter{X: reference.Column(0), Y: reference.Column(1), Style: truth},
		figure.Scatter{X: sample.Column(0), Y: sample.Column(1), Style: own, Radius: 1.4},
	}
	return p
}

// axisOf is an axis that the reference draws fill but for a quarter at each side.
func axisOf(label string, draws []float64) figure.Axis {
	low, high := slices.Min(draws), slices.Max(draws)
	free := 0.25 * (high - low)
	return figure.Axis{Label: label, Min: low - free, Max: high + free}
}

// distribution is the distribution function of points on the line.
func distribution(p metric.Points, style figure.Style) figure.Line {
	l := figure.Line{X: slices.Sorted(slices.Values(p.Data)), Style: style}
	for i := range l.X {
		l.Y = append(l.Y, (float64(i)+0.5)/float64(p.N))
	}
	return l
}

// publishedTable is the published numbers over those that were measured, with a mark where they differ and where the
// reference is in doubt: a row a problem, and under each metric a column a method.
func publishedTable(e *harness.Experiment, s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(1, "Problem")}
	var heads []record.Cell
	var problems, metrics []string
	rows := compare.Published(e, s)
	for _, r := range rows {
		if !slices.Contains(problems, r.Problem) {
			problems = append(problems, r.Problem)
		}
		if name := metricOf(r.Cell); !slices.Contains(metrics, name) {
			metrics = append(metrics, name)
		}
	}
	for _, name := range metrics { // the columns of a metric stand together
		for _, r := range rows {
			head := r.Cell
			if head.Problem = ""; metricOf(r.Cell) == name && !slices.Contains(heads, head) {
				heads = append(heads, head)
				t.Columns = append(t.Columns, table.Column{Header: figure.Label(r.Method), Align: table.Right, Group: name})
			}
		}
	}
	doubted := false
	for _, problem := range problems {
		row := []table.Cell{table.Text(problem)}
		for _, head := range heads {
			head.Problem = problem
			cell := table.Text("–")
			if i := slices.IndexFunc(rows, func(r compare.Row) bool { return r.Cell == head }); i >= 0 {
				cell = publishedCell(&rows[i])
			}
			if doubts(s, []string{problem}) != "" && cell.Below != "" {
				cell.Below, doubted = cell.Below+" ‡", true
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{compare.Count(rows) + ". ✗: the means differ by more than " + fmt.Sprint(claim.Errors) +
		" standard errors of their difference; ~: by more than " + fmt.Sprint(claim.Marked) + "."}
	if doubted {
		t.Notes = append(t.Notes, "‡: the reference of this problem is not to be trusted.")
	}
	return t, nil
}

func metricOf(c record.Cell) string {
	if c.Index > 0 {
		return fmt.Sprintf("%s[%d]", c.Metric, c.Index)
	}
	return c.Metric
}

// publishedCell is a published number over the measured one.
func publishedCell(r *compare.Row) table.Cell {
	c := table.Cell{Text: r.Printed, Below: "–", Tip: r.Note}
	if len(r.Ours) > 0 {
		c.Below = table.MeanSD(r.Ours).Text
	}
	switch {
	case r.Verdict == compare.Differs:
		c.Below += " ✗"
	case r.Marked:
		c.Below += " ~"
	}
	return c
}

// referenceTable says what the reference draws of each problem are worth.
func referenceTable(s *record.Set) (*table.Table, error) {
	t := table.Of(s.Problems)
	column := func(head string, of func(worst float64, least float64) table.Cell) {
		t.Column(head, func(problem string) table.Cell {
			r := reported(s, problem)
			if r == nil {
				return table.Text("–")
			}
			rhat, bulk, tail, _ := r.Worst()
			return of(rhat, math.Min(bulk, tail))
		})
	}
	t.Words("Problem", func(problem string) string { return problem })
	column("R-hat, largest", func(worst, _ float64) table.Cell { return table.Fixed(worst, 3) })
	column("effective draws, least", func(_, least float64) table.Cell { return table.Fixed(least, 0) })
	t.Words("verdict", func(problem string) string {
		if r := reported(s, problem); r != nil {
			return reasons(r)[0]
		}
		return "no trial began"
	})
	return &t.Table, nil
}
