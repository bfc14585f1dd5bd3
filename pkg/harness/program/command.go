package program

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// shell is what only a shell reads in a word without its quoted parts: redirections, pipes, variables, a home, and a
// list of files.
var shell = regexp.MustCompile("^[0-9]*[<>&|;]|[;&|]$|[$`]|^~|^[^-=]*\\*")

// setting is a variable before a command.
var setting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// forShell returns a word of a command that only a shell reads, "" if there is none.
func forShell(command string) string {
	for i, w := range word.FindAllString(command, -1) {
		bare := quoted.ReplaceAllString(w, "")
		if shell.MatchString(bare) || i == 0 && (setting.MatchString(bare) || w == "cd") {
			return w
		}
	}
	return ""
}

// Bounds of a file that a command names, of all files in a folder, and of their number.
const (
	maxFile  = 1 << 30
	maxFiles = 10_000
)

// namedFiles are the files that a command names: a word, or what stands after its =, is a file or a folder with files;
// or the word after Python's -m is a module in the folder dir, in which it runs. Folders that are too large are large.
func namedFiles(dir string, words []string) (files, large []string) {
	for i, word := range words {
		var paths []string
		switch module := strings.ReplaceAll(word, ".", "/"); {
		case i > 1 && words[i-1] == "-m":
			paths = append(paths, module+".py", module)
		case i > 0 || strings.Contains(word, "/"): // the first is looked for in PATH
			paths = append(paths, word)
		}
		if _, value, ok := strings.Cut(word, "="); ok {
			paths = append(paths, value)
		}
		for _, path := range paths {
			path = from(dir, path)
			switch info, err := os.Stat(path); {
			case err != nil: // no file
			case info.Mode().IsRegular():
				files = append(files, path)
			case info.IsDir():
				in, err := inFolder(path)
				if files = append(files, in...); err != nil {
					large = append(large, path)
				}
			}
		}
	}
	return files, large
}

// inFolder are the files in a folder and those below, but for hidden ones and caches of Python; an error where they are
// too many or too large to look at, or cannot be read.
func inFolder(dir string) (files []string, err error) {
	size := int64(0)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != dir && strings.HasPrefix(d.Name(), ".") || d.Name() == "__pycache__" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			files, size = append(files, path), size+info.Size()
		}
		if len(files) > maxFiles || size > maxFile {
			err = errors.New("too large")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}

// depends is what a program hangs on, by name: digests of files, and of what it says itself.
type depends map[string]string

// from is a path as a program in the folder dir, which may be "", means it.
func from(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// named returns the digests of the files that a command names, by their names in the folder in which it runs.
func named(dir string, words []string) (depends, error) {
	files, large := namedFiles(dir, words)
	out, name := depends{}, func(path string) string {
		if short, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(short) {
			return short
		}
		return path
	}
	for _, path := range files {
		text, err := safe.Read(path, maxFile)
		if err != nil {
			return nil, err
		}
		out[name(path)] = fmt.Sprintf("%x", sha256.Sum256(text))[:20]
	}
	for _, path := range large {
		out[name(path)+" (too large to look into)"] = ""
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
