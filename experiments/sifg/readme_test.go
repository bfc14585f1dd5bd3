package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// TestReadmeCounts: the README's table of claims has the numbers of the committed report.
func TestReadmeCounts(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	decided, err := harness.ReadClaims(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		row := fmt.Sprintf("| `%s`, %d |", e.Name, len(e.Claims))
		for _, protocol := range []string{"paper", "released", "matched"} {
			i := slices.IndexFunc(decided, func(d harness.Decided) bool { return d.Experiment == e.Name && d.Protocol == protocol })
			if i < 0 {
				row += " – |"
				continue
			}
			count := map[string]int{}
			for _, v := range decided[i].Claims {
				count[v.Verdict]++
			}
			row += fmt.Sprintf(" %d / %d / %d |", count[harness.Reproduced], count[harness.NotReproduced], count[harness.NotDecided]+count[harness.NotTestable])
		}
		if !strings.Contains(string(readme), "\n"+row+"\n") {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}
