package main

import (
	"fmt"
	"path/filepath"
	"regexp"
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
		if len(e.Claims) == 0 || e.Name == "theory" || e.Name == "svgd" { // TestTheoryTable, TestSVGDTable
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

// TestSVGDTable: docs/svgd.md has a row with the committed verdicts for every claim of svgd.
func TestSVGDTable(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, "docs/svgd.md")
	e := rep.Experiment("svgd")
	for i, c := range e.Protocol("text").Claims {
		row := fmt.Sprintf("| %s | %s | %s |\n", c.ID, c.Verdict, e.Protocol("code").Claims[i].Verdict)
		if !strings.Contains(doc, row) {
			t.Errorf("docs/svgd.md lacks the row\n%s", row)
		}
	}
}

// TestVerdict: docs/verdict.md has the title of the verdict under each protocol and of each control, and every row of
// the verdicts under matched.
func TestVerdict(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	doc := plain(document(t, "docs/verdict.md"))
	for _, e := range experiments {
		x := rep.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, f := range x.Findings {
			if !strings.Contains(f.Title, "the strongest rival is") &&
				!strings.Contains(f.Title, "against blind SIFG") {
				continue
			}
			if !strings.Contains(doc, plain(f.Title)) {
				t.Errorf("docs/verdict.md lacks\n%s", f.Title)
			}
			if f.Protocol != "matched" { // the tables of other protocols are on the page
				continue
			}
			for _, line := range strings.Split(f.Table.Markdown(), "\n") {
				row := plain(line)
				if strings.HasPrefix(row, "| ") && !strings.HasPrefix(row, "| -") &&
					!strings.HasPrefix(row, "| Problem") && !strings.Contains(doc, row) {
					t.Errorf("docs/verdict.md lacks\n%s", row)
				}
			}
		}
	}
}

// TestNoVoteCounts: comparisons of different problems are not added up, neither in the documents nor in what the report
// finds.
func TestNoVoteCounts(t *testing.T) {
	votes := regexp.MustCompile(`(better|equal|worse) in \d+|of \d+ comparisons`)
	for _, name := range []string{"README.md", "docs/verdict.md", "docs/beyond.md", "docs/protocols.md",
		"docs/uci-bnn.md", "docs/meg-ica.md"} {
		if found := votes.FindString(document(t, name)); found != "" {
			t.Errorf("%s counts votes: %q", name, found)
		}
	}
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		x := rep.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, f := range x.Findings {
			if found := votes.FindString(f.Title + " " + f.Text); found != "" {
				t.Errorf("a finding of %s counts votes: %q", e.Name, found)
			}
		}
	}
}
