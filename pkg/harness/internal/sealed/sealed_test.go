package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// head is the head of the test's folders.
type head struct {
	Title string `json:"title"`
	Index
}

var someFiles = map[string][]byte{"a.txt": []byte("alpha"), "b.txt": []byte("beta"), "empty": nil}

// sealed returns a root with a sealed folder "x" of title and someFiles.
func sealed(t *testing.T, title string) *os.Root {
	t.Helper()
	root := must(os.OpenRoot(t.TempDir()))
	t.Cleanup(func() { root.Close() })
	must(0, errors.Join(root.Mkdir("x", 0o777), Write(root, "x", "index.json", &head{Title: title}, someFiles)))
	return root
}

// title returns the title of the folder "x" after checking all of it.
func title(root *os.Root) (string, error) {
	var h head
	f, err := Open(root, "x", "index.json", &h, true)
	if err != nil {
		return "", err
	}
	if found, err := f.Check(); err != nil || len(found) > 0 {
		return "", errors.Join(fmt.Errorf("%v", found), err)
	}
	return h.Title, nil
}

func TestSealedFolder(t *testing.T) {
	root := sealed(t, "<&> \u2028")
	var h head
	f, err := Open(root, "x", "index.json", &h, true)
	if err != nil || h.Title != "<&> \u2028" || len(f.Files) != 3 {
		t.Fatalf("%+v, %+v, error %v", h, f, err)
	}
	for name, want := range someFiles {
		if got, err := f.Read(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
	if _, err := f.Read("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not listed: error %v", err)
	}
	must(0, root.WriteFile("x/mine.txt", nil, 0o666))
	if names, err := f.Foreign(); err != nil || !slices.Equal(names, []string{"mine.txt"}) {
		t.Errorf("foreign: %v, error %v", names, err)
	}
	_, err = Open(root, "none", "index.json", &h, true)
	if !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a folder that is not there: error %v", err)
	}
}

// An index that somebody sealed cannot name anything outside its folder, itself, or what no program of ours writes.
func TestForgedIndex(t *testing.T) {
	root := sealed(t, "x")
	for name, list := range map[string][]File{
		"outside":    {{Name: "../a"}},
		"absolute":   {{Name: "/etc/passwd"}},
		"itself":     {{Name: "index.json"}},
		"the folder": {{Name: "."}},
		"a folder":   {{Name: "sub/b"}}, "an escape": {{Name: "a\x1b[2J"}}, "twice": {{Name: "a"}, {Name: "a"}},
		"negative": {{Name: "a", Bytes: -1}}, "huge": {{Name: "a", Bytes: 40 << 30}}, "backslash": {{Name: `a\..\b`}},
	} {
		must(0, root.WriteFile("x/index.json", must(encode(&head{"x", Index{list}})), 0o666))
		_, err := Open(root, "x", "index.json", &head{}, false)
		if !errors.Is(err, safe.ErrDamaged) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := Write(root, "x", "index.json", &head{}, map[string][]byte{"../a": nil}); err == nil {
		t.Error("a name outside was written")
	}
}

// Pipes, devices, folders, links and endless or huge files in the place of a file are damage, at once.
func TestOneDoor(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.txt")
	must(0, os.WriteFile(outside, someFiles["a.txt"], 0o666))
	for what, spoil := range map[string]func(path string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"folder":         func(path string) error { return os.Mkdir(path, 0o777) },
		"endless":        func(path string) error { return os.Symlink("/dev/zero", path) },
		"link outside":   func(path string) error { return os.Symlink(outside, path) },
		"loop":           func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"link nowhere":   func(path string) error { return os.Symlink("none", path) },
		"very long name": func(path string) error { return os.Symlink(strings.Repeat("x", 300), path) },
		"40 GB": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 40<<30))
		},
		"nothing": func(string) error { return nil },
	} {
		for _, name := range []string{"a.txt", "index.json"} {
			root := sealed(t, "x")
			f := must(Open(root, "x", "index.json", &head{}, false))
			path := f.Path(name)
			must(0, errors.Join(os.Remove(path), spoil(path)))
			started := time.Now()
			_, err := title(root)
			if err == nil || !strings.Contains(err.Error(), path) || time.Since(started) > 5*time.Second {
				t.Errorf("%s in the place of %s: error %v", what, name, err)
			}
			if found, err := f.Check(); name == "a.txt" && (err != nil || len(found) != 1 || found[0].Path != path) {
				t.Errorf("%s: found %v, error %v", what, found, err)
			}
		}
	}
}
