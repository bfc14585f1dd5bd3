package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
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

// held says how many of the claims of experiments that a protocol can test it reproduces, such as 7 of 12.
func held(t *testing.T, protocol string, names ...string) string {
	t.Helper()
	n := map[claim.Verdict]int{}
	for _, name := range names {
		for _, row := range outcomes(t, name) {
			n[under(row, protocol)]++
		}
	}
	return fmt.Sprintf("%d of %d", n[claim.Reproduced], n[claim.Reproduced]+n[claim.NotReproduced]+n[claim.NotDecided])
}

// TestClaimsHeld: README and docs/findings.md say how many of the paper's claims hold under each protocol.
func TestClaimsHeld(t *testing.T) {
	long(t, "reads all reports")
	paper := map[string]string{
		"Mixtures": "gmm", "Monomial gamma": "monomial-gamma", "ICA": "meg-ica", "Networks": "uci-bnn",
	}
	findings := strings.Join(strings.Fields(document(t, "docs/findings.md")), " ")
	for title, name := range paper {
		_, said, _ := strings.Cut(findings, "**"+title+"** (")
		said, _, _ = strings.Cut(said, ". ")
		for protocol, verb := range map[string]string{"released": " (?:claims )?hold", "paper": "", "tuned": ""} {
			want := held(t, protocol, name) + verb + " under `" + protocol + "`"
			if !regexp.MustCompile(want).MatchString(said) {
				t.Errorf("docs/findings.md does not say of %s: %s", title, want)
			}
		}
	}
	doc := strings.Join(strings.Fields(document(t, "README.md")), " ")
	for protocol, with := range map[string]string{
		"released": "claims hold with the settings of the authors' code", "paper": "with the paper's settings",
		"tuned": "with every method tuned",
	} {
		want := held(t, protocol, slices.Collect(maps.Values(paper))...) + " " + with
		if !strings.Contains(doc, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}
