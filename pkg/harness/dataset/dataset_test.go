package dataset

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// own opens a library with one manifest of the user's, in a folder with the files, and returns that folder.
func own(t *testing.T, manifest string, files map[string]string) (*Library, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	path := filepath.Join(dir, "own.yaml")
	write(t, path, manifest)
	l, err := Open(Options{Manifest: datasets.Manifest, Files: []string{path}, Cache: filepath.Join(dir, "cache")})
	return l, dir, err
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

func TestBadManifests(t *testing.T) {
	const rest = "parse: {separator: comma}, target: last"
	for text, words := range map[string][]string{
		"":              {"own.yaml", "empty"},
		"datasets:\n":   {"own.yaml", "no data set"},
		"a: [":          {"own.yaml", "line 1"},
		"dataset: {}\n": {"own.yaml, line 1", `"dataset"`, `"datasets"`},
		"datasets:\n  mine:\n    files: [{name: a}]\n    titel: x\n":                                     {"own.yaml, line 4", `"titel"`, `"title"`},
		"datasets:\n  mine:\n    files:\n    - {name: a}\n    - {nam: b}\n":                              {"own.yaml, line 5", `"nam"`, `"name"`},
		"datasets:\n  mine:\n    parse:\n      seperator: comma\n":                                       {"own.yaml, line 4", `"seperator"`, `"separator"`},
		"datasets:\n  mine:\n    rows: many\n":                                                           {"own.yaml", "line 3", "many"},
		"datasets:\n  mine: {}\n  mine: {}\n":                                                            {"own.yaml", "mine", "already defined"},
		"datasets:\n  boston: {files: [{name: a}], " + rest + "}":                                        {"own.yaml, line 2", "boston", "datasets/manifest.yaml"},
		"datasets:\n  Mine: {files: [{name: a}], " + rest + "}":                                          {"own.yaml, line 2", "Mine", "lower-case"},
		"datasets:\n  all: {files: [{name: a}], " + rest + "}":                                           {"own.yaml, line 2", "all"},
		"datasets:\n  mine: {" + rest + "}":                                                              {"own.yaml, line 2", "mine", "files"},
		"datasets:\n  mine: {files: [{role: table}], " + rest + "}":                                      {"own.yaml, line 2", "name"},
		"datasets:\n  mine: {files: [{name: a, role: tabel}], " + rest + "}":                             {"own.yaml, line 2", `"tabel"`, "table"},
		"datasets:\n  mine: {files: [{name: a, role: train}], " + rest + "}":                             {"own.yaml, line 2", "one table"},
		"datasets:\n  mine: {files: [{name: a}, {name: b}], " + rest + "}":                               {"own.yaml, line 2", "one table"},
		"datasets:\n  mine: {files: [{name: a, sha256: 12}], " + rest + "}":                              {"own.yaml, line 2", "sha256", "64"},
		"datasets:\n  mine: {files: [{name: a, bytes: -1}], " + rest + "}":                               {"own.yaml, line 2", "bytes"},
		"datasets:\n  mine: {source: 'http://x', files: [{name: a}]}":                                    {"own.yaml, line 2", "sha256", "bytes"},
		"datasets:\n  mine: {folder: ../x, files: [{name: a}], " + rest + "}":                            {"own.yaml, line 2", "../x"},
		"datasets:\n  mine: {files: [{name: a}], target: last}":                                          {"own.yaml, line 2", "separator"},
		"datasets:\n  mine: {files: [{name: a}], parse: {separator: ','}}":                               {"own.yaml, line 2", `","`, "comma"},
		"datasets:\n  mine: {files: [{name: a}], parse: {separator: comma}}":                             {"own.yaml, line 2", "target"},
		"datasets:\n  mine: {files: [{name: a}], task: classify, " + rest + "}":                          {"own.yaml, line 2", "classify", "binary"},
		"datasets:\n  mine: {files: [{name: a}], task: none, " + rest + "}":                              {"own.yaml, line 2", "none"},
		"datasets:\n  mine: {files: [{name: a}], rows: -1, " + rest + "}":                                {"own.yaml, line 2", "rows"},
		"datasets:\n  mine: {files: [{name: a}], target: z, parse: {separator: comma, columns: [x, y]}}": {"own.yaml, line 2", `"z"`},
		"datasets:\n  mine: {files: [{name: a}], target: x, parse: {separator: comma, columns: [x, x]}}": {"own.yaml, line 2", `"x"`},
		"datasets:\n  mine: {source: 'ftp://x', files: [{name: a, bytes: 1, sha256: " +
			strings.Repeat("a", 64) + "}], " + rest + "}": {"own.yaml, line 2", "ftp://x", "https://"},
		"datasets:\n  mine: {source: 'http://x', files: [{name: ../a, bytes: 1, sha256: " +
			strings.Repeat("a", 64) + "}], " + rest + "}": {"own.yaml, line 2", "../a"},
	} {
		_, _, err := own(t, text, nil)
		wants(t, err, words...)
		var u *usage.Error
		if !errors.As(err, &u) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is not a mistake of usage in one line", err)
		}
	}
	_, err := Open(Options{Manifest: datasets.Manifest, Files: []string{"nowhere.yaml"}})
	wants(t, err, "--datasets nowhere.yaml", "no such file")
}

