package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// TestGridDocumentation writes the files that docs/grids.md shows (those that begin with their name in a comment) and runs its
// commands one after another in one folder: each has to end with exit code 0.
func TestGridDocumentation(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "grids.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, block := range regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		if err := os.WriteFile(block[1], []byte(block[2]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		code, shown := strings.CutPrefix(line, "    sifg ")
		if !shown {
			continue
		}
		n++
		code, _, _ = strings.Cut(code, " #")
		t.Run(strings.TrimSpace(code), func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := cli.Main(words(strings.TrimSpace(code)), &out, &errs, experiments...); code != 0 {
				t.Errorf("exit code %d\n%s", code, errs.String())
			}
		})
	}
	if n < 7 {
		t.Errorf("only %d commands found", n)
	}
}

// TestShippedGrids lays out every grid that comes with an experiment.
func TestShippedGrids(t *testing.T) {
	t.Chdir(t.TempDir())
	n := 0
	for _, e := range experiments {
		for _, name := range harness.GridNames(e) {
			n++
			var out, errs bytes.Buffer
			if code := cli.Main([]string{"grid", e.Name, "--grid", name, "--scale", "smoke", "--dry-run"}, &out, &errs, experiments...); code != 0 {
				t.Errorf("%s of %s: exit code %d\n%s", name, e.Name, code, errs.String())
			}
		}
	}
	if n < 4 {
		t.Errorf("%d grids", n)
	}
}
