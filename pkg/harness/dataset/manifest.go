package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const (
	projectManifest = "datasets/manifest.yaml"
	maxManifest     = 1 << 20 // bytes
	maxFile         = 1 << 30 // bytes of a data file
)

// Values that an entry may have.
var (
	tasks      = []string{"regression", "binary", "none"}
	roles      = []string{"table", "permutation", "train", "test"}
	separators = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "whitespace": ' '}
	nameRule   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	sumRule    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Entry is what a manifest says of one data set. docs/datasets.md describes the keys. Fields without a name in JSON do not decide
// what Load returns.
type Entry struct {
	Name     string `yaml:"-" json:"-"`
	Title    string `yaml:"title" json:"-"`
	Task     string `yaml:"task" json:"-"` // regression, binary (the target is a 0/1 label) or none
	Note     string `yaml:"note" json:"-"` // where the file is not what its name suggests
	Licence  string `yaml:"licence" json:"-"`
	Citation string `yaml:"citation" json:"-"`

	Folder string `yaml:"folder" json:"-"` // of the files in the cache and in a mirror
	Source string `yaml:"source" json:"-"` // address that the names of files are appended to; "": they have no public address
	Files  []File `yaml:"files" json:"files"`

	Parse       Parse   `yaml:"parse" json:"parse"`
	Target      string  `yaml:"target" json:"target"`                     // name of a column, last, or none
	Rows        int     `yaml:"rows" json:"-"`                            // that there must be; 0: any number
	Permutation *uint32 `yaml:"permutation" json:"permutation,omitempty"` // seed of NumPy's RandomState, in place of a file
	Splits      *Splits `yaml:"splits" json:"splits,omitempty"`           // in place of files

	manifest string // path
}

// Splits are random divisions, nine rows of ten to train, made as those of the literature were.
type Splits struct {
	Seed  uint32 `yaml:"seed" json:"seed"` // of NumPy's RandomState
	Count int    `yaml:"count" json:"count"`
}

// File is one file of a data set.
type File struct {
	Name   string `yaml:"name" json:"-"`
	Role   string `yaml:"role" json:"role"` // table, permutation, train or test
	Source string `yaml:"source" json:"-"`  // in place of the entry's
	Bytes  int64  `yaml:"bytes" json:"-"`   // 0: not pinned
	SHA256 string `yaml:"sha256" json:"sha256"`

	own string // path of a file that a person put in place beside their manifest
}

// Parse says how the table is read.
type Parse struct {
	Separator string   `yaml:"separator" json:"separator"` // comma, semicolon, tab or whitespace
	Header    bool     `yaml:"header" json:"header"`       // the first line has names
	Columns   []string `yaml:"columns" json:"columns"`     // names, in place of those of the header
	Drop      []string `yaml:"drop" json:"drop"`           // columns that are left out unread
}

// add reads one manifest.
func (l *Library) add(b []byte, path string) error {
	var m struct {
		Datasets map[string]Entry `yaml:"datasets"`
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil && err != io.EOF {
		text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n")
		text, _, _ = strings.Cut(text, " in type ") // a name of this package
		return usage.Errorf("%s: %s (docs/datasets.md lists the keys)", path, safe.Text(text))
	}
	if len(m.Datasets) == 0 {
		return usage.Errorf("%s has no data set: want datasets: with an entry for each", path)
	}
	if d.Decode(&yaml.Node{}) != io.EOF {
		return usage.Errorf("%s has a second document, which would not be read: take out the line ---", path)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Datasets)) {
		e := m.Datasets[name]
		e.Name, e.manifest = name, path
		err := e.complete()
		if old := l.entries[name]; old != nil {
			err = fmt.Errorf("there is one of this name in %s", old.manifest)
		}
		if err != nil {
			return usage.Errorf("%s: data set %s: %s", path, safe.Text(name), safe.Text(err.Error()))
		}
		l.names = append(l.names, name)
		l.entries[name] = &e
	}
	return nil
}

