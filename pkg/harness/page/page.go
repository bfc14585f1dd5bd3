// Package page shows results as HTML pages beside their files, without a network: the same results give the same bytes.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
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
		"marks": marks, "image": image, "without": without, "opinion": opinion, "command": plan.Command,
		"count":      table.Count,
		"split":      strings.Split,
		"anchor":     func(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") },
		"counts":     table.Counts,
		"style":      func() template.CSS { return template.CSS(style) },
		"script":     func() template.JS { return template.JS(script) },
		"outcomes":   func() []string { return claim.Outcomes },
		"repository": func() string { return repository },
		"rows":       func(v view, l claim.Ledger) rows { return rows{v, l} },
		"gridID": func(g report.Grid) string {
			return strings.ReplaceAll("grid-"+g.Set.Experiment+"-"+g.Name+"-"+g.Set.Protocol, "/", "-")
		},
		// class is the name of the style of a verdict or an outcome.
		"class": func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "-") },
	}).Parse(pageText))
)

// The pages about all experiments. Each experiment has a page of its own; the first one if it is alone.
const (
	firstPage      = "index.html"
	comparisonPage = "comparison.html"
	claimsPage     = "claims.html"
	Grids          = "grids.html"
)

const repository = "https://github.com/semi-implicit/sifg"

// pageOf is the page of an experiment among others.
func pageOf(experiment string) string { return experiment + ".html" }

// site is what the pages share.
type site struct {
	Paper    *harness.Paper    // that the first page shows; nil: none
	Titles   map[string]string // of the experiments
	Links    []link            // the pages, in order
	Parts    []*part           // the experiments that have results
	Ledger   claim.Ledger
	Counts   map[string]int // of the outcomes of the paper's claims
	Grids    []report.Grid
	Samplers []sifg.Sampler // that were used
	Changed  []*record.Set  // those that were not run with a protocol's own settings

	Rehearsal string // the scale, where it is not full; "": it is
}

// link is a page, with its name in the list of pages and above itself.
type link struct{ Name, Title, Head string }

// view is what one page shows.
type view struct {
	*site
	link
	Part *part // whose page it is; nil: of all
}

// part is one experiment.
type part struct {
	*report.Experiment
	Protocols []*protocol      // that have results, in order of presentation
	Metrics   []harness.Metric // that were measured
	Ledger    claim.Ledger     // of its claims
}

// protocol is what an experiment has under one.
type protocol struct {
	*record.Set
	Note    string
	Studies bool     // it is a study of the experiment: it checks no claim
	Marks   []string // why its verdicts are not about the paper: quick scale, changed settings
	Items   []item
}

// item is a section of an experiment under a protocol that is no claim.
type item struct {
	*report.Part
	Under  *protocol
	ID     string
	Page   string // that has it with all others
	Others []item // the same under the other protocols that check claims
}

// Render returns the pages of results by name. all are the experiments of the program, in order of presentation.
func Render(r *report.Results, grids []report.Grid, all []*harness.Experiment) (map[string][]byte, error) {
	s := &site{Titles: map[string]string{}, Ledger: r.Ledger(all), Counts: map[string]int{}, Grids: grids}
	used := map[string]bool{}
	for _, e := range all {
		s.Titles[e.Name] = e.Title
		if x := r.Experiment(e.Name); x != nil {
			s.add(x, used)
		}
	}
	for _, c := range s.Ledger {
		if !c.Custom && len(c.Under) > 0 {
			s.Counts[c.Outcome]++
		}
	}
	s.Samplers = slices.DeleteFunc(sifg.Samplers(), func(x sifg.Sampler) bool { return !used[x.Name] })
	s.Rehearsal = r.Rehearsal()
	return s.pages()
}

