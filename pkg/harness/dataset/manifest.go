package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const (
	projectManifest = "datasets/manifest.yaml"
	maxManifest     = 1 << 20 // bytes
	maxFile         = 1 << 30 // bytes of a file whose size is not pinned
)

// Values that an entry may have.
var (
	roles      = []string{"table", "permutation", "data", "draws"}
	separators = map[string]rune{"comma": ',', "semicolon": ';', "pipe": '|', "tab": '\t', "whitespace": ' '}
	nameRule   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	web        = regexp.MustCompile(`^https?://[[:print:]]+$`)
)

// Entry is what a manifest says of one data set. docs/datasets.md describes the keys. Fields without a name in JSON do
// not decide what Load returns.
type Entry struct {
	Name     string `yaml:"-"        json:"-"`
	Title    string `yaml:"title"    json:"-"`
	Task     string `yaml:"task"     json:"-"` // regression, binary (the target is a 0/1 label) or none
	Note     string `yaml:"note"     json:"-"` // where the file is not what its name suggests
	Licence  string `yaml:"licence"  json:"-"`
	Citation string `yaml:"citation" json:"-"`

	Folder string `yaml:"folder" json:"-"`     // of the files in the cache and in a mirror
	Source string `yaml:"source" json:"-"`     // address of the table, less its name; "": no public address
	Files  []File `yaml:"files"  json:"files"` // the table first

	Parse  Parse  `yaml:"parse"       json:"parse"`
	Target string `yaml:"target"      json:"target"` // name of a column, last, or none
	Rows   int    `yaml:"rows"        json:"-"`      // that there must be; 0: any number
	// seed of NumPy's RandomState, in place of a file
	Permutation *uint32 `yaml:"permutation" json:"permutation,omitempty"`

	manifest string // path
}

// File is one file of a data set.
type File struct {
	Name   string `yaml:"name"   json:"-"`
	Role   string `yaml:"role"   json:"role"` // table, then permutation; or data and draws, which are not parsed
	Source string `yaml:"source" json:"-"`    // absent: the entry's
	Bytes  int64  `yaml:"bytes"  json:"-"`    // 0: not pinned
	SHA256 string `yaml:"sha256" json:"sha256"`

	own string // path of a file that a person put in place beside their manifest
}

// Parse says how the table is read.
type Parse struct {
	Separator string   `yaml:"separator" json:"separator"`       // one of separators
	Header    bool     `yaml:"header" json:"header"`             // the first record has names
	Columns   []string `yaml:"columns,omitempty" json:"columns"` // names, in place of those of the header
	Drop      []string `yaml:"drop,omitempty,flow" json:"drop"`  // columns that are left out unread
	Decimal   string   `yaml:"decimal" json:"decimal,omitempty"` // see number
	NA        []string `yaml:"na,omitempty" json:"na,omitempty"` // more texts that stand for a missing value

	// columns of text, each of which becomes a column of 0 and 1 for each of its texts but the first in the alphabet
	Encode  []string `yaml:"encode,omitempty" json:"encode,omitempty"`
	Missing string   `yaml:"missing,omitempty" json:"missing,omitempty"` // drop or "", which refuses missing values
}

// check refuses values that a key does not take.
func (p *Parse) check() error {
	switch {
	case p.Separator != "" && separators[p.Separator] == 0:
		return fmt.Errorf("separator %q: want comma, semicolon, pipe, tab or whitespace", p.Separator)
	case p.Decimal != "" && p.Decimal != "point" && p.Decimal != "comma":
		return fmt.Errorf("decimal %q: want point or comma", p.Decimal)
	case p.Missing != "" && p.Missing != "drop":
		return fmt.Errorf("missing %q: want drop, for rows in which a value is missing", p.Missing)
	}
	return nil
}

// add reads one manifest.
func (l *Library) add(b []byte, path string) error {
	var m struct {
		Datasets map[string]Entry `yaml:"datasets"`
	}
	if err := settings.Document(b, &m); err != nil {
		return usage.Errorf("%s: %v (docs/datasets.md lists the keys)", path, err)
	}
	if len(m.Datasets) == 0 {
		return usage.Errorf("%s: want the key datasets, and an entry for each data set below it", path)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Datasets)) {
		e := m.Datasets[name]
		e.Name, e.manifest = name, path
		if err := l.put(&e); err != nil {
			return err
		}
	}
	return nil
}

