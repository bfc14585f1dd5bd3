// Package report writes the results as one HTML page that needs no network: the verdict on every claim first, then what
// the protocols show in words, then for each experiment its figures and tables with the protocols side by side, and how
// they were run. Style, script and figures are inside the file. The same input gives the same bytes.
package report

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"html/template"
	"image/png"
	"io"
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
}

// Finding is a statement in words and numbers that compares protocols.
type Finding struct{ Title, Text string }

// Protocol is an experiment's results under one protocol at one scale.
type Protocol struct {
	Name                                   string
	Note                                   string // what the protocol is, in a few words
	Scale                                  string // full, or quick or smoke, which the page marks everywhere
	Planned, OK, Diverged, Failed, Timeout int    // trials; it is complete if all planned have ended
	Time                                   string // computing time of the trials
	Command                                string // runs it
	Claims                                 []Claim
	Figures                                []Figure
	Tables                                 []Table
	Config                                 string // resolved
	Provenance                             []Fact
}

// Claim is one claim's verdict under the protocol. Claims are matched between protocols by ID.
type Claim struct {
	ID, Statement, Rule string
	Verdict             string // reproduced, not reproduced, not decided, not testable
	Evidence            string
	Keys                []string // trials it rests on
	Command             string   // checks it again
}

// Figure is one figure under the protocol, matched between protocols by Name.
type Figure struct {
	Name, Title, Caption string
	Path                 string // without extension: the smaller of .svg and .png is taken
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

// maxFigures is the room for figures, encoded: the page stays below 5 MB.
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
	Columns  []column // protocols and scales, with the count of verdicts
	Claims   []claimGroup
	Findings bool
	Parts    []part
	Reduced  []string // scales shown that are not the paper's
}

// column is one protocol at one scale, over all experiments.
type column struct {
	Name, Scale, Note string
	Count             []count // verdicts
}

// count is how often a verdict was given.
type count struct {
	Verdict string
	N       int
}

// claimGroup is the claims of one experiment.
type claimGroup struct {
	Section Section
	Columns []column // those with claims of it
	Rows    []claimRow
}

type claimRow struct {
	Claim
	Cells []*claimCell // one a column, nil where the protocol does not have it
}

type claimCell struct {
	Claim
	Column column
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
	HTML     template.HTML
	Problem  string
	Command  string
}

var verdicts = []string{"reproduced", "not reproduced", "not decided", "not testable"}

func newView(p Page) (*view, error) {
	v := &view{Page: p}
	for name, to := range map[string]func(string){
		"style.css": func(s string) { v.Style = template.CSS(s) }, "script.js": func(s string) { v.Script = template.JS(s) },
	} {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		to(string(data))
	}
	for _, s := range p.Sections {
		for _, pr := range s.Protocols {
			if !slices.ContainsFunc(v.Columns, func(c column) bool { return c.Name == pr.Name && c.Scale == pr.Scale }) {
				v.Columns = append(v.Columns, column{Name: pr.Name, Scale: pr.Scale, Note: pr.Note})
			}
			if pr.Reduced() && !slices.Contains(v.Reduced, pr.Scale) {
				v.Reduced = append(v.Reduced, pr.Scale)
			}
		}
		v.Findings = v.Findings || len(s.Findings) > 0
	}
	for _, s := range p.Sections {
		if g := v.claims(s); len(g.Rows) > 0 {
			v.Claims = append(v.Claims, g)
		}
	}
	pictures, err := load(p)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Sections {
		v.Parts = append(v.Parts, newPart(s, pictures))
	}
	return v, nil
}

// Reduced tells that the scale is not the paper's.
func (p Protocol) Reduced() bool { return p.Scale != "full" }

// Reduced tells that the scale is not the paper's.
func (c column) Reduced() bool { return c.Scale != "full" }

// Ended is the number of trials that have a result, good or bad.
func (p Protocol) Ended() int { return p.OK + p.Diverged + p.Failed + p.Timeout }

