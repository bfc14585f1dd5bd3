package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestLogFile: each run leaves a file that says what ran on what, and how each trial ended.
func TestLogFile(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--protocol", "paper", "--set", "problems.small.options.fault=panic")
	want(t, "run", code, exitFailed, sentence)
	logs := files(t, filepath.Join(dir, "results", "store", logName), ".log")
	if len(logs) != 1 {
		t.Fatalf("%d log files", len(logs))
	}
	for name, text := range logs {
		if n := strings.Count(text, "msg=trial key="); n != 9 {
			t.Errorf("%s: %d trials, want 9", name, n)
		}
		for _, words := range []string{"msg=begin", "fault=panic", "commit=", "kernel=", "status=" + record.StatusFailed, "the target gave up", "seed 2", "msg=end"} {
			if !strings.Contains(text, words) {
				t.Errorf("%s lacks %q:\n%s", name, words, text)
			}
		}
	}
	code, _, sentence = call(t, dir, x, "verify")
	want(t, "a log is no damage", code, 0, sentence)
	// a store that takes no log takes trials
	if err := os.RemoveAll(filepath.Join(dir, "results", "store", logName)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results", "store", logName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "run", "--protocol", "released")
	want(t, "no folder for logs", code, 0, sentence)
	code, _, sentence = call(t, dir, x, "verify")
	want(t, "a file that is not the store's", code, exitDamaged, sentence)
}

func TestQuietAndVerbose(t *testing.T) {
	x := toy()
	t.Chdir(t.TempDir())
	run := func(args ...string) (int, string) {
		var out, err bytes.Buffer
		code := Main(append([]string{"run", "--protocol", "paper"}, args...), &out, &err, x.Experiment)
		if !strings.Contains(out.String(), "9 trials") && code == 0 {
			t.Errorf("%v: what was asked for is not said: %q", args, out.String())
		}
		return code, err.String()
	}
	if code, said := run("--quiet"); code != 0 || said != "" {
		t.Errorf("quiet: exit code %d, %q", code, said)
	}
	if code, said := run("-q", "--set", "problems.small.options.fault=panic"); code != exitFailed || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "sifg: ") {
		t.Errorf("quiet, with failures: exit code %d, %q", code, said)
	}
	if code, said := run("--store", "other", "-v"); code != 0 || !strings.Contains(said, "level=INFO msg=trial") {
		t.Errorf("verbose: exit code %d, %q", code, said)
	}
	if code, said := run("-v", "-q"); code != exitUsage || !strings.Contains(said, "verbose") {
		t.Errorf("both: exit code %d, %q", code, said)
	}
	t.Setenv("SIFG_QUIET", "true")
	if code, said := run("--store", "third"); code != 0 || said != "" {
		t.Errorf("quiet by a variable: exit code %d, %q", code, said)
	}
}

// TestNoColours: whether a terminal or not, and whatever NO_COLOR says, nothing is coloured.
func TestNoColours(t *testing.T) {
	x, dir := toy(), t.TempDir()
	t.Setenv("CLICOLOR_FORCE", "1")
	for _, args := range [][]string{{"run"}, {"status"}, {"claims"}, {"compare"}, {"compare", "--against", "sifg"}, {"list"}, {"run", "--help"}} {
		_, out, sentence := call(t, dir, x, args...)
		if strings.Contains(out+sentence, "\x1b[") {
			t.Errorf("%v: an escape sequence in %q", args, out)
		}
	}
}
