package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestCommittedResults: sifg compare reads the committed report, and prints the whole of the printed table and every claim; the page is
// small enough to be sent.
func TestCommittedResults(t *testing.T) {
	results := filepath.Join("..", "..", "results")
	var out, errs bytes.Buffer
	if code := cli.Main([]string{"compare", "--results", results, "--protocol", "all"}, &out, &errs, experiments...); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, e := range experiments {
		for _, c := range e.Claims {
			if !strings.Contains(out.String(), c.Statement) {
				t.Errorf("claim %s is not printed: %s", c.ID, c.Statement)
			}
		}
		cells := max(0, bytes.Count(e.Published, []byte("\n"))-1)
		for _, protocol := range []string{"paper", "released", "matched", "standard"} {
			if _, err := os.Stat(filepath.Join(results, e.Name, protocol, "run.json")); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			_, rows, _ := strings.Cut(out.String(), e.Name+", protocol "+protocol)
			rows, _, _ = strings.Cut(rows, "\n\n")
			if lines := strings.Count(rows, "\n"); lines < cells {
				t.Errorf("%s, %s: %d lines for %d printed numbers", e.Name, protocol, lines, cells)
			}
		}
	}
	if page, err := os.Stat(filepath.Join(results, "index.html")); err != nil || page.Size() > 5<<20 {
		t.Errorf("the page: %v, %v", page, err)
	}
}

// TestCommittedReportIsCurrent: claims, tables and findings of the committed report are those that this program makes of its records. Where
// it fails, "sifg report --keep" makes them again. What takes particles, which are not committed, is left out.
func TestCommittedReportIsCurrent(t *testing.T) {
	results := filepath.Join("..", "..", "results")
	for _, e := range experiments {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			reports, err := harness.ReadReports(results, []*harness.Experiment{e}, nil)
			if err != nil {
				t.Fatal(err)
			}
			sets := map[string]*record.Set{}
			for _, r := range reports {
				sets[r.Info.Protocol] = r.Set
				absent := false
				r.Set.Load = func(string, string) (*record.Array, error) { absent = true; return nil, errors.New("not committed") }
				if len(r.Claims) != len(e.Claims) {
					t.Fatalf("%s: %d claims, want %d", r.Info.Protocol, len(r.Claims), len(e.Claims))
				}
				for i, c := range e.Claims {
					absent = false
					out := c.Check(r.Set)
					was := r.Claims[i]
					if now := (harness.Verdict{ID: c.ID, Statement: c.Statement, Rule: c.Rule, Verdict: out.Verdict, Evidence: out.Evidence, Keys: was.Keys}); !absent &&
						!reflect.DeepEqual(was, now) {
						t.Errorf("%s: claim %s is\n%+v\nand would be\n%+v", r.Info.Protocol, c.ID, was, now)
					}
				}
				for _, table := range e.Tables {
					absent = false
					made, err := table.Make(r.Set)
					was, missing := os.ReadFile(filepath.Join(results, e.Name, r.Info.Protocol, "tables", table.Name+".md"))
					switch {
					case absent || err != nil && errors.Is(missing, fs.ErrNotExist):
					case err != nil || missing != nil:
						t.Errorf("%s, %s: %v, %v", r.Info.Protocol, table.Name, err, missing)
					case made.Markdown() != string(was):
						t.Errorf("%s: table %s is\n%s\nand would be\n%s", r.Info.Protocol, table.Name, was, made.Markdown())
					}
				}
			}
			var was, now []harness.Statement
			b, err := os.ReadFile(filepath.Join(results, e.Name, "findings.json"))
			if err = errors.Join(err, json.Unmarshal(b, &was)); err != nil {
				t.Fatalf("findings.json: %v", err)
			}
			for _, f := range e.Findings {
				if text := f.Text(sets); text != "" {
					now = append(now, harness.Statement{Title: f.Title, Text: text})
				}
			}
			if !slices.Equal(was, now) {
				t.Errorf("findings are\n%q\nand would be\n%q", was, now)
			}
		})
	}
}
