package page

import (
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// part collects what the page shows of an experiment.
func (v *view) part(e *harness.Experiment, x *report.Experiment) part {
	out := part{Name: e.Name, Title: e.Title, Summary: e.Summary, Metrics: measured(e, x)}
	for _, s := range x.Findings {
		f := finding{Statement: s, Title: s.Title, Experiment: e.Title}
		if s.Table != nil {
			f.HTML = template.HTML(s.Table.HTML())
		}
		out.Findings = append(out.Findings, f)
	}
	var all []flat
	for _, p := range x.Protocols {
		all = append(all, configs(p))
		out.Columns = append(out.Columns, p.Name)
		out.Runs = append(out.Runs, newRun(p))
		for _, f := range p.Figures {
			s := shown{Protocol: p.Name, Marks: marks(p.Scale, len(p.Set) > 0), Problem: f.Problem, Command: p.Command("report")}
			if f.Problem == "" {
				s.Src, s.Width = picture(f.SVG)
			}
			v.item(&out.Figures, e.Name, f.Name, f.Title, f.Caption).set(s)
		}
		for _, t := range p.Tables {
			s := shown{Protocol: p.Name, Marks: marks(p.Scale, len(p.Set) > 0), Problem: t.Problem, Command: p.Command("report")}
			if t.Problem == "" {
				s.HTML = template.HTML(t.Table.HTML())
			}
			v.item(&out.Tables, e.Name, t.Name, t.Title, t.Caption).set(s)
		}
	}
	out.Differ = differences(all)
	return out
}

// item returns the item with a name, a new one with a place for each protocol of the page if need be.
func (v *view) item(items *[]item, part, name, title, caption string) *item {
	for i := range *items {
		if (*items)[i].Name == name {
			return &(*items)[i]
		}
	}
	it := item{Part: part, Name: name, Title: title, Caption: caption}
	for _, p := range v.Protocols {
		it.Under = append(it.Under, shown{Protocol: p.Name, Problem: "no results under " + p.Name})
	}
	*items = append(*items, it)
	return &(*items)[len(*items)-1]
}

func (it *item) set(s shown) {
	for i := range it.Under {
		if it.Under[i].Protocol == s.Protocol {
			it.Under[i] = s
		}
	}
}

// measured returns the metrics that the experiment's trials hold, with their meaning.
func measured(e *harness.Experiment, x *report.Experiment) []harness.Metric {
	there := map[string]bool{}
	for _, p := range x.Protocols {
		for _, rows := range p.Records.Traces {
			for i := range rows {
				there[rows[i].Metric] = true
			}
		}
	}
	return filter(e.Metrics, func(m harness.Metric) bool { return there[m.Name] })
}

func newRun(p *report.Protocol) run {
	out := run{Protocol: p.Name, Command: p.Command("run"), Scale: p.Scale, Marks: marks(p.Scale, len(p.Set) > 0), Status: ended(p)}
	if len(p.Timings) > 0 {
		out.Facts = append([]fact{{"computing time", span(p.Seconds())}}, origins(p.Machines())...)
	}
	hidden := 0
	for _, f := range p.Figures {
		hidden += f.Hidden
	}
	if hidden > 0 {
		out.Facts = append(out.Facts, fact{"values outside the axes of figures, or not finite", fmt.Sprint(hidden)})
	}
	bad := table.Table{Columns: []table.Column{
		{Header: "problem"}, {Header: "method"}, {Header: "seed"}, {Header: "status"}, {Header: "reason"}, {Header: "key"}}}
	for _, t := range p.Records.Trials {
		if t.Status != record.StatusOK {
			bad.Rows = append(bad.Rows, []table.Cell{table.Text(t.Problem), table.Text(t.Method), table.Text(fmt.Sprint(t.Seed)),
				table.Text(t.Status), table.Text(t.Reason), table.Text(t.Key)})
		}
	}
	if bad.Rows != nil {
		out.Bad = template.HTML(bad.HTML())
	}
	return out
}

var (
	svgWidth = regexp.MustCompile(`<svg[^>]* width="([0-9.]+)pt"`)
	// encode makes a drawing the rest of a data address in double quotes. Browsers take the other characters as they are; the
	// template would encode them, which is half as long again.
	encode = strings.NewReplacer("%", "%25", "#", "%23", `"`, "'", "'", "%27", "&", "%26", "\n", " ", "\t", " ")
)

// picture returns the attribute src that holds a drawing, and its width in CSS pixels: a third more than on paper.
func picture(svg []byte) (template.HTMLAttr, int) {
	width := 800
	if m := svgWidth.FindSubmatch(svg); m != nil {
		if points, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			width = int(points * 16 / 9)
		}
	}
	return template.HTMLAttr(`src="data:image/svg+xml,` + encode.Replace(string(svg)) + `"`), width
}
