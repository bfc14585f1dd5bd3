package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const toyGrid = `
select: min first[1]
protocol: paper
seeds: [1, 2]
methods: [svgd, sifg]
product: {step: [0.1, 0.2, 0.3]}
exclude: method == "sifg" and step > 0.25
`

func gridFile(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "steps.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGrid(t *testing.T) {
	x, dir := toy(), t.TempDir()
	gridFile(t, dir, toyGrid)
	// The cells of SVGD with step 0.1 are what a plain run under paper has already, seed 3 apart.
	code, _, sentence := call(t, dir, x, "run", "toy", "--protocol", "paper", "--set", "seeds=[1,2,3]")
	want(t, "run", code, 0, sentence)
	code, out, sentence := call(t, dir, x, "grid", "toy", "--grid", "steps.yaml", "--dry-run")
	want(t, "dry run", code, 0, sentence)
	for _, words := range []string{"svgd    3      6       2", "sifg    2      4       0", "step 0.1 … step 0.3", "10 trials: 2 already there, 8 to compute in about"} {
		if !strings.Contains(out, words) {
			t.Errorf("the dry run does not say %q:\n%s", words, out)
		}
	}
	before := x.scores.Load()
	code, out, sentence = call(t, dir, x, "grid", "toy", "--grid", "steps.yaml", "--dry-run", "--json")
	want(t, "dry run as JSON", code, 0, sentence)
	var lines []planned
	if err := json.Unmarshal([]byte(out), &lines); err != nil || len(lines) != 2 || lines[1].Excluded != 1 || len(lines[0].Detail) != 3 ||
		lines[0].Detail[1].Label != "step 0.2" || lines[0].Detail[0].There != 2 {
		t.Errorf("%+v (%v)", lines, err)
	}
	if x.scores.Load() != before {
		t.Error("a dry run computed something")
	}
	code, out, sentence = call(t, dir, x, "grid", "toy", "--grid", "steps.yaml")
	want(t, "grid", code, 0, sentence)
	for _, words := range []string{"10 trials: 2 already there, 8 computed", "min first[1]", "results/grid/toy-steps/paper/chosen.yaml"} {
		if !strings.Contains(out, words) {
			t.Errorf("the grid does not say %q:\n%s", words, out)
		}
	}
	folder := filepath.Join(dir, "results/grid/toy-steps/paper")
	first := files(t, folder, "")
	overlay := first["chosen.yaml"]
	for _, words := range []string{"# Chosen by sifg grid toy --grid steps.yaml --select 'min first[1]' --protocol paper --scale full\n",
		"# Used by sifg run toy --protocol paper --scale full --config results/grid/toy-steps/paper/chosen.yaml\n", "svgd: {step: 0."} {
		if !strings.Contains(overlay, words) {
			t.Errorf("the chosen values do not say %q:\n%s", words, overlay)
		}
	}
	before = x.scores.Load()
	code, out, sentence = call(t, dir, x, "grid", "toy", "--grid", "steps.yaml", "--json")
	want(t, "again", code, 0, sentence)
	var all []grid.Summary
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 || all[0].Trials != 10 || len(all[0].Groups) != 2 {
		t.Errorf("%+v (%v)", all, err)
	}
	if x.scores.Load() != before {
		t.Error("the second run evaluated the target")
	}
	for name, b := range files(t, folder, "") {
		if first[name] != b {
			t.Errorf("the second run changed %s", name)
		}
	}
	// A run with the chosen values consists of trials that are there.
	code, out, sentence = call(t, dir, x, "run", "toy", "--protocol", "paper", "--config", filepath.Join(folder, "chosen.yaml"), "--set", "seeds=[1,2]",
		"--set", "problems.small.include=[svgd,sifg]")
	want(t, "run with the chosen values", code, 0, sentence)
	if !strings.Contains(out, "4 trials: 4 already there, 0 computed") {
		t.Errorf("a run with the chosen values: %q", out)
	}
	if files(t, filepath.Join(dir, "results/custom"), "run.json")["toy/paper/run.json"] == "" {
		t.Error("a run with --config did not go to results/custom")
	}
}

