// Package page shows a report as HTML pages that lie beside its files and need no network. The same report gives the
// same bytes.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{
		"marks": marks, "image": image, "facts": facts, "without": without, "opinion": opinion,
		"count":      table.Count,
		"counts":     table.Counts,
		"style":      func() template.CSS { return template.CSS(style) },
		"script":     func() template.JS { return template.JS(script) },
		"tally":      func(n map[string]int) string { return table.Counts(n, claim.Outcomes...) },
		"outcomes":   func() []string { return claim.Outcomes },
		"repository": func() string { return "https://github.com/semi-implicit/sifg" },
		"rows":       func(v view, l claim.Ledger) rows { return rows{v, l} },
		"drawing":    func(t *table.Table, title, path string) drawing { return drawing{t, title, path} },
		"gridID": func(g report.Grid) string {
			return strings.ReplaceAll(strings.Join([]string{"grid", g.Experiment, g.Name, g.Protocol}, "-"), "/", "-")
		},
		// class is the name of the style of a verdict or an outcome.
		"class": func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "-") },
	}).Parse(pageText))
)

// The pages that are about all experiments. Each experiment has a page of its own, unless it is alone: then the first
// page is its own.
const (
	firstPage      = "index.html"
	comparisonPage = "comparison.html"
	claimsPage     = "claims.html"
	Grids          = "grids.html"
)

// pageOf is the page of an experiment among others.
func pageOf(experiment string) string { return experiment + ".html" }

// site is what the pages of a report share.
type site struct {
	Report   *report.Report
	Paper    *harness.Paper    // that the first page shows; nil: none
	Titles   map[string]string // of the experiments
	Links    []link            // the pages, in order
	Parts    []*part           // the experiments that have results
	Ledger   claim.Ledger
	Counts   map[string]int  // of the outcomes of the paper's claims
	Answers  []finding       // how methods compare
	Findings []finding       // others that matter
	Samplers []sifg.Sampler  // that were used
	Changed  bool            // something was not run with a protocol's own settings
	Facts    []fact          // about all trials
	used     map[string]bool // samplers
}

// link is a page, with its name in the list of pages and above itself.
type link struct{ Name, Title, Head string }

// view is what one page shows.
type view struct {
	*site
	link
	Part *part // whose page it is; nil: of all
}

type fact struct{ Name, Value string }

// part is one experiment.
type part struct {
	*harness.Experiment
	Report    *report.Experiment
	Protocols []*protocol // that have results, in order of presentation
	Findings  []finding
	Metrics   []harness.Metric // that were measured
	Differ    []setting        // between the protocols
	Ledger    claim.Ledger     // of its claims
}

// protocol is what an experiment has under one.
type protocol struct {
	*report.Protocol
	Words, Note     string
	Studies         bool     // it is a study of the experiment: it checks no claim
	Marks           []string // why its verdicts are not about the paper: quick scale, changed settings
	Differs         *changed // nil: it was run with its own settings
	Figures, Tables []item
}

// item is a figure or a table of an experiment under a protocol.
type item struct {
	report.Item
	Under    *protocol
	ID, Path string // Path is that of its files, without extension
	Page     string // that has it with all others
	Settings string // that it was made with, in words; "": not said
	Others   []item // the same under the other protocols that check claims
}

// finding is a finding with its place, and why it is not about the paper.
type finding struct {
	*harness.Finding
	ID, Path string // Path is that of the files of its table, without extension
	Page     string
	Marks    []string
}

// drawing is a table, perhaps with a picture of it.
type drawing struct {
	Table       *table.Table
	Title, Path string // Path is that of its files, without extension
}

// SVG is the picture of the table, nil if there is none.
func (d drawing) SVG() []byte { return report.Drawing(d.Table) }

// Render returns the pages of a report by name. all are the experiments of the program, in order of presentation.
func Render(r *report.Report, all []*harness.Experiment) (map[string][]byte, error) {
	s := &site{
		Report: r,
		Titles: map[string]string{},
		Ledger: r.Ledger(all),
		Counts: map[string]int{},
		used:   map[string]bool{},
	}
	var everything []*report.Protocol
	for _, e := range all {
		s.Titles[e.Name] = e.Title
		if x := r.Experiment(e.Name); x != nil {
			if err := s.add(e, x); err != nil {
				return nil, err
			}
			everything = append(everything, x.Protocols...)
		}
	}
	for _, c := range s.Ledger {
		if !c.Own && len(c.Under) > 0 {
			s.Counts[c.Outcome]++
		}
	}
	s.Samplers = slices.DeleteFunc(slices.Clone(sifg.Samplers), func(x sifg.Sampler) bool { return !s.used[x.Name] })
	s.Facts = facts(everything...)
	return s.pages()
}

// pages lists the pages, then makes them.
func (s *site) pages() (map[string][]byte, error) {
	alone := len(s.Parts) == 1
	of := func(name, title string, p *part) view { return view{link: link{name, title, title}, Part: p} }
	views := []view{of(firstPage, "Results", nil)}
	switch {
	case s.Parts == nil && s.Report.Grids != nil:
		views = nil
	case alone:
		views[0] = of(firstPage, s.Parts[0].Title, s.Parts[0])
	case len(s.Parts) > 1:
		if i := slices.IndexFunc(s.Parts, func(p *part) bool { return p.Paper != nil }); i >= 0 {
			s.Paper = s.Parts[i].Paper
			views[0].Title, views[0].Head = "The paper", s.Paper.Title
		}
		views = append(views, of(comparisonPage, "How the methods compare", nil))
		for _, p := range s.Parts {
			views = append(views, of(pageOf(p.Name), p.Title, p))
		}
		if len(s.Ledger) > 0 {
			views = append(views, of(claimsPage, "Claims", nil))
		}
	}
	if len(s.Report.Grids) > 0 {
		views = append(views, of(Grids, "Grids of settings", nil))
	}
	for _, v := range views {
		s.Links = append(s.Links, v.link)
	}
	out := map[string][]byte{}
	for _, v := range views {
		var b bytes.Buffer
		v.site = s
		if err := pageTemplate.ExecuteTemplate(&b, "page", v); err != nil {
			return nil, err
		}
		out[v.Name] = b.Bytes()
	}
	return out, nil
}

