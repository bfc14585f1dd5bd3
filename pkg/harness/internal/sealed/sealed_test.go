package sealed

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

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
	must(0, root.WriteFile("x/mine.txt", nil, 0o666))
	if names, err := f.Foreign(); err != nil || !slices.Equal(names, []string{"mine.txt"}) {
		t.Errorf("foreign: %v, error %v", names, err)
	}
	_, err = Open(root, "none", "index.json", &h)
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
		"a folder":   {{Name: "sub/b"}}, "an escape": {{Name: "a\x1b[2J"}},
		"negative": {{Name: "a", Bytes: -1}}, "huge": {{Name: "a", Bytes: 40 << 30}}, "backslash": {{Name: `a\..\b`}},
	} {
		must(0, root.WriteFile("x/index.json", must(encode(&head{"x", Index{list}})), 0o666))
		_, err := Open(root, "x", "index.json", &head{})
		if !errors.Is(err, safe.ErrDamaged) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := Write(root, "x", "index.json", &head{}, map[string][]byte{"../a": nil}); err == nil {
		t.Error("a name outside was written")
	}
}
