// Package page shows a report as one HTML file that needs no network: style, script and figures are inside. The same report gives the
// same bytes.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"marks": marks, "picture": picture,
		"first": func(text string) string {
			first, _, _ := strings.Cut(text, ". ")
			return strings.TrimSuffix(first, ".") + "."
		},
		"class": func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "-") }, // of a verdict or an outcome
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
	Findings    []harness.Statement // of the first screen
	Figures     []item              // of the first screen
	Samplers    []fact
	Parts       []part
	Grids       []report.Grid
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
	Part  *report.Experiment
}

type fact struct{ Name, Value string }

// part is one experiment.
type part struct {
	*harness.Experiment
	Findings        []harness.Statement
	Figures, Tables []item
	Metrics         []harness.Metric // that were measured
	Differ          []setting
	Columns         []string // protocols of Differ
	Runs            []run
}

// item is a figure or a table, under each protocol of the page.
type item struct {
	Part, Name, Title, Caption string
	Under                      []shown
}

// shown is a figure or a table under one protocol, or why there is none.
type shown struct {
	*report.Protocol
	SVG     []byte
	Table   *table.Table
	Problem string
}

// run is how the trials of one protocol were run.
type run struct {
	*report.Protocol
	Status string // how the trials ended, in words
	Facts  []fact
	Bad    *table.Table // of the trials without a result; nil: none
}

// Render returns the page of a report. all are the experiments of the program, in order of presentation.
func Render(r *report.Report, all []*harness.Experiment) ([]byte, error) {
	v := &view{Style: template.CSS(style), Script: template.JS(script), Grids: r.Grids}
	ledger := r.Ledger(all)
	v.protocols(r, all, ledger)
	v.claims(r, all, ledger)
	used := map[string]bool{}
	var everything []*report.Protocol
	for _, e := range all {
		if x := r.Experiment(e.Name); x != nil {
			v.add(e, x, used)
			everything = append(everything, x.Protocols...)
		}
	}
	v.Samplers = samplers(used)
	v.Facts = facts(everything...)
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, v)
	return b.Bytes(), err
}

// claims adds the ledger.
func (v *view) claims(r *report.Report, all []*harness.Experiment, ledger claim.Ledger) {
	counts := map[string]int{}
	for _, c := range ledger {
		counts[c.Outcome]++
		e := all[slices.IndexFunc(all, func(e *harness.Experiment) bool { return e.Name == c.Experiment })]
		out := row{c, e.Title, r.Experiment(c.Experiment)}
		v.Ledger = append(v.Ledger, out)
		if len(c.Under) > 0 && slices.Contains(e.Lead, c.ID) {
			v.Main = append(v.Main, out)
		}
	}
	v.Tiles = tiles(counts)
}

// tiles lists what was given, in order of presentation.
func tiles(counts map[string]int) []tile {
	var out []tile
	for _, name := range claim.Outcomes {
		if n := counts[name]; n > 0 {
			out = append(out, tile{name, n})
		}
	}
	return out
}

// add adds an experiment, and the samplers that it used.
func (v *view) add(e *harness.Experiment, x *report.Experiment, used map[string]bool) {
	p := v.part(e, x, used)
	v.Parts = append(v.Parts, p)
	v.AnyFindings = v.AnyFindings || len(p.Findings) > 0
	for _, f := range p.Findings {
		if f.Lead {
			v.Findings = append(v.Findings, f)
		}
	}
	for _, name := range e.Lead {
		if i := slices.IndexFunc(p.Figures, func(i item) bool { return i.Name == name }); i >= 0 {
			v.Figures = append(v.Figures, p.Figures[i])
		}
	}
}
