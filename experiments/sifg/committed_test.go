package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

var results = filepath.Join("..", "..", "results")

// TestCommittedResults: all committed files are as written, and claims and compare read them.
func TestCommittedResults(t *testing.T) {
	long(t, "reads all reports three times")
	command(t, "verify", "--results", results)
	out := command(t, "claims", "--json", "--results", results)
	for _, e := range experiments {
		for _, c := range e.Claims {
			if !strings.Contains(out, c.Statement) {
				t.Errorf("claim %s is not printed: %s", c.ID, c.Statement)
			}
		}
	}
	out = command(t, "compare", "--all", "--results", results)
	for _, e := range experiments {
		for _, p := range e.Published {
			if !strings.Contains(out, p.Text) {
				t.Errorf("%s: the printed number %s of %s on %s is not compared", e.Name, p.Text, p.Method, p.Problem)
			}
		}
	}
}

// TestPaperPage: the first page has the figures and tables of the paper in its order.
func TestPaperPage(t *testing.T) {
	first, at := string(must(os.ReadFile(filepath.Join(results, "index.html")))), 0
	for _, part := range paper.Parts {
		i := strings.Index(first, "<h2>"+part.Name)
		if i < at {
			t.Errorf("%s stands at %d, what comes before at %d", part.Name, i, at)
		}
		at = i
		for _, x := range part.Shows {
			if !strings.Contains(first[at:], "/"+x.Name) && !strings.Contains(first[at:], "-"+x.Name) {
				t.Errorf("%s: %s of %s is not there", part.Name, x.Name, x.Experiment)
			}
		}
	}
}

// TestCommittedReportIsCurrent: claims, tables and findings of the committed report are those that this program makes
// of its records. Where it fails, "sifg report --keep --protocol all" makes them again. What takes particles, which are
// not committed, is left out.
func TestCommittedReportIsCurrent(t *testing.T) {
	long(t, "draws all reports again")
	rep, err := report.Read(results, experiments)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		x := rep.Experiment(e.Name)
		if x == nil {
			t.Errorf("%s has no committed report", e.Name)
			continue
		}
		file, err := settings.Read(e.Name, e.Settings)
		if err != nil {
			t.Fatal(err)
		}
		sets := map[string]*record.Set{}
		for _, p := range x.Protocols {
			sets[p.Name] = p.Records
			absent := false
			p.Records.Load = func(string, string) (*record.Array, error) {
				absent = true
				return nil, errors.New("not committed")
			}
			made := e.Under(file, p.Name)
			tables, claims := made.Tables, made.Claims
			if len(p.Claims) != len(claims) || len(p.Tables) != len(tables) {
				t.Errorf("%s/%s: %d claims and %d tables, want %d and %d",
					e.Name, p.Name, len(p.Claims), len(p.Tables), len(claims), len(tables))
				continue
			}
			for i, c := range claims {
				absent = false
				now := c.Check(p.Records)
				now.ID, now.Statement, now.Rule = c.ID, c.Statement, c.Rule
				if was := p.Claims[i]; !absent && !reflect.DeepEqual(was, now) {
					t.Errorf("%s/%s: claim %s is\n%+v\nand would be\n%+v", e.Name, p.Name, c.ID, was, now)
				}
			}
			for i, table := range tables {
				absent = false
				now, err := table.Make(p.Records)
				was := p.Tables[i].Table
				switch {
				case absent, err != nil && was == nil:
				case err != nil || was == nil:
					t.Errorf("%s/%s, table %s: %v", e.Name, p.Name, table.Name, err)
				case now.Markdown() != was.Markdown():
					t.Errorf("%s/%s: table %s is\n%s\nand would be\n%s", e.Name, p.Name, table.Name, was.Markdown(),
						now.Markdown())
				}
			}
		}
		findings(t, e, x, sets)
	}
}

func findings(t *testing.T, e experiment, x *report.Experiment, sets map[string]*record.Set) {
	var now []harness.Finding
	for _, f := range e.Findings {
		if s := f(sets); s != nil {
			now = append(now, *s)
		}
	}
	if len(now) != len(x.Findings) {
		t.Errorf("%s: %d findings, and there would be %d", e.Name, len(x.Findings), len(now))
		return
	}
	for i, was := range x.Findings {
		text := func(s harness.Finding) string {
			if s.Table == nil {
				return s.Title + "\n" + s.Text
			}
			return s.Title + "\n" + s.Text + "\n" + s.Table.Markdown()
		}
		if text(was) != text(now[i]) || was.Lead != now[i].Lead {
			t.Errorf("%s: a finding is\n%s\nand would be\n%s", e.Name, text(was), text(now[i]))
		}
	}
}

// TestListsFit: what compare and claims print of the committed results fits a terminal, and each claim that is decided
// comes with the number that decides it.
func TestListsFit(t *testing.T) {
	long(t, "reads all reports three times")
	for _, name := range []string{"compare", "claims"} {
		lines := strings.Split(strings.TrimSpace(command(t, name, "--results", results)), "\n")
		if len(lines) > 80 {
			t.Errorf("%s prints %d lines", name, len(lines))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("%s prints a line of %d columns: %s", name, utf8.RuneCountInString(line), line)
			}
		}
	}
	var said struct{ Claims claim.Ledger }
	if err := json.Unmarshal([]byte(command(t, "claims", "--json", "--results", results)), &said); err != nil {
		t.Fatal(err)
	}
	for _, row := range said.Claims {
		for _, o := range row.Under {
			if len(row.With) == 0 && o.Verdict >= claim.Reproduced && o.Number == "" {
				t.Errorf("claim %s under %s is %s by no number: %s", row.ID, o.Protocol, o.Verdict, o.Evidence)
			}
			if utf8.RuneCountInString(o.Number) > 30 {
				t.Errorf("claim %s under %s: the number is %q", row.ID, o.Protocol, o.Number)
			}
		}
	}
}
