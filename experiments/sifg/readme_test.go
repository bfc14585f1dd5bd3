package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// outcomes returns what the committed results say of the claims of an experiment.
func outcomes(t *testing.T, name string) (rows []claim.Row) {
	t.Helper()
	for _, row := range must(report.Read(results, experiments)).Ledger(experiments) {
		if row.Experiment == name {
			rows = append(rows, row)
		}
	}
	return rows
}

// under returns the verdict of a protocol on a claim.
func under(row claim.Row, protocol string) claim.Verdict {
	for _, o := range row.Under {
		if o.Protocol == protocol {
			return o.Verdict
		}
	}
	return claim.NoResult
}

// TestReadmeClaims: README says how many of the paper's claims each protocol reproduces, does not, and leaves open.
func TestReadmeClaims(t *testing.T) {
	long(t, "reads all reports")
	var rows []claim.Row
	for _, name := range []string{"gmm", "monomial-gamma", "meg-ica", "uci-bnn"} {
		rows = append(rows, outcomes(t, name)...)
	}
	doc := strings.Join(strings.Fields(document(t, "README.md")), " ")
	for protocol, name := range map[string]string{"released": "scripts", "paper": "text", "tuned": "tuned"} {
		n := map[claim.Verdict]int{}
		for _, row := range rows {
			n[under(row, protocol)]++
		}
		tested := n[claim.Reproduced] + n[claim.NotReproduced] + n[claim.NotDecided]
		want := fmt.Sprintf("%d of %d by the %s", n[claim.Reproduced], tested, name)
		if protocol == "tuned" {
			want = fmt.Sprintf("%d of %d", n[claim.Reproduced], tested) + " with every method tuned"
		}
		if !strings.Contains(doc, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// TestReadmeTable: of the cells in README's picture of Table 1 the one outside is the one that README names.
func TestReadmeTable(t *testing.T) {
	var outside []string
	cells := 0
	for line := range strings.Lines(document(t, "results/uci-bnn/released/table1-gaps.csv")) {
		f := strings.Split(line, ",") // panel, title, kind, label, x, y
		if len(f) < 6 || f[2] != "estimates" {
			continue
		}
		errors := must(strconv.ParseFloat(f[4], 64))
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
	lines := strings.Split(document(t, "docs/theory.md"), "\n")
	for _, row := range outcomes(t, "theory") {
		verdict := under(row, "computed")
		found := slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "| "+row.ID+": ") && strings.Contains(line, "| "+verdict.String()+" |")
		})
		if !found {
			t.Errorf("docs/theory.md has no row of claim %s with the verdict %q", row.ID, verdict)
		}
	}
}

// TestSVGDTable: docs/svgd.md has a row with the committed verdicts for every claim of svgd.
func TestSVGDTable(t *testing.T) {
	doc := document(t, "docs/svgd.md")
	for _, row := range outcomes(t, "svgd") {
		line := fmt.Sprintf("| %s | %s | %s |\n", row.ID, under(row, "text"), under(row, "code"))
		if !strings.Contains(doc, line) {
			t.Errorf("docs/svgd.md lacks the row\n%s", line)
		}
	}
}
