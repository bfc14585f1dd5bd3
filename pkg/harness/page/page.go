// Package page shows a report as one HTML file that needs no network: style, script and figures are inside. The same report gives the
// same bytes.
package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"class": class, "short": short, "span": span, "first": firstSentence,
	}).Parse(pageText))
)

// view is what the template shows.
type view struct {
	Style       template.CSS
	Script      template.JS
	Protocols   []protocol // that have results, in order of presentation
	Changed     []changed  // what was not run with a protocol's own settings
	Ledger      []row
	Main        []row // the paper's main claims
	Tiles       []tile
	Findings    []finding // of the first screen
	Figures     []item    // of the first screen
	Samplers    []term
	Parts       []part
	AnyFindings bool
	Facts       []fact
}

// protocol is one protocol over all experiments.
type protocol struct {
	Name, Note string
	Sentence   string   // what came out, in words
	Counts     []tile   // of verdicts
	Marks      []string // why its verdicts are not about the paper: quick scale, changed settings
}

// tile is how often a verdict or an outcome was given.
type tile struct {
	Name string
	N    int
}

// row is a claim with what the protocols say of it.
type row struct {
	claim.Row
	Title string // of the experiment
	Under []opinion
}

type opinion struct {
	claim.Opinion
	Marks   []string
	Command string
}

type (
	term    struct{ Name, Meaning string }
	fact    struct{ Name, Value string }
	finding struct {
		harness.Statement
		Title, Experiment string
		HTML              template.HTML
	}
)

// part is one experiment.
type part struct {
	Name, Title, Summary string
	Findings             []finding
	Figures, Tables      []item
	Metrics              []harness.Metric
	Differ               []setting
	Columns              []string // protocols of Differ
	Runs                 []run
}

// item is a figure or a table, under each protocol of the page.
type item struct {
	Part, Name, Title, Caption string
	Under                      []shown
}

// shown is a figure or a table under one protocol, or why there is none.
type shown struct {
	Protocol string
	Marks    []string
	Src      template.HTMLAttr
	Width    int // CSS pixels
	HTML     template.HTML
	Problem  string
	Command  string
}

// run is how the trials of one protocol were run.
type run struct {
	Protocol, Command, Scale string
	Marks                    []string
	Status                   string // how the trials ended, in words
	Facts                    []fact
	Bad                      template.HTML // table of the trials without a result
}

// Render returns the page of a report. all are the experiments of the program, in order of presentation.
func Render(r *report.Report, all []*harness.Experiment) ([]byte, error) {
	v := &view{Style: template.CSS(style), Script: template.JS(script)}
	ledger := r.Ledger(all)
	v.protocols(r, all, ledger)
	v.claims(r, all, ledger)
	used := map[string]bool{}
	for _, e := range all {
		x := r.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, p := range x.Protocols {
			for _, s := range p.Settings() {
				used[s.Config.Sampler.Sampler] = true
			}
		}
		v.add(e, x)
	}
	v.Samplers = samplers(used)
	v.Facts = facts(r)
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, v)
	return b.Bytes(), err
}

// claims adds the ledger.
func (v *view) claims(r *report.Report, all []*harness.Experiment, ledger claim.Ledger) {
	of := map[string]*harness.Experiment{}
	for _, e := range all {
		of[e.Name] = e
	}
	for _, c := range ledger {
		out := row{Row: c, Title: of[c.Experiment].Title}
		for _, o := range c.Under {
			p := r.Experiment(c.Experiment).Protocol(o.Protocol)
			out.Under = append(out.Under, opinion{o, marks(o.Scale, o.Changed), p.Command("report")})
		}
		v.Ledger = append(v.Ledger, out)
		if len(c.Under) > 0 && slices.Contains(of[c.Experiment].Lead, c.ID) {
			v.Main = append(v.Main, out)
		}
	}
	for _, name := range claim.Outcomes {
		v.Tiles = count(v.Tiles, name, len(filter(ledger, func(c claim.Row) bool { return c.Outcome == name })))
	}
}

// add adds an experiment.
func (v *view) add(e *harness.Experiment, x *report.Experiment) {
	p := v.part(e, x)
	v.Parts = append(v.Parts, p)
	v.AnyFindings = v.AnyFindings || len(p.Findings) > 0
	v.Findings = append(v.Findings, filter(p.Findings, func(f finding) bool { return f.Lead })...)
	for _, name := range e.Lead {
		v.Figures = append(v.Figures, filter(p.Figures, func(i item) bool { return i.Name == name })...)
	}
}

func filter[T any](all []T, keep func(T) bool) []T {
	var out []T
	for _, x := range all {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// count appends a tile unless n is 0.
func count(to []tile, name string, n int) []tile {
	if n > 0 {
		to = append(to, tile{name, n})
	}
	return to
}

// class is a verdict or an outcome as a CSS class.
func class(v any) string {
	switch v := v.(type) {
	case claim.Verdict:
		return strings.ReplaceAll(v.String(), " ", "-")
	case string:
		return strings.ReplaceAll(v, " ", "-")
	}
	panic("page: a class of neither a verdict nor text")
}

// short are the first characters of keys, which sifg explain takes for the whole.
func short(keys []string) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k[:min(len(k), 10)])
	}
	return out
}
