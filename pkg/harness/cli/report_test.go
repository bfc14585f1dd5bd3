package cli

import (
	"encoding/json"
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

// What is in the place of a report is not replaced by less: by a part, by trials that failed this time, or where it cannot be read.
func TestReportIsNotReplacedByLess(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run", code, 0, sentence)
	report, store := filepath.Join(dir, "results", "toy", "paper"), filepath.Join(dir, "results", "store")
	trace := filepath.Join(report, "trace.parquet")
	first := files(t, report, "")
	same := func(what string) {
		t.Helper()
		for name, b := range files(t, report, "") {
			if b != first[name] {
				t.Errorf("%s changed %s", what, name)
			}
		}
	}
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "run", "--protocol", "paper", "--timeout", "1ns")
	want(t, "trials that time out", code, 3, sentence, "9 of 9 trials did not end well")
	same("a run of trials that time out")
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "kept, though they failed since", code, 0, sentence)
	same("keeping trials that failed since")

	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "run", "--protocol", "paper", "--set", "seeds=[1]", "--store", "results/store")
	want(t, "run of one seed", code, 0, sentence)
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trace, whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper")
	want(t, "a part, where the whole is damaged", code, 5, sentence, "trace.parquet", "remove the folder")
	if err := os.WriteFile(trace, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	same("a part")

	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	// A program that was killed while it put a report in its place has left the old one beside it.
	if err := os.Rename(report, filepath.Join(filepath.Dir(report), ".paper.old")); err != nil {
		t.Fatal(err)
	}
	code, out, sentence := call(t, dir, x, "claims")
	want(t, "claims of a report that was moved away", code, 0, sentence)
	want(t, "claims of a report that was moved away", 0, 0, out, "There are 9.")
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "kept, from where it was moved", code, 0, sentence)
	same("keeping a report that was moved away")

	// Without its times a report is kept with those that run.json has of all.
	if err := os.Remove(filepath.Join(dir, "results", "toy", "timings.parquet")); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper", "--keep")
	want(t, "kept without times", code, 0, sentence)
	same("keeping a report without times")
}

// run.json has to say what the trials beside it say.
func TestReportAgreesWithItself(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run", code, 0, sentence)
	path := filepath.Join(dir, "results", "toy", "paper", "run.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"another scale": strings.Replace(string(b), `"scale": "full"`, `"scale": "smoke"`, 1),
		"another count": strings.Replace(string(b), `"ok": 9`, `"ok": 8`, 1),
		"another plan":  strings.Replace(string(b), `"planned": 9`, `"planned": 12`, 1),
		"nothing":       "{}",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, out, sentence := call(t, dir, x, "verify")
		want(t, what, code, 5, sentence, "of the report")
		want(t, what, 0, 0, out, "run.json", "damaged")
	}
	if err := os.WriteFile(path, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, sentence := call(t, dir, x, "claims"); code != 5 || !strings.Contains(sentence, "run.json") {
		t.Errorf("claims of an empty run.json: exit code %d, %q", code, sentence)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	// While a report is replaced, its folder is there under another name too.
	if err := os.CopyFS(filepath.Join(dir, "results", "toy", ".paper.new"), os.DirFS(filepath.Dir(path))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "results", "toy", ".paper.new", "trials.parquet")); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "verify")
	want(t, "verify while a report is replaced", code, 0, sentence)
}

// One folder cannot be both: verify --repair would move the report aside as what does not belong into a store.
func TestStoreIsNotTheReport(t *testing.T) {
	x, dir := toy(), t.TempDir()
	for _, args := range []string{"run --scale smoke --results same --store same", "verify --results same --store ./same",
		"plan --results results/store --store results/store"} {
		code, _, sentence := call(t, dir, x, strings.Fields(args)...)
		want(t, args, code, 2, sentence, "--store", "--results")
	}
	if x.scores.Load() != 0 {
		t.Error("something ran")
	}
}

// A trial that only the report has is explained from it, and the command that is given there computes it.
func TestExplainReported(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "all")
	want(t, "run", code, 0, sentence)
	stored, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*"))
	if err != nil || len(stored) == 0 {
		t.Fatalf("%d trials, %v", len(stored), err)
	}
	key := filepath.Base(stored[0])
	arrays := files(t, stored[0], ".npy")
	if err := os.RemoveAll(filepath.Join(dir, "results", "store")); err != nil {
		t.Fatal(err)
	}
	code, out, sentence := call(t, dir, x, "explain", key[:12])
	want(t, "explain", code, 0, sentence)
	var e explained
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatal(err)
	}
	if e.Trial.Key != key || len(e.Config) == 0 || e.Timing.Seconds <= 0 || e.Dir != "" || !strings.HasPrefix(e.Report, "results/toy/") {
		t.Errorf("explained: %s", out)
	}
	for _, absent := range []string{"provenance", "files", "version"} {
		if strings.Contains(out, `"`+absent+`"`) {
			t.Errorf("a report does not know %s: %s", absent, out)
		}
	}
	code, _, sentence = call(t, dir, x, unquote(e.Repeat)...)
	want(t, e.Repeat, code, 0, sentence)
	for name, b := range files(t, stored[0], ".npy") {
		if arrays[name] != b {
			t.Errorf("%s gave another %s", e.Repeat, name)
		}
	}
	code, _, sentence = call(t, dir, x, "explain", "ffff")
	want(t, "explain of no trial", code, exitUsage, sentence, "nor in the reports in results")

	trials := filepath.Join(dir, e.Report, "trials.parquet")
	if err := os.WriteFile(trials, []byte("no"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "explain", "ffff")
	want(t, "explain from a damaged report", code, exitDamaged, sentence, "trials.parquet")
}
