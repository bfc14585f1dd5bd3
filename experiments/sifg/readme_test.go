package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// TestReadmeCounts: the README's table of claims has the numbers of the committed report.
func TestReadmeCounts(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	readme := document(t, "README.md")
	for _, e := range experiments {
		if len(e.Claims) == 0 { // not of the paper
			continue
		}
		row := fmt.Sprintf("| `%s`, %d |", e.Name, len(e.Claims))
		for _, protocol := range []string{"paper", "released", "matched"} {
			p := rep.Experiment(e.Name).Protocol(protocol)
			if p == nil {
				row += " – |"
				continue
			}
			count := map[claim.Verdict]int{}
			for _, c := range p.Claims {
				count[c.Verdict]++
			}
			row += fmt.Sprintf(" %d / %d / %d |", count[claim.Reproduced], count[claim.NotReproduced], count[claim.NotDecided]+count[claim.NotTestable])
		}
		if !strings.Contains(readme, "\n"+row+"\n") {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}
