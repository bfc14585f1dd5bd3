package study

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Words are what an experiment says of its metrics, figures, tables and claims, in a file words.yaml beside its code.
type Words struct {
	Metrics         []harness.Metric
	Figures, Tables map[string]Heading   // by name
	Claims          map[string]Statement // by ID
}

// Statement is what a claim says, and its rule, in which rule.Texts are put.
type Statement struct {
	Says, Rule string
	Custom     bool
	With       []string
}

// Heading is what stands above a figure or a table, and below it.
type Heading struct{ Title, Caption string }

// Read returns one of the files that an experiment has embedded.
func Read(files fs.FS, name string) []byte {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err) // a part of the program
	}
	return text
}

// ReadWords reads the words.yaml of an experiment's files. It panics at a key that is unknown or twice there, a metric
// without name or meaning, and a figure or a table without title.
func ReadWords(files fs.FS) (w Words) {
	if err := settings.Document(Read(files, "words.yaml"), &w); err != nil {
		panic("words.yaml: " + err.Error())
	}
	for _, m := range w.Metrics {
		if m.Name == "" || m.Meaning == "" {
			panic(fmt.Sprintf("words.yaml: metrics: %+v lacks its name or its meaning", m))
		}
	}
	for name := range w.Figures {
		headed(w.Figures, "figures", name)
	}
	for name := range w.Tables {
		headed(w.Tables, "tables", name)
	}
	return w
}

func headed(all map[string]Heading, key, name string) Heading {
	h := all[name]
	if h.Title == "" {
		panic(fmt.Sprintf("words.yaml: %s.%s has no title", key, name))
	}
	return h
}

// Figure is the figure of a name. The words must have it.
func (w Words) Figure(name string, draw func(s *record.Set) (*figure.Figure, error)) harness.Section {
	h := headed(w.Figures, "figures", name)
	return harness.Section{ID: name, Title: h.Title, Text: h.Caption, Draw: draw}
}

// Table is the table of a name. The words must have it.
func (w Words) Table(name string, made func(s *record.Set) (*table.Table, error)) harness.Section {
	h := headed(w.Tables, "tables", name)
	return harness.Section{ID: name, Title: h.Title, Text: h.Caption, Table: made}
}

// Claim is the claim of an ID. The words must have it, with no other name in braces than rule.Texts has.
func (w Words) Claim(id string, check func(s *record.Set) claim.Outcome) claim.Claim {
	s := w.Claims[id]
	text := rule.Texts.Replace(s.Rule)
	if s.Says == "" || text == "" || strings.Contains(text, "{") {
		panic(fmt.Sprintf("words.yaml: claims.%s lacks what it says or its rule: %q", id, text))
	}
	return claim.Claim{ID: id, Statement: s.Says, Rule: text, Custom: s.Custom, With: s.With, Check: check}
}

// HMC is a method of several experiments and no sampler of the library.
func init() {
	figure.Looks["hmc"] = figure.Style{Color: figure.RGB(0x262626), Dash: []float64{8, 2.4}, Mark: figure.Ring}
}
