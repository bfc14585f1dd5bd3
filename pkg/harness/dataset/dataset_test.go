package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// own opens a library with one manifest of a person's, in a folder with the files, and returns that folder.
func own(t *testing.T, manifest string, files map[string]string) (*Library, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	path := filepath.Join(dir, "own.yaml")
	write(t, path, manifest)
	l, err := Open(Options{Manifests: []string{path}, Cache: filepath.Join(dir, "cache")})
	return l, dir, err
}

// loadOwn loads the data set mine of a manifest that must be right.
func loadOwn(t *testing.T, manifest string, files map[string]string) (*Data, error) {
	t.Helper()
	l, _, err := own(t, manifest, files)
	if err != nil {
		t.Fatal(err)
	}
	return l.Load("mine")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// wants checks that the error says each of the words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

const plain = "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}"

func TestBadManifests(t *testing.T) {
	const head, rest = "datasets:\n  mine: {files: [{name: a", "parse: {separator: comma}, target: last}"
	sum := ", bytes: 1, sha256: " + strings.Repeat("a", 64)
	for text, words := range map[string][]string{
		"":                        {"no data set"},
		"datasets:\n":             {"no data set"},
		"a: [":                    {"line 1"},
		"dataset: {}\n":           {"line 1: field dataset not found", "docs/datasets.md"},
		plain + "\n---\n" + plain: {"second document"},
		"datasets:\n  mine:\n    files: [{name: a}]\n    titel: x\n":        {"line 4: field titel not found"},
		"datasets:\n  mine:\n    files:\n    - {name: a}\n    - {nam: b}\n": {"line 5: field nam not found"},
		"datasets:\n  mine:\n    rows: many\n":                              {"line 3", "many"},
		"datasets:\n  mine: {}\n  mine: {}\n":                               {"mine", "already defined"},
		"datasets: {mine: }":                                                {"mine", "files"},
		"datasets: {boston: {files: [{name: a}], " + rest + "}":             {"boston", "datasets/manifest.yaml"},
		"datasets: {Mine: {files: [{name: a}], " + rest + "}":               {"Mine", "lower-case"},
		"datasets: {all: {files: [{name: a}], " + rest + "}":                {"all"},
		"datasets: {mine: {files: [{role: table}], " + rest + "}":           {"mine", "name"},
		head + ", role: tabel}], " + rest:                                   {`"tabel"`, "table"},
		head + ", role: train}], " + rest:                                   {"one table"},
		head + "}, {name: b}], " + rest:                                     {"one table"},
		head + ", sha256: 12}], " + rest:                                    {"sha256", "64"},
		head + ", bytes: -1}], " + rest:                                     {"bytes"},
		head + ", source: 'http://x'}], " + rest:                            {"sha256", "bytes"},
		head + "}], folder: ../x, " + rest:                                  {"../x"},
		head + "}], target: last}":                                          {"separator"},
		head + "}], parse: {separator: ','}}":                               {`","`, "comma"},
		head + "}], parse: {separator: comma}}":                             {"target"},
		head + "}], task: classify, " + rest:                                {"classify", "binary"},
		head + "}], task: none, " + rest:                                    {"none"},
		head + "}], splits: {seed: 1}, " + rest:                             {"splits.count is 0"},
		head + "}], splits: {sed: 1}, " + rest:                              {"field sed not found"},
		head + "}, {name: p, role: permutation}], permutation: 1, " + rest:  {"permutation", "one of them"},
		head + ", source: 'ftp://x'" + sum + "}], " + rest:                  {"ftp://x", "https://"},
		head + "/../../b, source: 'http://x'" + sum + "}], " + rest:         {"a/../../b"},
		head + ", role: \"\\e[2J\"}], " + rest:                              {`\x1b[2J`},
	} {
		_, dir, err := own(t, text, nil)
		wants(t, err, append(words, filepath.Join(dir, "own.yaml"))...)
		if u := (*usage.Error)(nil); !errors.As(err, &u) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q is not a mistake of usage in one line", err)
		}
	}
	_, err := Open(Options{Manifests: []string{"nowhere.yaml"}})
	wants(t, err, "--datasets", "nowhere.yaml", "no such file")
	l, _, err := own(t, strings.Replace(plain, "files", `citation: "A\e]0;title\a", files`, 1), nil)
	if err != nil || l.entries["mine"].Citation != `A\x1b]0;title\a` {
		t.Errorf("a citation can control a terminal: %q (%v)", l.entries["mine"].Citation, err)
	}
}

