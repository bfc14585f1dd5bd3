package cli

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSentences: whatever was typed, the sentence that refuses it is one line without control characters, quotes at
// most 500 characters of a value, and names no type of the language that the program is written in.
func TestSentences(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	long := strings.Repeat("é", 50_000)
	spaced := strings.Repeat("a b\n\x1b[31m", 10_000)
	put(t, "long.yaml", long+": 5\n")
	put(t, "list.yaml", "- 1\n")
	put(t, "deep.yaml", strings.Repeat("{a: ", 500)+"1"+strings.Repeat("}", 500))
	put(t, "anchor.yaml", "seeds: &a [*a]\n")
	put(t, "keys.yaml", "problems: {small: {1: 2}}\n")
	for _, value := range []string{long, spaced, "\x00", "\u202e", "%s%d%!", strings.Repeat("x,", 20_000)} {
		for _, flag := range []string{
			"--protocol", "--problems", "--methods", "--seeds", "--set", "--config", "--scale",
			"--name", "--jobs", "--timeout", "--shard", "--threads", "--datasets"} {
			refused(t, x, "run", "toy", flag, value)
		}
		refused(t, x, "run", value)
		refused(t, x, value)
		refused(t, x, "run", "--"+value)
		refused(t, x, "run", "--set", "particles="+value)
		refused(t, x, "run", "--set", value+"=1")
		refused(t, x, "grid", "toy", "--axis", value)
		refused(t, x, "grid", "toy", "--axis", "step=[0.1]", "--select", value)
		refused(t, x, "compare", value)
	}
	files, _ := filepath.Glob("*.yaml")
	for _, path := range files {
		refused(t, x, "run", "--config", path)
		refused(t, x, "grid", "toy", "--grid", path)
		refused(t, x, "run", "--datasets", path)
	}
	for _, set := range []string{"problems=5", "methods=[1]", "seeds={a: 1}", "judge=true", "step={}", "options=7",
		"particles=[[1]]", "seeds=1-1000000000000", "seeds=1-1000000"} {
		refused(t, x, "run", "--set", set)
	}
	if x.Calls.Load() != 0 {
		t.Error("something ran")
	}
}

// refused runs a command line that must be refused in a fair sentence.
func refused(t *testing.T, x *toyExperiment, args ...string) {
	t.Helper()
	code, said, text := x.call(t, args...)
	what := args[len(args)-1]
	what = what[:min(len(what), 40)]
	if code != exitUsage && code != exitStopped {
		t.Errorf("%.30q %q: exit code %d: %.300s", args, what, code, said)
	}
	if n := utf8.RuneCountInString(text); n > 2500 || strings.Count(text, "\n") != 1 {
		t.Errorf("%.30q %q: %d characters: %.200s", args, what, n, text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == '\u202e' || r == 0x7f }) {
		t.Errorf("%.30q %q: control characters: %.200q", args, what, text)
	}
	words := []string{"interface {}", "map[", "settings.", "[]string", "json:", "mapstructure", "!!", "%!", "goroutine"}
	for _, word := range words {
		if strings.Contains(text, word) && !strings.Contains(what, word) {
			t.Errorf("%.30q %q: says %q: %.300s", args, what, word, text)
		}
	}
}
