package main

import (
	"fmt"
	"path/filepath"
	"slices"
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
		if len(e.Claims) == 0 || e.Claims[0].ID == "T1" { // not of the paper's experiments: TestTheoryTable
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

// TestTheoryTable: docs/theory.md has a row with the committed verdict for every claim of theory.
func TestTheoryTable(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(document(t, "docs/theory.md"), "\n")
	for _, c := range rep.Experiment("theory").Protocol("paper").Claims {
		found := slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "| "+c.ID+": ") && strings.Contains(line, "| "+c.Verdict.String()+" |")
		})
		if !found {
			t.Errorf("docs/theory.md has no row of claim %s with the verdict %q", c.ID, c.Verdict)
		}
	}
}
