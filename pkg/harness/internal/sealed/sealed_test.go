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
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
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

var someFiles = map[string][]byte{"a.txt": []byte("alpha"), "sub/deep/b.txt": []byte("beta"), "empty": nil}

// sealed returns a root with a sealed folder "x" of title and someFiles.
func sealed(t *testing.T, title string) *os.Root {
	t.Helper()
	root := must(os.OpenRoot(t.TempDir()))
	t.Cleanup(func() { root.Close() })
	if _, err := Replace(root, "x", "index.json", &head{Title: title}, someFiles); err != nil {
		t.Fatal(err)
	}
	return root
}

// title returns the title of the folder "x" after checking all of it.
func title(root *os.Root) (string, error) {
	var h head
	f, err := Open(root, "x", "index.json", &h)
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
	f, err := Open(root, "x", "index.json", &h)
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
	must(0, root.WriteFile("x/sub/mine.txt", nil, 0o666))
	if names, err := f.Foreign(); err != nil || !slices.Equal(names, []string{"sub/mine.txt"}) {
		t.Errorf("foreign: %v, error %v", names, err)
	}
	_, err = Open(root, "none", "index.json", &h)
	if !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a folder that is not there: error %v", err)
	}
}

// Wherever a call stops, the folder is the old one or the new one, whole, with the file that somebody else put there;
// the next call ends what was begun, and nothing is left.
func TestReplaceStopped(t *testing.T) {
	broken := errors.New("broken")
	for at := int64(1); ; at++ {
		root := sealed(t, "first")
		var what atomic.Value // the change that it stopped at
		what.Store("")
		must(0, root.WriteFile("x/sub/notes.md", []byte("mine"), 0o666))
		var done atomic.Int64
		disk.Before = func(change string) error { // as after a kill: nothing is changed any more
			if done.Add(1) >= at {
				what.Store(change)
				return broken
			}
			return nil
		}
		_, err := Replace(root, "x", "index.json", &head{Title: "next"}, map[string][]byte{"sub": []byte("a file now")})
		disk.Before = nil
		if what.Load() == "" {
			if got, wrong := title(root); err != nil || wrong != nil || got != "next" || at < 12 {
				t.Errorf("%d changes, error %v, title %q, error %v", at-1, err, got, wrong)
			}
			return
		}
		must(0, Restore(root, "x", "index.json"))
		if got, wrong := title(root); !errors.Is(err, broken) || wrong != nil || got != "first" && got != "next" {
			t.Fatalf("stopped at %s (%d): %v; then title %q, error %v", what.Load(), at, err, got, wrong)
		}
		foreign, err := Replace(root, "x", "index.json", &head{Title: "last"}, someFiles)
		if got, wrong := title(root); err != nil || wrong != nil || got != "last" || len(foreign) != 1 {
			t.Fatalf("after a stop at %s (%d): %v, title %q, error %v, foreign %v",
				what.Load(), at, err, got, wrong, foreign)
		}
		if b, err := root.ReadFile("x/" + foreign[0]); err != nil || string(b) != "mine" {
			t.Fatalf("after a stop at %s (%d): %q, error %v", what.Load(), at, b, err)
		}
		if left := must(fs.ReadDir(root.FS(), ".")); len(left) != 1 {
			t.Fatalf("after a stop at %s (%d): %v", what.Load(), at, left)
		}
	}
}

// What a person put into a folder stays, also where a file of ours has its name now, and where the index of the old
// folder is damaged.
func TestForeignFilesStay(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		root := sealed(t, "first")
		must(0, root.RemoveAll("x/a.txt"))
		must(0, root.MkdirAll("x/a.txt", 0o777)) // in the place of our file
		mine := map[string]string{"x/notes.md": "1", "x/a.txt/inside": "2", "x/new": "3", "x/sub/deep/c": "4"}
		for name, text := range mine {
			must(0, root.WriteFile(name, []byte(text), 0o666))
		}
		if damaged {
			must(0, root.WriteFile("x/index.json", nil, 0o666))
		}
		files := map[string][]byte{
			"a.txt":          []byte("ours"),
			"new":            []byte("ours too"),
			"empty":          nil,
			"sub/deep/b.txt": nil,
		}
		foreign, err := Replace(root, "x", "index.json", &head{Title: "next"}, files)
		if got, wrong := title(root); err != nil || wrong != nil || got != "next" {
			t.Fatalf("damaged %v: error %v, title %q, error %v", damaged, err, got, wrong)
		}
		var texts []string
		for _, name := range foreign {
			texts = append(texts, string(must(root.ReadFile("x/"+name))))
		}
		slices.Sort(texts)
		want := []string{"1", "2", "3", "4"}
		if damaged {
			want = []string{"1", "2", "4"} // "new" cannot be told from an old file of ours
		}
		if !slices.Equal(texts, want) {
			t.Errorf("damaged %v: kept %q as %q, want %q", damaged, texts, foreign, want)
		}
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
		"not clean":  {{Name: "sub//b"}}, "an escape": {{Name: "a\x1b[2J"}}, "twice": {{Name: "a"}, {Name: "a"}},
		"negative": {{Name: "a", Bytes: -1}}, "huge": {{Name: "a", Bytes: 40 << 30}}, "backslash": {{Name: `a\..\b`}},
	} {
		must(0, root.WriteFile("x/index.json", must(Encode(&head{"x", Index{list}})), 0o666))
		_, err := Open(root, "x", "index.json", &head{})
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
			f := must(Open(root, "x", "index.json", &head{}))
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
