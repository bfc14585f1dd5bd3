// Package page shows a report as one HTML file that needs no network: style, script and figures are inside. The same
// report gives the same bytes.
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
	"github.com/semi-implicit/sifg/pkg/sifg"
)

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"marks": marks, "picture": picture, "ended": ended, "facts": facts, "without": without,
		"outcomes": func() []string { return claim.Outcomes },
		"first": func(text string) string {
			first, _, _ := strings.Cut(text, ". ")
			return strings.TrimSuffix(first, ".") + "."
		},
		// class is the name of the style of a verdict or an outcome.
		"class": func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", "-") },
	}).Parse(pageText))
)

// view is what the template shows.
type view struct {
	Style       template.CSS
	Script      template.JS
	Report      *report.Report
	Titles      map[string]string // of the experiments
	Protocols   []protocol        // that have results, in order of presentation
	Changed     []changed         // what was not run with a protocol's own settings
	Ledger      claim.Ledger
	Counts      map[string]int      // of the ledger's outcomes
	Main        claim.Ledger        // the paper's main claims
	Findings    []harness.Statement // of the first screen
	Figures     []item              // of the first screen
	Samplers    []sifg.Sampler      // that were used
	Parts       []part
	AnyFindings bool
	Trials      int
	Facts       []fact // about all trials
}

// protocol is one protocol over all experiments.
type protocol struct {
	Name, Note string
	Sentence   string         // what came out, in words
	Counts     map[string]int // of verdicts
	Marks      []string       // why its verdicts are not about the paper: quick scale, changed settings
}

type fact struct{ Name, Value string }

// part is one experiment.
type part struct {
	*harness.Experiment
	Report          *report.Experiment
	Figures, Tables []item
	Metrics         []harness.Metric // that were measured
	Differ          []setting        // between the protocols
}

// item is a figure or a table of an experiment, the Part, under each protocol of the page.
type item struct {
	Part, Name, Title, Caption string
	Under                      []shown
}

// shown is a figure or a table under one protocol.
type shown struct {
	*report.Protocol
	Made report.Item
}

// Render returns the page of a report. all are the experiments of the program, in order of presentation.
func Render(r *report.Report, all []*harness.Experiment) ([]byte, error) {
	v := &view{
		Style:  template.CSS(style),
		Script: template.JS(script),
		Report: r,
		Titles: map[string]string{},
		Ledger: r.Ledger(all),
		Counts: map[string]int{},
	}
	if err := v.protocols(r, all); err != nil {
		return nil, err
	}
	for _, c := range v.Ledger {
		v.Counts[c.Outcome]++
	}
	used := map[string]bool{} // samplers
	var everything []*report.Protocol
	for _, e := range all {
		v.Titles[e.Name] = e.Title
		if x := r.Experiment(e.Name); x != nil {
			v.add(e, x, used)
			everything = append(everything, x.Protocols...)
		}
	}
	v.Samplers = slices.DeleteFunc(slices.Clone(sifg.Samplers), func(s sifg.Sampler) bool { return !used[s.Name] })
	for _, p := range everything {
		v.Trials += len(p.Records.Trials)
	}
	v.Facts = facts(everything...)
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, v)
	return b.Bytes(), err
}
