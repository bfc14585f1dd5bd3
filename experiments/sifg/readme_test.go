package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
			row += fmt.Sprintf(" %d / %d / %d |", count[claim.Reproduced], count[claim.NotReproduced],
				count[claim.NotDecided]+count[claim.NotTestable])
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

// TestVerdict: docs/verdict.md has the title of each fair comparison of the committed report and of each control, and
// every row of the comparisons under matched, whose sums the README has.
func TestVerdict(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	doc, sums := plain(document(t, "docs/verdict.md")), [4]int{}
	counts := regexp.MustCompile(`SIFG and Ada-SIFG are better in (\d+), equal in (\d+) and worse in (\d+) ` +
		`of (\d+) comparisons`)
	for _, e := range experiments {
		x := rep.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, f := range x.Findings {
			if control, verdicts, _ := strings.Cut(f.Title, ": "); strings.Contains(control, "blind SIFG") &&
				!strings.Contains(doc, verdicts) {
				t.Errorf("docs/verdict.md lacks %q", verdicts)
			}
			found := counts.FindStringSubmatch(f.Title)
			if found == nil {
				continue
			}
			lines := []string{f.Title + ". " + f.Text}
			if strings.Contains(f.Title, "at its own best") { // matched; the tables of other protocols are on the page
				lines = append(lines, strings.Split(f.Table.Markdown(), "\n")...)
				for i, n := range found[1:] {
					sums[i] += must(strconv.Atoi(n))
				}
			}
			for _, line := range lines {
				if row := plain(line); (strings.HasPrefix(row, "| ") && !strings.HasPrefix(row, "| -") ||
					strings.HasPrefix(row, f.Title)) && !strings.Contains(doc, row) {
					t.Errorf("docs/verdict.md lacks\n%s", row)
				}
			}
		}
	}
	want := fmt.Sprintf("better in %d, equal in %d and worse in %d of %d comparisons",
		sums[0], sums[1], sums[2], sums[3])
	if readme := plain(document(t, "README.md")); !strings.Contains(readme, want) {
		t.Errorf("README.md does not say %q", want)
	}
}
