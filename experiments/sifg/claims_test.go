package main

import (
	"errors"
	"strconv"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
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
			if out := c.Check(empty); out.Verdict != harness.NotTestable {
				t.Errorf("%s: claim %s of no trials is %q (%s)", e.Name, c.ID, out.Verdict, out.Evidence)
			}
		}
		for _, f := range e.Findings {
			if text := f.Text(map[string]*record.Set{}); text != "" {
				t.Errorf("%s: the finding %q of no trials says %q", e.Name, f.Title, text)
			}
		}
	}
	for i := range 36 { // the ledger has no gap once all four experiments are there
		if id := strconv.Itoa(i + 1); !seen[id] && len(experiments) == 4 {
			t.Errorf("claim %s is not registered", id)
		}
	}
	for _, e := range experiments {
		for _, c := range e.Claims {
			for _, id := range c.With {
				if !seen[id] && len(experiments) == 4 {
					t.Errorf("%s: claim %s rests on claim %s, which there is not", e.Name, c.ID, id)
				}
			}
		}
	}
}
