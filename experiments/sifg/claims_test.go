package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestNothingIsClaimedOfNothing: without a trial no claim is reproduced or refuted. Claims stand once, with statement
// and rule, and what they and the paper's parts name is there.
func TestNothingIsClaimedOfNothing(t *testing.T) {
	empty := &record.Set{Load: func(string, string) (*record.Array, error) { return nil, errors.New("no such trial") }}
	claims, sections := map[string]bool{}, map[[2]string]bool{}
	for _, e := range experiments {
		for _, c := range e.Claims() {
			if claims[c.ID] || c.Statement == "" || c.Rule == "" {
				t.Errorf("%s: claim %q stands twice, or has no statement or rule", e.Name, c.ID)
			}
			claims[c.ID] = true
			if out := c.Check(empty); out.Verdict == claim.Reproduced || out.Verdict == claim.NotReproduced {
				t.Errorf("%s: claim %s of no trials is %v (%s)", e.Name, c.ID, out.Verdict, out.Evidence)
			}
		}
		for _, s := range e.Sections {
			id := [2]string{e.Name, s.ID}
			if sections[id] || s.Title == "" {
				t.Errorf("%s: the section %q stands twice, or has no title", e.Name, s.ID)
			}
			sections[id] = true
		}
	}
	for _, e := range experiments {
		for _, c := range e.Claims() {
			for _, id := range c.With {
				if !claims[id] {
					t.Errorf("%s: claim %s rests on claim %s, which there is not", e.Name, c.ID, id)
				}
			}
		}
		if e.Paper != nil {
			checkPaper(t, e.Paper, claims, sections)
		}
	}
}

func checkPaper(t *testing.T, p *harness.Paper, claims map[string]bool, sections map[[2]string]bool) {
	t.Helper()
	for _, part := range p.Parts {
		for _, id := range part.Claims {
			if !claims[id] {
				t.Errorf("%s of %q: there is no claim %s", part.Name, p.Title, id)
			}
		}
		for _, x := range part.Shows {
			if !sections[[2]string{x.Experiment, x.ID}] {
				t.Errorf("%s of %q: %s has no section %s", part.Name, p.Title, x.Experiment, x.ID)
			}
		}
	}
}

// TestProtocolsPage: docs/protocols.md names every protocol under which claims are tested.
func TestProtocolsPage(t *testing.T) {
	page := document(t, "docs/protocols.md")
	for _, e := range experiments {
		file := must(e.File())
		for _, name := range file.Protocols {
			if file.Protocol(name).Claims && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/protocols.md lacks %s of %s, which tests claims", name, e.Name)
			}
		}
	}
}

// TestProtocolsMeanOneThing: experiments that share the name of a protocol say the same of it.
func TestProtocolsMeanOneThing(t *testing.T) {
	notes := map[string]string{}
	for _, e := range experiments {
		f := must(e.File())
		for _, name := range f.Protocols {
			if note, there := notes[name]; there && note != f.Protocol(name).Note {
				t.Errorf("%s is %q, and in %s %q", name, note, e.Name, f.Protocol(name).Note)
			}
			notes[name] = f.Protocol(name).Note
		}
	}
}
