package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const maxFile = 1 << 30 // bytes of a file whose size is not pinned

// format is raised when the same files and rules are parsed to other numbers.
const format = 2

// Absent returns nil if all files of a data set are here, right or wrong, else an ErrAbsent that says how to get them.
func (l *Library) Absent(name string) error {
	_, err := l.Load(name)
	if _, unknown := l.Entry(name); unknown != nil || errors.Is(err, ErrAbsent) {
		return err
	}
	return nil
}

// read returns the bytes of a file, and the first place where it is as it should be.
func (l *Library) read(e *Entry, f *File) (place string, b []byte, err error) {
	inside := e.Folder + "/" + f.Name
	if r, err := datasets.Open(inside); err == nil {
		b, err = io.ReadAll(r)
		return inside, b, cmp.Or(err, f.check(b))
	}
	places := []string{filepath.Join(l.Cache, e.Folder, f.Name)}
	if l.Mirror != "" {
		places = append(places, filepath.Join(l.Mirror, e.Folder, f.Name))
	}
	remedy := "put the right file there"
	if f.Source != "" {
		remedy = "sifg data fetch " + e.Name
	}
	for _, place := range places {
		b, wrong := safe.Read(place, cmp.Or(f.Bytes, maxFile))
		switch {
		case errors.Is(wrong, fs.ErrNotExist):
			continue
		case wrong != nil:
			wrong = damaged("%v", errors.Unwrap(wrong)) // without the path
		default:
			if wrong = f.check(b); wrong == nil {
				return place, b, nil
			}
		}
		err = cmp.Or(err, fmt.Errorf("data set %s: %s: %w: %s", e.Name, safe.Text(place), wrong, remedy))
	}
	return "", nil, cmp.Or(err, fmt.Errorf("data set %s: %w %s: %s",
		e.Name, ErrAbsent, safe.Text(strings.Join(places, " nor ")), remedy))
}

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// check compares bytes with what the manifest pins.
func (f *File) check(b []byte) error {
	switch n := int64(len(b)); {
	case f.Bytes > 0 && n != f.Bytes:
		return damaged("%d bytes, want %d", n, f.Bytes)
	case f.SHA256 != "" && sum(b) != f.SHA256:
		return damaged("SHA-256 is %s, want %s", sum(b), f.SHA256)
	}
	return nil
}

// Digest returns a hex digest of everything that decides what Load returns: the SHA-256 of the published files, the
// rules of parsing, the target, and the seed of a generated order. Where the bytes come from makes no
// difference. A data set whose files are not all pinned is loaded, and Digest has the errors of Load.
func (l *Library) Digest(name string) (string, error) {
	e, err := l.Entry(name)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(e.Files, func(f File) bool { return f.SHA256 == "" }) {
		d, err := l.Load(name)
		if err != nil {
			return "", err
		}
		return d.digest, nil
	}
	return e.digest(), nil
}

// digest returns the digest of an entry whose files are all pinned.
func (e *Entry) digest() string {
	b, _ := json.Marshal([]any{format, e}) // strings and numbers have a JSON form
	return sum(b)
}

// Load returns a data set, which it reads, checks and parses once. Its errors wrap ErrAbsent or ErrDamaged. An error is
// a *usage.Error where the manifest names a column that the table lacks.
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

func (l *Library) load(e *Entry) (*Data, error) {
	pinned := *e // to the bytes that are read
	pinned.Files = slices.Clone(e.Files)
	d := &Data{Name: e.Name, Target: -1, Raw: map[string][]byte{}}
	for i := range pinned.Files {
		f := &pinned.Files[i]
		path, b, err := l.read(e, f)
		if err != nil {
			return nil, err
		}
		f.SHA256 = sum(b)
		switch {
		case e.raw():
			d.Raw[f.Name] = b
		case f.Role == "table":
			var s *source
			if s, err = open(path, b); err == nil {
				err = d.parse(s, e)
			}
		default:
			d.Permutation, err = parsePermutation(b)
		}
		if err != nil {
			return nil, err
		}
	}
	if e.Permutation != nil {
		r := prng.NewMT19937() // NumPy's RandomState
		r.Seed(uint64(*e.Permutation))
		d.Permutation = permutation(r, d.Rows)
	}
	d.digest = pinned.digest()
	return d, nil
}

// permutation is NumPy's RandomState.permutation(n). For i from n−1 down to 1 it swaps entry i with an entry j ≤ i: it
// draws numbers of as many bits as i has until one is at most i.
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

// Fetch gets files that are not here, or wrong, into the cache from their published address; without names, those of
// all data sets with an address. The same call tries again. say is given a line for each file that was fetched. The
// error wraps ErrDamaged if an address gave something else, and ErrAbsent if it did not give the file or there is none.
func (l *Library) Fetch(names []string, say func(string)) error {
	if len(names) == 0 {
		names = slices.DeleteFunc(l.Names(), func(name string) bool { return l.entries[name].Files[0].Source == "" })
	}
	for _, name := range names {
		e, err := l.Entry(name)
		for i := 0; err == nil && i < len(e.Files); i++ {
			err = l.fetch(e, &e.Files[i], say)
		}
		if errors.Is(err, ErrAbsent) {
			err = fmt.Errorf("%w; without a network, SIFG_DATASETS_MIRROR names a folder that has the files", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch gets one file.
func (l *Library) fetch(e *Entry, f *File, say func(string)) error {
	_, _, err := l.read(e, f)
	if f.Source == "" || err == nil {
		return err
	}
	address, err := url.JoinPath(f.Source, f.Name)
	if err != nil {
		return err
	}
	b, err := l.download(address, f.Bytes)
	if err != nil {
		return fmt.Errorf("data set %s: %s: %w: %w", e.Name, address, ErrAbsent, err)
	}
	if err := f.check(b); err != nil {
		return fmt.Errorf("data set %s: %s: %w", e.Name, address, err)
	}
	path := filepath.Join(l.Cache, e.Folder, f.Name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), disk.WriteFileAtomic(path, b)); err != nil {
		return usage.Errorf("the cache %s cannot be written: %v", l.Cache, err)
	}
	say(fmt.Sprintf("data set %s: fetched %s", e.Name, address))
	return nil
}

// download gets a file of this size by HTTP. It returns more than size bytes where the server has more.
func (l *Library) download(from string, size int64) ([]byte, error) {
	answer, err := l.client.Get(from)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", safe.Text(answer.Status))
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, size+1))
	if err != nil {
		return nil, fmt.Errorf("the connection broke after %d of %d bytes: %w", len(b), size, err)
	}
	return b, nil
}
