package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// elsewhere are commands whose examples are not run here, and why.
var elsewhere = map[string]string{
	"bench": "takes minutes", "submit": "needs a cluster", "work": "needs a frozen plan", "resubmit": "needs a cluster", "cancel": "needs a cluster",
	"merge": "needs another store", "grid": "its own test runs grids", "completion": "the shells' own words", "help": "",
}

// TestExamples runs the examples that --help shows, of every command, one after another in one folder after a small run: each
// has to end with exit code 0.
func TestExamples(t *testing.T) {
	call := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := cli.Main(args, &out, &errs, experiments...)
		return code, out.String(), errs.String()
	}
	t.Chdir(t.TempDir())
	const first = "sifg run gmm --scale smoke --protocol all" // the others need it, so it is not run again in its turn
	if code, _, errs := call(words(first)[1:]...); code != 0 {
		t.Fatalf("run: exit code %d: %s", code, errs)
	}
	keys, err := filepath.Glob("results/store/gmm/*")
	if err != nil || len(keys) == 0 {
		t.Fatalf("no trial to put for KEY: %v", err)
	}
	_, help, _ := call("--help")
	ran := 0
	var names []string
	for _, group := range []string{"Run and report:", "Look and check:", "On a cluster:", "Additional Commands:"} {
		names = append(names, block(help, group)...)
	}
	for _, name := range names {
		name, _, _ = strings.Cut(name, " ")
		if _, skip := elsewhere[name]; skip {
			continue
		}
		_, help, _ := call(name, "--help")
		examples := block(help, "Examples:")
		if len(examples) == 0 {
			t.Errorf("sifg %s --help shows no example", name)
		}
		for _, line := range examples {
			line, _, _ = strings.Cut(line, " #")
			if strings.Contains(line, "--serve ") {
				continue // it would not end
			}
			ran++
			if line == first {
				continue
			}
			line = strings.ReplaceAll(strings.TrimSpace(line), "KEY", filepath.Base(keys[0]))
			args := words(line)
			if args[0] != "sifg" {
				t.Fatalf("sifg %s --help: %q is no command of ours", name, line)
			}
			if code, _, errs := call(args[1:]...); code != 0 {
				t.Errorf("%s: exit code %d: %s", line, code, errs)
			}
		}
	}
	if ran < 15 {
		t.Errorf("%d examples", ran)
	}
}

// block returns the lines of a help text below a heading, up to an empty one, without what stands before them.
func block(help, heading string) []string {
	_, rest, _ := strings.Cut(help, heading+"\n")
	rest, _, _ = strings.Cut(rest, "\n\n")
	var out []string
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
