// Package report writes the results as one HTML page that needs no network: the verdict on every claim first, then what
// the protocols show in words, then for each experiment its figures and tables with the protocols side by side, and how
// they were run. Style, script and figures are inside the file. The same input gives the same bytes.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

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

var (
	//go:embed page.html
	pageText string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	pageTemplate = template.Must(template.New("page.html").Parse(pageText))
)

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
	if err := pageTemplate.Execute(w, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
