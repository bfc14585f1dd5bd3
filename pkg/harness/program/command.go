package program

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
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

// named is a file that a word of a command names.
type named struct {
	word int
	path string
}

// Bounds of a file that a command names, of all files in a folder, and of their number.
const (
	maxFile  = 1 << 30
	maxFiles = 10_000
)

// namedFiles are the files that a command names: a word, or what stands after its =, is a file or a folder with files;
// or the word after Python's -m is a module in the working folder. Folders that are too large are left out.
func namedFiles(words []string) (files []named, left []string) {
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
			switch info, err := os.Stat(path); {
			case err != nil: // no file
			case info.Mode().IsRegular():
				files = append(files, named{i, path})
			case info.IsDir():
				in := inFolder(path)
				if in == nil {
					left = append(left, path)
				}
				for _, file := range in {
					files = append(files, named{i, file})
				}
			}
		}
	}
	return files, left
}

// inFolder are the files in a folder and those below, but for hidden ones and caches of Python; nil where they are too
// many or too large to look at, or cannot be read.
func inFolder(dir string) (files []string) {
	files, size := []string{}, int64(0)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(d.Name(), ".") || d.Name() == "__pycache__":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = append(files, path), size+info.Size()
		if len(files) > maxFiles || size > maxFile {
			return errors.New("too large")
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return files
}

// digestOf returns the digest of files that a command names, "" of none.
func (p *Program) digestOf(files []named) (string, error) {
	all := sha256.New()
	for _, f := range files {
		text, err := safe.Read(f.path, maxFile)
		if err != nil {
			return "", err
		}
		if f.path != p.Command[f.word] {
			fmt.Fprintf(all, "%s ", f.path)
		}
		fmt.Fprintf(all, "%d %d\n%s", f.word, len(text), text)
	}
	if len(files) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:10]), nil
}

// words are the files among those that a command names that are words of it. Others, such as a folder, may be where a
// program writes.
func (p *Program) words() []named {
	return slices.DeleteFunc(slices.Clone(p.files), func(f named) bool { return f.path != p.Command[f.word] })
}

// unchanged returns an error if a file that is a word of the command is no longer what it was when the run began.
func (p *Program) unchanged() error {
	digest, err := p.digestOf(p.words())
	if err == nil && digest == p.known {
		return nil
	}
	var names []string
	for _, f := range p.words() {
		names = append(names, f.path)
	}
	text := strings.Join(names, " or ") + " changed since the run began"
	if err != nil {
		text += ": " + err.Error()
	}
	return errors.New(text)
}

// with adds what a program says that it hangs on to the digest of the files that its command names.
func (f First) with(digest string) string {
	if len(f.Depends) == 0 {
		return digest
	}
	all := sha256.New()
	fmt.Fprintln(all, digest)
	for _, name := range f.names() {
		fmt.Fprintf(all, "%q %q\n", name, f.Depends[name])
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:10])
}

// Looked says in one line which edits are seen: those of files that the command names, and of what the program says
// that it hangs on.
func (p *Program) Looked() string {
	var names []string
	for _, f := range p.files {
		names = append(names, safe.Text(f.path))
	}
	for _, name := range p.First.names() {
		if name = safe.Text(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 12
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	text := "nothing"
	if names != nil {
		text = strings.Join(names, ", ")
	}
	text = fmt.Sprintf("%s: looked at %s", p, text)
	if p.left != nil {
		text += "; not at " + safe.Text(strings.Join(p.left, ", ")) + ", which is too large"
	}
	if p.First.Depends == nil {
		text += "; edits of what it imports or reads are not seen: give it another version with them"
	}
	return text
}