// TestGridContinues: stopped at random moments and continued, a grid leaves the same bytes.
func TestGridContinues(t *testing.T) {
	x, whole, cut := toy(), t.TempDir(), t.TempDir()
	gridFile(t, whole, toyGrid)
	gridFile(t, cut, toyGrid)
	code, _, sentence := call(t, whole, x, "grid", "toy", "--grid", "steps.yaml", "--jobs", "2")
	want(t, "whole", code, 0, sentence)
	for round, at := range []int64{5, 17, 3} {
		var calls atomic.Int64
		stop := func() {
			if calls.Add(1) == at {
				syscall.Kill(os.Getpid(), syscall.SIGINT)
				time.Sleep(time.Second) // for the signal to be heard on a busy machine
			}
		}
		x.onCall.Store(&stop)
		code, out, sentence := call(t, cut, x, "grid", "toy", "--grid", "steps.yaml", "--jobs", "1")
		x.onCall.Store(nil)
		want(t, "interrupted", code, 130, sentence, "of 10 trials missing", "continues")
		if strings.Contains(out, "report:") {
			t.Error("an interrupted grid wrote its results")
		}
		if round == 0 { // what is there can be looked at
			code, out, sentence = call(t, cut, x, "grid", "toy", "--grid", "steps.yaml", "--no-run")
			want(t, "of a part", code, 75, sentence, "9 of 10 trials are missing", "--no-run")
			if !strings.Contains(out, "is missing") || !strings.Contains(out, "report:") {
				t.Errorf("of a part: %s", out)
			}
		}
	}
	code, _, sentence = call(t, cut, x, "grid", "toy", "--grid", "steps.yaml", "--jobs", "2")
	want(t, "continued", code, 0, sentence)
	a, b := files(t, filepath.Join(whole, "results/grid"), ""), files(t, filepath.Join(cut, "results/grid"), "")
	if len(a) < 10 || len(a) != len(b) {
		t.Errorf("%d and %d files", len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] && !strings.HasSuffix(name, "timings.parquet") {
			t.Errorf("%s differs after interruptions", name)
		}
	}
}

