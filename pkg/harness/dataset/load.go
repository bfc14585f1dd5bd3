package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// format changes when the same files and rules are parsed to other numbers.
const format = 1

// cached is a file's place in the cache.
func (l *Library) cached(e *Entry, f *File) string { return filepath.Join(l.cache, e.Folder, f.Name) }

// places lists where a file is looked for.
func (l *Library) places(e *Entry, f *File) []string {
	if filepath.IsAbs(f.Name) {
		return []string{f.Name}
	}
	var out []string
	if e.dir != "" {
		out = append(out, filepath.Join(e.dir, f.Name))
	}
	out = append(out, l.cached(e, f))
	if l.mirror != "" && !isURL(l.mirror) {
		out = append(out, filepath.Join(l.mirror, e.Folder, f.Name))
	}
	return out
}

// locate returns the first place that has the file, "" if none has.
func (l *Library) locate(e *Entry, f *File) string {
	for _, path := range l.places(e, f) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// missing is the error for a file that is in none of its places.
func (l *Library) missing(e *Entry, f *File) error {
	places := l.places(e, f)
	if f.Source == "" {
		return usage.Errorf("data set %s: there is no %s: it has no public address, so put your copy there", e.Name, strings.Join(places, " nor "))
	}
	return usage.Errorf("data set %s: there is no %s: sifg data fetch %s", e.Name, strings.Join(places, " nor "), e.Name)
}

// sum returns the digest that a file must have: the pinned one, or what a file of the user's own had when it was first read.
func (l *Library) sum(e *Entry, f *File) (string, error) {
	if f.SHA256 != "" {
		return f.SHA256, nil
	}
	path := l.locate(e, f)
	if path == "" {
		return "", l.missing(e, f)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.sums[path]; ok {
		return s, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	l.sums[path] = hex.EncodeToString(sum[:])
	return l.sums[path], nil
}

// read returns the bytes of a file after checking them.
func (l *Library) read(e *Entry, f *File) (path string, b []byte, err error) {
	want, err := l.sum(e, f)
	if err != nil {
		return "", nil, err
	}
	if path = l.locate(e, f); path == "" {
		return "", nil, l.missing(e, f)
	}
	if b, err = os.ReadFile(path); err != nil {
		return "", nil, err
	}
	if err := f.matches(b, want); err != nil {
		again := ""
		switch {
		case f.SHA256 == "" && f.hasSize(b):
			again = ": it changed while the program ran"
		case f.Source != "" && path == l.cached(e, f):
			again = fmt.Sprintf(": sifg data fetch %s gets it anew", e.Name)
		}
		return "", nil, faultf("%s %v%s", path, err, again)
	}
	return path, b, nil
}

// matches says how bytes differ from what the manifest pins.
func (f *File) matches(b []byte, want string) error {
	sum := sha256.Sum256(b)
	switch {
	case hex.EncodeToString(sum[:]) == want && f.hasSize(b): // where no digest is pinned, want is the file's own
		return nil
	case isHTML(b):
		return fmt.Errorf("is an HTML page, not the data")
	case int64(len(b)) < f.Bytes:
		return fmt.Errorf("has %d bytes, want %d: it is cut short", len(b), f.Bytes)
	case !f.hasSize(b):
		return fmt.Errorf("has %d bytes, want %d", len(b), f.Bytes)
	}
	return fmt.Errorf("has SHA-256 %x, want %s", sum, want)
}

// hasSize says whether bytes are as many as the manifest pins, if it pins that.
func (f *File) hasSize(b []byte) bool { return f.Bytes == 0 || int64(len(b)) == f.Bytes }

// Digest returns the hex digest of all that decides what Load gives: the files' SHA-256, the rules of parsing, the
// target. Pinned files are not read for it; a file of the user's own is.
func (l *Library) Digest(name string) (string, error) {
	e, err := l.Entry(name)
	if err != nil {
		return "", err
	}
	type file struct{ Role, SHA256 string }
	all := struct {
		Format int
		Files  []file
		Parse  Parse
		Target string
	}{Format: format, Parse: e.Parse, Target: e.Target}
	for i := range e.Files {
		s, err := l.sum(e, &e.Files[i])
		if err != nil {
			return "", err
		}
		all.Files = append(all.Files, file{e.Files[i].Role, s})
	}
	b, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Load finds a data set's files, checks them and parses them, once.
func (l *Library) Load(name string) (*Data, error) {
	e, err := l.Entry(name)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	s := l.loaded[name]
	if s == nil {
		s = &slot{}
		l.loaded[name] = s
	}
	l.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data == nil { // an error is not kept: the file may come
		s.data, err = l.parse(e)
	}
	return s.data, err
}

func (l *Library) parse(e *Entry) (*Data, error) {
	var d *Data
	type indices struct {
		path string
		rows []int
	}
	parts := map[string][]indices{}
	for i := range e.Files {
		f := &e.Files[i]
		path, b, err := l.read(e, f)
		if err != nil {
			return nil, err
		}
		if f.Role == "table" {
			if d, err = parseTable(path, b, e); err != nil {
				return nil, err
			}
			continue
		}
		rows, err := parseIndices(path, b)
		if err != nil {
			return nil, err
		}
		parts[f.Role] = append(parts[f.Role], indices{path, rows})
	}
	for _, p := range parts["permutation"] {
		if err := d.setPermutation(p.path, p.rows); err != nil {
			return nil, err
		}
	}
	for i, train := range parts["train"] {
		test := parts["test"][i]
		if err := d.addSplit(train.path, test.path, train.rows, test.rows); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Absent says which file of a data set is in none of its places and what to do; nil if all are there.
func (l *Library) Absent(name string) error {
	e, err := l.Entry(name)
	if err != nil {
		return err
	}
	for i := range e.Files {
		if f := &e.Files[i]; l.locate(e, f) == "" {
			return l.missing(e, f)
		}
	}
	return nil
}

// Missing returns the data sets among names (none: all) of which a file is in none of its places.
func (l *Library) Missing(names ...string) ([]string, error) {
	sets, err := l.chosen(names)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range sets {
		for i := range e.Files {
			if l.locate(e, &e.Files[i]) == "" {
				out = append(out, e.Name)
				break
			}
		}
	}
	return out, nil
}

// Verify reads and parses the data sets among names (none: all) that are there and returns the error of each that is
// not what the manifest says.
func (l *Library) Verify(names ...string) (map[string]error, error) {
	sets, err := l.chosen(names)
	if err != nil {
		return nil, err
	}
	bad := map[string]error{}
	for _, e := range sets {
		absent, err := l.Missing(e.Name)
		if err != nil {
			return nil, err
		}
		if len(absent) > 0 {
			continue
		}
		if _, err := l.parse(e); err != nil {
			bad[e.Name] = err
		}
	}
	return bad, nil
}

// chosen returns the entries of names (none: all).
func (l *Library) chosen(names []string) ([]*Entry, error) {
	if len(names) == 0 {
		names = l.names
	}
	var out []*Entry
	for _, name := range names {
		e, err := l.Entry(name)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func isURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

// isHTML says whether the bytes begin as a page does.
func isHTML(b []byte) bool {
	head := strings.ToLower(string(bytes.TrimSpace(b[:min(len(b), 512)])))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}
