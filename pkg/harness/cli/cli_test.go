package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normal is N(0, I) in two dimensions. In the trials that an option names it does something else.
type normal struct {
	fault string
	seed  uint64
	calls func() // at each score
}

func (normal) Dim() int { return 2 }

func (t normal) Score(dst, x sifg.Batch, iter int) {
	t.calls()
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	switch {
	case t.fault == "nan" && iter == 2:
		dst.Data[0] = float32(math.NaN())
	case t.fault == "panic" && t.seed == 2 && iter == 1:
		panic("the target gave up")
	case t.fault == "slow":
		time.Sleep(20 * time.Millisecond)
	}
}

const toyConfig = `
base:
  seeds: [1, 2, 3]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
  problems:
    small:
      particles: 6
      iterations: 8
      judge: {every: 4, snapshots: [4], track: 2, sample: fresh}
protocols:
  paper:
  released: {methods: {svgd: {step: 0.2}}}
scales:
  smoke: {seeds: [1]}
`

type toyExperiment struct {
	*harness.Experiment
	scores atomic.Int64 // evaluations of the target
	onCall atomic.Pointer[func()]
}

func toy() *toyExperiment {
	x := &toyExperiment{}
	x.Experiment = &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Config: []byte(toyConfig),
		Setup: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Fault string `mapstructure:"fault"`
			}
			if err := harness.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			calls := func() {
				x.scores.Add(1)
				if f := x.onCall.Load(); f != nil {
					(*f)()
				}
			}
			return &harness.Problem{
				Target: normal{o.Fault, t.Seed, calls},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i, v := range sample.Data[:2] {
						put("first", i, float64(v))
					}
				},
			}, nil
		},
		Tables: []harness.Table{{Name: "ends", Title: "Ends", Make: func(s *record.Set) (*table.Table, error) {
			out := &table.Table{Columns: []table.Column{{Header: "method"}, {Header: "seed"}}}
			for _, t := range s.Trials {
				out.Rows = append(out.Rows, []table.Cell{table.Text(t.Method), table.Int(int(t.Seed))})
			}
			return out, nil
		}}},
		Claims: []harness.Claim{{ID: "1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) harness.Outcome {
				return harness.Outcome{Verdict: harness.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}},
		Findings: []harness.Finding{{Title: "Protocols", Text: func(by map[string]*record.Set) string {
			return fmt.Sprintf("There are %d.", len(by))
		}}},
	}
	return x
}

// call runs the command line in a folder of its own and checks that what goes to stderr beside progress is at most one
// sentence.
func call(t *testing.T, dir string, x *toyExperiment, args ...string) (code int, stdout, sentence string) {
	t.Helper()
	t.Chdir(dir)
	var out, err bytes.Buffer
	code = Main(args, &out, &err, x.Experiment)
	for line := range strings.Lines(err.String()) {
		if s, ok := strings.CutPrefix(line, "sifg: "); ok {
			if sentence != "" {
				t.Errorf("two sentences: %q and %q", sentence, s)
			}
			sentence = s
		}
	}
	if (code == 0) != (sentence == "") {
		t.Errorf("%v: exit code %d with the sentence %q", args, code, sentence)
	}
	return code, out.String(), sentence
}

// want checks the exit code and that the sentence names each of the words.
func want(t *testing.T, what string, code, wantCode int, sentence string, words ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d (%s)", what, code, wantCode, sentence)
	}
	for _, w := range words {
		if !strings.Contains(sentence, w) {
			t.Errorf("%s: %q does not name %q", what, sentence, w)
		}
	}
}

