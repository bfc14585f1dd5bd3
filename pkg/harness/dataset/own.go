package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Own is the manifest of a person's own data sets that Add writes and Open reads.
const Own = "datasets/own.yaml"

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// Table says of a person's table what its file does not, or leaves open: see Entry.Target and Parse. What is empty is
// found out.
type Table struct {
	Target string
	Header string // yes or no
	Parse
}

// Of reports whether an entry reads a table so.
func (t *Table) Of(e *Entry) bool {
	text := func(a, b string) bool { return a == "" || a == b }
	list := func(a, b []string) bool { return a == nil || slices.Equal(a, b) }
	p := e.Parse
	return text(t.Target, e.Target) && text(t.Separator, p.Separator) && text(t.Decimal, p.Decimal) &&
		text(t.Missing, p.Missing) && list(t.Drop, p.Drop) && list(t.Encode, p.Encode) && list(t.NA, p.NA) &&
		(t.Header == "" || (t.Header == "yes") == p.Header)
}

// Add makes the table in a file a data set, which is called after the file; Keep describes it in Own. A file that Own
// describes already keeps its entry, which may have splits by now. A table that cannot be read is not added.
func (l *Library) Add(path string, t Table) (name string, err error) {
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	base = strings.TrimSuffix(base, filepath.Ext(base))
	name = cmp.Or(strings.Trim(notName.ReplaceAllString(base, "-"), "-"), "table")
	from, err := filepath.Rel(filepath.Dir(Own), path)
	if err != nil { // path is absolute
		from = path
	}
	switch old := l.entries[name]; {
	case old != nil && old.manifest == Own && old.Files[0].Name == from && t.Of(old):
		return name, nil
	case old != nil && old.manifest == Own:
		return "", usage.Errorf("%s: %s describes a data set %s with the target %s already: --data %s takes that; "+
			"else give the file another name, or change the entry", path, Own, name, old.Target, name)
	case old != nil:
		return "", usage.Errorf("%s: %s has another data set of this name: give the file another, such as my-%s", path,
			old.manifest, filepath.Base(path))
	case t.Target == "":
		return "", usage.Errorf("%s: which column is predicted? --target names it, or is last", path)
	case t.Header != "" && t.Header != "yes" && t.Header != "no":
		return "", usage.Errorf("--header %q: want yes or no", t.Header)
	case t.check() != nil:
		return "", usage.Errorf("--%v", t.check())
	}
	b, err := safe.Read(path, maxFile)
	if err != nil {
		return "", usage.Errorf("%v", err)
	}
	if err := (&File{}).check(b); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	s, err := open(path, b)
	if err == nil {
		err = s.find(&t.Parse, t.Header)
	}
	if err != nil {
		return "", err
	}
	entry := map[string]any{"files": []map[string]string{{"name": from}}, "parse": t.Parse, "target": t.Target}
	var text bytes.Buffer
	w := yaml.NewEncoder(&text)
	w.SetIndent(2)
	_ = w.Encode(map[string]any{"datasets": map[string]any{name: entry}}) // all of it has a YAML form
	if err := l.add(text.Bytes(), Own); err != nil {
		return "", err
	}
	if _, err := l.Load(name); err != nil {
		return "", err
	}
	_, entries, _ := strings.Cut(text.String(), "\n")
	l.added += entries
	return name, nil
}

// Keep writes what was added into Own, where nothing is refused any more.
func (l *Library) Keep() error {
	if l.added == "" {
		return nil
	}
	text, err := safe.Read(Own, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("# Data sets of your own: docs/datasets.md describes the keys.\ndatasets:\n"), nil
	}
	text = append(text, l.added...)
	if err == nil { // who edited it may have indented otherwise
		err = (&Library{entries: map[string]*Entry{}}).add(text, Own)
	}
	if err != nil {
		return err
	}
	l.added = ""
	return errors.Join(os.MkdirAll(filepath.Dir(Own), 0o777), disk.WriteFileAtomic(Own, text))
}
