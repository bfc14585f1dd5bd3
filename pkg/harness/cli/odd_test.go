package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOddArguments: what is wrong with arguments is a mistake of usage, whoever checks them.
func TestOddArguments(t *testing.T) {
	x, dir := toy(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for args, words := range map[string][]string{
		"completion bash foo":          {"completion bash", "no arguments", "foo"},
		"run --retry failed,none":      {"--retry=failed,none", "none", "alone"},
		"claims --results file":        {"--results file is no folder"},
		"claims --results file/below":  {"--results file/below is no folder"},
		"compare --results file":       {"--results file is no folder"},
		"compare --results file/below": {"--results file/below is no folder"},
	} {
		code, _, sentence := call(t, dir, x, strings.Fields(args)...)
		want(t, args, code, exitUsage, sentence, words...)
		if strings.Contains(sentence, "did you mean") {
			t.Errorf("%s: %s", args, sentence)
		}
	}
	code, out, sentence := call(t, dir, x, "completion", "bash")
	want(t, "completion bash", code, 0, sentence)
	want(t, "completion bash", 0, 0, out, "sifg")
}

// TestForeignEntries: what the store did not write keeps nobody from its trials.
func TestForeignEntries(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--scale", "smoke", "--protocol", "released")
	want(t, "run", code, 0, sentence)
	trials, err := filepath.Glob(filepath.Join(dir, "results/store/toy/*"))
	if err != nil || len(trials) != 3 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for _, name := range []string{"my notes", "lost+found", "toy/my notes"} {
		if err := os.Mkdir(filepath.Join(dir, "results/store", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notes", "toy/.DS_Store", "toy/notes"} {
		if err := os.WriteFile(filepath.Join(dir, "results/store", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Base(trials[0])
	code, out, sentence := call(t, dir, x, "explain", key)
	want(t, "explain", code, 0, sentence)
	want(t, "explain", 0, 0, out, key)
	code, out, sentence = call(t, dir, x, "merge", "results/store", "--store", "other")
	want(t, "merge", code, 0, sentence)
	want(t, "merge", 0, 0, out, "3 trials copied")

	// A record that cannot be read is a damaged trial, and the others are there.
	record := filepath.Join(trials[0], "trial.json")
	if err := errors.Join(os.Remove(record), os.Mkdir(record, 0o777)); err != nil {
		t.Fatal(err)
	}
	code, _, sentence = call(t, dir, x, "explain", filepath.Base(trials[1]))
	want(t, "explain of another", code, 0, sentence)
	code, _, sentence = call(t, dir, x, "explain", key)
	want(t, "explain of the damaged", code, exitDamaged, sentence, key, "verify --repair")
	code, out, sentence = call(t, dir, x, "merge", "results/store", "--store", "third")
	want(t, "merge", code, exitDamaged, sentence, "1 damaged trial")
	want(t, "merge", 0, 0, out, "2 trials copied", key)
	code, out, sentence = call(t, dir, x, "status", "--scale", "smoke")
	want(t, "status", code, exitDamaged, sentence, "1 of 3 trials")
	want(t, "status", 0, 0, out, key)
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: errors.New("no space left on device")}
}

// TestFullOutput: a command whose output did not arrive has failed.
func TestFullOutput(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "run", "--scale", "smoke", "--protocol", "released")
	want(t, "run", code, 0, sentence)
	for _, args := range []string{"verify --scale smoke", "data verify", "list", "submit slurm --dry-run", "--help", "completion bash"} {
		var text bytes.Buffer
		code := Main(strings.Fields(args), full{}, io.MultiWriter(&text, t.Output()), x.Experiment)
		want(t, args, code, exitInternal, text.String(), "stdout", "no space left")
	}
}
