package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
)

// TestGridDocumentation writes the files that docs/grids.md shows (those that begin with their name in a comment) and
// runs its commands one after another in one folder.
func TestGridDocumentation(t *testing.T) {
	long(t, "runs the grids of the documents")
	text := document(t, "docs/grids.md")
	t.Chdir(t.TempDir())
	for _, block := range regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(block[1], []byte(block[2]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    sifg ") {
			n++
			command(t, words(small(line))[1:]...)
		}
	}
	if n < 5 {
		t.Errorf("only %d commands found", n)
	}
}

// TestShippedGrids lays out every grid that comes with an experiment. What it selects by is a metric that the
// experiment describes.
func TestShippedGrids(t *testing.T) {
	long(t, "plans every grid")
	t.Chdir(t.TempDir())
	n := 0
	for _, e := range experiments {
		if e.Grids == nil {
			continue
		}
		for _, file := range must(fs.Glob(e.Grids, "grids/*.yaml")) {
			n++
			spec := must(grid.ReadSpec(file, must(fs.ReadFile(e.Grids, file))))
			_, metric, _ := strings.Cut(spec.Select, " ")
			metric, _, _ = strings.Cut(metric, "[")
			near := spec.Select == "near published" && e.Published != nil
			if !near && !slices.ContainsFunc(e.Metrics, func(m harness.Metric) bool { return m.Name == metric }) {
				t.Errorf("%s of %s selects by %q, which is no metric of it", file, e.Name, spec.Select)
			}
			command(t, "grid", e.Name, "--grid", strings.TrimSuffix(path.Base(file), ".yaml"), "--scale", "smoke",
				"--dry-run")
		}
	}
	if n < 4 {
		t.Errorf("%d grids", n)
	}
}
