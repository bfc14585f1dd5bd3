package main

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	// noProse matches what is no prose of a document: code, addresses, and names of files and keys.
	noProse  = regexp.MustCompile("(?ms)^```.*?^```|^ {4}.*?$|`[^`]*`|\\]\\([^)]*\\)")
	yamlKey  = regexp.MustCompile(`(?m)^[\s-]*[\w-]+:|#.*$|[*&][\w-]+$`)
	noText   = regexp.MustCompile("(?m)^\\s*//.*$|`[^`]*`|'\"'")
	message  = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`) // a string of Go
	yamlText = regexp.MustCompile(`(?m)^\s*(?:title|note|incomparable): .*$`)
)

// readable returns the texts that people read, by where they stand: documents, help, captions, messages.
func readable(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for path, text := range documents(t) {
		if path == "README.md" || strings.HasPrefix(path, "docs/") {
			out[path] = noProse.ReplaceAllString(text, " ")
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) +\w.*$`).FindAllStringSubmatch(command(t, "--help"), -1) {
		out["sifg "+m[1]+" --help"] = command(t, m[1], "--help")
	}
	for _, path := range append(must(filepath.Glob("../*/*.yaml")), "../../pkg/study/density/words.yaml") {
		text := string(must(os.ReadFile(path)))
		if filepath.Base(path) != "words.yaml" {
			text = strings.Join(yamlText.FindAllString(text, -1), "\n")
		}
		out[path] = yamlKey.ReplaceAllString(text, " ")
	}
	out["page.html"] = regexp.MustCompile(`(?s)\{\{.*?\}\}|<[^>]*>`).ReplaceAllString(
		string(must(os.ReadFile("../../pkg/harness/page/page.html"))), " ")
	for _, s := range sources(t) {
		if !s.test && !strings.HasPrefix(s.name, "scripts/") {
			for _, text := range message.FindAllString(noText.ReplaceAllString(string(s.text), ""), -1) {
				if strings.Contains(strings.Trim(text, "\" "), " ") { // as sentences and labels have
					out[s.name] += text + "\n"
				}
			}
		}
	}
	return out
}

// TestTerms: what people read is in the field's terms.
func TestTerms(t *testing.T) {
	texts := readable(t)
	for _, path := range []string{"README.md", "sifg run --help", "../gmm/words.yaml", "../gmm/gmm.yaml"} {
		if len(texts[path]) < 100 {
			t.Errorf("%s is not read", path)
		}
	}
	ordinary := strings.NewReplacer("power law", "", "radient ascent", "", "judge:", "", "judge.", "")
	for line := range strings.Lines(string(must(os.ReadFile("testdata/terms.txt")))) {
		pattern, term, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found {
			continue
		}
		re := regexp.MustCompile(`(?i)(?:^|[^\w-])(?:` + strings.ReplaceAll(pattern, " ", `\s+`) + `)(?:[^\w-]|$)`)
		for path, text := range texts {
			text = ordinary.Replace(text)
			for _, at := range re.FindAllStringIndex(text, -1) {
				t.Errorf("%s: %q; the field says: %s", path, text[max(0, at[0]-30):min(len(text), at[1]+30)], term)
			}
		}
	}
}

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
