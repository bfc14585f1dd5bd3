package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

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
			time.Sleep(time.Second) // for the signal to be heard on a busy machine
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
			time.Sleep(time.Second)
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
	code, _, sentence = call(t, dir, x, "status", "--protocol", "paper") // looks at sizes alone
	want(t, "status", code, 5, sentence, "1 ", "damaged", "--repair")
	for _, command := range [][]string{{"run", "--protocol", "paper"}, {"verify"}} {
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
