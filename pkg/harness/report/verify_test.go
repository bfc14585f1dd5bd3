package report

import (
	"fmt"
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
	found := must(Verify(dir))
	if found.Foreign != nil {
		panic(fmt.Sprint(found.Foreign))
	}
	for _, d := range found.Damaged {
		out = append(out, strings.TrimPrefix(d.Error(), dir+"/"))
	}
	return out
}

// grid writes the results of a grid.
func grid(dir, name string) {
	head := &Grid{
		Name: name, Experiment: "toy", Protocol: "paper",
		Best: &table.Table{Columns: []table.Column{{Header: "step"}}, Rows: [][]table.Cell{{table.Fixed(0.1, 1)}}},
	}
	files := map[string][]byte{"chosen.yaml": []byte("step: 1\n"), trialsName: []byte("rows")}
	_, _, err := PutGrid(dir, "toy-"+name, "paper", head, files, func(*os.Root, string) bool { return false })
	must(0, err)
}

// TestVerify: every changed byte of the page is seen; the bytes of sealed folders are record's. A grid is read back,
// unless it is damaged.
func TestVerify(t *testing.T) {
	h := newHouse(t, "toy")
	all := trials("toy", "paper", "released")
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	grid(h.dir, "steps")
	if g := h.read().Grids; len(g) != 1 || g[0].Name != "steps" || g[0].Best.Rows[0][0].Text != "0.1" {
		t.Errorf("grids %+v", g)
	}
	if found := verify(h.dir); found != nil {
		t.Fatalf("of what was just written: %q", found)
	}
	path := filepath.Join(h.dir, "index.html")
	page := must(os.ReadFile(path))
	for i := range page {
		page[i] ^= 1
		write(path, string(page))
		if found := verify(h.dir); len(found) != 1 || !strings.HasPrefix(found[0], "index.html: ") {
			t.Errorf("byte %d: %q", i, found)
		}
		page[i] ^= 1
	}
	write(filepath.Join(h.dir, "grid/toy-steps/paper", GridIndex), "{}")
	if g := h.read().Grids; !strings.Contains(g[0].Problem, "bytes are too few") {
		t.Errorf("a damaged grid is shown: %+v", g)
	}
}

// TestCellTitle: the drawing of a cell is named by the row that has its problem and method.
func TestCellTitle(t *testing.T) {
	best := &table.Table{Rows: [][]table.Cell{{table.Text("gmm-10d"), table.Text("ada-gwg")}}}
	for name, want := range map[string]string{"gmm-10d-ada-gwg": "gmm-10d, Ada-GWG", "other": "other"} {
		if got := cellTitle(best, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
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
	another := []string{"index.html: its SHA-256 is not the one in manifest.json"}
	if found := verify(h.dir); !slices.Equal(found, another) {
		t.Errorf("an older page: %q", found)
	}
	write(filepath.Join(h.dir, "index.html"), now["index.html"])
	must(0, os.RemoveAll(filepath.Join(h.dir, "other")))
	if found := verify(h.dir); !slices.Equal(found, []string{"other/report.json: missing"}) {
		t.Errorf("an experiment is gone: %q", found)
	}
	if found := verify(filepath.Join(h.dir, "nowhere")); found != nil {
		t.Errorf("where nothing is: %q", found)
	}
}
