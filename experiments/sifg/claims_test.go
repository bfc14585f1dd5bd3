package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
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
		for _, name := range e.Lead {
			figure := false
			for _, f := range e.Figures {
				_, of, under := strings.Cut(name, "/") // PROTOCOL/NAME
				figure = figure || f.Name == name || under && f.Name == of
			}
			if !seen[name] && !figure {
				t.Errorf("%s: what leads, %s, is neither a claim nor a figure", e.Name, name)
			}
		}
	}
}
