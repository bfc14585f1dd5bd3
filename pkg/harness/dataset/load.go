package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

// format is raised when the same files and rules are parsed to other numbers.
const format = 2

// locate returns the path of a file, and a reader if the file is part of the program. The error wraps ErrAbsent if it is nowhere.
func (l *Library) locate(e *Entry, f *File) (path string, published io.Reader, err error) {
	if e.manifest == projectManifest {
		if r, err := datasets.Open(e.Folder + "/" + f.Name); err == nil {
			return e.Folder + "/" + f.Name, r, nil
		}
	}
	places := []string{join(l.cache, e.Folder, f.Name)}
	switch {
	case f.own != "":
		places = []string{f.own}
	case l.mirror != "" && !isURL(l.mirror):
		places = append(places, join(l.mirror, e.Folder, f.Name))
	}
	for _, p := range places {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			return p, nil, nil
		}
	}
	where := safe.Text(strings.Join(places, " nor "))
	return "", nil, fmt.Errorf("data set %s: %w %s: %s", e.Name, ErrAbsent, where, e.remedy(f))
}

// remedy says what to do where a file is absent or wrong.
func (e *Entry) remedy(f *File) string {
	if f.Source != "" {
		return "sifg data fetch " + e.Name
	}
	return "put the right file there, or correct its entry in " + safe.Text(e.manifest)
}

// Absent returns nil if all files of a data set are here, else an error that wraps ErrAbsent and says how to get them.
func (l *Library) Absent(name string) error {
	e, err := l.Entry(name)
	for i := 0; err == nil && i < len(e.Files); i++ {
		_, _, err = l.locate(e, &e.Files[i])
	}
	return err
}

// read returns the bytes of a file after checking them.
func (l *Library) read(e *Entry, f *File) (place string, b []byte, err error) {
	place, published, err := l.locate(e, f)
	if err != nil {
		return "", nil, err
	}
	if published != nil {
		b, err = io.ReadAll(published)
	} else {
		b, err = safe.Read(place, cmp.Or(f.Bytes, maxFile))
	}
	if err != nil {
		err = damaged("%v", errors.Unwrap(err)) // without the path
	} else {
		err = f.check(b)
	}
	if err != nil {
		return "", nil, fmt.Errorf("data set %s: %s: %w: %s", e.Name, safe.Text(place), err, e.remedy(f))
	}
	return place, b, nil
}

// check compares bytes with what the manifest pins.
func (f *File) check(b []byte) error {
	n := int64(len(b))
	head := strings.ToLower(string(bytes.TrimSpace(b[:min(n, 512)])))
	switch {
	case strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html"):
		return damaged("an HTML page, not the data")
	case f.Bytes > 0 && n < f.Bytes:
		return damaged("%d bytes, want %d: it is cut short", n, f.Bytes)
	case f.Bytes > 0 && n > f.Bytes:
		return damaged("more than %d bytes", f.Bytes)
	case f.SHA256 != "" && digest(b) != f.SHA256:
		return damaged("SHA-256 is %s, want %s", digest(b), f.SHA256)
	}
	return nil
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// join appends names to a folder or an address.
func join(base string, names ...string) string {
	if u, err := url.JoinPath(base, names...); err == nil && isURL(base) {
		return u
	}
	return filepath.Join(append([]string{base}, names...)...)
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Digest returns a hex digest of everything that decides what Load returns: the SHA-256 of the published files, the rules of
// parsing, the target, and the seeds of a generated order and splits. Where the bytes come from makes no difference. A data set
// whose files are not all pinned is loaded, and Digest has the errors of Load.
func (l *Library) Digest(name string) (string, error) {
	e, err := l.Entry(name)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(e.Files, func(f File) bool { return f.SHA256 == "" }) {
		return e.digest(), nil
	}
	d, err := l.Load(name)
	if err != nil {
		return "", err
	}
	return d.digest, nil
}

// digest returns the digest of an entry whose files are all pinned.
func (e *Entry) digest() string {
	b, err := json.Marshal([]any{format, e})
	if err != nil {
		panic(err) // strings and numbers have a JSON form
	}
	return digest(b)
}

// Load returns a data set, which it reads, checks and parses once. Its errors wrap ErrAbsent or ErrDamaged. An error is a
// *usage.Error where the manifest names a column that the table lacks.
func (l *Library) Load(name string) (*Data, error) {
	e, err := l.Entry(name)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.loaded[name]; d != nil {
		return d, nil
	}
	d, err := l.load(e)
	if err == nil { // an error is not kept: the file may come
		l.loaded[name] = d
	}
	return d, err
}

func (l *Library) load(e *Entry) (d *Data, err error) {
	pinned := *e // to the bytes that are read
	pinned.Files = slices.Clone(e.Files)
	var seen [][]bool // rows, by split
	tests, raw := 0, map[string][]byte{}
	for i := range e.Files { // in order of their roles
		path, b, err := l.read(e, &e.Files[i])
		if err != nil {
			return nil, err
		}
		pinned.Files[i].SHA256 = digest(b)
		if e.raw() {
			raw[e.Files[i].Name] = b
		}
		switch e.Files[i].Role {
		case "table":
			d, err = parseTable(path, b, e)
		case "permutation":
			d.Permutation, err = indices(path, b, make([]bool, d.Rows))
			if n := len(d.Permutation); err == nil && n != d.Rows {
				err = damaged("%s: %d rows, but the table has %d", path, n, d.Rows)
			}
		case "train":
			var s Split
			seen = append(seen, make([]bool, d.Rows))
			s.Train, err = indices(path, b, seen[len(seen)-1])
			d.Splits = append(d.Splits, s)
		case "test":
			d.Splits[tests].Test, err = indices(path, b, seen[tests])
			tests++
		}
		if err != nil {
			return nil, err
		}
	}
	if e.raw() {
		return &Data{Name: e.Name, Target: -1, Raw: raw, digest: pinned.digest()}, nil
	}
	if e.Permutation != nil {
		d.Permutation = permutation(randomState(*e.Permutation), d.Rows)
	}
	if s := e.Splits; s != nil { // as Hernández-Lobato & Adams (2015) made theirs
		r, end := randomState(s.Seed), int(math.Round(float64(d.Rows)*9/10))
		for range s.Count {
			p := permutation(r, d.Rows)
			d.Splits = append(d.Splits, Split{Train: p[:end:end], Test: p[end:]})
		}
	}
	d.digest = pinned.digest()
	return d, nil
}

// randomState is NumPy's RandomState of this seed, as far as it is needed here.
func randomState(seed uint32) *prng.MT19937 {
	r := prng.NewMT19937()
	r.Seed(uint64(seed))
	return r
}

// permutation is NumPy's RandomState.permutation(n). For i from n−1 down to 1 it swaps entry i with an entry j ≤ i: it draws
// numbers of as many bits as i has until one is at most i.
func permutation(r *prng.MT19937, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)<<bits.Len(uint(i)) - 1
		j := r.Uint32() & mask
		for j > uint32(i) {
			j = r.Uint32() & mask
		}
		out[i], out[j] = out[j], out[i]
	}
	return out
}
