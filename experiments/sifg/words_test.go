package main

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	votes  = regexp.MustCompile(`(better|equal|worse|lower|higher) in \d+|of \d+ comparisons`)
	boasts = regexp.MustCompile(`(?i)\b(nowhere|never|leads|wins|beats)\b`)
	unread = regexp.MustCompile(`(?s)<(style|script)\b.*?</(style|script)>|<[^>]*>`)
)

// texts returns the text of all pages and tables of the committed results, by path.
func texts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(0, fs.WalkDir(os.DirFS(results), ".", func(path string, _ fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".html":
			text := string(must(os.ReadFile(filepath.Join(results, path))))
			out[path] = html.UnescapeString(unread.ReplaceAllString(text, " "))
		case ".md", ".csv":
			out[path] = string(must(os.ReadFile(filepath.Join(results, path))))
		}
		return err
	}))
	return out
}

// TestPlainWords: no document and nothing generated says that a method leads, wins, beats, or is never or nowhere
// anything, which three audits found untrue of a set of problems. Documents do not add up comparisons of different
// problems either; the paper's claims that do are checked as they stand.
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
}
