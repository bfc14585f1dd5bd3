package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// verify returns what Verify finds, with paths below dir.
func verify(dir string) []string {
	var out []string
	for _, d := range must(Verify(dir)) {
		out = append(out, strings.TrimPrefix(d.Error(), dir+"/"))
	}
	return out
}

// grid writes the results of a grid.
func grid(dir string) {
	root := must(os.OpenRoot(dir))
	defer root.Close()
	must(0, root.MkdirAll("grid/toy-steps", 0o777))
	head := Grid{Name: "steps", Best: &table.Table{Columns: []table.Column{{Header: "step"}}, Rows: [][]table.Cell{{table.Fixed(0.1, 1)}}}}
	files := map[string][]byte{"chosen.yaml": []byte("step: 1\n"), trialsName: []byte("rows")}
	must(record.ReplaceFolder(root, "grid/toy-steps/paper", GridIndex, head, files))
}

// TestVerify: every changed byte of every file is seen, and every file that is gone.
func TestVerify(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper", "released"), trials("other", "paper")...)
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	grid(h.dir)
	if g := h.read().Grids; len(g) != 1 || g[0].Name != "steps" || g[0].Best.Rows[0][0].Text != "0.1" {
		t.Errorf("grids %+v", g)
	}
	if found := verify(h.dir); found != nil {
		t.Fatalf("of what was just written: %q", found)
	}
	seen := 0
	for name, text := range files(h.dir) {
		path := filepath.Join(h.dir, name)
		step := max(1, len(text)/40)
		for i := 0; i < len(text); i += step {
			seen++
			b := []byte(text)
			b[i] ^= 1
			write(path, string(b))
			if found := verify(h.dir); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), name) {
				t.Errorf("byte %d of %s: %q", i, name, found)
			}
		}
		if strings.HasSuffix(name, GridIndex) && !strings.Contains(h.read().Grids[0].Problem, "its digest is not that of its content") {
			t.Error("a damaged grid is shown")
		}
		must(0, os.Remove(path))
		if found := verify(h.dir); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), name) {
			t.Errorf("%s is gone: %q", name, found)
		}
		write(path, text)
	}
	if seen < 500 {
		t.Errorf("%d changes only", seen)
	}
}

// TestVerifyTogether: a page of another report is seen, and an experiment that is gone.
func TestVerifyTogether(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper"), trials("other", "paper")...)
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	old := files(h.dir)
	h.must(h.plan(trials("toy", "paper"), "a=1"), false)
	now := files(h.dir)
	write(filepath.Join(h.dir, "index.html"), old["index.html"])
	const another = "index.html: it does not show the reports that are there; sifg report makes it again"
	if found := verify(h.dir); !slices.Equal(found, []string{another}) {
		t.Errorf("an older page: %q", found)
	}
	write(filepath.Join(h.dir, "index.html"), now["index.html"])
	must(0, os.RemoveAll(filepath.Join(h.dir, "other")))
	if found := verify(h.dir); !slices.Equal(found, []string{another}) {
		t.Errorf("an experiment is gone: %q", found)
	}
	if found := verify(filepath.Join(h.dir, "nowhere")); found != nil {
		t.Errorf("where nothing is: %q", found)
	}
}
