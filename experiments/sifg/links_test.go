package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
	inCode   = regexp.MustCompile(`\bdocs/[a-z-]+\.md(?:#[^\s"')\\]+)?`)
	claimed  = regexp.MustCompile(`\b[Cc]laims? (T?\d+[a-z]?)\b|\b(T\d+)\b`)
	lettered = strings.NewReplacer("`", "", "*", "", "[", "", "]", "")
)

// anchors returns what a link to a document may name after #, by GitHub's rule.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, lettered.Replace(h[1]))
		out[slug] = true
	}
	return out
}

// documents returns the Markdown files that people write, by their path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range must(filepath.Glob("../../*.md")) {
		out[filepath.Base(name)] = string(must(os.ReadFile(name)))
	}
	root := os.DirFS("../..")
	for _, folder := range []string{"docs", "datasets", "experiments"} {
		must(0, fs.WalkDir(root, folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				out[path] = string(must(fs.ReadFile(root, path)))
			}
			return err
		}))
	}
	return out
}

// TestLinks: every link of a document to a file or a heading leads there.
func TestLinks(t *testing.T) {
	all := documents(t)
	for path, text := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			to, anchor, named := strings.Cut(m[1], "#")
			target := path
			if to != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), to))
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			} else if named && !anchors(all[target])[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", path, m[1])
			}
		}
	}
}

// TestClaimsInDocuments: claims that documents name by their number exist.
func TestClaimsInDocuments(t *testing.T) {
	known := map[string]bool{}
	for _, e := range experiments {
		for _, c := range e.Claims() {
			known[c.ID] = true
		}
	}
	for path, text := range documents(t) {
		for _, m := range claimed.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if id := m[1] + m[2]; !known[id] {
				t.Errorf("%s names claim %s, which there is not (%q)", path, id, m[0])
			}
		}
	}
}

// TestDocumentsInCode: documents and headings that code names exist.
func TestDocumentsInCode(t *testing.T) {
	all, root := documents(t), os.DirFS("../..")
	for _, folder := range []string{"datasets", "docs", "experiments", "pkg", "scripts"} {
		must(0, fs.WalkDir(root, folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".yaml") {
				return err
			}
			for _, m := range inCode.FindAllString(string(must(fs.ReadFile(root, path))), -1) {
				name, anchor, named := strings.Cut(m, "#")
				if text, there := all[name]; !there || named && !anchors(text)[anchor] {
					t.Errorf("%s names %s, which there is not", path, m)
				}
			}
			return nil
		}))
	}
}
