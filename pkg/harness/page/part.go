package page

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// add adds an experiment, and notes the samplers that it used.
func (v *view) add(e *harness.Experiment, x *report.Experiment, used map[string]bool) {
	out := part{Experiment: e, Report: x}
	places := v.Protocols
	if len(x.Protocols) == 1 { // shown whichever protocol is chosen
		places = nil
	}
	var all []flat
	measured := map[string]bool{}
	for _, p := range x.Protocols {
		f := configs(p)
		all = append(all, f)
		for _, values := range f {
			used[values["sampler.sampler"]] = true
		}
		for _, f := range p.Figures {
			out.Figures = put(out.Figures, places, e.Name, shown{p, f})
		}
		for _, t := range p.Tables {
			out.Tables = put(out.Tables, places, e.Name, shown{p, t})
		}
		for _, rows := range p.Records.Traces {
			for i := range rows {
				measured[rows[i].Metric] = true
			}
		}
	}
	out.Differ = differences(all)
	out.Metrics = slices.DeleteFunc(slices.Clone(e.Metrics), func(m harness.Metric) bool { return !measured[m.Name] })
	v.Parts = append(v.Parts, out)
	v.AnyFindings = v.AnyFindings || len(x.Findings) > 0
	for _, f := range x.Findings {
		if f.Lead {
			v.Findings = append(v.Findings, f)
		}
	}
	for _, c := range v.Ledger {
		if c.Experiment == e.Name && len(c.Under) > 0 && slices.Contains(e.Lead, c.ID) {
			v.Main = append(v.Main, c)
		}
	}
	for _, f := range out.Figures {
		if slices.Contains(e.Lead, f.Name) {
			v.Figures = append(v.Figures, f)
		}
	}
}

// put shows a figure or a table of a part under a protocol, in a new item with a place for each of the protocols if
// need be.
func put(items []item, protocols []protocol, part string, s shown) []item {
	i := slices.IndexFunc(items, func(there item) bool { return there.Name == s.Made.Name })
	if i < 0 {
		it := item{Part: part, Name: s.Made.Name, Title: s.Made.Title, Caption: s.Made.Caption}
		for _, p := range protocols {
			absent := report.Item{Problem: "no results under " + p.Name}
			it.Under = append(it.Under, shown{&report.Protocol{Name: p.Name, Scale: "full"}, absent})
		}
		i, items = len(items), append(items, it)
	}
	it := &items[i]
	if k := slices.IndexFunc(it.Under, func(u shown) bool { return u.Name == s.Name }); k >= 0 {
		it.Under[k] = s
	} else {
		it.Under = append(it.Under, s)
	}
	return items
}

// without returns the trials that have no result.
func without(p *report.Protocol) []record.Trial {
	well := func(t record.Trial) bool { return t.Status == record.StatusOK }
	return slices.DeleteFunc(slices.Clone(p.Records.Trials), well)
}

// encode makes a drawing the rest of a data address in double quotes. Browsers take the other characters as they are;
// the template would encode them, which is half as long again.
var encode = strings.NewReplacer("%", "%25", "#", "%23", `"`, "'", "'", "%27", "&", "%26", "\n", " ", "\t", " ")

// picture returns the attributes that hold a drawing and its width in CSS pixels: a third more than on paper.
func picture(svg []byte) template.HTMLAttr {
	_, width, _ := strings.Cut(string(svg), ` width="`)
	width, _, _ = strings.Cut(width, "pt")
	points, _ := strconv.ParseFloat(width, 64) // every drawing of ours says it
	address := encode.Replace(string(svg))
	return template.HTMLAttr(fmt.Sprintf(`src="data:image/svg+xml,%s" width="%d"`, address, int(points*16/9)))
}
