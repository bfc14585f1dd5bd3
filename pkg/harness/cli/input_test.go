package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

func TestBadInput(t *testing.T) {
	x, dir := toy(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		words []string
	}{
		{"run tyo", []string{"experiment", "tyo", `"toy"`}},
		{"rnu", []string{"command", "rnu", `"run"`}},
		{"run --protcol paper", []string{"--protcol", `"--protocol"`}},
		{"run --protocol papr", []string{"papr", `"paper"`}},
		{"run --protocol matched", []string{"toy", "matched", "paper, released"}},
		{"run --scale quik", []string{"quik", `"quick"`}},
		{"run --jobs 0", []string{"--jobs", "0"}},
		{"run --jobs many", []string{"--jobs", "many"}},
		{"run --set methods.svgd.sampler=svgdd", []string{"sampler", "svgdd"}},
		{"run --set methods.svgd.stepp=1", []string{"stepp", `"step"`, "--set"}},
		{"run --set methods.svgd.step=-1", []string{"step", "svgd", "-1"}},
		{"run --set problems.*.include=[]", []string{"no trial", "include"}},
		{"run --set seeds=[1,2],3", []string{"--set", "[1,2],3", "more than one value"}},
		{"run --set problems.small.include=[svgd,svgd]", []string{"include", "svgd", "twice"}},
		{"run --set problems.small.options.fault=.nan", []string{"--set", "fault", "finite"}},
		{"run --set problems.small.particles=1", []string{"particles", "2 or more"}},
		{"run --set problems.small.options.falt=x", []string{"falt", `"fault"`}},
		{"run --results file/below", []string{"--results", "file/below"}},
		{"run --store file/below", []string{"file/below"}},
		{"run --trial ffff", []string{"ffff"}},
		{"explain", []string{"one key"}},
		{"explain ffff", []string{"results/store"}},
		{"list now", []string{"now"}},
		{"data lst", []string{"command", "lst", `"list"`}},
		{"help rnu", []string{"command", "rnu", `"run"`}},
		{"completion zzz", []string{"command", "zzz"}},
		{"data list toy", []string{"data list", "toy"}},
		{"cancel a b", []string{"cancel", "one plan or none"}},
		{"run toy all", []string{"all", "alone"}},
		{"run --protocol all,paper", []string{"--protocol all,paper", "alone"}},
		{"run --protocol paper,,released", []string{`protocol ""`}},
		{"run --trial ''", []string{"--trial", "empty"}},
		{"run --results ''", []string{"--results", "empty"}},
		{"run --config ''", []string{"--config", "empty"}},
		{"run --timeout 5", []string{"--timeout=5", "10m"}},
		{"run --isolate=2", []string{"--isolate=2", "true or false"}},
		{"run --memory 5", []string{"--memory=5", "64MiB"}},
		{"run --retry faild", []string{"--retry=faild", `"failed"`}},
		{"plan --jobs -1", []string{"--jobs", "-1"}},
		{"claims --scale smok", []string{"--scale", "smok", `"smoke"`}},
		{"doctor --scale smok", []string{"--scale", "smok", `"smoke"`}},
		{"compare --protocol papr", []string{"--protocol", "papr", `"paper"`}},
		{"report --serve-anyone", []string{"--serve "}},
		{"status toy --plan last", []string{"--plan last", "toy"}},
		{"submit slurm toy --plan last", []string{"--plan last", "toy"}},
		{"submit slurm --extra two", []string{"--extra", "two"}},
		{"submit shell --mem 4G", []string{"--mem", "--memory"}},
		{"submit kubernetes --cpus two", []string{"--cpus=two", "whole number"}},
		{"grid toy --axis step=1 --dry-run --no-run", []string{"--dry-run", "--no-run"}},
	} {
		args := strings.Fields(c.args)
		for i, arg := range args {
			args[i] = strings.Trim(arg, "'")
		}
		code, _, sentence := call(t, dir, x, args...)
		want(t, c.args, code, 2, sentence, c.words...)
	}
	if x.scores.Load() != 0 {
		t.Error("something ran")
	}
	for variable, words := range map[string][]string{
		"SIFG_JBOS=1":    {"SIFG_JBOS", `"SIFG_JOBS"`},
		"SIFG_JOBS=two":  {"SIFG_JOBS=two"},
		"SIFG_SET=seed":  {"SIFG_SET", "key=value"},
		"SIFG_TIMEOUT=5": {"SIFG_TIMEOUT=5", "10m"},
	} {
		t.Run(variable, func(t *testing.T) {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			code, _, sentence := call(t, dir, x, "run")
			want(t, variable, code, 2, sentence, words...)
		})
	}
}

