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
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// add adds an experiment, and notes the samplers that it used.
func (v *view) add(e *harness.Experiment, x *report.Experiment, used map[string]bool) {
	out := part{Experiment: e, Report: x}
	alone := len(x.Protocols) == 1 // shown whichever protocol is chosen
	var all []flat
	var different []string
	measured := map[string]bool{}
	for _, p := range x.Protocols {
		f := configs(p)
		all = append(all, f)
		for _, values := range f {
			used[values["sampler.sampler"]] = true
		}
		for _, f := range p.Figures {
			out.Figures = put(out.Figures, e.Name, shown{p, f}, alone)
		}
		for _, t := range p.Tables {
			out.Tables = put(out.Tables, e.Name, shown{p, t}, alone)
		}
		for _, rows := range p.Records.Traces {
			for i := range rows {
				measured[rows[i].Metric] = true
			}
		}
		different = append(different, marks(p.Scale, false)...) // findings leave out changed settings
	}
	out.Differ = differences(all)
	out.Metrics = slices.DeleteFunc(slices.Clone(e.Metrics), func(m harness.Metric) bool { return !measured[m.Name] })
	slices.Sort(different)
	for i := range x.Findings {
		id := fmt.Sprintf("finding-%s-%d", e.Name, i+1)
		out.Findings = append(out.Findings, finding{&x.Findings[i], id, slices.Compact(different)})
	}
	v.Parts = append(v.Parts, out)
	v.lead(out)
}

// lead puts what an experiment has for the first screen there.
func (v *view) lead(p part) {
	v.AnyFindings = v.AnyFindings || len(p.Findings) > 0
	for _, f := range p.Findings {
		switch {
		case f.Lead && f.Protocol != "":
			v.Answers = append(v.Answers, f)
		case f.Lead:
			v.Findings = append(v.Findings, f)
		}
	}
	for _, c := range v.Ledger {
		switch {
		case c.Experiment != p.Name || len(c.Under) == 0 || !slices.Contains(p.Lead, c.ID):
		case c.Own:
			v.MainOwn = append(v.MainOwn, c)
		default:
			v.Main = append(v.Main, c)
		}
	}
	for _, f := range p.Figures {
		f.Under = slices.DeleteFunc(slices.Clone(f.Under), func(u shown) bool {
			return !slices.Contains(p.Lead, u.Name+"/"+f.Name) || u.Made.Problem != ""
		})
		if f.Always = true; len(f.Under) > 0 {
			v.Figures = append(v.Figures, f)
		}
	}
}

// put adds a figure or a table of a part under a protocol.
func put(items []item, part string, s shown, always bool) []item {
	i := slices.IndexFunc(items, func(there item) bool { return there.Name == s.Made.Name })
	if i < 0 {
		i = len(items)
		items = append(items, item{
			Part:    part,
			Name:    s.Made.Name,
			Title:   s.Made.Title,
			Caption: s.Made.Caption,
			Always:  always,
		})
	}
	items[i].Under = append(items[i].Under, s)
	return items
}

// drawn is one drawing of a table, and the class that shows it where it fits.
type drawn struct {
	SVG   []byte
	Class string
}

// pictures draws a table: comparisons for wide screens and for narrow ones. What cannot be drawn is shown as numbers.
func pictures(t *table.Table) []drawn {
	wide := report.Drawing(t, 0)
	switch {
	case wide == nil:
		return nil
	case t.Comparisons == nil:
		return []drawn{{wide, ""}}
	}
	return []drawn{{wide, "wide"}, {report.Drawing(t, 2), "narrow"}}
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
