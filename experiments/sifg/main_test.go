package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// TestDocumentedCommands runs every command line that the README and the documentation of the command, the library and two
// experiments show, one after another in one folder: each has to end with exit code 0. Every run is at scale smoke, those that make
// reference draws are planned only, which would take minutes, and KEY is made the key of a trial.
func TestDocumentedCommands(t *testing.T) {
	type command struct{ file, line string }
	var commands []command
	for _, name := range []string{"README.md", "docs/command.md", "docs/configuration.md", "docs/compare.md", "docs/library.md", "docs/uci-bnn.md",
		"docs/meg-ica.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			code := strings.TrimPrefix(strings.TrimPrefix(line, "    "), "bin/")
			shown := code != line // prose begins with neither
			if strings.Contains(code, "reference.") {
				code = strings.Replace(code, "sifg run", "sifg plan", 1)
			}
			for _, verb := range []string{"sifg run ", "sifg grid "} {
				if strings.HasPrefix(code, verb) && !strings.Contains(code, "--scale") {
					code = strings.Replace(code, verb, verb+"--scale smoke ", 1)
				}
			}
			code, _, _ = strings.Cut(code, " #")
			code = strings.ReplaceAll(strings.TrimSpace(code), "--scale quick", "--scale smoke")
			if shown && (strings.HasPrefix(code, "sifg ") || strings.HasPrefix(code, "SIFG_")) {
				commands = append(commands, command{name, code})
			}
		}
	}
	if len(commands) < 10 {
		t.Fatalf("only %d commands found", len(commands))
	}
	known := experiments
	if !dataHere(t) {
		known = experiments[:2] // those that need no data
	}
	t.Chdir(t.TempDir())
	for _, c := range commands {
		t.Run(c.line, func(t *testing.T) {
			if len(known) < len(experiments) && (strings.Contains(c.line, "uci-bnn") || strings.Contains(c.line, "meg-ica") ||
				strings.Contains(c.line, "data fetch")) {
				t.Skip("data sets are not here: sifg data fetch, or SIFG_DATASETS_MIRROR")
			}
			if strings.Contains(c.line, "KEY") {
				keys, err := filepath.Glob("results/store/gmm/*")
				if err != nil || len(keys) == 0 {
					t.Fatalf("no trial to put for KEY: %v", err)
				}
				c.line = strings.ReplaceAll(c.line, "KEY", filepath.Base(keys[0]))
			}
			args := words(c.line)
			for args[0] != "sifg" {
				name, value, ok := strings.Cut(args[0], "=")
				if !ok {
					t.Fatalf("%s: %q is not a command of ours", c.file, c.line)
				}
				t.Setenv(name, value)
				args = args[1:]
			}
			var out, errs bytes.Buffer
			if code := cli.Main(args[1:], &out, &errs, known...); code != 0 {
				t.Errorf("%s: exit code %d\n%s", c.file, code, errs.String())
			}
		})
	}
}

// dataHere reports whether the data sets are in a mirror or in the cache, which it makes the mirror of the test.
func dataHere(t *testing.T) bool {
	t.Helper()
	if os.Getenv("SIFG_DATASETS_MIRROR") != "" {
		return true
	}
	cache, err := filepath.Abs("../../datasets/cache")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"uci-released", "uci-standard", "meg-ica"} {
		if _, err := os.Stat(filepath.Join(cache, folder)); err != nil {
			return false
		}
	}
	t.Setenv("SIFG_DATASETS_MIRROR", cache)
	return true
}

// words splits a line as a shell does, as far as quotes go.
func words(line string) []string {
	var out []string
	var word strings.Builder
	quote := rune(0)
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}