// TestSite: a file of --site is checked as the flags are.
func TestSite(t *testing.T) {
	x, dir := toy(), t.TempDir()
	for text, words := range map[string][]string{
		"tim: 30m":      {"site.yaml", "tim", `"time"`},
		"time: 30":      {"site.yaml, time: 30", "10m"},
		"shards: many":  {"site.yaml, shards: many", "whole number"},
		"claim: disk":   {"site.yaml, claim", "submit slurm"},
		"extra: [nice]": {"--extra", "nice"},
		"time: [30m":    {"site.yaml", "line 1"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "site.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, sentence := call(t, dir, x, "submit", "slurm", "--site", "site.yaml", "--dry-run")
		want(t, text, code, 2, sentence, words...)
	}
	if err := os.WriteFile(filepath.Join(dir, "site.yaml"), []byte("before: [umask 027]"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence := call(t, dir, x, "submit", "kubernetes", "--site", "site.yaml", "--dry-run")
	want(t, "lines of shell in a manifest", code, 2, sentence, "site.yaml, before", "submit kubernetes")
}

// TestNoStore: a folder with other things in it is taken for no store by any command, and keeps them where they are.
func TestNoStore(t *testing.T) {
	x, dir := toy(), t.TempDir()
	other := filepath.Join(dir, "home", "letter.txt")
	if err := os.MkdirAll(filepath.Dir(other), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("dear"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"verify --repair --store home", "verify --store home", "run --store home", "plan --store home", "status --store home",
		"explain ab --store home", "merge home", "merge home/letter.txt"} {
		code, _, sentence := call(t, dir, x, strings.Fields(args)...)
		want(t, args, code, 2, sentence, "home", "letter.txt")
		if strings.Contains(sentence, "nil") {
			t.Errorf("%s: %s", args, sentence)
		}
	}
	if _, err := os.Stat(other); err != nil || x.scores.Load() != 0 {
		t.Errorf("something ran, or %v", err)
	}
	code, _, sentence := call(t, dir, x, "verify", "--store", "nowhere")
	want(t, "verify without a store", code, 2, sentence, "no store in nowhere")
	code, _, sentence = call(t, dir, x, "verify")
	want(t, "verify without anything", code, 75, sentence, "results/store", "sifg run")
	if _, err := os.Stat(filepath.Join(dir, "results", "store")); err == nil {
		t.Error("verify made a store")
	}
	code, _, sentence = call(t, dir, x, "run", "--scale", "smoke")
	want(t, "run", code, 0, sentence)
	code, out, sentence := call(t, dir, x, "verify", "--scale", "smoke")
	want(t, "verify", code, 0, sentence)
	want(t, "verify", 0, 0, out, "trials in results/store: 3", "reports in results/smoke: 1")

	merged := filepath.Join(dir, "results/smoke/toy/trace.parquet")
	b, err := os.ReadFile(merged)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(merged, b, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, sentence = call(t, dir, x, "verify", "--scale", "smoke")
	want(t, "a flipped bit in the merged records", code, 5, sentence, "1 files of the report")
	want(t, "a flipped bit in the merged records", 0, 0, out, "results/smoke/toy/trace.parquet")

	trials, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*/trial.json"))
	if err != nil || len(trials) != 3 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	if err := os.WriteFile(trials[0], []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "explain", filepath.Base(filepath.Dir(trials[0])))
	want(t, "explain of a damaged trial", code, 5, sentence, filepath.Base(filepath.Dir(trials[0])))
}

func TestOneLine(t *testing.T) {
	if got := oneLine("yaml: errors:\n  line 1: a\n  line 2: b\n"); got != "yaml: errors: line 1: a; line 2: b" {
		t.Errorf("%q", got)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SIFG_JOBS", "") // as good as none
	t.Setenv("SIFG_PROTOCOL", "paper")
	t.Setenv("SIFG_SET", "seeds=[8]; problems.*.iterations=2")
	_, out, _ := call(t, t.TempDir(), toy(), "plan", "--set", "seeds=[9]", "--json")
	var lines []line
	if err := json.Unmarshal([]byte(out), &lines); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 || lines[0].Protocol != "paper" || lines[0].Iterations != 2 || len(lines[0].Seeds) != 1 || lines[0].Seeds[0] != 9 {
		t.Errorf("the variables and the flag over them gave %+v", lines)
	}
}

func TestExplainRepeats(t *testing.T) {
	x, dir := toy(), t.TempDir()
	for _, set := range []string{"seeds=[1]", "problems.small.iterations=5"} {
		code, _, sentence := call(t, dir, x, "run", "--protocol", "released", "--set", set)
		want(t, set, code, 0, sentence)
	}
	trials, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*"))
	if err != nil || len(trials) != 12 {
		t.Fatalf("%d trials, want 12 (%v)", len(trials), err)
	}
	for _, path := range trials {
		code, out, sentence := call(t, dir, x, "explain", filepath.Base(path)[:12])
		want(t, "explain", code, 0, sentence)
		var e explained
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatal(err)
		}
		args := unquote(e.Repeat)
		code, _, sentence = call(t, dir, x, args...)
		want(t, e.Repeat, code, 0, sentence)
		again := filepath.Join(dir, "again", "toy", filepath.Base(path))
		for name, b := range files(t, path, ".npy") {
			if files(t, again, ".npy")[name] != b {
				t.Errorf("%s gave another %s", e.Repeat, name)
			}
		}
	}
}

// unquote splits what Quote joined, without the program's name and the comment.
func unquote(command string) []string {
	command, _, _ = strings.Cut(strings.TrimPrefix(command, "sifg "), " #")
	var args []string
	quoted := false
	for part := range strings.SplitSeq(command, "'") {
		if quoted {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
		quoted = !quoted
	}
	return args
}

func TestCompleteReportIsKept(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run", code, 0, sentence)
	before := files(t, filepath.Join(dir, "results", "toy"), "")
	// A fresh clone has the report and no store.
	if err := os.RemoveAll(filepath.Join(dir, "results", "store")); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "report", "--protocol", "paper")
	want(t, "report without trials", code, 75, sentence, "9 of 9 trials are missing")
	for name, b := range files(t, filepath.Join(dir, "results", "toy"), "") {
		if before[name] != b {
			t.Errorf("a report without trials changed %s", name)
		}
	}
	// Another protocol's run leaves it in place and shows both.
	code, _, sentence = call(t, dir, x, "run", "--protocol", "released")
	want(t, "run of another protocol", code, 0, sentence)
	after := files(t, filepath.Join(dir, "results"), "")
	for name, b := range before {
		if strings.HasPrefix(name, "paper/") && after["toy/"+name] != b {
			t.Errorf("the run of another protocol changed %s", name)
		}
	}
	rows, err := record.ReadTrials(filepath.Join(dir, "results/toy/trials.parquet"), "")
	if err != nil || len(rows) != 18 || rows[0].Protocol != "paper" || rows[17].Protocol != "released" {
		t.Errorf("%d merged rows (%v), want 9 of each protocol", len(rows), err)
	}
	times, err := record.ReadTimings(filepath.Join(dir, "results/toy/timings.parquet"), "")
	if err != nil || len(times) != 12 {
		t.Errorf("%d timings (%v), want one a key, the kept ones included", len(times), err)
	}
	if !strings.Contains(after["toy/findings.json"], "There are 2.") {
		t.Error("the finding did not see the protocol whose trials are not in the store")
	}
}

func TestTwoOfOneName(t *testing.T) {
	var out, err bytes.Buffer
	if code := Main([]string{"plan"}, &out, &err, toy().Experiment, toy().Experiment); code != 1 || !strings.Contains(err.String(), `the name "toy"`) {
		t.Errorf("exit code %d: %s", code, err.String())
	}
}

func TestPanicIsInternal(t *testing.T) {
	x := toy()
	x.Setup = func(*harness.Trial) (*harness.Problem, error) { panic("oh") }
	code, _, sentence := call(t, t.TempDir(), x, "plan")
	want(t, "panic", code, 1, sentence, "internal error: oh")
}

func TestLists(t *testing.T) {
	x, dir := toy(), t.TempDir()
	for args, words := range map[string][]string{
		"list":               {"toy", "small", "svgd", "paper, released", "gmm-2d"},
		"list --system":      {"processor", "kernels"},
		"list --json":        {`"title": "Samplers"`},
		"plan":               {"released", "svgd", "9 trials: 0 already there, 9 to compute"},
		"data list":          {"boston", "protein-standard"},
		"--help":             {"Run and report:", "verify"},
		"help run":           {"--fail-fast"},
		"--version":          {"sifg ", "go1."},
		"run --help":         {"--fail-fast", "--protocol"},
		"plan --scale smoke": {"3 trials"},
	} {
		code, out, sentence := call(t, dir, x, strings.Fields(args)...)
		want(t, args, code, 0, sentence)
		want(t, args, 0, 0, out, words...)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("looking wrote %v", entries)
	}
}
