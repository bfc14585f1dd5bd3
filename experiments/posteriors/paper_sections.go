package posteriors

import (
	"errors"
	"fmt"
	"image/color"
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

// sections are what the page of a paper has besides claims: of each problem samples, curves and last values, the
// published numbers, and what the references are worth.
func (p *paper) sections(file *settings.File) (out []harness.Section) {
	for _, problem := range file.Problems {
		if slices.Contains(p.tabled, problem) {
			out = append(out, p.tableSections(problem)...)
			continue
		}
		made := []harness.Section{
			words.Figure("samples", samplesOf(problem)),
			words.Curves("curves", problem,
				study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
				study.Panel{Metric: "error-mean", Index: 1, Label: "error of the mean", Scale: figure.AutoLog},
				study.Panel{Metric: "error-sd", Index: 1, Label: "error of the sd", Scale: figure.AutoLog}),
			words.Summary("final", problem, study.Measure{Head: "energy distance", Metric: "energy"},
				study.Measure{Head: "error of the mean", Metric: "error-mean", Index: 1},
				study.Measure{Head: "error of the sd", Metric: "error-sd", Index: 1},
				study.Measure{Head: "ratio of sds", Metric: "sd-ratio"}, study.Measure{Head: "KSD", Metric: "ksd"}),
		}
		for _, section := range made {
			section.ID, section.Title = section.ID+"-"+problem, problem+": "+section.Title
			out = append(out, section)
		}
	}
	if p.e.Published != nil {
		numbers := func(s *record.Set) (*table.Table, error) { return publishedTable(p.e, s) }
		out = append(out, words.Table("published", numbers))
	}
	if len(p.tabled) > 0 {
		files := func(s harness.Section) bool { return s.Files == nil }
		out = append(out, slices.DeleteFunc(slices.Clone(p.tables.Custom.Sections), files)...)
	}
	return append(out, words.Table("references", p.references))
}

// parts are the parts of a paper: its problems with their claims, then its numbers and the claims on several problems.
func (p *paper) parts(file *settings.File) *harness.Paper {
	out := &harness.Paper{Title: p.Title, Address: p.Link, Summary: p.Summary}
	shown := func(id string) harness.Shown {
		return harness.Shown{Experiment: p.e.Name, ID: id, Protocol: file.Default}
	}
	for _, problem := range file.Problems {
		part := harness.Part{Name: problem, Title: "samples and curves", Claims: p.about[problem],
			Shows: []harness.Shown{shown("samples-" + problem), shown("curves-" + problem)}}
		if slices.Contains(p.tabled, problem) {
			part.Title = "errors on test rows"
			part.Shows = []harness.Shown{shown("curves-" + problem), shown("final-" + problem)}
		}
		out.Parts = append(out.Parts, part)
	}
	numbers := harness.Part{Name: "Numbers", Title: "published over measured", Claims: p.about[""]}
	if p.e.Published != nil {
		numbers.Shows = []harness.Shown{shown("published")}
	} else {
		numbers.Title = "claims on several problems"
	}
	out.Parts = append(out.Parts, numbers)
	return out
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
	truth, own := figure.Method("truth").As("reference draws"), figure.Method(method).As("") // the title names it
	truth.Color = color.NRGBA{R: 0xb4, G: 0xb4, B: 0xb4, A: 255}
	p := figure.Panel{Title: figure.Label(method), X: axisOf(names[0], reference.Column(0))}
	if reference.D == 1 {
		p.Y = figure.Axis{Label: "cumulative share", Min: 0, Max: 1}
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
	type head struct{ metric, method string }
	rows := compare.Published(e.Published, s) // one for each of the numbers
	var heads []head
	var metrics, problems []string
	for _, p := range e.Published {
		problems, metrics = append(problems, p.Problem), append(metrics, p.Metric)
		heads = append(heads, head{p.Metric, p.Method})
	}
	slices.SortStableFunc(heads, func(a, b head) int { // those of a metric stand together
		return slices.Index(metrics, a.metric) - slices.Index(metrics, b.metric)
	})
	heads = unique(heads)
	t := &table.Table{Columns: table.Columns(1, "Problem")}
	for _, h := range heads {
		column := table.Column{Header: figure.Label(h.method), Align: table.Right, Group: h.metric}
		t.Columns = append(t.Columns, column)
	}
	for _, problem := range unique(problems) {
		row := []table.Cell{table.Text(problem)}
		for _, h := range heads {
			cell := table.Text("–")
			for i, p := range e.Published {
				if p.Problem == problem && p.Metric == h.metric && p.Method == h.method {
					cell = publishedCell(s, &rows[i])
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{fmt.Sprintf("%s. ✗: the means differ by more than %g standard errors of their difference; "+
		"~: by "+
		"more than %d. ‡: the reference is not to be trusted.", compare.Count(rows), claim.Errors, claim.Marked)}
	return t, nil
}

// unique are the values without those that stood before.
func unique[T comparable](all []T) (out []T) {
	for _, v := range all {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// publishedCell is a published number over the measured one.
func publishedCell(s *record.Set, r *compare.Row) table.Cell {
	c := table.Cell{Text: r.Text, Below: "–", Tip: r.Note}
	if len(r.Ours) > 0 {
		ours := table.MeanSD(r.Ours)
		c.Below, c.Value, c.Spread = ours.Text, ours.Value, ours.Spread
	}
	c.Below += r.Mark()
	if doubts(s, []string{r.Problem}) != "" {
		c.Below += " ‡"
	}
	return c
}

// references says what the reference draws of each problem are worth.
func (p *paper) references(s *record.Set) (*table.Table, error) {
	programs := slices.DeleteFunc(slices.Clone(s.Problems), func(problem string) bool {
		return slices.Contains(p.tabled, problem)
	})
	if len(programs) == 0 {
		return nil, harness.ErrNoTrials
	}
	t := table.Of(programs)
	t.Words("Problem", func(problem string) string { return problem })
	t.Words("Verdict", func(problem string) string {
		if r := reported(s, problem); r != nil {
			return reasons(r)[0]
		}
		return "no trial began"
	})
	return &t.Table, nil
}
