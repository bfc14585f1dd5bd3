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
	for name, want := range map[string]string{ // the contents, or what the error says
		"file": "12345", "link": "12345", "empty": "", "huge": "4398046511104 bytes, want at most 5",
		"folder": "not a regular file", "pipe": "not a regular file", "to-pipe": "not a regular file",
		"zero": "not a regular file", "loop": "too many levels of symbolic links", "absent": "no such file",
	} {
		b, err := Read(filepath.Join(dir, name), 5) // the time limit of tests ends one that hangs
		in, inErr := ReadIn(root, name, 5)
		if name == "zero" && (inErr == nil || !strings.Contains(inErr.Error(), "path escapes from parent")) {
			t.Errorf("a link out of the root: %v", inErr)
		} else if name != "zero" && (string(in) != string(b) || (inErr == nil) != (err == nil)) {
			t.Errorf("%s: %q (%v), inside a root %q (%v)", name, b, err, in, inErr)
		}
		got, p := string(b), (*fs.PathError)(nil)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || err != nil && (!errors.As(err, &p) || !strings.HasSuffix(p.Path, name)) ||
			errors.Is(err, fs.ErrNotExist) != (name == "absent") {
			t.Errorf("%s: %q, %v, want %q", name, b, err, want)
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
