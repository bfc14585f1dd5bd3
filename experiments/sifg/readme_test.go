package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// committed are the committed results, read once for all tests.
var committed = sync.OnceValue(func() *report.Results { return must(report.Read(results, experiments)) })

// ledger is what they say of all claims.
var ledger = sync.OnceValue(func() claim.Ledger { return committed().Ledger(experiments) })

// outcomes returns what the committed results say of the claims of an experiment.
func outcomes(name string) (rows []claim.Row) {
	for _, row := range ledger() {
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
func held(protocol string, names ...string) string {
	n := map[claim.Verdict]int{}
	for _, name := range names {
		for _, row := range outcomes(name) {
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
			want := held(protocol, name) + verb + " under `" + protocol + "`"
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
		want := held(protocol, slices.Collect(maps.Values(paper))...) + " " + with
		if !strings.Contains(doc, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
	var fail []string
	for _, row := range ledger() {
		if len(row.Under) == 3 && row.Summary == "not reproduced under paper, released, tuned" {
			fail = append(fail, row.ID)
		}
	}
	_, said, _ := strings.Cut(doc, "fail under each: ")
	said, _, _ = strings.Cut(said, ". ")
	ids := regexp.MustCompile(`\b\d+b?\b`).FindAllString(said, -1)
	if !slices.Equal(ids, slices.Sorted(slices.Values(fail))) {
		t.Errorf("README.md says that %q fail under each, it is %q", ids, fail)
	}
}