// Incomplete tells that trials are missing.
func (p Protocol) Incomplete() bool { return p.Ended() < p.Planned }

// Bad is the number of trials that ended without a good result.
func (p Protocol) Bad() int { return p.Diverged + p.Failed + p.Timeout }

// Class is the verdict as a CSS class.
func (c Claim) Class() string { return strings.ReplaceAll(c.Verdict, " ", "-") }

// claims makes the matrix of one experiment's claims, rows in order of first appearance, and counts the verdicts.
func (v *view) claims(s Section) claimGroup {
	g := claimGroup{Section: s}
	with := slices.DeleteFunc(slices.Clone(s.Protocols), func(p Protocol) bool { return len(p.Claims) == 0 })
	at := map[string]int{}
	for k, pr := range with {
		g.Columns = append(g.Columns, column{Name: pr.Name, Scale: pr.Scale})
		total := &v.Columns[slices.IndexFunc(v.Columns, func(c column) bool { return c.Name == pr.Name && c.Scale == pr.Scale })]
		if total.Count == nil {
			for _, name := range verdicts {
				total.Count = append(total.Count, count{Verdict: name})
			}
		}
		for _, c := range pr.Claims {
			i, seen := at[c.ID]
			if !seen {
				i = len(g.Rows)
				at[c.ID] = i
				g.Rows = append(g.Rows, claimRow{Claim: c, Cells: make([]*claimCell, len(with))})
			}
			g.Rows[i].Cells[k] = &claimCell{c, g.Columns[k]}
			for j := range total.Count {
				if total.Count[j].Verdict == c.Verdict {
					total.Count[j].N++
				}
			}
		}
	}
	return g
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
			})
		}
		for _, t := range pr.Tables {
			it := add(&out.Tables, tables, t.Name, t.Title, t.Caption)
			it.Shown = append(it.Shown, shown{Protocol: pr, HTML: template.HTML(t.HTML), Problem: t.Problem, Command: t.Command})
		}
	}
	return out
}

// picture is a figure's file, embedded unless src is empty.
type picture struct {
	file string
	size int
	w, h int // CSS pixels
	src  template.URL
}

// load reads the files of all figures, smallest first while there is room.
func load(p Page) (map[string]picture, error) {
	all := map[string]picture{}
	var order []string
	for _, s := range p.Sections {
		for _, pr := range s.Protocols {
			for _, f := range pr.Figures {
				if _, seen := all[f.Path]; seen || f.Problem != "" {
					continue
				}
				pic := picture{}
				for _, ext := range []string{".svg", ".png"} {
					info, err := os.Stat(f.Path + ext)
					if err == nil && (pic.file == "" || int(info.Size()) < pic.size) {
						pic.file, pic.size = f.Path+ext, int(info.Size())
					}
				}
				if pic.file == "" {
					return nil, fmt.Errorf("figure %s of %s: neither %s.svg nor .png is there", f.Name, s.Name, f.Path)
				}
				all[f.Path] = pic
				order = append(order, f.Path)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return all[a].size - all[b].size })
	room := maxFigures
	for _, path := range order {
		pic := all[path]
		if room -= base64.StdEncoding.EncodedLen(pic.size); room < 0 {
			break
		}
		data, err := os.ReadFile(pic.file)
		if err != nil {
			return nil, err
		}
		kind := "image/png"
		if filepath.Ext(pic.file) == ".svg" {
			kind = "image/svg+xml"
		}
		if pic.w, pic.h, err = dimensions(data, kind); err != nil {
			return nil, fmt.Errorf("%s: %w", pic.file, err)
		}
		pic.src = template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))
		all[path] = pic
	}
	return all, nil
}

// dimensions returns the size of a picture in CSS pixels, 96 to the inch.
func dimensions(data []byte, kind string) (w, h int, err error) {
	if kind == "image/png" {
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