// files returns the bytes of the files under dir whose name ends so.
func files(t *testing.T, dir, suffix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRunAndAgain(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, out, sentence := call(t, dir, x, "run", "toy", "--protocol", "all")
	want(t, "run", code, 0, sentence)
	// svgd differs between the protocols; the six trials of sgld and sifg are shared, so 12 and not 18 are computed.
	if !strings.Contains(out, "12 trials: 0 already there, 12 computed") {
		t.Errorf("run said %q", out)
	}
	first := files(t, filepath.Join(dir, "results"), "")
	for _, name := range []string{"toy/paper/run.json", "toy/paper/trials.parquet", "toy/released/trace.parquet", "toy/paper/claims.json",
		"toy/paper/tables/ends.md", "toy/paper/tables/ends.tex", "toy/paper/tables/ends.csv", "toy/trials.parquet", "toy/trace.parquet",
		"toy/timings.parquet", "toy/findings.json"} {
		if first[name] == "" {
			t.Errorf("there is no results/%s", name)
		}
	}
	for _, words := range []string{"There are trials.", "There are 2.", "released", "Toy", "trials.parquet"} {
		if !strings.Contains(first["index.html"], words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if !strings.Contains(first["toy/findings.json"], "There are 2.") {
		t.Errorf("the finding did not see both protocols: %s", first["toy/findings.json"])
	}
	before := x.scores.Load()
	code, out, sentence = call(t, dir, x, "run", "all", "--protocol", "paper,released", "--jobs", "1")
	want(t, "second run", code, 0, sentence)
	if !strings.Contains(out, "12 trials: 12 already there, 0 computed") {
		t.Errorf("the second run said %q", out)
	}
	if x.scores.Load() != before {
		t.Error("the second run evaluated the target")
	}
	again := files(t, filepath.Join(dir, "results"), "")
	for name := range first {
		if again[name] != first[name] {
			t.Errorf("the second run changed results/%s", name)
		}
	}
}

func TestSameBytesForAnyOrder(t *testing.T) {
	x, one, two, cut := toy(), t.TempDir(), t.TempDir(), t.TempDir()
	code, _, sentence := call(t, one, x, "run", "--protocol", "all", "--jobs", "1")
	want(t, "one worker", code, 0, sentence)
	code, _, sentence = call(t, two, x, "run", "--protocol", "all", "--jobs", "2")
	want(t, "two workers", code, 0, sentence)

	// SIGINT in the middle of the second trial: it is finished, the others are not started; then the rest.
	var calls atomic.Int64
	stop := func() {
		if calls.Add(1) == 12 {
			syscall.Kill(os.Getpid(), syscall.SIGINT)
			time.Sleep(200 * time.Millisecond) // for the signal to be heard
		}
	}
	x.onCall.Store(&stop)
	code, out, sentence := call(t, cut, x, "run", "--protocol", "all", "--jobs", "1")
	x.onCall.Store(nil)
	want(t, "interrupted", code, 130, sentence, "10 of 12 trials missing")
	if !strings.Contains(out, "0 already there, 2 computed") {
		t.Errorf("interrupted: %q", out)
	}
	if _, err := os.Stat(filepath.Join(cut, "results", "toy", "paper")); err == nil {
		t.Error("an interrupted run wrote a report")
	}
	code, _, sentence = call(t, cut, x, "status", "--protocol", "all")
	want(t, "status", code, 75, sentence, "10 of 12 trials are missing")
	code, _, sentence = call(t, cut, x, "report", "--protocol", "all")
	want(t, "report of a part", code, 75, sentence, "10 of 12 trials are missing")
	var info harness.RunInfo
	if err := json.Unmarshal([]byte(files(t, cut, "run.json")["results/toy/paper/run.json"]), &info); err != nil {
		t.Fatal(err)
	}
	if info.Planned != 9 || info.Counts[record.StatusOK] != 2 || info.Counts[harness.Missing] != 7 {
		t.Errorf("report of a part: %+v", info)
	}
	code, out, sentence = call(t, cut, x, "run", "--protocol", "all", "--jobs", "2")
	want(t, "continued", code, 0, sentence)
	if !strings.Contains(out, "2 already there, 10 computed") {
		t.Errorf("continued: %q", out)
	}

	merged := func(dir string) map[string]string {
		m := files(t, filepath.Join(dir, "results", "toy"), "t") // .parquet
		delete(m, "timings.parquet")
		return m
	}
	for name, b := range merged(one) {
		if merged(two)[name] != b {
			t.Errorf("%s differs between one and two workers", name)
		}
		if merged(cut)[name] != b {
			t.Errorf("%s differs after an interruption", name)
		}
	}
	if len(merged(one)) != 6 {
		t.Errorf("%d merged files, want trials and traces of two protocols and of both together", len(merged(one)))
	}
}

func TestSecondSignalStopsAtOnce(t *testing.T) {
	x, dir := toy(), t.TempDir()
	var calls atomic.Int64
	stop := func() {
		if n := calls.Add(1); n == 2 || n == 3 {
			syscall.Kill(os.Getpid(), syscall.SIGTERM)
			time.Sleep(200 * time.Millisecond)
		}
	}
	x.onCall.Store(&stop)
	code, out, sentence := call(t, dir, x, "run", "--protocol", "paper", "--jobs", "1")
	want(t, "two signals", code, 143, sentence, "9 of 9 trials missing")
	if !strings.Contains(out, "0 computed") || calls.Load() > 4 {
		t.Errorf("it went on for %d scores and said %q", calls.Load(), out)
	}
}

func TestFailuresAreRows(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, out, sentence := call(t, dir, x, "run", "--protocol", "paper", "--set", "problems.small.options.fault=panic")
	want(t, "panic", code, 3, sentence, "3 of 9 trials did not end well", "seed 2", "failed: panic: the target gave up")
	if !strings.Contains(out, "9 computed") {
		t.Errorf("one failing trial sank others: %q", out)
	}
	// Changed settings do not go where the report of the unchanged ones belongs.
	rows, err := record.ReadTrials(filepath.Join(dir, "results", "custom", "toy", "paper", "trials.parquet"), "")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, r := range rows {
		if r.Status == record.StatusFailed && r.Seed == 2 && strings.Contains(r.Reason, "gave up") {
			failed++
		}
	}
	if len(rows) != 9 || failed != 3 {
		t.Errorf("%d rows, %d of them failed with their reason: want 9 and 3", len(rows), failed)
	}
	page := files(t, filepath.Join(dir, "results", "custom"), "index.html")["index.html"]
	if strings.Count(page, "the target gave up") < 3 {
		t.Error("the page does not list the failures with their reason")
	}
	// Failures are tried again, what is there is not.
	_, out, _ = call(t, dir, x, "run", "--protocol", "paper", "--set", "problems.small.options.fault=panic")
	if !strings.Contains(out, "6 already there, 3 computed") {
		t.Errorf("again: %q", out)
	}

	code, _, sentence = call(t, t.TempDir(), x, "run", "--protocol", "paper", "--set", "problems.small.options.fault=nan")
	want(t, "NaN", code, 3, sentence, "9 of 9", "diverged at iteration 3")

	code, _, sentence = call(t, t.TempDir(), x, "run", "--protocol", "paper", "--jobs", "1", "--fail-fast", "--set",
		"problems.small.options.fault=nan")
	want(t, "fail fast", code, 3, sentence, "1 of 9", "8 were not computed")

	code, _, sentence = call(t, t.TempDir(), x, "run", "--protocol", "paper", "--scale", "smoke", "--timeout", "30ms", "--set",
		"problems.small.options.fault=slow")
	want(t, "timeout", code, 3, sentence, "timeout", "30ms")
}

func TestDamagedStore(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run", code, 0, sentence)
	before := files(t, filepath.Join(dir, "results", "toy"), "t")
	delete(before, "timings.parquet")
	arrays, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*/particles.npy"))
	if err != nil || len(arrays) != 9 {
		t.Fatalf("%d final clouds, want 9 (%v)", len(arrays), err)
	}
	b, err := os.ReadFile(arrays[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(arrays[0], b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(arrays[1], 100); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"run", "--protocol", "paper"}, {"status", "--protocol", "paper"}, {"verify"}} {
		code, out, sentence := call(t, dir, x, command...)
		want(t, command[0], code, 5, sentence, "2 ", "damaged", "--repair")
		if command[0] == "verify" && (!strings.Contains(out, "particles.npy: its SHA-256") || !strings.Contains(out, "100 bytes, want")) {
			t.Errorf("verify did not name both files: %s", out)
		}
	}
	code, out, sentence := call(t, dir, x, "verify", "--repair")
	want(t, "repair", code, 0, sentence)
	if !strings.Contains(out, "moved to") {
		t.Errorf("repair said %q", out)
	}
	code, out, sentence = call(t, dir, x, "run", "--protocol", "paper")
	want(t, "run after repair", code, 0, sentence)
	if !strings.Contains(out, "7 already there, 2 computed") {
		t.Errorf("run after repair said %q", out)
	}
	after := files(t, filepath.Join(dir, "results", "toy"), "t")
	for name := range before {
		if before[name] != after[name] {
			t.Errorf("%s is not what it was before the damage", name)
		}
	}
	if code, _, sentence := call(t, dir, x, "verify"); code != 0 {
		t.Errorf("verify after all: %d %s", code, sentence)
	}
	if err := os.WriteFile(filepath.Join(dir, "results/toy/paper/claims.json"), []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "verify")
	want(t, "changed report", code, 5, sentence, "report")
}

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
		{"run --set problems.small.particles=1", []string{"particles", "2 or more"}},
		{"run --set problems.small.options.falt=x", []string{"falt", `"fault"`}},
		{"run --results file/below", []string{"--results", "file/below"}},
		{"run --store file/below", []string{"file/below"}},
		{"run --trial ffff", []string{"ffff"}},
		{"explain", []string{"one key"}},
		{"explain ffff", []string{"results/store"}},
		{"list now", []string{"now"}},
		{"data lst", []string{"lst"}},
	} {
		code, _, sentence := call(t, dir, x, strings.Fields(c.args)...)
		want(t, c.args, code, 2, sentence, c.words...)
	}
	if x.scores.Load() != 0 {
		t.Error("something ran")
	}
	for variable, words := range map[string][]string{
		"SIFG_JBOS=1":   {"SIFG_JBOS", `"SIFG_JOBS"`},
		"SIFG_JOBS=two": {"SIFG_JOBS=two"},
		"SIFG_SET=seed": {"SIFG_SET", "key=value"},
	} {
		t.Run(variable, func(t *testing.T) {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
			code, _, sentence := call(t, dir, x, "run")
			want(t, variable, code, 2, sentence, words...)
		})
	}
}

func TestEnvironment(t *testing.T) {
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
}

func TestLists(t *testing.T) {
	x, dir := toy(), t.TempDir()
	for args, words := range map[string][]string{
		"list":               {"toy", "small", "svgd", "paper, released", "gmm-2d"},
		"list --system":      {"processor", "kernels"},
		"list --json":        {`"title": "Samplers"`},
		"plan":               {"released", "svgd", "9 trials: 0 already there, 9 to compute"},
		"data list":          {"no data files"},
		"--help":             {"Available Commands", "verify"},
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
