// Package report writes the results as one HTML page that needs no network: the verdict on every claim first, then what
// the protocols show in words, then for each experiment its figures and tables with the protocols side by side, and how
// they were run. Style, script and figures are inside the file. The same input gives the same bytes.
package report

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Page is the whole report.
type Page struct {
	Title    string
	Intro    string // one paragraph
	Facts    []Fact // when and from what it was made: commit, processor, …
	Claims   []Claim
	Sections []Section
}

// Fact is a name with a value.
type Fact struct{ Name, Value string }

// Section is one experiment.
type Section struct {
	Name      string // as on the command line; the section's anchor
	Title     string
	Summary   string
	Findings  []Finding
	Protocols []Protocol
	Settings  []Setting // that differ between the protocols
}

// Finding is a statement in words and numbers that compares protocols.
type Finding struct{ Title, Text string }

// Setting is one setting's value under each of the section's protocols, in their order.
type Setting struct {
	Where, Name string
	Values      []string // "": not set
}

// Protocol is an experiment's results under one protocol at one scale.
type Protocol struct {
	Name                                   string
	Note                                   string // what the protocol is, in a few words
	Scale                                  string // full, or quick or smoke, which the page marks everywhere
	Planned, OK, Diverged, Failed, Timeout int    // trials; it is complete if all planned have ended
	Time                                   string // computing time of the trials
	Command                                string // runs it
	Figures                                []Figure
	Tables                                 []Table
	Config                                 string // resolved
	Provenance                             []Fact
}

// Claim is one claim of the paper with what the protocols say of it.
type Claim struct {
	ID, Statement, Rule string
	Section             string // name of the experiment that checks it
	Outcome             string // of all protocols together: the page counts these, in the order of Outcomes
	Summary             string // the same in words
	Under               []Opinion
}

// Outcomes in the order in which the page counts them; others follow as they come.
var Outcomes = []string{"reproduced", "reproduced only under some protocols", "not reproduced", "not decided", "not testable", "no results"}

// Opinion is a claim's verdict under one protocol.
type Opinion struct {
	Protocol   string
	Scale      string
	Incomplete bool   // trials are missing
	Verdict    string // reproduced, not reproduced, not decided, not testable
	Evidence   string
	Keys       []string // trials it rests on
	Command    string   // checks it again
}

// Figure is one figure under the protocol, matched between protocols by Name.
type Figure struct {
	Name, Title, Caption string
	Path                 string // without extension: the smaller of .svg and .png is taken, and .json, its values, if it is there
	Problem              string // why there is no figure; Path is not read then
	Command              string // remakes it
}

// Table is one table under the protocol, matched between protocols by Name.
type Table struct {
	Name, Title, Caption string
	HTML                 string // as package table renders it; taken as it is
	Problem              string // why there is no table
	Command              string
}

// maxFigures is the room for figures and their values, encoded: the page stays below 5 MB.
const maxFigures = 4_500_000

//go:embed page.html style.css script.js
var files embed.FS

// Write writes the page to path, which is absent or whole.
func Write(path string, p Page) error {
	var b bytes.Buffer
	if err := Render(&b, p); err != nil {
		return err
	}
	return record.WriteFileAtomic(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// Render writes the page to w. It reads the figures' files. If they are too many for a page of 5 MB the largest are
// left out, and the page says so in their place.
func Render(w io.Writer, p Page) error {
	v, err := newView(p)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	t, err := template.ParseFS(files, "page.html")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

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
	v := &view{Page: p, Total: len(p.Claims)}
	for name, to := range map[string]func(string){
		"style.css": func(s string) { v.Style = template.CSS(s) }, "script.js": func(s string) { v.Script = template.JS(s) },
	} {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		to(string(data))
	}
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
	for _, name := range Outcomes {
		v.Counts = append(v.Counts, count{Name: name})
	}
	for _, c := range p.Claims {
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
	pictures, err := load(p)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Sections {
		v.Parts = append(v.Parts, newPart(s, pictures))
	}
	return v, nil
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

// picture is a figure's file, embedded unless src is empty.
type picture struct {
	file   string
	w, h   int // CSS pixels
	src    template.URL
	values template.JS
}

// load reads the files of all figures, smallest first while there is room.
func load(p Page) (map[string]picture, error) {
	all, uses := map[string]picture{}, map[string]int{}
	var order []string
	for _, s := range p.Sections {
		for _, pr := range s.Protocols {
			for _, f := range pr.Figures {
				if f.Problem != "" {
					continue
				}
				if uses[f.Path]++; uses[f.Path] > 1 {
					continue
				}
				pic, err := read(f.Path)
				if errors.Is(err, fs.ErrNotExist) {
					return nil, fmt.Errorf("figure %s of %s: neither %s.svg nor .png is there", f.Name, s.Name, f.Path)
				}
				if err != nil {
					return nil, err
				}
				all[f.Path] = pic
				order = append(order, f.Path)
			}
		}
	}
	size := func(path string) int { return uses[path] * (len(all[path].src) + len(all[path].values)) }
	slices.SortStableFunc(order, func(a, b string) int { return size(a) - size(b) })
	room := maxFigures
	for _, path := range order {
		if room -= size(path); room < 0 {
			pic := all[path]
			pic.src, pic.values = "", ""
			all[path] = pic
		}
	}
	return all, nil
}

// read reads one figure's files: the drawing if it is the smaller once made compact, else the picture.
func read(path string) (picture, error) {
	var out picture
	for _, kind := range []string{"svg", "png"} {
		data, err := os.ReadFile(path + "." + kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, err
		}
		pic := picture{file: path + "." + kind}
		if pic.w, pic.h, err = dimensions(data, kind); err != nil {
			return out, fmt.Errorf("%s: %w", pic.file, err)
		}
		if kind == "svg" {
			pic.src = template.URL("data:image/svg+xml," + percent.Replace(compact(string(data))))
		} else {
			pic.src = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
		}
		if out.file == "" || len(pic.src) < len(out.src) {
			out = pic
		}
	}
	if out.file == "" {
		return out, fs.ErrNotExist
	}
	values, err := os.ReadFile(path + ".json")
	if errors.Is(err, fs.ErrNotExist) { // a figure without curves
		return out, nil
	}
	if err == nil && !json.Valid(values) {
		err = fmt.Errorf("%s.json is no JSON", path)
	}
	out.values = template.JS(strings.ReplaceAll(strings.TrimSpace(string(values)), "<", `\u003c`)) // ends no script
	return out, err
}

// dimensions returns the size of a picture in CSS pixels, 96 to the inch.
func dimensions(data []byte, kind string) (w, h int, err error) {
	if kind == "png" {
		c, err := png.DecodeConfig(bytes.NewReader(data))
		return c.Width * 96 / figure.DPI, c.Height * 96 / figure.DPI, err
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("not an SVG file: %w", err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		size := map[string]float64{}
		for _, a := range e.Attr {
			if a.Name.Local == "width" || a.Name.Local == "height" {
				if size[a.Name.Local], err = strconv.ParseFloat(strings.TrimSuffix(a.Value, "pt"), 64); err != nil {
					return 0, 0, fmt.Errorf("%s of the SVG is %q", a.Name.Local, a.Value)
				}
			}
		}
		return int(size["width"] * 4 / 3), int(size["height"] * 4 / 3), nil
	}
}