// complete checks an entry and fills in defaults.
func (e *Entry) complete() error {
	if !nameRule.MatchString(e.Name) || e.Name == "all" {
		return errors.New("a name has lower-case letters, digits and -, and all is taken")
	}
	if e.Title == "" {
		e.Title = e.Name
	}
	for _, text := range []*string{&e.Title, &e.Note, &e.Licence, &e.Citation} {
		*text = safe.Text(*text)
	}
	if e.Folder == "" {
		e.Folder = e.Name
	}
	if e.Task == "" {
		e.Task = "regression"
		if e.Target == "none" {
			e.Task = "none"
		}
	}
	if err := e.completeFiles(); err != nil {
		return err
	}
	switch {
	case !filepath.IsLocal(e.Folder):
		return fmt.Errorf("folder %q must lie below the cache", e.Folder)
	case separators[e.Parse.Separator] == 0:
		return fmt.Errorf("parse.separator %q: want comma, semicolon, tab or whitespace", e.Parse.Separator)
	case e.Target == "":
		return errors.New("target is missing: want the name of a column, last or none")
	case !slices.Contains(tasks, e.Task):
		return fmt.Errorf("task %q: want %s", e.Task, strings.Join(tasks, ", "))
	case (e.Task == "none") != (e.Target == "none"):
		return fmt.Errorf("task %s with target %s: none goes with none", e.Task, e.Target)
	case e.Splits != nil && (e.Splits.Count < 1 || e.Splits.Count > 1000):
		return fmt.Errorf("splits.count is %d: want 1 to 1000", e.Splits.Count)
	}
	return nil
}

func (e *Entry) completeFiles() error {
	count := map[string]int{}
	for i := range e.Files {
		f := &e.Files[i]
		if f.Role == "" {
			f.Role = "table"
		}
		if f.Source == "" {
			f.Source = e.Source
		}
		if f.Source == "" && e.manifest != projectManifest {
			f.own = f.Name
			if !filepath.IsAbs(f.Name) {
				f.own = filepath.Join(filepath.Dir(e.manifest), f.Name)
			}
		}
		switch {
		case f.Name == "":
			return fmt.Errorf("file %d of files has no name", i+1)
		case !slices.Contains(roles, f.Role):
			return fmt.Errorf("role %q of %s: want %s", f.Role, f.Name, strings.Join(roles, ", "))
		case f.SHA256 != "" && !sumRule.MatchString(f.SHA256):
			return fmt.Errorf("sha256 of %s must be 64 digits 0-9a-f", f.Name)
		case f.Bytes < 0 || f.Bytes > maxFile:
			return fmt.Errorf("bytes of %s is %d: want 0 to %d", f.Name, f.Bytes, maxFile)
		case f.Source != "" && (f.SHA256 == "" || f.Bytes == 0):
			return fmt.Errorf("%s is fetched from %s: its sha256 and bytes are needed", f.Name, f.Source)
		case f.Source != "" && !isURL(f.Source):
			return fmt.Errorf("source %s must begin with http:// or https://", f.Source)
		case f.own == "" && !filepath.IsLocal(f.Name):
			return fmt.Errorf("%s must lie below the folder of the data set", f.Name)
		}
		count[f.Role]++
	}
	slices.SortStableFunc(e.Files, func(a, b File) int { return slices.Index(roles, a.Role) - slices.Index(roles, b.Role) })
	if len(e.Files) > 0 {
		e.Source = e.Files[0].Source
	}
	switch {
	case count["table"] != 1 || count["permutation"] > 1 || count["train"] != count["test"]:
		return fmt.Errorf("files must have one table, at most one permutation, and as many train as test: there are %d, %d, %d and %d",
			count["table"], count["permutation"], count["train"], count["test"])
	case e.Permutation != nil && count["permutation"] > 0:
		return errors.New("permutation has a seed, and files has a permutation: want one of them")
	case e.Splits != nil && count["train"] > 0:
		return errors.New("there are splits, and files has train and test: want one of them")
	}
	return nil
}
