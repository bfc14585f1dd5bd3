package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Own is the manifest of a person's own data sets that Add writes and Open reads.
const Own = "datasets/own.yaml"

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// Columns say how the columns of a person's table are read: see Entry.Target and Parse.
type Columns struct {
	Target       string
	Drop, Encode []string
	Missing      string
}

// Of reports whether an entry reads a table so, where these columns say anything of it.
func (c *Columns) Of(e *Entry) bool {
	return (c.Target == "" || c.Target == e.Target) && (c.Drop == nil || slices.Equal(c.Drop, e.Parse.Drop)) &&
		(c.Encode == nil || slices.Equal(c.Encode, e.Parse.Encode)) && (c.Missing == "" || c.Missing == e.Parse.Missing)
}

// Add makes the table in a file a data set, which is called after the file; Keep describes it in Own. A file that Own
// describes already keeps its entry, which may have splits by now. A table that cannot be read is not added.
func (l *Library) Add(path string, c Columns) (name string, err error) {
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	name = cmp.Or(strings.Trim(notName.ReplaceAllString(base, "-"), "-"), "table")
	from, err := filepath.Rel(filepath.Dir(Own), path)
	if err != nil { // path is absolute
		from = path
	}
	if old := l.entries[name]; old != nil {
		if old.manifest == Own && old.Files[0].Name == from && c.Of(old) {
			return name, nil
		}
		return "", usage.Errorf("%s: %s describes a data set %s with the target %s already: --data %s takes that; "+
			"else give the file another name, or change the entry", path, old.manifest, name, old.Target, name)
	}
	separator, header, err := guess(path)
	if err != nil {
		return "", err
	}
	if c.Target == "" {
		return "", usage.Errorf("%s: which column is predicted? --target names it, or is last", path)
	}
	parse := fmt.Sprintf("separator: %s, header: %t, drop: %s", separator, header, quote(append([]string{}, c.Drop...)))
	if c.Encode != nil {
		parse += ", encode: " + quote(c.Encode)
	}
	if c.Missing != "" {
		parse += ", missing: " + quote(c.Missing)
	}
	entry := fmt.Sprintf("  %s:\n    files: [{name: %s}]\n    parse: {%s}\n    target: %s\n", name, quote(from),
		parse, quote(c.Target))
	if err := l.add([]byte("datasets:\n"+entry), Own); err != nil {
		return "", err
	}
	if _, err := l.Load(name); err != nil {
		return "", err
	}
	l.added += entry
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

// quote writes a text, or texts, in YAML.
func quote(v any) string {
	b, _ := json.Marshal(v) // texts have a JSON form
	return string(b)
}

// guess finds out from the first line how a table is read.
func guess(path string) (separator string, header bool, err error) {
	b, err := safe.Read(path, maxFile)
	if err != nil {
		return "", false, usage.Errorf("%v", err)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	separator = "whitespace"
	for _, name := range []string{"tab", "semicolon", "comma"} {
		if bytes.ContainsRune(first, separators[name]) {
			separator = name
		}
	}
	all, err := lines(path, first, separator)
	return separator, len(all) > 0 && !numeric(all[0].fields), err
}
