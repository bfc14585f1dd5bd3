package dataset

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// Entry is what the manifest says of one data set. Fields without a name in JSON do not decide what Load returns.
type Entry struct {
	Name     string `yaml:"-"        json:"-"`
	Title    string `yaml:"title"    json:"-"`
	Task     string `yaml:"task"     json:"-"` // regression, binary (the target is a 0/1 label) or none
	Note     string `yaml:"note"     json:"-"` // where the file is not what its name suggests
	Licence  string `yaml:"licence"  json:"-"`
	Citation string `yaml:"citation" json:"-"`

	Folder string `yaml:"folder" json:"-"`     // of the files in the cache and in a mirror
	Source string `yaml:"source" json:"-"`     // address of the files, less their names
	Files  []File `yaml:"files"  json:"files"` // a table, then perhaps a permutation; or others, which are not parsed

	Parse  Parse  `yaml:"parse"       json:"parse"`
	Target string `yaml:"target"      json:"target"` // name of a column, last, or none
	Rows   int    `yaml:"rows"        json:"-"`      // that there must be; 0: any number
	// seed of NumPy's RandomState, in place of a file
	Permutation *uint32 `yaml:"permutation" json:"permutation,omitempty"`
}

// File is one file of a data set.
type File struct {
	Name   string `yaml:"name"   json:"-"`
	Role   string `yaml:"role"   json:"role"` // table or permutation; or data and draws, which are not parsed
	Source string `yaml:"source" json:"-"`    // absent: the entry's; "": no public address
	Bytes  int64  `yaml:"bytes"  json:"-"`    // 0: not pinned
	SHA256 string `yaml:"sha256" json:"sha256"`
}

// Parse says how the table is read. Of a person's own table what is empty is found out.
type Parse struct {
	Separator string   `yaml:"separator" json:"separator"`                 // one of separators
	Header    *bool    `yaml:"header" json:"header"`                       // the first record has names
	Columns   []string `yaml:"columns,omitempty" json:"columns"`           // names, in place of those of the header
	Drop      []string `yaml:"drop,omitempty,flow" json:"drop"`            // columns that are left out unread
	Decimal   string   `yaml:"decimal" json:"decimal,omitempty"`           // see number
	NA        []string `yaml:"na,omitempty" json:"na,omitempty"`           // more texts that stand for a missing value
	Missing   string   `yaml:"missing,omitempty" json:"missing,omitempty"` // drop or "", which refuses missing values
}

var separators = map[string]rune{"comma": ',', "semicolon": ';', "pipe": '|', "tab": '\t', "whitespace": ' '}

// add takes the entries of a manifest up.
func (l *Library) add(manifest []byte) error {
	var m struct {
		Datasets map[string]*Entry `yaml:"datasets"`
	}
	if err := settings.Document(manifest, &m); err != nil {
		return fmt.Errorf("datasets/manifest.yaml: %w", err)
	}
	for name, e := range m.Datasets {
		e.Name = name
		if e.Parse.Header == nil {
			e.Parse.Header = new(false)
		}
		for i := range e.Files {
			f := &e.Files[i]
			f.Role, f.Source = cmp.Or(f.Role, "table"), cmp.Or(f.Source, e.Source)
		}
	}
	maps.Copy(l.entries, m.Datasets)
	return nil
}

// raw reports whether the data set has files that are not parsed, in place of a table.
func (e *Entry) raw() bool { return e.Files[0].Role != "table" }