// put completes an entry and takes it up.
func (l *Library) put(e *Entry) error {
	for _, names := range [][]string{e.Parse.Columns, e.Parse.Drop, e.Parse.Encode} {
		for i := range names {
			names[i] = norm.NFC.String(names[i]) // as text is read
		}
	}
	e.Target = norm.NFC.String(e.Target)
	err := e.complete()
	if old := l.entries[e.Name]; old != nil {
		err = fmt.Errorf("there is one of this name in %s", old.manifest)
	}
	if err != nil {
		return usage.Errorf("%s: data set %s: %s", e.manifest, safe.Text(e.Name), safe.Text(err.Error()))
	}
	l.names = append(l.names, e.Name)
	l.entries[e.Name] = e
	return nil
}

// raw reports whether the data set has files that are not parsed, in place of a table.
func (e *Entry) raw() bool {
	return e.Files[0].Role != "table"
}

// complete checks an entry and fills in defaults.
func (e *Entry) complete() error {
	if !nameRule.MatchString(e.Name) || e.Name == "all" {
		return errors.New("a name has lower-case letters, digits and -, and all is taken")
	}
	e.Title, e.Folder = cmp.Or(e.Title, e.Name), cmp.Or(e.Folder, e.Name)
	e.Title = safe.Text(e.Title)
	e.Task = cmp.Or(e.Task, "regression")
	if e.Target == "none" {
		e.Task = "none"
	}
	if err := e.completeFiles(); err != nil {
		return err
	}
	switch {
	case !isLocal(e.Folder):
		return fmt.Errorf("folder %q must be a printable path below the cache", e.Folder)
	case e.raw():
		return nil
	case e.Parse.Separator == "":
		return errors.New("parse.separator is missing: want comma, semicolon, pipe, tab or whitespace")
	case e.Parse.check() != nil:
		return e.Parse.check()
	case slices.Contains(e.Parse.Encode, e.Target):
		return fmt.Errorf("the target %s cannot be encoded: write it as numbers", e.Target)
	case e.Target == "":
		return errors.New("target is missing: want the name of a column, last or none")
	case e.Task != "regression" && e.Task != "binary" && e.Task != "none":
		return fmt.Errorf("task %q: want regression or binary, or none without a target", e.Task)
	}
	return nil
}

func (e *Entry) completeFiles() error {
	var found []string
	for i := range e.Files {
		f := &e.Files[i]
		f.Role, f.Source = cmp.Or(f.Role, "table"), cmp.Or(f.Source, e.Source)
		f.SHA256 = strings.ToLower(f.SHA256)
		if f.Source == "" && e.manifest != projectManifest {
			f.own = filepath.Join(filepath.Dir(e.manifest), f.Name)
			if filepath.IsAbs(f.Name) {
				f.own = f.Name
			}
		}
		switch {
		case f.Name == "":
			return fmt.Errorf("file %d of files has no name", i+1)
		case !slices.Contains(roles, f.Role):
			return fmt.Errorf("role %q of %s: want %s", f.Role, f.Name, strings.Join(roles, ", "))
		case f.Source != "" && (f.SHA256 == "" || f.Bytes == 0):
			return fmt.Errorf("%s is fetched from %s: its sha256 and bytes are needed", f.Name, f.Source)
		case f.Source != "" && !web.MatchString(f.Source):
			return fmt.Errorf("source %s must begin with http:// or https://", f.Source)
		case f.own == "" && !isLocal(f.Name):
			return fmt.Errorf("name %q must be a printable path below the folder of the data set", f.Name)
		}
		found = append(found, f.Role)
	}
	parsed := slices.Contains(found, "table") || slices.Contains(found, "permutation")
	switch all := strings.Join(found, " "); {
	case found == nil || parsed && all != "table" && all != "table permutation":
		return errors.New("files: want one table, and after it at most one permutation, or files of the roles data " +
			"and draws alone")
	case e.Permutation != nil && all == "table permutation":
		return errors.New("the permutation has either a seed or a file")
	}
	e.Source = e.Files[0].Source
	return nil
}

func isLocal(path string) bool { return filepath.IsLocal(path) && safe.Text(path) == path }