// TestGridKeeps: results of all trials are not replaced by those of none, as in a fresh clone, nor silently by another grid's.
func TestGridKeeps(t *testing.T) {
	x, dir := toy(), t.TempDir()
	args := func(more ...string) []string {
		return append([]string{"grid", "toy", "--protocol", "paper", "--methods", "svgd", "--seeds", "1", "--select", "min first"}, more...)
	}
	code, _, sentence := call(t, dir, x, args("--axis", "step=0.1,0.2")...)
	want(t, "grid", code, 0, sentence)
	folder := filepath.Join(dir, "results/grid/toy-axes/paper")
	before := files(t, folder, "")
	if err := os.Rename(filepath.Join(dir, "results/store"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	code, out, said := say(t, dir, x, args("--axis", "step=0.1,0.2", "--no-run")...)
	if code != 75 || !strings.Contains(said, "toy-axes/paper is left as it is") || strings.Contains(out, "report:") {
		t.Errorf("exit code %d\n%s%s", code, out, said)
	}
	code, out, said = say(t, dir, x, args("--axis", "step=0.1,0.2", "--no-run", "--json")...)
	var all []grid.Summary
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 75 || len(all) != 1 || all[0].Counts["missing"] != 2 || !strings.Contains(said, "left as it is") {
		t.Errorf("exit code %d, %+v (%v)\n%s", code, all, err, said)
	}
	for name, b := range files(t, folder, "") {
		if before[name] != b {
			t.Errorf("%s was replaced", name)
		}
	}
	code, _, said = say(t, dir, x, args("--axis", "step=0.1,0.2")...)
	if code != 0 || strings.Contains(said, "another grid") {
		t.Errorf("the same grid: exit code %d\n%s", code, said)
	}
	code, _, said = say(t, dir, x, args("--axis", "options.fault=[none]")...)
	if code != 0 || !strings.Contains(said, "toy-axes/paper had another grid, which this one replaces (--name keeps both): sifg grid toy --axis step=0.1,0.2") {
		t.Errorf("another grid: exit code %d\n%s", code, said)
	}
}

// say is call with all that goes to stderr.
func say(t *testing.T, dir string, x *toyExperiment, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	var out, err bytes.Buffer
	code = Main(args, &out, &err, x.Experiment)
	return code, out.String(), err.String()
}

func TestGridOfFailures(t *testing.T) {
	x, dir := toy(), t.TempDir()
	args := []string{"grid", "toy", "--protocol", "paper", "--methods", "svgd", "--axis", "options.fault=[none, nan, panic]", "--select", "max first", "--seeds", "1,2"}
	code, out, sentence := call(t, dir, x, args...)
	want(t, "failures", code, 3, sentence, "3 of 6 trials did not end well", "options.fault nan")
	for _, words := range []string{"cannot win", "seed 1: diverged at iteration", "seed 2: panic: the target gave up", "options.fault none", "1/3"} {
		if !strings.Contains(out, words) {
			t.Errorf("it does not say %q:\n%s", words, out)
		}
	}
	rows, err := record.ReadTrials(filepath.Join(dir, "results/grid/toy-axes/paper/trials.parquet"), "")
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows (%v)", len(rows), err)
	}
	count := map[string]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	if count[record.StatusDiverged] != 2 || count[record.StatusFailed] != 1 || count[record.StatusOK] != 3 {
		t.Errorf("%v", count)
	}
	_, out, _ = call(t, dir, x, args...)
	if !strings.Contains(out, "6 trials: 5 already there, 1 computed") {
		t.Errorf("again: %q", out)
	}
}

func TestGridOfDamagedRecords(t *testing.T) {
	x, dir := toy(), t.TempDir()
	gridFile(t, dir, toyGrid)
	code, _, sentence := call(t, dir, x, "grid", "toy", "--grid", "steps.yaml")
	want(t, "grid", code, 0, sentence)
	before := files(t, filepath.Join(dir, "results/grid"), "")
	traces, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*/trace.parquet"))
	if err != nil || len(traces) != 10 {
		t.Fatalf("%d traces (%v)", len(traces), err)
	}
	b, err := os.ReadFile(traces[3])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(traces[3], b, 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "grid", "toy", "--grid", "steps.yaml")
	want(t, "a flipped bit", code, 5, sentence, "1 trial ", "--repair")
	code, _, sentence = call(t, dir, x, "verify", "--repair")
	want(t, "repair", code, 0, sentence)
	code, out, sentence := call(t, dir, x, "grid", "toy", "--grid", "steps.yaml")
	want(t, "after the repair", code, 0, sentence)
	if !strings.Contains(out, "9 already there, 1 computed") {
		t.Errorf("after the repair: %q", out)
	}
	for name, b := range files(t, filepath.Join(dir, "results/grid"), "") {
		if before[name] != b && !strings.HasSuffix(name, "timings.parquet") {
			t.Errorf("%s is not what it was before the damage", name)
		}
	}
}

func TestGridOfAllProtocols(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, out, sentence := call(t, dir, x, "grid", "toy", "--protocol", "all", "--scale", "smoke", "--axis", "methods.sgld.step=logspace(1e-3, 1e-1, 3)",
		"--axis", "methods.svgd.bandwidth=1,2", "--select", "min first", "--name", "mine")
	want(t, "all protocols", code, 0, sentence)
	// SGLD's trials are the same under both protocols, SVGD's are not.
	if !strings.Contains(out, "7 trials: 0 already there, 7 computed") {
		t.Errorf("%s", out)
	}
	for _, p := range []string{"paper", "released"} {
		if _, err := os.Stat(filepath.Join(dir, "results/smoke/grid/toy-mine", p, "chosen.yaml")); err != nil {
			t.Error(err)
		}
	}
}

func TestBadGrids(t *testing.T) {
	x, dir := toy(), t.TempDir()
	x.Metrics = []string{"first"}
	gridFile(t, dir, "product: {stpe: [1]}")
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{}, []string{"one experiment"}},
		{[]string{"toy", "toy"}, []string{"one experiment"}},
		{[]string{"tyo"}, []string{`"toy"`}},
		{[]string{"toy"}, []string{"--grid", "--axis"}},
		{[]string{"toy", "--axis", "step=0.1"}, []string{"--select", "first"}},
		{[]string{"toy", "--axis", "step=0.1", "--select", "min frst"}, []string{"frst", `"first"`}},
		{[]string{"toy", "--axis", "step=0.1", "--select", "first"}, []string{"min METRIC"}},
		{[]string{"toy", "--axis", "stpe=0.1"}, []string{"--axis stpe=0.1", `"step"`}},
		{[]string{"toy", "--axis", "methods.svgd.stpe=0.1", "--dry-run"}, []string{"--axis", "stpe", `"step"`}},
		{[]string{"toy", "--axis", "methods.svgdd.step=0.1", "--dry-run"}, []string{"svgdd", `"svgd"`}},
		{[]string{"toy", "--axis", "step=logspace(1,2)", "--dry-run"}, []string{"logspace(first, last, count)"}},
		{[]string{"toy", "--axis", "seeds=1,2", "--dry-run"}, []string{"--seeds"}},
		{[]string{"toy", "--axis", "step=1", "--seeds", "one", "--dry-run"}, []string{"--seeds one"}},
		{[]string{"toy", "--axis", "step=1", "--combine", "prod", "--dry-run"}, []string{"prod", "product"}},
		{[]string{"toy", "--axis", "step=1", "--name", "a/b", "--dry-run"}, []string{"--name"}},
		{[]string{"toy", "--axis", "step=1", "--select", "min first", "--name", strings.Repeat("a", 300)}, []string{"--name", "100"}},
		{[]string{"toy", "--grid", "none.yaml"}, []string{"none.yaml", "no file"}},
		{[]string{"toy", "--grid", "steps.yaml"}, []string{"steps.yaml, line 1", `"step"`}},
		{[]string{"toy", "--axis", "step=1", "--protocol", "matched", "--dry-run"}, []string{"matched", "paper, released"}},
		{[]string{"toy", "--axis", "step=1", "--jobs", "0"}, []string{"--jobs"}},
	} {
		code, _, sentence := call(t, dir, x, append([]string{"grid"}, c.args...)...)
		want(t, strings.Join(c.args, " "), code, 2, sentence, c.words...)
	}
	if x.scores.Load() != 0 {
		t.Error("something ran")
	}
}

// TestGridOfTenThousandTrials: so many are planned, compared with the store and told of; grid.BenchmarkPlan has how long planning takes.
func TestGridOfTenThousandTrials(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "toy", "--protocol", "paper", "--set", "methods.sifg.step=0.001")
	want(t, "run", code, 0, sentence)
	code, out, sentence := call(t, dir, x, "grid", "toy", "--protocol", "paper", "--axis", "methods.sifg.step=logspace(1e-4, 1e-1, 100)",
		"--axis", "methods.sifg.hidden=range(1, 20)", "--seeds", "range(1, 5)", "--dry-run")
	want(t, "plan", code, 0, sentence)
	if !strings.Contains(out, "10000 trials: 3 already there, 9997 to compute") {
		t.Errorf("%s", out)
	}
}