// pages lists the pages, then makes them.
func (s *site) pages() (map[string][]byte, error) {
	of := func(name, title string, p *part) view { return view{link: link{name, title, title}, Part: p} }
	views := []view{of(firstPage, "Results", nil)}
	switch {
	case s.Parts == nil && s.Grids != nil:
		views = nil
	case s.Alone():
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
	if len(s.Grids) > 0 {
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

// add adds an experiment. used are the samplers of all.
func (s *site) add(x *report.Experiment, used map[string]bool) {
	out := &part{Experiment: x}
	out.Ledger = slices.DeleteFunc(slices.Clone(s.Ledger), func(r claim.Row) bool { return r.Experiment != x.Name })
	measured, seen := map[string]bool{}, map[string]bool{}
	for _, set := range x.Sets {
		out.Protocols = append(out.Protocols, newProtocol(x, set, seen))
		if !x.OnCustom() && set.Changed() {
			s.Changed = append(s.Changed, set)
		}
		for _, t := range set.Trials {
			if c, err := settings.Of(t); err == nil {
				used[c.Sampler.Sampler] = true
			}
			for _, row := range set.Traces[t.Key] {
				measured[row.Metric] = true
			}
		}
	}
	out.Metrics = slices.DeleteFunc(slices.Clone(x.Metrics), func(m harness.Metric) bool { return !measured[m.Name] })
	s.Parts = append(s.Parts, out)
}

// newProtocol is what an experiment has under a protocol. seen are the IDs of earlier protocols' items: the first of a
// name has the ID that a link to it names.
func newProtocol(x *report.Experiment, set *record.Set, seen map[string]bool) *protocol {
	about := x.File().Protocol(set.Protocol)
	out := &protocol{
		Set:     set,
		Note:    cmp.Or(x.Note, about.Note),
		Studies: !about.Claims,
		Marks:   marks(set.Scale, set.Changed()),
	}
	if x.OnCustom() { // no protocol's settings are those of what is one's own
		out.Note, out.Marks = x.Note, marks(set.Scale, false)
	}
	for _, p := range x.Parts(set.Protocol) {
		if p.Claim != nil {
			continue
		}
		id := x.Name + "-" + p.ID
		if seen[id] {
			id += "-" + set.Protocol
		}
		seen[id] = true
		out.Items = append(out.Items, item{Part: p, Under: out, ID: id, Page: pageOf(x.Name)})
	}
	return out
}

// Compared are the items that compare the methods of a problem, under the last protocol that has them.
func (s *site) Compared() (out []item) {
	for _, p := range s.Parts {
		for _, under := range p.Protocols {
			for _, it := range under.Items {
				same := func(other item) bool { return other.Page == it.Page && other.Part.ID == it.Part.ID }
				if i := slices.IndexFunc(out, same); i >= 0 {
					out[i] = it
				} else if strings.HasPrefix(it.Part.ID, "compare-") {
					out = append(out, it)
				}
			}
		}
	}
	return out
}

// pictureSize finds the size of a drawing, which every one of ours says.
var pictureSize = regexp.MustCompile(` width="([\d.]+)pt" height="([\d.]+)pt"`)

// image returns the attributes that show a drawing by its file: a third larger than on paper.
func image(at string, svg []byte) template.HTMLAttr {
	size := pictureSize.FindSubmatch(svg)
	pixels := func(text []byte) int {
		points, _ := strconv.ParseFloat(string(text), 64)
		return int(points * 16 / 9)
	}
	address := template.HTMLEscapeString((&url.URL{Path: at + ".svg"}).EscapedPath())
	const attributes = `src="%s" width="%d" height="%d" loading="lazy"`
	return template.HTMLAttr(fmt.Sprintf(attributes, address, pixels(size[1]), pixels(size[2])))
}

// without returns the trials that have no result.
func without(set *record.Set) []record.Trial {
	well := func(t record.Trial) bool { return t.Status == record.StatusOK }
	return slices.DeleteFunc(slices.Clone(set.Trials), well)
}

// marks says why the verdicts under a protocol are not about the paper.
func marks(scale string, changed bool) []string {
	var out []string
	if scale != "full" {
		out = append(out, scale+" scale")
	}
	if changed {
		out = append(out, "changed settings")
	}
	return out
}
