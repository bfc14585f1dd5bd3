package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
