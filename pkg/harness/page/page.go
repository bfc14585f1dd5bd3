// Package page shows a report as one HTML file that needs no network: style, script and figures are inside. The same
// report gives the same bytes.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
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

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"marks": marks, "picture": picture, "pictures": pictures, "facts": facts, "without": without,
		"count":      table.Count,
		"counts":     table.Counts,
		"style":      func() template.CSS { return template.CSS(style) },
		"script":     func() template.JS { return template.JS(script) },
		"outcomes":   func() []string { return claim.Outcomes },
		"repository": func() string { return "https://github.com/semi-implicit/sifg" },
		"drawing":    func(t *table.Table, title, csv string) drawing { return drawing{t, title, csv} },
		"gridID": func(g report.Grid) string {
			return strings.ReplaceAll(strings.Join([]string{"grid", g.Experiment, g.Name, g.Protocol}, "-"), "/", "-")
		},
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
	Report      *report.Report
	Titles      map[string]string // of the experiments
	Protocols   []protocol        // that have results, in order of presentation
	Changed     []changed         // what was not run with a protocol's own settings
	Ledger      claim.Ledger
	Paper, Own  claims         // of Ledger: the paper's, and this project's own
	Counts      map[string]int // of the outcomes of the paper's claims
	Answers     []finding      // of the first screen: how methods compare
	Findings    []finding      // of the first screen: others
	Figures     []item         // of the first screen
	Samplers    []sifg.Sampler // that were used
	Parts       []part
	AnyFindings bool
	Trials      int
	Facts       []fact // about all trials
}

// claims are a part of the ledger, and those of it that are on the first screen.
type claims struct{ All, Main claim.Ledger }

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
	Findings        []finding
	Figures, Tables []item
	Metrics         []harness.Metric // that were measured
	Differ          []setting        // between the protocols
}

// finding is a finding with its place on the page, and why it is not about the paper.
type finding struct {
	*harness.Statement
	ID    string
	CSV   string // the address of the file with the numbers of its table
	Marks []string
}

// drawing is a table with its picture.
type drawing struct {
	Table      *table.Table
	Title, CSV string // CSV is the address of the file; "": there is none
}

// rows are some of the claims.
type rows struct {
	View      *view
	Rows      claim.Ledger
	Protocols []protocol
}

// With returns what the templates of claims show: the claims, and the protocols that say something of them.
func (v *view) With(l claim.Ledger) rows {
	silent := func(p protocol) bool { return len(verdicts(l, p.Name, "")) == 0 }
	return rows{v, l, slices.DeleteFunc(slices.Clone(v.Protocols), silent)}
}

// item is a figure or a table of an experiment, the Part, under the protocols that have it.
type item struct {
	report.Item // as the first of them has it
	Part        string
	Under       []shown
	Always      bool // whichever protocol is chosen
}

// shown is a figure or a table under one protocol.
type shown struct {
	*report.Protocol
	Made report.Item
}

// Render returns the page of a report. all are the experiments of the program, in order of presentation.
func Render(r *report.Report, all []*harness.Experiment) ([]byte, error) {
	v := &view{
		Report: r,
		Titles: map[string]string{},
		Ledger: r.Ledger(all),
		Counts: map[string]int{},
	}
	for _, c := range v.Ledger {
		of := &v.Own
		if !c.Own {
			of = &v.Paper
			v.Counts[c.Outcome]++
		}
		of.All = append(of.All, c)
		if len(c.Under) > 0 && slices.Contains(harness.ByName(all, c.Experiment).Lead, c.ID) {
			of.Main = append(of.Main, c)
		}
	}
	used := map[string]bool{} // samplers
	var everything []*report.Protocol
	for _, e := range all {
		v.Titles[e.Name] = e.Title
		if x := r.Experiment(e.Name); x != nil {
			if err := v.add(e, x, used); err != nil {
				return nil, err
			}
			everything = append(everything, x.Protocols...)
		}
	}
	v.conclude(r, all)
	v.Samplers = slices.DeleteFunc(slices.Clone(sifg.Samplers), func(s sifg.Sampler) bool { return !used[s.Name] })
	v.Facts = facts(everything...)
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, v)
	return b.Bytes(), err
}

// add adds an experiment, with what it has for the first screen, and notes the samplers that it used.
func (v *view) add(e *harness.Experiment, x *report.Experiment, used map[string]bool) error {
	file, err := e.File()
	if err != nil {
		return err
	}
	out := part{Experiment: e, Report: x}
	alone := len(x.Protocols) == 1 // shown whichever protocol is chosen
	var all []flat
	var different []string
	measured := map[string]bool{}
	for _, p := range x.Protocols {
		v.Trials += len(p.Records.Trials)
		marked := marks(p.Scale, p.Changed())
		v.protocol(p.Name, cmp.Or(e.Note, file.Protocol(p.Name).Note), marked, file.Protocols)
		if marked != nil {
			v.Changed = append(v.Changed, changes(e, file, p))
		}
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
	different = slices.Compact(slices.Sorted(slices.Values(different)))
	for i := range x.Findings {
		id, csv := fmt.Sprintf("finding-%s-%d", e.Name, i+1), fmt.Sprintf("%s/findings/%d.csv", e.Name, i+1)
		f := finding{&x.Findings[i], id, csv, different}
		out.Findings = append(out.Findings, f)
		v.AnyFindings = true
		switch {
		case f.Lead && f.Protocol != "":
			v.Answers = append(v.Answers, f)
		case f.Lead:
			v.Findings = append(v.Findings, f)
		}
	}
	v.Parts = append(v.Parts, out)
	for _, f := range out.Figures {
		f.Under = slices.DeleteFunc(slices.Clone(f.Under), func(u shown) bool {
			return !slices.Contains(e.Lead, u.Name+"/"+f.Name) || u.Made.Problem != ""
		})
		if f.Always = true; len(f.Under) > 0 {
			v.Figures = append(v.Figures, f)
		}
	}
	return nil
}

// put adds a figure or a table of a part under a protocol, if that has trials for it.
func put(items []item, part string, s shown, always bool) []item {
	if s.Made.Problem == harness.ErrNoTrials.Error() {
		return items
	}
	i := slices.IndexFunc(items, func(there item) bool { return there.Name == s.Made.Name })
	if i < 0 {
		i = len(items)
		items = append(items, item{Item: s.Made, Part: part, Always: always})
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

// strokes are neighbouring lines of one colour, which one path draws as well, in fewer bytes.
var strokes = regexp.MustCompile(`<g stroke="[^"]*" stroke-width="[^"]*">(<path d="[^"]*"/>)+</g>`)

// picture returns the attributes that hold a drawing and its width in CSS pixels: a third more than on paper.
func picture(svg []byte) template.HTMLAttr {
	_, width, _ := strings.Cut(string(svg), ` width="`)
	width, _, _ = strings.Cut(width, "pt")
	points, _ := strconv.ParseFloat(width, 64) // every drawing of ours says it
	address := encode.Replace(strokes.ReplaceAllStringFunc(string(svg), func(lines string) string {
		return strings.ReplaceAll(lines, `"/><path d="`, "")
	}))
	return template.HTMLAttr(fmt.Sprintf(`src="data:image/svg+xml,%s" width="%d"`, address, int(points*16/9)))
}
