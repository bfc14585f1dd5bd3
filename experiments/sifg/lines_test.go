package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const (
	widest  = 120 // columns of a line, a tab counted as four
	longest = 70  // lines of a function that is no test, and not of the generator of assembly, which is a long listing
)

// budgets are how many lines of Go people wrote in a folder, without tests and what is generated. None may rise: who
// adds more than fits says what goes.
var budgets = []struct {
	folder string
	lines  int
}{
	{"pkg/harness", 14_000},
	{"pkg/study", 2_100},
	{"experiments", 8_531},
	{"pkg/sifg", 16_199},
	{"", 41_460}, // with scripts and docs/templates
}

// All tests, and the words of README and the documents.
const (
	testBudget = 29_970
	wordBudget = 9_564
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// source is a Go file that somebody wrote.
type source struct {
	name  string // below the root
	text  []byte
	lines int
	test  bool
}

func sources(t *testing.T) (out []source) {
	t.Helper()
	root := filepath.Join("..", "..")
	must(0, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != "." || name == "results" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && !generated.Match(text) {
			test := strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/")
			out = append(out, source{name, text, bytes.Count(text, []byte("\n")), test})
		}
		return err
	}))
	return out
}

// TestBudgets: no folder has more lines than its budget, and README and the documents have no more words than theirs.
func TestBudgets(t *testing.T) {
	within := func(what string, n, most int) {
		if t.Logf("%s: %d of %d", what, n, most); n > most {
			t.Errorf("%s: %d, want at most %d", what, n, most)
		}
	}
	all, tests, words := sources(t), 0, 0
	for _, f := range all {
		if f.test {
			tests += f.lines
		}
	}
	within("lines of tests", tests, testBudget)
	for path, text := range documents(t) {
		if path == "README.md" || strings.HasPrefix(path, "docs/") {
			for _, word := range strings.Fields(text) { // "|" and "·" are none
				if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
					words++
				}
			}
		}
	}
	within("words of documents", words, wordBudget)
	for _, b := range budgets {
		n := 0
		for _, f := range all {
			if !f.test && (b.folder == "" || strings.HasPrefix(f.name, b.folder+"/")) {
				n += f.lines
			}
		}
		within("lines in "+strconv.Quote(b.folder), n, b.lines)
	}
}

// TestLines: no line of a Go file is too wide, and no function too long.
func TestLines(t *testing.T) {
	for _, f := range sources(t) {
		n := 0
		for line := range strings.Lines(string(f.text)) {
			n++
			line = strings.TrimSuffix(line, "\n")
			if columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); columns > widest {
				t.Errorf("%s:%d has %d columns", f.name, n, columns)
			}
		}
		if f.test || strings.HasPrefix(f.name, "pkg/sifg/internal/simd/gen/") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, f.name, f.text, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		for _, d := range parsed.Decls {
			body, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := 1 + set.Position(body.End()).Line - set.Position(body.Pos()).Line; n > longest {
				t.Errorf("%s: %s has %d lines", f.name, body.Name.Name, n)
			}
		}
	}
}
