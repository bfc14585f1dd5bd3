package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Where things are unless Options say otherwise.
var (
	defaultCache = filepath.Join("datasets", "cache")
	ownManifest  = filepath.Join("datasets", "manifest.yaml")
)

// Tasks, roles and separators that an entry may name.
var (
	tasks      = []string{"regression", "binary", "none"}
	roles      = []string{"table", "permutation", "train", "test"}
	separators = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "whitespace": ' '}
)

// Entry is what a manifest says of one data set.
type Entry struct {
	Name     string `yaml:"-"`
	From     string `yaml:"-"` // the manifest
	Title    string `yaml:"title"`
	Task     string `yaml:"task"` // regression | binary (the target is a 0/1 label) | none; absent: regression, or none without a target
	Note     string `yaml:"note"` // where the file is not what its name suggests
	Licence  string `yaml:"licence"`
	Citation string `yaml:"citation"`

	Folder string `yaml:"folder"` // of the files in the cache and in a mirror; absent: the name
	Source string `yaml:"source"` // address that a file's name is appended to; absent: the user puts the files in place
	Files  []File `yaml:"files"`

	Parse  Parse  `yaml:"parse"`
	Target string `yaml:"target"` // name of a column, last, or none
	Rows   int    `yaml:"rows"`   // that there must be; 0: any number

	dir string // of a user's manifest, where files of theirs are looked for first; "" for the project's
}

// Size is the number of bytes of the files whose size is pinned.
func (e *Entry) Size() int64 {
	n := int64(0)
	for _, f := range e.Files {
		n += f.Bytes
	}
	return n
}

// File is one file of a data set.
type File struct {
	Name   string `yaml:"name"`
	Role   string `yaml:"role"`   // table (absent) | permutation | train | test: rows of a split, in order of the splits
	Source string `yaml:"source"` // instead of the entry's
	Bytes  int64  `yaml:"bytes"`  // 0: not pinned
	SHA256 string `yaml:"sha256"` // "": not pinned, a file of the user's own
}

// Parse says how the table is read. A byte-order mark, either kind of line end and spaces around values need no rule.
type Parse struct {
	Separator string   `yaml:"separator" json:"separator"` // comma | semicolon | tab | whitespace
	Header    bool     `yaml:"header" json:"header"`       // the first line has names
	Columns   []string `yaml:"columns" json:"columns"`     // over the names of the header; absent without a header: c1, c2, …
	Drop      []string `yaml:"drop" json:"drop"`           // columns that are left out unread, such as row numbers and texts
}

func readManifest(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, usage.Errorf("--datasets %s cannot be read: %v", file, reason(err))
	}
	return b, nil
}

// reason is what the system said, without the path that the caller names already.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// add reads one manifest.
func (l *Library) add(b []byte, from string) error {
	doc, err := mapping.Parse(from, b)
	if err != nil {
		return usage.Errorf("%v", err)
	}
	var shape struct {
		Datasets map[string]Entry `yaml:"datasets"`
	}
	if len(doc.Content) == 0 {
		return usage.Errorf("%s is empty: want datasets: with an entry for each", from)
	}
	if err := exact(doc.Content[0], reflect.TypeOf(shape), from); err != nil {
		return err
	}
	if err := doc.Decode(&shape); err != nil {
		return usage.Errorf("%s: %s", from, oneLine(err))
	}
	_, sets := mapping.Entry(doc, "datasets")
	if sets == nil || len(sets.Content) == 0 {
		return usage.Errorf("%s names no data set: want datasets: with an entry for each", from)
	}
	for i := 0; i+1 < len(sets.Content); i += 2 {
		key, node := sets.Content[i], sets.Content[i+1]
		e := shape.Datasets[key.Value]
		e.Name, e.From = key.Value, from
		if from != ownManifest {
			e.dir = filepath.Dir(from)
		}
		bad := func(at string, format string, args ...any) error {
			line := key.Line
			if n, _ := mapping.Entry(node, at); n != nil {
				line = n.Line
			}
			return usage.Errorf("%s, line %d: data set %s: %s", from, line, e.Name, fmt.Sprintf(format, args...))
		}
		if old := l.entries[e.Name]; old != nil {
			return bad("", "there is one of this name in %s", old.From)
		}
		if !nameRule.MatchString(e.Name) || e.Name == "all" {
			return bad("", "names are lower-case letters, digits and -, and not all")
		}
		if err := e.complete(bad); err != nil {
			return err
		}
		l.names = append(l.names, e.Name)
		l.entries[e.Name] = &e
	}
	return nil
}

