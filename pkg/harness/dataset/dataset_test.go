package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// mine opens a library that has a data set more, with a file of this text in its cache, and returns the file's path.
func mine(t *testing.T, manifest, table string) (*Library, string) {
	t.Helper()
	l, err := Open(Options{Cache: t.TempDir()})
	if err = errors.Join(err, l.add([]byte(manifest))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.Cache, "mine", "a.csv")
	write(t, path, table)
	return l, path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
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

const plain = "datasets: {mine: {folder: mine, files: [{name: a.csv}], parse: {separator: comma}, target: last}}"

// TestDigest: the digest changes with everything that changes the data, and with nothing else.
func TestDigest(t *testing.T) {
	of := func(manifest, old, new, table string) string {
		t.Helper()
		l, _ := mine(t, strings.Replace(manifest, old, new, 1), table)
		d, err := l.Digest("mine")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	pinned := strings.Replace(plain, "a.csv",
		fmt.Sprintf("a.csv, bytes: 4, sha256: %x", sha256.Sum256([]byte("1,2\n"))), 1)
	base := of(pinned, "", "", "")
	seen := map[string]string{base: "the first", of(plain, "", "", "1,3\n"): "another file"}
	for new, old := range map[string]string{
		"tab": "comma", "comma, header: true": "comma", "comma, columns: [a, b]": "comma", "comma, drop: [c1]": "comma",
		"c1":                     "last",
		"permutation: 0, target": "target", "permutation: 1, target": "target",
	} {
		d := of(pinned, old, new, "")
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", new, other)
		}
		seen[d] = new
	}
	const notes = "title: Mine, note: x, licence: y, rows: 1, task: regression, target"
	for what, d := range map[string]string{
		"read": of(plain, "", "", "1,2\n"), "with notes": of(pinned, "target", notes, ""),
		"from an address": of(pinned, "sha256", "source: 'http://x', role: table, sha256", ""),
	} {
		if d != base {
			t.Errorf("%s: another digest", what)
		}
	}
}

// TestChangedFile: Load returns what Digest has seen, although the file changes between them.
func TestChangedFile(t *testing.T) {
	l, path := mine(t, plain, "1,2\n")
	if _, err := l.Digest("mine"); err != nil {
		t.Fatal(err)
	}
	write(t, path, "1,3\n")
	if d, err := l.Load("mine"); err != nil || d.X[1] != 2 {
		t.Errorf("%v, %v", d, err)
	}
}

// TestLoadOnce: many at once get the same data, parsed once.
func TestLoadOnce(t *testing.T) {
	l, path := mine(t, plain, "1,2\n")
	os.Remove(path)
	for _, err := range []error{l.Absent("mine"), errorOf(l.Load("mine")), errorOf(l.Digest("mine"))} {
		wants(t, err, "mine", path, "put the right file there")
		if !errors.Is(err, ErrAbsent) || errors.Is(err, ErrDamaged) {
			t.Errorf("%v is not about an absent file", err)
		}
	}
	write(t, path, "1,2\n") // an error is not kept
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
	wants(t, errorOf(l.Load("bostn")), `"bostn"`, `"boston"`)
}

func errorOf[T any](_ T, err error) error { return err }

// TestDamagedCache: a file of the cache that is not what is pinned is refused, with the way out. So is something in its
// place that would never end or never come.
func TestDamagedCache(t *testing.T) {
	l, err := Open(Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, l.Absent("meg"), "MEG_data_reduced.csv", "sifg data fetch meg")
	f := l.entries["meg"].Files[0]
	path := filepath.Join(l.Cache, "meg-ica", f.Name)
	text := func(s string) func() error {
		return func() error { write(t, path, s); return nil }
	}
	for words, place := range map[string]func() error{
		"3 bytes, want 1717655":          text("cut"),
		"SHA-256":                        text(strings.Repeat("x", 1717655)),
		"1717656 bytes, want at most":    text(strings.Repeat("x", 1717656)),
		"not a regular file":             func() error { return os.Symlink("/dev/zero", path) },
		"too many":                       func() error { return os.Symlink(path, path) },
		"4398046511104 bytes, want at m": func() error { write(t, path, ""); return os.Truncate(path, 1<<42) },
	} {
		if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o777), place()); err != nil {
			t.Fatal(err)
		}
		_, err := l.Load("meg")
		wants(t, err, words, path, "sifg data fetch meg")
		if !errors.Is(err, ErrDamaged) || errors.Is(err, ErrAbsent) || l.Absent("meg") != nil {
			t.Errorf("%v is not about damaged data", err)
		}
	}
}

// offline has the project's data sets as far as they are part of the program or in the mirror. No address can be
// reached.
func offline(t *testing.T) *Library {
	t.Helper()
	l, err := Open(Options{Cache: t.TempDir(), Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil {
		t.Fatal(err)
	}
	l.client = &http.Client{Transport: only("")}
	return l
}

// values are the first bytes of the SHA-256 of what a data set is loaded to: the table, its published order. They were
// made from the published files by the reader that stood here before tables became part of the program and orders were
// generated. Committed results depend on them.
var values = map[string][2]string{
	"boston":   {"ad89f608b0cb49be", "be221eeec28320f6"},
	"concrete": {"12704ec0e60210b5", "4f28e7650a5f532b"},
	"diabetes": {"b6335c8a0264a24b", "7ab452a09c5c18f2"},
	"power":    {"859ddc447217b8c9", "5dbfe9a73bb43bc9"},
	"protein":  {"8194ca08281c9f2a", "58d4f4e0933caa2a"},
	"wine":     {"e36a4d454229cc40", "b0f0505661a3c934"},
	"meg":      {"068147794a0c465c", "e3b0c44298fc1c14"},
}

// TestValues loads every data set without a network. All entries are complete, and their digests need no file.
func TestValues(t *testing.T) {
	l := offline(t)
	for name, want := range values {
		t.Run(name, func(t *testing.T) {
			if name == "meg" && l.Absent(name) != nil {
				t.Skip("not part of the program, and SIFG_DATASETS_MIRROR has no copy")
			}
			d, err := l.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			sum := func() string { defer h.Reset(); return fmt.Sprintf("%x", h.Sum(nil)[:8]) }
			put := func(v ...int) {
				for _, x := range v {
					h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
				}
			}
			put(d.Rows, d.Cols, d.Target)
			for _, c := range d.Columns {
				fmt.Fprintf(h, "%q", c)
			}
			for _, v := range d.X {
				put(int(math.Float64bits(v)))
			}
			got := [2]string{sum()}
			put(d.Permutation...)
			if got[1] = sum(); got != want {
				t.Errorf("table and order are %q, want %q", got, want)
			}
		})
	}
	for _, name := range l.Names() {
		e, private := l.entries[name], name == "meg-full" // whose bytes are not known
		_, err := l.Digest(name)
		if values[name][0] == "" != (private || e.raw()) || e.Note == "" || e.Licence == "" || e.Citation == "" ||
			e.Rows == 0 != e.raw() ||
			(e.Files[0].Source == "" || err != nil) != private {
			t.Errorf("the entry of %s is not complete (%v)", name, err)
		}
	}
	d, err := l.Load("posteriordb") // as it was published, in both roles
	if err != nil || len(d.Raw) != 23 {
		t.Fatalf("posteriordb: %v", err)
	}
	for _, f := range l.entries["posteriordb"].Files {
		if b := d.Raw[f.Name]; int64(len(b)) != f.Bytes || sum(b) != f.SHA256 {
			t.Errorf("%s has %d bytes, want %d", f.Name, len(b), f.Bytes)
		}
	}
}
