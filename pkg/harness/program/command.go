package program

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// Bounds of a file or a folder that a command names: its bytes, and its files.
const (
	maxFile  = 1 << 30
	maxFiles = 10_000
)

// depends is what a program hangs on, by name: digests of files, and of what it says itself.
type depends map[string]string

// from is a path as a program in the folder dir, which may be "", means it.
func from(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// named returns the digests of the files that a command names, by their names in the folder in which it runs: a word,
// or what stands after its =, is a file or a folder with files; or the word after Python's -m is a module there.
func named(dir string, words []string) (out depends, err error) {
	out = depends{}
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
			if short, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(short) {
				path = short
			}
			err = cmp.Or(err, out.add(dir, path))
		}
	}
	return out, err
}

// add adds the file or the folder of this name, if it is one: all its files but for hidden ones and caches of Python,
// or, without a digest, why a folder is not looked into. The error is that of a file that cannot be read.
func (d depends) add(dir, name string) error {
	root, err := filepath.EvalSymlinks(from(dir, name))
	if err != nil || name == "" {
		return nil // a word that names no file
	}
	found, size := map[string]string{}, int64(0) // paths
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		key := name
		switch {
		case err != nil:
			return err
		case path == root:
		case strings.HasPrefix(e.Name(), ".") || e.Name() == "__pycache__":
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		default:
			key = filepath.Join(name, strings.TrimPrefix(path, root))
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		found[key] = path
		if size += info.Size(); path != root && (size > maxFile || len(found) > maxFiles) {
			return errors.New("too large to look into")
		}
		return nil
	})
	if err != nil {
		d[fmt.Sprintf("%s (%v)", name, err)] = ""
		return nil
	}
	for key, path := range found {
		text, wrong := safe.Read(path, maxFile)
		err = cmp.Or(err, wrong)
		d[key] = fmt.Sprintf("%x", sha256.Sum256(text))[:20]
	}
	return err
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
