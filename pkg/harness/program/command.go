package program

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

var (
	word   = regexp.MustCompile(`(?s)(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+`)
	quoted = regexp.MustCompile(`(?s)\\.|'[^']*'|"(?:[^"\\]|\\.)*"`)
	inside = regexp.MustCompile("(?s)\\\\([$`\"\\\\])") // double quotes
)

// split splits a command into words as a shell does that expands nothing.
func split(command string) ([]string, error) {
	if strings.TrimSpace(word.ReplaceAllString(command, "")) != "" {
		return nil, errors.New("a quote is not closed, or the backslash at the end has nothing to quote")
	}
	all := word.FindAllString(command, -1)
	for i := range all {
		all[i] = quoted.ReplaceAllStringFunc(all[i], func(q string) string {
			switch q[0] {
			case '\\':
				return q[1:]
			case '\'':
				return q[1 : len(q)-1]
			}
			return inside.ReplaceAllString(q[1:len(q)-1], "$1")
		})
	}
	return all, nil
}

// maxFile is the size of a file that a command names, in bytes.
const maxFile = 1 << 30

// depends is what a program hangs on, by name: digests of files, and of what it says itself.
type depends map[string]string

// named returns the digests of the files that the words of a command name in the folder in which it runs, as a whole or
// after a =. The first word is looked for in PATH unless it has a /.
func named(dir string, words []string) (depends, error) {
	out := depends{}
	for i, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, name := range []string{word, value} {
			path := name
			if !filepath.IsAbs(name) {
				path = filepath.Join(dir, name)
			}
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || i == 0 && !strings.Contains(word, "/") {
				continue
			}
			text, err := safe.Read(path, maxFile)
			if err != nil {
				return nil, err
			}
			out[name] = fmt.Sprintf("%x", sha256.Sum256(text))[:20]
		}
	}
	return out, nil
}

// names are sorted.
func (d depends) names() []string { return slices.Sorted(maps.Keys(d)) }

// changed is the name of what is another than before, "" if all is the same.
func (d depends) changed(before depends) string {
	for _, name := range slices.Concat(d.names(), before.names()) {
		if d[name] != before[name] {
			return name
		}
	}
	return ""
}

// digest is the digest of all, "" of nothing.
func (d depends) digest() string {
	if len(d) == 0 {
		return ""
	}
	text, _ := json.Marshal(d) // by name
	return fmt.Sprintf("%x", sha256.Sum256(text))[:20]
}
