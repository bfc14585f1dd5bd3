package main

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var (
	votes     = regexp.MustCompile(`(better|equal|worse|lower|higher) in \d+|of \d+ comparisons`)
	boasts    = regexp.MustCompile(`(?i)\b(nowhere|never|leads|wins|beats)\b`)
	unread    = regexp.MustCompile(`(?s)<(style|script)\b.*?</(style|script)>|<[^>]*>`)
	undecided = regexp.MustCompile(`^(open|equal) [−\d]`)
)

// texts returns the text of all pages and tables of the committed results, by path.
func texts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(results), ".", func(path string, _ fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".html":
			text := string(must(os.ReadFile(filepath.Join(results, path))))
			out[path] = html.UnescapeString(unread.ReplaceAllString(text, " "))
		case ".md", ".csv":
			out[path] = string(must(os.ReadFile(filepath.Join(results, path))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPlainWords: no document and nothing generated says that a method leads, wins, beats, or is never or nowhere
// anything, which three audits found untrue of a set of problems. Documents and findings do not add up comparisons of
// different problems either; the paper's claims that do are checked as they stand.
func TestPlainWords(t *testing.T) {
	long(t, "reads all documents and all that is generated")
	all := documents(t)
	if all["README.md"] == "" || all["docs/findings.md"] == "" {
		t.Error("README.md and docs/findings.md are not read")
	}
	for path, text := range all {
		if found := votes.FindString(text) + boasts.FindString(text); found != "" {
			t.Errorf("%s says %q", path, found)
		}
	}
	pages := texts(t)
	for _, name := range []string{"index.html", "comparison.html", "claims.html", "grids.html"} {
		if len(pages[name]) < 1000 {
			t.Errorf("%s has %d characters of text", name, len(pages[name]))
		}
	}
	for path, text := range pages {
		if found := boasts.FindString(text); found != "" {
			t.Errorf("results/%s says %q", path, found)
		}
	}
	rep := must(report.Read(results, experiments))
	for _, x := range rep.Experiments {
		for _, f := range x.Findings {
			if found := votes.FindString(f.Title + " " + f.Text); found != "" {
				t.Errorf("a finding of %s counts votes: %q", x.Name, found)
			}
		}
	}
}

// TestPower: beside every comparison that is open or equal, wherever the committed results show it, stands the smallest
// lead that would have been seen, or why there is none.
func TestPower(t *testing.T) {
	long(t, "reads all reports")
	shown, cells := 0, 0
	said := func(where string, made *table.Table) {
		if made == nil {
			return
		}
		for _, c := range made.Comparisons {
			if c.Verdict != "open" && c.Verdict != "equal" {
				continue
			}
			if shown++; !(c.Seen > 0) && c.Lost+c.RivalLost == 0 {
				t.Errorf("%s: %s against %s on %s is %s, and there is no lead", where, c.Method, c.Rival, c.Problem,
					c.Verdict)
			}
		}
		for _, row := range made.Rows {
			for _, cell := range row {
				if !undecided.MatchString(cell.Text) {
					continue
				}
				if cells++; !strings.Contains(cell.Text, ", sees ") {
					t.Errorf("%s: %q has no lead", where, cell.Text)
				}
			}
		}
	}
	rep := must(report.Read(results, experiments))
	for _, x := range rep.Experiments {
		for _, f := range x.Findings {
			said("a finding of "+x.Name, f.Table)
		}
		for _, p := range x.Protocols {
			for _, made := range p.Tables {
				said(x.Name+"/"+p.Name+"/"+made.Name, made.Table)
			}
		}
	}
	if shown < 150 || cells < 150 {
		t.Errorf("%d comparisons and %d cells are open or equal", shown, cells)
	}
	header := must(os.ReadFile(filepath.Join(results, "comparisons.csv")))
	if first, _, _ := strings.Cut(string(header), "\n"); !strings.Contains(first, ",Verdict,at margin 0,Sees,") {
		t.Errorf("comparisons.csv has the columns %s", first)
	}
}