// Alone reports whether all pages are about one experiment.
func (s *site) Alone() bool { return len(s.Parts) == 1 }

// add adds an experiment, with what it has for the pages about all.
func (s *site) add(e *harness.Experiment, x *report.Experiment) error {
	file, err := e.File()
	if err != nil {
		return err
	}
	out := &part{Experiment: e, Report: x}
	out.Ledger = slices.DeleteFunc(slices.Clone(s.Ledger), func(r claim.Row) bool { return r.Experiment != e.Name })
	var all []flat
	var different []string
	measured, seen := map[string]bool{}, map[string]bool{}
	for _, p := range x.Protocols {
		under := newProtocol(e, file, p, seen)
		out.Protocols = append(out.Protocols, under)
		s.Changed = s.Changed || under.Differs != nil
		different = append(different, marks(p.Scale, false)...) // findings leave out changed settings
		f := configs(p)
		all = append(all, f)
		for _, values := range f {
			s.used[values["sampler.sampler"]] = true
		}
		for _, rows := range p.Records.Traces {
			for i := range rows {
				measured[rows[i].Metric] = true
			}
		}
	}
	out.Differ = differences(all)
	out.Metrics = slices.DeleteFunc(slices.Clone(e.Metrics), func(m harness.Metric) bool { return !measured[m.Name] })
	different = slices.Compact(slices.Sorted(slices.Values(different)))
	for i := range x.Findings {
		f := finding{
			Finding: &x.Findings[i],
			ID:      fmt.Sprintf("finding-%s-%d", e.Name, i+1),
			Path:    fmt.Sprintf("%s/findings/%d", e.Name, i+1),
			Page:    pageOf(e.Name),
			Marks:   different,
		}
		out.Findings = append(out.Findings, f)
		if f.Lead && f.Protocol != "" {
			s.Answers = append(s.Answers, f)
		} else if f.Lead {
			s.Findings = append(s.Findings, f)
		}
	}
	s.Parts = append(s.Parts, out)
	return nil
}

// pictureSize finds the size of a drawing, which every one of ours says.
var pictureSize = regexp.MustCompile(` width="([\d.]+)pt" height="([\d.]+)pt"`)

// image returns the attributes that show a drawing by its file: a third larger than on paper.
func image(at string, svg []byte) template.HTMLAttr {
	size := pictureSize.FindSubmatch(svg)
	if size == nil {
		size = [][]byte{nil, nil, nil}
	}
	pixels := func(text []byte) int {
		points, _ := strconv.ParseFloat(string(text), 64)
		return int(points * 16 / 9)
	}
	address := template.HTMLEscapeString((&url.URL{Path: at + ".svg"}).EscapedPath())
	const attributes = `src="%s" width="%d" height="%d" loading="lazy"`
	return template.HTMLAttr(fmt.Sprintf(attributes, address, pixels(size[1]), pixels(size[2])))
}

// without returns the trials that have no result.
func without(p *report.Protocol) []record.Trial {
	well := func(t record.Trial) bool { return t.Status == record.StatusOK }
	return slices.DeleteFunc(slices.Clone(p.Records.Trials), well)
}

// newProtocol is what an experiment has under a protocol. seen are the figures and tables that earlier protocols have:
// the first of a name has the ID that a link to it names.
func newProtocol(e *harness.Experiment, file *settings.File, p *report.Protocol, seen map[string]bool) *protocol {
	about := file.Protocol(p.Name)
	out := &protocol{
		Protocol: p,
		Words:    cmp.Or(about.Title, p.Name),
		Note:     cmp.Or(e.Note, about.Note),
		Studies:  !about.Claims,
		Marks:    marks(p.Scale, p.Changed()),
	}
	if e.OnOwn() { // no protocol's settings are those of what is one's own
		out.Words, out.Note, out.Marks = p.Name, e.Note, marks(p.Scale, false)
	} else if c := changes(e, file, p); out.Marks != nil {
		out.Differs = &c
	} else if slices.ContainsFunc(c.Settings, func(s setting) bool { return s.Name != "seeds" }) {
		out.Differs, out.Marks = &c, []string{"settings of an earlier version"}
	}
	add := func(items []item, kind string, made report.Item) []item {
		if made.Problem == harness.ErrNoTrials.Error() {
			return items
		}
		id := e.Name + "-" + made.Name
		if seen[id] {
			id += "-" + p.Name
		}
		seen[id] = true
		return append(items, item{
			Item:  made,
			Under: out,
			ID:    id,
			Path:  path.Join(e.Name, p.Name, kind, made.Name),
			Page:  pageOf(e.Name),
		})
	}
	for _, f := range p.Figures {
		out.Figures = add(out.Figures, "figures", f)
	}
	for _, t := range p.Tables {
		out.Tables = add(out.Tables, "tables", t)
	}
	return out
}

// Banners are the protocols that were not run with their own settings.
func (p *part) Banners() (out []changed) {
	for _, under := range p.Protocols {
		if under.Differs != nil {
			out = append(out, *under.Differs)
		}
	}
	return out
}