// TestManifest: the project's own entries are complete, and all but meg-full can be fetched.
func TestManifest(t *testing.T) {
	l, err := Open(Options{Manifest: datasets.Manifest})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Names()) != 13 {
		t.Errorf("%d data sets: %v", len(l.Names()), l.Names())
	}
	paths := map[string]string{}
	for _, name := range l.Names() {
		e, err := l.Entry(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Title == name || e.Note == "" || e.Licence == "" || e.Citation == "" || e.Rows == 0 {
			t.Errorf("%s lacks a title, note, licence, citation or number of rows", name)
		}
		for _, f := range e.Files {
			path := l.cached(e, &f)
			if paths[path] != "" {
				t.Errorf("%s is a file of %s and of %s", path, paths[path], name)
			}
			paths[path] = name
			if (f.Source == "") != (name == "meg-full") || f.Source != "" && !strings.HasPrefix(f.Source, "https://") {
				t.Errorf("%s: the source of %s is %q", name, f.Name, f.Source)
			}
		}
		if _, err := l.Digest(name); name != "meg-full" && err != nil { // needs no file
			t.Error(err)
		}
	}
	_, err = l.Entry("protien")
	wants(t, err, `"protien"`, `"protein"`)
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
	const entry = "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}"
	base := of(entry, "1,2\n")
	seen := map[string]string{base: "the first"}
	for name, d := range map[string]string{
		"another file":      of(entry, "1,3\n"),
		"another separator": of(strings.ReplaceAll(entry, "comma", "tab"), "1,2\n"),
		"a header":          of(strings.ReplaceAll(entry, "comma", "comma, header: true"), "1,2\n"),
		"another target":    of(strings.ReplaceAll(entry, "last", "c1"), "1,2\n"),
		"names":             of(strings.ReplaceAll(entry, "comma", "comma, columns: [a, b]"), "1,2\n"),
		"a dropped column":  of(strings.ReplaceAll(entry, "comma", "comma, drop: [c1]"), "1,2\n"),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	if of(strings.ReplaceAll(entry, "target", "title: Mine, note: x, licence: y, rows: 1, target"), "1,2\n") != base {
		t.Error("a title changes the digest")
	}
	l, _, err := own(t, entry, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Digest("mine")
	wants(t, err, "mine", "a.csv", "put your copy")
}

// TestChangedFile: a file of the user's own must stay what it was when its digest was taken.
func TestChangedFile(t *testing.T) {
	l, dir, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}", map[string]string{"a.csv": "1,2\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Digest("mine"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.csv"), "1,3\n")
	_, err = l.Load("mine")
	wants(t, err, "a.csv", "changed while the program ran")
}

// TestPinnedSize: a size that is pinned is checked, with a digest or without.
func TestPinnedSize(t *testing.T) {
	const text = "1,2\n"
	digest := fmt.Sprintf(", sha256: %x", sha256.Sum256([]byte(text)))
	for pins, words := range map[string][]string{
		"bytes: 4": nil, "bytes: 4" + digest: nil,
		"bytes: 99": {"a.csv", "4 bytes, want 99", "cut short"}, "bytes: 99" + digest: {"a.csv", "4 bytes, want 99"},
		"bytes: 3": {"a.csv", "4 bytes, want 3"}, "bytes: 3" + digest: {"a.csv", "4 bytes, want 3"},
	} {
		l, _, err := own(t, "datasets: {mine: {files: [{name: a.csv, "+pins+"}], parse: {separator: comma}, target: last}}", map[string]string{"a.csv": text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = l.Load("mine"); words == nil && err != nil {
			t.Error(pins, err)
		} else if words != nil {
			wants(t, err, words...)
			if !errors.Is(err, record.ErrDamaged) || strings.Contains(err.Error(), "changed") {
				t.Errorf("%s: %v", pins, err)
			}
		}
	}
}

// TestLoadOnce: many at once get the same data, parsed once.
func TestLoadOnce(t *testing.T) {
	l, dir, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("mine")
	wants(t, err, filepath.Join(dir, "a.csv"), filepath.Join(dir, "cache", "mine", "a.csv"))
	var u *usage.Error
	if !errors.As(err, &u) {
		t.Errorf("%v is no mistake of usage", err)
	}
	write(t, filepath.Join(dir, "cache", "mine", "a.csv"), "1,2\n") // an error is not kept
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
	if missing, err := l.Missing(); err != nil || slices.Contains(missing, "mine") {
		t.Error(missing, err)
	}
}

// TestDamagedCache: a file of the cache that is not what is pinned is refused, with the way out, and Verify finds it.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(Options{Manifest: datasets.Manifest, Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("boston")
	wants(t, err, "boston_housing.txt", "sifg data fetch boston")
	e, err := l.Entry("boston")
	if err != nil {
		t.Fatal(err)
	}
	write(t, l.cached(e, &e.Files[1]), "x")
	for text, words := range map[string][]string{
		"cut":                                 {"3 bytes, want 49082", "cut short"},
		strings.Repeat("x", 49082):            {"SHA-256", e.Files[0].SHA256},
		strings.Repeat("x", 49083):            {"49083 bytes, want 49082"},
		"<html><body>not found</body></html>": {"HTML page"},
	} {
		write(t, l.cached(e, &e.Files[0]), text)
		_, err := l.Load("boston")
		wants(t, err, append(words, "boston_housing.txt", "sifg data fetch boston")...)
		if !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%v is not an error about damaged data", err)
		}
		bad, err := l.Verify()
		if err != nil || len(bad) != 1 || fmt.Sprint(bad["boston"]) == "" {
			t.Errorf("verify found %v (%v)", bad, err)
		}
	}
}
