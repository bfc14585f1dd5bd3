package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// TestFindings: the comparisons and the claims of docs/findings.md are those of the committed report.
func TestFindings(t *testing.T) {
	long(t, "reads all reports")
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	doc, rows := document(t, "docs/findings.md"), map[string][]string{}
	number := func(v float64) string { return strings.ReplaceAll(fmt.Sprintf("%.3f", v), "-", "−") }
	for _, x := range rep.Experiments {
		for _, f := range x.Findings {
			own := f.Protocol == "start" || f.Protocol == "matched" && x.Name != "uci-bnn"
			if f.Table == nil || !own {
				continue
			}
			for _, c := range f.Table.Comparisons {
				at := slices.Index([]string{"svgd", "l2-gf", "ada-gwg", "sgld"}, c.Rival)
				if c.Method != "sifg" || at < 0 || c.Problem == "10-D mixture" {
					continue
				}
				if rows[c.Problem] == nil {
					rows[c.Problem] = make([]string, 4)
				}
				cell := fmt.Sprintf("%s %s [%s, %s]", c.Verdict, number(c.Difference), number(c.Interval[0]),
					number(c.Interval[1]))
				if c.Verdict == "open" || c.Verdict == "equal" {
					cell += " (" + number(c.Seen) + ")"
				}
				rows[c.Problem][at] = cell
			}
		}
	}
	if len(rows) != 9 {
		t.Errorf("%d problems have comparisons", len(rows))
	}
	for problem, cells := range rows {
		if row := "| " + problem + " | " + strings.Join(cells, " | ") + " |\n"; !strings.Contains(doc, row) {
			t.Errorf("docs/findings.md lacks\n%s", row)
		}
	}
	verdicts := []claim.Verdict{claim.Reproduced, claim.NotDecided, claim.NotReproduced}
	said := map[string]claim.Verdict{}
	for _, line := range regexp.MustCompile(`(?m)^\| (?:Figure|Table 1).*$`).FindAllString(doc, -1) {
		for i, cell := range strings.Split(line, "|")[2:5] {
			for _, part := range strings.Split(cell, ",") {
				if id, _, _ := strings.Cut(strings.TrimSpace(part), ":"); id != "" {
					said[id] = verdicts[i]
				}
			}
		}
	}
	for _, x := range []string{"gmm", "monomial-gamma", "meg-ica", "uci-bnn"} {
		for _, c := range rep.Experiment(x).Protocol("released").Claims {
			if v, ok := said[c.ID]; ok && v != c.Verdict {
				t.Errorf("docs/findings.md says %s of claim %s, which is %s", v, c.ID, c.Verdict)
			}
			delete(said, c.ID)
		}
	}
	if len(said) > 0 {
		t.Errorf("docs/findings.md names claims that released does not check: %v", said)
	}
}

// TestReadmeTable: of the cells in README's picture of Table 1 the one outside is the one that README names.
func TestReadmeTable(t *testing.T) {
	var outside []string
	cells := 0
	for line := range strings.Lines(document(t, "results/uci-bnn/released/figures/table1-gaps.csv")) {
		f := strings.Split(line, ",") // panel, title, layer, series, x, y
		if len(f) < 6 || f[2] != "estimates" {
			continue
		}
		errors, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		if cells++; math.Abs(errors) > claim.Errors {
			outside = append(outside, f[3]+"'s "+strings.TrimPrefix(f[1], "test ")+" on "+f[5])
		}
	}
	doc := document(t, "README.md")
	if cells != 58 || len(outside) != 1 || !strings.Contains(doc, outside[0]) {
		t.Errorf("README.md does not say that of %d cells %q are outside", cells, outside)
	}
}

// TestTheoryTable: docs/theory.md has a row with the committed verdict for every claim of theory.
func TestTheoryTable(t *testing.T) {
	long(t, "reads all reports")
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(document(t, "docs/theory.md"), "\n")
	for _, c := range rep.Experiment("theory").Protocol("computed").Claims {
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
	long(t, "reads all reports")
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