// complete checks an entry and puts the defaults in place; bad makes the error for one of its keys.
func (e *Entry) complete(bad func(key, format string, args ...any) error) error {
	if e.Title == "" {
		e.Title = e.Name
	}
	if e.Folder == "" {
		e.Folder = e.Name
	}
	if !filepath.IsLocal(e.Folder) {
		return bad("folder", "folder %q must lie below the cache", e.Folder)
	}
	if len(e.Files) == 0 {
		return bad("files", "files is missing: want one with its name at least")
	}
	count := map[string]int{}
	for i := range e.Files {
		f := &e.Files[i]
		if f.Role == "" {
			f.Role = "table"
		}
		if f.Source == "" {
			f.Source = e.Source
		}
		switch {
		case f.Name == "":
			return bad("files", "file %d has no name", i+1)
		case !slices.Contains(roles, f.Role):
			return bad("files", "role %q of %s: want %s", f.Role, f.Name, strings.Join(roles, ", "))
		case f.SHA256 != "" && !sumRule.MatchString(f.SHA256):
			return bad("files", "sha256 of %s must be 64 digits 0-9a-f", f.Name)
		case f.Bytes < 0:
			return bad("files", "bytes of %s must not be negative", f.Name)
		case f.Source != "" && (f.SHA256 == "" || f.Bytes == 0):
			return bad("files", "%s is fetched from %s: its sha256 and bytes are needed", f.Name, f.Source)
		case f.Source != "" && !isURL(f.Source):
			return bad("source", "source %s must begin with http:// or https://", f.Source)
		case (f.Source != "" || e.dir == "") && !filepath.IsLocal(f.Name):
			return bad("files", "%s must lie below the folder of the data set", f.Name)
		}
		count[f.Role]++
	}
	if count["table"] != 1 || count["permutation"] > 1 || count["train"] != count["test"] {
		return bad("files", "want one table, at most one permutation, and as many train as test files; there are %d, %d, %d and %d",
			count["table"], count["permutation"], count["train"], count["test"])
	}
	p := &e.Parse
	switch {
	case p.Separator == "":
		return bad("parse", "parse.separator is missing: want comma, semicolon, tab or whitespace")
	case separators[p.Separator] == 0:
		return bad("parse", "parse.separator %q: want comma, semicolon, tab or whitespace", p.Separator)
	case e.Target == "":
		return bad("target", "target is missing: want the name of a column, last or none")
	case e.Rows < 0:
		return bad("rows", "rows must not be negative")
	}
	if d := duplicate(p.Columns); d != "" {
		return bad("parse", "parse.columns has %q twice", d)
	}
	if e.Task == "" {
		e.Task = "regression"
		if e.Target == "none" {
			e.Task = "none"
		}
	}
	switch {
	case !slices.Contains(tasks, e.Task):
		return bad("task", "task %q: want %s", e.Task, strings.Join(tasks, ", "))
	case (e.Task == "none") != (e.Target == "none"):
		return bad("task", "task %s with target %s: none goes with none", e.Task, e.Target)
	case e.Target != "last" && e.Target != "none" && len(p.Columns) > 0 && !slices.Contains(p.Columns, e.Target):
		return bad("target", "target %q is none of parse.columns", e.Target)
	}
	return nil
}

var sumRule = regexp.MustCompile(`^[0-9a-f]{64}$`)

// duplicate returns a name that is there twice, or "".
func duplicate(names []string) string {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return n
		}
		seen[n] = true
	}
	return ""
}

// exact refuses keys that type t has no field for, with the nearest that it has. Values of a wrong type are left to
// the decoder, which names line and type.
func exact(n *yaml.Node, t reflect.Type, from string) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if err := exact(item, t.Elem(), from); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			if err := exact(n.Content[i], t.Elem(), from); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		fields, valid := map[string]reflect.Type{}, []string(nil)
		for f := range t.Fields() {
			if name := f.Tag.Get("yaml"); name != "" && name != "-" {
				fields[name], valid = f.Type, append(valid, name)
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if fields[key.Value] == nil {
				return usage.Unknown("key", key.Value, fmt.Sprintf("%s, line %d", from, key.Line), valid)
			}
			if err := exact(n.Content[i+1], fields[key.Value], from); err != nil {
				return err
			}
		}
	}
	return nil
}

// oneLine is the decoder's message in one sentence.
func oneLine(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	var parts []string
	for line := range strings.Lines(text) {
		parts = append(parts, strings.TrimSpace(line))
	}
	return strings.Join(parts, "; ")
}
