package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// TestNothingIsClaimedOfNothing: without a trial no claim is reproduced or refuted. Claims stand once, with statement
// and rule, and what they and the paper's parts name is there.
func TestNothingIsClaimedOfNothing(t *testing.T) {
	empty := &record.Set{Load: func(string, string) (*record.Array, error) { return nil, errors.New("no such trial") }}
	claims, sections := map[string]bool{}, map[[2]string]bool{}
	for _, e := range experiments {
		for _, c := range e.Claims() {
			if claims[c.ID] || c.Statement == "" || c.Rule == "" {
				t.Errorf("%s: claim %q stands twice, or has no statement or rule", e.Name, c.ID)
			}
			claims[c.ID] = true
			if out := c.Check(empty); out.Verdict == claim.Reproduced || out.Verdict == claim.NotReproduced {
				t.Errorf("%s: claim %s of no trials is %v (%s)", e.Name, c.ID, out.Verdict, out.Evidence)
			}
		}
		for _, s := range e.Sections {
			id := [2]string{e.Name, s.ID}
			if sections[id] || s.Title == "" {
				t.Errorf("%s: the section %q stands twice, or has no title", e.Name, s.ID)
			}
			sections[id] = true
		}
	}
	for _, e := range experiments {
		for _, c := range e.Claims() {
			for _, id := range c.With {
				if !claims[id] {
					t.Errorf("%s: claim %s rests on claim %s, which there is not", e.Name, c.ID, id)
				}
			}
		}
		if e.Paper != nil {
			checkPaper(t, e.Paper, claims, sections)
		}
	}
}

func checkPaper(t *testing.T, p *harness.Paper, claims map[string]bool, sections map[[2]string]bool) {
	t.Helper()
	for _, part := range p.Parts {
		for _, id := range part.Claims {
			if !claims[id] {
				t.Errorf("%s of %q: there is no claim %s", part.Name, p.Title, id)
			}
		}
		for _, x := range part.Shows {
			if !sections[[2]string{x.Experiment, x.ID}] {
				t.Errorf("%s of %q: %s has no section %s", part.Name, p.Title, x.Experiment, x.ID)
			}
		}
	}
}

// TestProtocolsPage: docs/protocols.md names every protocol under which claims are tested.
func TestProtocolsPage(t *testing.T) {
	page := document(t, "docs/protocols.md")
	for _, e := range experiments {
		file := must(e.File())
		for _, name := range file.Protocols {
			if file.Protocol(name).Claims && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/protocols.md lacks %s of %s, which tests claims", name, e.Name)
			}
		}
	}
}

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

// held says how many of the claims of experiments that a protocol can test it reproduces, such as 7 of 12, and how many
// it leaves undecided.
func held(protocol string, names ...string) (share string, undecided int) {
	n := map[claim.Verdict]int{}
	for _, name := range names {
		for _, row := range outcomes(name) {
			n[under(row, protocol)]++
		}
	}
	undecided = n[claim.NotDecided]
	tested := n[claim.Reproduced] + n[claim.NotReproduced] + undecided
	return fmt.Sprintf("%d of %d", n[claim.Reproduced], tested), undecided
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
			share, _ := held(protocol, name)
			want := share + verb + " under `" + protocol + "`"
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
		share, undecided := held(protocol, slices.Collect(maps.Values(paper))...)
		want := fmt.Sprintf("%s %s (%d undecided)", share, with, undecided)
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
	_, said, _ := strings.Cut(doc, "fail in all three: ")
	said, _, _ = strings.Cut(said, ". ")
	ids := regexp.MustCompile(`\b\d+b?\b`).FindAllString(said, -1)
	if !slices.Equal(ids, slices.Sorted(slices.Values(fail))) {
		t.Errorf("README.md says that %q fail in all three, it is %q", ids, fail)
	}
}
