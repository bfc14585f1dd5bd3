package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// A report is made again, with other rules, from what it holds itself; trials of the store come in addition.
func TestReportKeeps(t *testing.T) {
	x, dir := toy(), t.TempDir()
	x.Figures = []harness.Figure{{Name: "cloud", Title: "Cloud", Draw: func(s *record.Set) (*figure.Figure, error) {
		for _, row := range s.Trials {
			if _, err := s.Load(row.Key, "particles"); err != nil {
				return nil, err
			}
		}
		return &figure.Figure{Panels: []figure.Panel{{Title: "all there"}}}, nil
	}}}
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run", code, 0, sentence)
	report := filepath.Join(dir, "results", "toy")
	first := files(t, report, "")
	if first["paper/figures/cloud.svg"] == "" {
		t.Fatalf("there is no figure: %s", first["paper/run.json"])
	}
	if err := os.RemoveAll(filepath.Join(dir, "results", "store")); err != nil {
		t.Fatal(err)
	}

	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "report of itself", code, 0, sentence)
	for name, b := range files(t, report, "") {
		if b != first[name] {
			t.Errorf("made again from itself, the report has another %s", name)
		}
	}

	x.Claims[0].Rule = "one at least"
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "report with another rule", code, 0, sentence)
	again := files(t, report, "")
	if !strings.Contains(again["paper/claims.json"], "one at least") {
		t.Errorf("the claims have the old rule: %s", again["paper/claims.json"])
	}
	for _, name := range []string{"paper/trials.parquet", "paper/trace.parquet", "paper/figures/cloud.svg", "timings.parquet"} {
		if again[name] != first[name] {
			t.Errorf("%s changed", name)
		}
	}

	x.Config = []byte(strings.Replace(toyConfig, "[1, 2, 3]", "[1, 2, 3, 4]", 1))
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "report with a seed to come", code, 75, sentence, "3 of 12 trials are missing")
	code, _, sentence = call(t, dir, x, "run", "--protocol", "paper", "--set", "seeds=[4]", "--store", "results/store")
	want(t, "run of the seed alone", code, 0, sentence)
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "report of both", code, 0, sentence)
	both := files(t, report, "")
	rows, err := record.ReadTrials(filepath.Join(report, "trials.parquet"), "")
	if err != nil || len(rows) != 12 || rows[3].Seed != 4 {
		t.Errorf("%d rows (%v), want the 9 of the report and the 3 of the store", len(rows), err)
	}
	times, err := record.ReadTimings(filepath.Join(report, "timings.parquet"), "")
	if err != nil || len(times) != 12 {
		t.Errorf("%d timings (%v), want 12", len(times), err)
	}
	if !strings.Contains(both["paper/run.json"], `"problem": "load particles`) {
		t.Error("a figure that needs particles that are gone is there, and it cannot be of all trials")
	}

	if err := os.WriteFile(filepath.Join(report, "paper", "trace.parquet"), []byte("PAR1"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "report of a damaged report", code, 5, sentence, "trace.parquet")
	code, _, sentence = call(t, dir, x, "report", "--keep", "--serve", "127.0.0.1:0")
	want(t, "both", code, 2, sentence, "--keep", "--serve")
}
