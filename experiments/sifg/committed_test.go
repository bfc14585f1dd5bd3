package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// TestCommittedResults: sifg compare reads the committed report, and prints the whole of the printed table and every claim; the page is
// small enough to be sent.
func TestCommittedResults(t *testing.T) {
	results := filepath.Join("..", "..", "results")
	var out, errs bytes.Buffer
	if code := cli.Main([]string{"compare", "--results", results, "--protocol", "all"}, &out, &errs, experiments...); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, e := range experiments {
		for _, c := range e.Claims {
			if !strings.Contains(out.String(), c.Statement) {
				t.Errorf("claim %s is not printed: %s", c.ID, c.Statement)
			}
		}
		cells := max(0, bytes.Count(e.Published, []byte("\n"))-1)
		for _, protocol := range []string{"paper", "released", "matched", "standard"} {
			if _, err := os.Stat(filepath.Join(results, e.Name, protocol, "run.json")); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			_, rows, _ := strings.Cut(out.String(), e.Name+", protocol "+protocol)
			rows, _, _ = strings.Cut(rows, "\n\n")
			if lines := strings.Count(rows, "\n"); lines < cells {
				t.Errorf("%s, %s: %d lines for %d printed numbers", e.Name, protocol, lines, cells)
			}
		}
	}
	if page, err := os.Stat(filepath.Join(results, "index.html")); err != nil || page.Size() > 5<<20 {
		t.Errorf("the page: %v, %v", page, err)
	}
}
