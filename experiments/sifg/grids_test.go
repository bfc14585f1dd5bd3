package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
)

// byName returns an experiment of this program.
func byName(t *testing.T, name string) experiment {
	t.Helper()
	e := harness.ByName(experiments, name)
	if e == nil {
		t.Fatalf("there is no experiment %s", name)
	}
	return e
}

// TestGridDocumentation writes the files that docs/grids.md shows (those that begin with their name in a comment) and
// runs its commands one after another in one folder.
func TestGridDocumentation(t *testing.T) {
	long(t, "runs the grids of the documents")
	text := document(t, "docs/grids.md")
	t.Chdir(t.TempDir())
	for _, block := range regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		must(0, os.WriteFile(block[1], []byte(block[2]), 0o666))
	}
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    sifg ") {
			n++
			line = small(line)
			if strings.Contains(line, " gmm ") && !strings.Contains(line, "--problems") {
				line += " --problems gmm-2d" // alone, to be fast
			}
			command(t, words(line)[1:]...)
		}
	}
	if n < 5 {
		t.Errorf("only %d commands found", n)
	}
}

// choices are the grids that chose settings of a protocol, of which the choice alone was kept.
var choices = []string{
	"hmc/posteriors", "paper/meg-ica", "step/svgd", "tune/posteriors",
}

// shippedAs returns the name of the grid that comes with an experiment and has these results, which may be named after
// a part of it: printed-ada-sifg is of printed. "" if there is none.
func shippedAs(e experiment, results string) (name string) {
	for _, shipped := range grid.Shipped(e) {
		if (results == shipped || strings.HasPrefix(results, shipped+"-")) && len(shipped) > len(name) {
			name = shipped
		}
	}
	return name
}

// TestCommittedGrids: every grid that comes with an experiment is laid out, and its results are committed, but for some
// choices. No other grid has results.
func TestCommittedGrids(t *testing.T) {
	long(t, "plans every grid")
	root := must(filepath.Abs(results))
	t.Chdir(t.TempDir())
	shipped := map[string]bool{}
	for _, e := range experiments {
		for _, name := range grid.Shipped(e) {
			shipped[name+"/"+e.Name] = true
			command(t, "grid", e.Name, "--grid", name, "--scale", "smoke", "--dry-run")
			spec := must(grid.Find(e, name))
			if _, err := grid.Ask(name, spec.Select, e); err != nil {
				t.Error(err)
			}
		}
	}
	committed := map[string]bool{}
	for _, dir := range must(filepath.Glob(filepath.Join(root, "grid/*/*"))) {
		name := filepath.ToSlash(must(filepath.Rel(filepath.Join(root, "grid"), dir)))
		committed[name] = true
		if shippedAs(byName(t, filepath.Base(dir)), filepath.Dir(name)) == "" {
			t.Errorf("results/grid/%s is of no grid that comes with the experiment", name)
		}
	}
	for name := range shipped {
		if committed[name] == slices.Contains(choices, name) {
			t.Errorf("the grid %s: committed results %v", name, committed[name])
		}
	}
}

// TestChosenIsUsed: protocols have the settings that their committed grids chose: the score of the best cell is that of
// the settings in use, which TestCommittedResults takes from the YAML. Ada-SIFG on monomial gamma has its second cell,
// as the first lost four of 20 tries.
func TestChosenIsUsed(t *testing.T) {
	for _, dir := range strings.Fields("tuned/gmm/tuned halving/gmm/tuned tuned/monomial-gamma/tuned " +
		"halving/meg-ica/tuned halving/uci-bnn/tuned printed/uci-bnn/released") {
		text := string(must(os.ReadFile(filepath.Join(results, "grid", dir, "best.md"))))
		head, score, used := []string(nil), 0, 0
		for line := range strings.Lines(text) {
			cells := strings.Split(line, "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			switch {
			case head == nil:
				head, score, used = cells, slices.Index(cells, "best configuration")+1, slices.Index(cells, "in use")
			case len(cells) == len(head) && !strings.Contains(line, "---") && cells[score] != cells[used]:
				if dir != "tuned/monomial-gamma/tuned" || cells[2] != "Ada-SIFG" {
					t.Errorf("%s: the best cell of %s on %s scores %s, that in use %s", dir, cells[2], cells[1],
						cells[score], cells[used])
				}
			}
		}
		if score < 1 || used < 1 {
			t.Errorf("%s/best.md has the columns %q", dir, head)
		}
	}
}
