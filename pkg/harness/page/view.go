package page

import (
	"html/template"
	"path/filepath"
	"slices"
	"strings"
)

// view is what the template shows.
type view struct {
	Page
	Style    template.CSS
	Script   template.JS
	Total    int      // of claims
	Counts   []count  // of claims by outcome
	Columns  []column // protocols and scales that decided claims, with the count of verdicts
	Ledger   []entry
	Findings bool
	Parts    []part
	Reduced  []string // scales shown that are not the paper's
}

// column is one protocol at one scale, over all experiments.
type column struct {
	Name, Scale, Note string
	Count             []count // verdicts
}

// count is how often a verdict or an outcome was given.
type count struct {
	Name string
	N    int
}

// entry is a claim with the title of its experiment.
type entry struct {
	Claim
	Title string
}

// part is one experiment: figures and tables, each with its protocols side by side.
type part struct {
	Section
	Figures, Tables []item
}

// item is a figure or table.
type item struct {
	Title, Caption string
	Wide           bool
	Shown          []shown
}

// shown is a figure or table under one protocol.
type shown struct {
	Protocol Protocol
	Src      template.URL // "": not embedded
	W, H     int
	File     string
	ID       string      // of the values
	Values   template.JS // JSON; "": none
	HTML     template.HTML
	Problem  string
	Command  string
}

var verdicts = []string{"reproduced", "not reproduced", "not decided", "not testable"}

func newView(p Page) (*view, error) {
	v := &view{Page: p, Style: template.CSS(style), Script: template.JS(script), Total: len(p.Claims)}
	titles, notes := map[string]string{}, map[string]string{}
	for _, s := range p.Sections {
		titles[s.Name] = s.Title
		for _, pr := range s.Protocols {
			notes[pr.Name] = pr.Note
			if pr.Reduced() && !slices.Contains(v.Reduced, pr.Scale) {
				v.Reduced = append(v.Reduced, pr.Scale)
			}
		}
		v.Findings = v.Findings || len(s.Findings) > 0
	}
	v.count(titles, notes)
	pictures, err := load(p)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Sections {
		v.Parts = append(v.Parts, newPart(s, pictures))
	}
	return v, nil
}

// count lists the claims with the titles of their sections, and counts outcomes and verdicts.
func (v *view) count(titles, notes map[string]string) {
	for _, name := range Outcomes {
		v.Counts = append(v.Counts, count{Name: name})
	}
	for _, c := range v.Claims {
		v.Ledger = append(v.Ledger, entry{c, titles[c.Section]})
		add(&v.Counts, c.Outcome)
		for _, o := range c.Under {
			i := slices.IndexFunc(v.Columns, func(c column) bool { return c.Name == o.Protocol && c.Scale == o.Scale })
			if i < 0 {
				i = len(v.Columns)
				v.Columns = append(v.Columns, column{Name: o.Protocol, Scale: o.Scale, Note: notes[o.Protocol]})
				for _, name := range verdicts {
					v.Columns[i].Count = append(v.Columns[i].Count, count{Name: name})
				}
			}
			add(&v.Columns[i].Count, o.Verdict)
		}
	}
	v.Counts = slices.DeleteFunc(v.Counts, func(c count) bool { return c.N == 0 })
}

// add counts a name.
func add(all *[]count, name string) {
	i := slices.IndexFunc(*all, func(c count) bool { return c.Name == name })
	if i < 0 {
		i, *all = len(*all), append(*all, count{Name: name})
	}
	(*all)[i].N++
}

// Reduced tells that the scale is not the paper's.
func (p Protocol) Reduced() bool { return p.Scale != "full" }

// Reduced tells that the scale is not the paper's.
func (c column) Reduced() bool { return c.Scale != "full" }

// Reduced tells that the scale is not the paper's.
func (o Opinion) Reduced() bool { return o.Scale != "full" }

// Ended is the number of trials that have a result, good or bad.
func (p Protocol) Ended() int { return p.OK + p.Diverged + p.Failed + p.Timeout }

// Incomplete tells that trials are missing.
func (p Protocol) Incomplete() bool { return p.Ended() < p.Planned }

// Bad is the number of trials that ended without a good result.
func (p Protocol) Bad() int { return p.Diverged + p.Failed + p.Timeout }

// Class is the verdict as a CSS class.
func (o Opinion) Class() string { return class(o.Verdict) }

// Class is the outcome as a CSS class.
func (c count) Class() string { return class(c.Name) }

// Class is the outcome as a CSS class.
func (c Claim) Class() string { return class(c.Outcome) }

func class(words string) string { return strings.ReplaceAll(words, " ", "-") }

// Short are the keys' first characters, which sifg explain takes for the whole.
func (o Opinion) Short() []string {
	var out []string
	for _, k := range o.Keys {
		out = append(out, k[:min(len(k), 10)])
	}
	return out
}

// newPart brings the protocols' figures and tables of the same name together.
func newPart(s Section, pictures map[string]picture) part {
	out := part{Section: s}
	figures, tables := map[string]int{}, map[string]int{}
	add := func(items *[]item, at map[string]int, name, title, caption string) *item {
		i, seen := at[name]
		if !seen {
			i = len(*items)
			at[name] = i
			*items = append(*items, item{Title: title, Caption: caption})
		}
		return &(*items)[i]
	}
	for _, pr := range s.Protocols {
		for _, f := range pr.Figures {
			it, pic := add(&out.Figures, figures, f.Name, f.Title, f.Caption), pictures[f.Path]
			it.Wide = it.Wide || pic.w > 590 // more than two panels
			it.Shown = append(it.Shown, shown{
				Protocol: pr, Src: pic.src, W: pic.w, H: pic.h, File: filepath.Base(pic.file), Problem: f.Problem, Command: f.Command,
				ID: "values-" + s.Name + "-" + pr.Name + "-" + f.Name, Values: pic.values,
			})
		}
		for _, t := range pr.Tables {
			it := add(&out.Tables, tables, t.Name, t.Title, t.Caption)
			it.Wide = it.Wide || strings.Count(t.HTML, `scope="col"`) > 5 // does not fit beside another
			it.Shown = append(it.Shown, shown{Protocol: pr, HTML: template.HTML(t.HTML), Problem: t.Problem, Command: t.Command})
		}
	}
	return out
}
