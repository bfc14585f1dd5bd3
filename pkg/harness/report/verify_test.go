package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// verify returns what Verify finds, with paths below dir.
func verify(t *testing.T, dir string) []string {
	t.Helper()
	found, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range found {
		out = append(out, strings.TrimPrefix(d.Error(), dir+"/"))
	}
	return out
}

// grid writes the results of a grid.
func grid(t *testing.T, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll("grid/toy-steps", 0o777); err != nil {
		t.Fatal(err)
	}
	head := Grid{Name: "steps", Best: &table.Table{Columns: []table.Column{{Header: "step"}}, Rows: [][]table.Cell{{table.Fixed(0.1, 1)}}}}
	if _, err := record.ReplaceFolder(root, "grid/toy-steps/paper", GridIndex, head, map[string][]byte{"chosen.yaml": []byte("step: 1\n"), trialsName: []byte("rows")}); err != nil {
		t.Fatal(err)
	}
}

// TestVerify: every changed byte of every file is seen, and every file that is gone.
func TestVerify(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper", "released"), trials("other", "paper")...)
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	grid(t, h.dir)
	if g := h.read().Grids; len(g) != 1 || g[0].Name != "steps" || g[0].Best.Rows[0][0].Text != "0.1" {
		t.Errorf("grids %+v", g)
	}
	if found := verify(t, h.dir); found != nil {
		t.Fatalf("of what was just written: %q", found)
	}
	seen := 0
	for name, text := range files(t, h.dir) {
		path := filepath.Join(h.dir, name)
		step := max(1, len(text)/40)
		for i := 0; i < len(text); i += step {
			seen++
			b := []byte(text)
			b[i] ^= 1
			write(t, path, string(b))
			if found := verify(t, h.dir); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), name) {
				t.Errorf("byte %d of %s: %q", i, name, found)
			}
		}
		if strings.HasSuffix(name, GridIndex) && !strings.Contains(h.read().Grids[0].Problem, "its digest is not that of its content") {
			t.Error("a damaged grid is shown")
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if found := verify(t, h.dir); len(found) == 0 || !strings.Contains(found[0], name) {
			t.Errorf("%s is gone: %q", name, found)
		}
		write(t, path, text)
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
	old := files(t, h.dir)
	h.must(h.plan(trials("toy", "paper"), "a=1"), false)
	write(t, filepath.Join(h.dir, "index.html"), old["index.html"])
	if found := verify(t, h.dir); len(found) != 1 || !strings.Contains(found[0], "it does not show the toy/report.json that is there; sifg report makes it again") {
		t.Errorf("an older page: %q", found)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, "other")); err != nil {
		t.Fatal(err)
	}
	if found := verify(t, h.dir); len(found) != 2 || found[1] != "other/report.json: missing, and the page shows it" {
		t.Errorf("an experiment is gone: %q", found)
	}
	if found := verify(t, filepath.Join(h.dir, "nowhere")); found != nil {
		t.Errorf("where nothing is: %q", found)
	}
}
