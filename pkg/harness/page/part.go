package page

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// part collects what the page shows of an experiment, and notes the samplers that it used.
func (v *view) part(e *harness.Experiment, x *report.Experiment, used map[string]bool) part {
	out := part{Experiment: e, Findings: x.Findings, Protocols: x.Protocols}
	places := v.Protocols
	if len(x.Protocols) == 1 { // shown whichever protocol is chosen
		places = nil
	}
	var all []flat
	measured := map[string]bool{}
	for _, p := range x.Protocols {
		all = append(all, configs(p))
		for _, f := range p.Figures {
			put(&out.Figures, places, item{Part: e.Name, Name: f.Name, Title: f.Title, Caption: f.Caption},
				shown{Protocol: p, SVG: f.SVG, Problem: f.Problem})
		}
		for _, t := range p.Tables {
			put(&out.Tables, places, item{Part: e.Name, Name: t.Name, Title: t.Title, Caption: t.Caption},
				shown{Protocol: p, Table: t.Table, Problem: t.Problem})
		}
		for _, rows := range p.Records.Traces {
			for i := range rows {
				measured[rows[i].Metric] = true
			}
		}
	}
	for _, f := range all {
		for _, values := range f {
			used[values["sampler.sampler"]] = true
		}
	}
	out.Differ = differences(all)
	out.Metrics = slices.DeleteFunc(slices.Clone(e.Metrics), func(m harness.Metric) bool { return !measured[m.Name] })
	return out
}

// put shows a figure or a table under a protocol, in a new item with a place for each of the protocols if need be.
func put(items *[]item, protocols []protocol, it item, s shown) {
	i := slices.IndexFunc(*items, func(there item) bool { return there.Name == it.Name })
	if i < 0 {
		for _, p := range protocols {
			nothing := &report.Protocol{Name: p.Name, Scale: "full"}
			it.Under = append(it.Under, shown{Protocol: nothing, Problem: "no results under " + p.Name})
		}
		i, *items = len(*items), append(*items, it)
	}
	under := &(*items)[i].Under
	if k := slices.IndexFunc(*under, func(u shown) bool { return u.Name == s.Name }); k >= 0 {
		(*under)[k] = s
	} else {
		*under = append(*under, s)
	}
}

// bad is a table of the trials without a result; nil for none.
func bad(p *report.Protocol) *table.Table {
	out := &table.Table{}
	for _, header := range []string{"problem", "method", "seed", "status", "reason", "key"} {
		out.Columns = append(out.Columns, table.Column{Header: header})
	}
	for _, t := range p.Records.Trials {
		if t.Status != record.StatusOK {
			out.Rows = append(out.Rows, []table.Cell{table.Text(t.Problem), table.Text(t.Method), table.Text(fmt.Sprint(t.Seed)),
				table.Text(t.Status), table.Text(t.Reason), table.Text(t.Key)})
		}
	}
	if out.Rows == nil {
		return nil
	}
	return out
}

var (
	svgWidth = regexp.MustCompile(`<svg[^>]* width="([0-9.]+)pt"`)
	// encode makes a drawing the rest of a data address in double quotes. Browsers take the other characters as they are; the
	// template would encode them, which is half as long again.
	encode = strings.NewReplacer("%", "%25", "#", "%23", `"`, "'", "'", "%27", "&", "%26", "\n", " ", "\t", " ")
)

// picture returns the attributes that hold a drawing and its width in CSS pixels: a third more than on paper.
func picture(svg []byte) template.HTMLAttr {
	width := 800
	if m := svgWidth.FindSubmatch(svg); m != nil {
		if points, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			width = int(points * 16 / 9)
		}
	}
	return template.HTMLAttr(fmt.Sprintf(`src="data:image/svg+xml,%s" width="%d"`, encode.Replace(string(svg)), width))
}
