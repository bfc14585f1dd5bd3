package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// longest is the number of columns of a line, a tab counted as four.
const longest = 120

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestLines: no line of a Go file that is not generated is longer than 120 columns.
func TestLines(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		if d.IsDir() && (hidden || name == "results") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generated.Match(text) {
			return err
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			line := lines.Text()
			if columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); columns > longest {
				t.Errorf("%s:%d has %d columns", name, n, columns)
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
