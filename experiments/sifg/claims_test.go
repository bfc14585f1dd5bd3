package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestNothingIsClaimedOfNothing: without a trial no claim is reproduced or refuted, and no finding says anything.
func TestNothingIsClaimedOfNothing(t *testing.T) {
	empty := &record.Set{Load: func(string, string) (*record.Array, error) { return nil, errors.New("no such trial") }}
	seen := map[string]bool{}
	for _, e := range experiments {
		for _, c := range e.Claims {
			if seen[c.ID] || c.Statement == "" || c.Rule == "" {
				t.Errorf("%s: claim %q stands twice, or has no statement or rule", e.Name, c.ID)
			}
			seen[c.ID] = true
			if out := c.Check(empty); out.Verdict == claim.Reproduced || out.Verdict == claim.NotReproduced {
				t.Errorf("%s: claim %s of no trials is %v (%s)", e.Name, c.ID, out.Verdict, out.Evidence)
			}
		}
		for i, f := range e.Findings {
			if s := f(map[string]*record.Set{}); s != nil {
				t.Errorf("%s: finding %d of no trials says %q", e.Name, i, s.Text)
			}
		}
	}
	for _, e := range experiments {
		for _, c := range e.Claims {
			for _, id := range c.With {
				if !seen[id] {
					t.Errorf("%s: claim %s rests on claim %s, which there is not", e.Name, c.ID, id)
				}
			}
		}
		for i := 0; e.Paper != nil && i < len(e.Paper.Parts); i++ {
			part := e.Paper.Parts[i]
			for _, id := range part.Claims {
				if !seen[id] {
					t.Errorf("%s of %q: there is no claim %s", part.Name, e.Paper.Title, id)
				}
			}
			for _, x := range part.Shows {
				if !has(harness.ByName(experiments, x.Experiment), x.Name) {
					t.Errorf("%s of %q: %s has no figure or table %s", part.Name, e.Paper.Title, x.Experiment, x.Name)
				}
			}
		}
	}
}

// has reports whether an experiment has a figure or a table of a name.
func has(e experiment, name string) bool {
	return slices.ContainsFunc(e.Figures, func(f harness.Figure) bool { return f.Name == name }) ||
		slices.ContainsFunc(e.Tables, func(t harness.Table) bool { return t.Name == name })
}

// TestProtocolsPage: docs/protocols.md names every protocol under which claims are tested.
func TestProtocolsPage(t *testing.T) {
	page := document(t, "docs/protocols.md")
	for _, e := range experiments {
		file := must(settings.Read(e.Name, e.Settings))
		for _, name := range file.Protocols {
			if file.Protocol(name).Claims && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/protocols.md lacks %s of %s, which tests claims", name, e.Name)
			}
		}
	}
}