// TestDigest: the digest changes with everything that changes the data, and with nothing else.
func TestDigest(t *testing.T) {
	of := func(manifest, table string) string {
		t.Helper()
		l, _, err := own(t, manifest, map[string]string{"a.csv": table})
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Digest("mine")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	change := func(old, new string) string { return strings.ReplaceAll(plain, old, new) }
	base := of(plain, "1,2\n")
	seen := map[string]string{base: "the first"}
	for name, d := range map[string]string{
		"another file":      of(plain, "1,3\n"),
		"another separator": of(change("comma", "tab"), "1,2\n"),
		"a header":          of(change("comma", "comma, header: true"), "1,2\n"),
		"another target":    of(change("last", "c1"), "1,2\n"),
		"names":             of(change("comma", "comma, columns: [a, b]"), "1,2\n"),
		"a dropped column":  of(change("comma", "comma, drop: [c1]"), "1,2\n"),
		"an order":          of(change("target", "permutation: 0, target"), "1,2\n"),
		"another order":     of(change("target", "permutation: 1, target"), "1,2\n"),
		"splits":            of(change("target", "splits: {seed: 1, count: 1}, target"), "1,2\n"),
		"more splits":       of(change("target", "splits: {seed: 1, count: 2}, target"), "1,2\n"),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	pinned := fmt.Sprintf("name: a.csv, bytes: 4, sha256: %x", sha256.Sum256([]byte("1,2\n")))
	for _, same := range []string{change("target", "title: Mine, note: x, licence: y, rows: 1, task: regression, target"),
		change("name: a.csv", pinned), change("name: a.csv", pinned+", source: 'http://x', role: table")} {
		if of(same, "1,2\n") != base {
			t.Errorf("%s: another digest", same)
		}
	}
	l, _, err := own(t, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Digest("mine")
	wants(t, err, "mine", "a.csv", "put your copy")
}

// TestChangedFile: Load returns what Digest has seen, although the file changes between them.
func TestChangedFile(t *testing.T) {
	l, dir, err := own(t, plain, map[string]string{"a.csv": "1,2\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Digest("mine"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.csv"), "1,3\n")
	if d, err := l.Load("mine"); err != nil || d.X[1] != 2 {
		t.Errorf("%v, %v", d, err)
	}
}

// TestPinnedSize: a size that is pinned is checked, with a digest or without.
func TestPinnedSize(t *testing.T) {
	digest := fmt.Sprintf(", sha256: %x", sha256.Sum256([]byte("1,2\n")))
	for pins, words := range map[string][]string{
		"bytes: 4": nil, "bytes: 4" + digest: nil,
		"bytes: 99": {"4 bytes, want 99", "cut short"}, "bytes: 99" + digest: {"4 bytes, want 99"},
		"bytes: 3": {"4 bytes, want at most 3"}, "bytes: 3" + digest: {"4 bytes, want at most 3"},
		"bytes: 4" + strings.Replace(digest, ": ", ": 0", 1)[:74]: {"SHA-256"},
	} {
		_, err := loadOwn(t, strings.ReplaceAll(plain, "a.csv", "a.csv, "+pins), map[string]string{"a.csv": "1,2\n"})
		if words == nil && err != nil {
			t.Error(pins, err)
		} else if words != nil {
			wants(t, err, append(words, "a.csv", "correct the file, or its entry in ")...)
			if !errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "data fetch") {
				t.Errorf("%s: %v", pins, err)
			}
		}
	}
}

// TestLoadOnce: many at once get the same data, parsed once.
func TestLoadOnce(t *testing.T) {
	l, dir, err := own(t, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("mine")
	wants(t, err, filepath.Join(dir, "a.csv"), "put your copy")
	if !errors.Is(err, ErrAbsent) || errors.Is(err, ErrDamaged) || l.Absent("mine") == nil {
		t.Errorf("%v is not about an absent file", err)
	}
	write(t, filepath.Join(dir, "a.csv"), "1,2\n") // an error is not kept
	got := make([]*Data, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i], _ = l.Load("mine") })
	}
	wg.Wait()
	for _, d := range got {
		if d == nil || d != got[0] {
			t.Fatal("loaded twice")
		}
	}
	if err := l.Absent("mine"); err != nil {
		t.Error(err)
	}
}

// TestDamagedCache: a file of the cache that is not what is pinned is refused, with the way out. So is one in whose place there is
// something that would never end or never come.
func TestDamagedCache(t *testing.T) {
	l, err := Open(Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("diabetes")
	wants(t, err, "diabetes.csv", "sifg data fetch diabetes")
	if !errors.Is(err, ErrAbsent) {
		t.Errorf("%v is not about an absent file", err)
	}
	f := l.entries["diabetes"].Files[0]
	path := filepath.Join(l.cache, "uci-released", f.Name)
	check := func(words ...string) {
		t.Helper()
		_, err := l.Load("diabetes")
		wants(t, err, append(words, path, "sifg data fetch diabetes")...)
		if !errors.Is(err, ErrDamaged) || errors.Is(err, ErrAbsent) || l.Absent("diabetes") != nil {
			t.Errorf("%v is not about damaged data", err)
		}
	}
	for text, words := range map[string][]string{
		"cut":                                 {"3 bytes, want 47087", "cut short"},
		strings.Repeat("x", 47087):            {"SHA-256", f.SHA256},
		strings.Repeat("x", 47088):            {"47088 bytes, want at most 47087"},
		"<html><body>not found</body></html>": {"HTML page"},
	} {
		write(t, path, text)
		check(words...)
	}
	for words, place := range map[string]func() error{
		"named pipe": func() error { return syscall.Mkfifo(path, 0o666) },
		"device":     func() error { return os.Symlink("/dev/zero", path) },
		"directory":  func() error { return os.Mkdir(path, 0o777) },
		"too many":   func() error { return os.Symlink(path, path) },
		"at most":    func() error { write(t, path, ""); return os.Truncate(path, 1<<42) },
	} {
		if err := errors.Join(os.RemoveAll(path), place()); err != nil {
			t.Fatal(err)
		}
		check(words)
	}
}

// TestEndlessFiles: no file that a person names can hang the program or fill its memory.
func TestEndlessFiles(t *testing.T) {
	l, dir, err := own(t, plain, map[string]string{"a.csv": ""})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "a.csv"), 40<<30); err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("mine")
	wants(t, err, "a.csv", "want at most 1073741824")
	for _, path := range []string{filepath.Join(dir, "a.csv"), "/dev/zero"} {
		_, err = Open(Options{Manifests: []string{path}})
		wants(t, err, "--datasets", path, "want")
	}
}
