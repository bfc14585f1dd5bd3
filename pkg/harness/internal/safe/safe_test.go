package safe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// places makes one file of each kind in a folder.
func places(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("12345"), 0o666),
		os.WriteFile(at("empty"), nil, 0o666),
		os.WriteFile(at("huge"), nil, 0o666),
		os.Truncate(at("huge"), 1<<42),
		os.Mkdir(at("folder"), 0o777),
		syscall.Mkfifo(at("pipe"), 0o666),
		os.Symlink("file", at("link")),
		os.Symlink("pipe", at("to-pipe")),
		os.Symlink("loop", at("loop")),
		os.Symlink("/dev/zero", at("zero")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := places(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]struct {
		text   string
		words  string // of the error; "": none
		inRoot string // where it is another inside a root
	}{
		"file":    {text: "12345"},
		"link":    {text: "12345"},
		"empty":   {},
		"huge":    {words: "4398046511104 bytes, want at most 5"},
		"folder":  {words: "not a regular file"},
		"pipe":    {words: "not a regular file"},
		"to-pipe": {words: "not a regular file"},
		"loop":    {words: "too many levels of symbolic links"},
		"zero":    {words: "not a regular file", inRoot: "path escapes from parent"},
		"absent":  {words: "no such file"},
	} {
		for where, read := range map[string]func() ([]byte, error){
			"path": func() ([]byte, error) { return Read(filepath.Join(dir, name), 5) },
			"root": func() ([]byte, error) { return ReadIn(root, name, 5) },
		} {
			t.Run(where+"/"+name, func(t *testing.T) {
				b, err := read() // the time limit of tests ends one that hangs
				words := want.words
				if where == "root" && want.inRoot != "" {
					words = want.inRoot
				}
				if words == "" {
					if err != nil || string(b) != want.text {
						t.Fatalf("%q, %v", b, err)
					}
					return
				}
				var p *fs.PathError
				if !errors.As(err, &p) || !strings.Contains(err.Error(), words) || !strings.HasSuffix(p.Path, name) {
					t.Errorf("%v, want a PathError of %s that says %q", err, name, words)
				}
				if errors.Is(err, fs.ErrNotExist) != (name == "absent") {
					t.Errorf("%v: of the wrong kind", err)
				}
			})
		}
	}
}

func TestReadLimit(t *testing.T) {
	dir := places(t)
	refused := func(err error) bool { return err != nil && strings.Contains(err.Error(), "want at most") }
	if _, err := Read(filepath.Join(dir, "file"), 4); !refused(err) {
		t.Errorf("5 bytes are read where 4 are allowed: %v", err)
	}
	// The size of a file of the kernel is 0 whatever it contains.
	if _, err := Read("/proc/self/status", 10); !refused(err) {
		t.Errorf("a file that says nothing of its size is read beyond the limit: %v", err)
	}
	if b, err := Read("/proc/self/status", 1<<20); err != nil || len(b) == 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"Tüfekci (2014), 10 °C":     "Tüfekci (2014), 10 °C",
		"\x1b[31mred\x1b]0;title\a": `\x1b[31mred\x1b]0;title\a`,
		"two\nlines\r\tand\x00":     `two\nlines\r\tand\x00`,
		"\x9b1m\xff":                `\x9b1m\xff`,
		"\u009b1m":                  `\u009b1m`,
		"right\u202eleft\u200b":     `right\u202eleft\u200b`,
		`a\nb "q"`:                  `a\nb "q"`,
		"no\u00a0break \ufffd":      "no\u00a0break \ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q becomes %s, want %s", in, got, want)
		}
		if again := Text(want); again != want {
			t.Errorf("%s becomes %s when it is written again", want, again)
		}
	}
}
