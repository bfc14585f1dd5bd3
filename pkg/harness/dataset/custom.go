package dataset

import (
	"cmp"
	"encoding/csv"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Table says of a table what its file leaves open: see Entry.Target and Parse. What is empty is found out.
type Table struct {
	Target string
	Header string // true or false
	Parse
}

// Set sets a key of Parse as a person writes it: decimal=comma, or drop=id,city.
func (t *Table) Set(text string) error {
	key, value, _ := strings.Cut(norm.NFC.String(text), "=") // as tables are read
	texts := map[string]*string{
		"separator": &t.Separator, "decimal": &t.Decimal, "missing": &t.Missing, "header": &t.Header,
	}
	valid := map[string][]string{"separator": slices.Sorted(maps.Keys(separators)), "decimal": {"point", "comma"},
		"missing": {"drop"}, "header": {"true", "false"}}
	lists := map[string]*[]string{"columns": &t.Columns, "drop": &t.Drop, "encode": &t.Encode, "na": &t.NA}
	switch {
	case value == "":
		return usage.Errorf("--parse %s: want KEY=VALUE, such as drop=id,city", text)
	case texts[key] != nil:
		*texts[key] = value
		return usage.Among("value", []string{value}, "--parse "+key, valid[key])
	case lists[key] != nil: // a name with a comma stands in quotes
		lines, err := csv.NewReader(strings.NewReader(value)).ReadAll()
		if err != nil || len(lines) != 1 {
			return usage.Errorf("--parse %q: want one line, such as drop=id,city, and quotes around a name that has a "+
				"comma, a quote or a line break", text)
		}
		*lists[key] = append(*lists[key], lines[0]...)
	default:
		have := slices.AppendSeq(slices.Collect(maps.Keys(texts)), maps.Keys(lists))
		slices.Sort(have)
		return usage.Unknown("key", key, "--parse", have)
	}
	return nil
}

// Add makes the table in a file a data set, which is called after the file. A table that cannot be read is not added.
func (l *Library) Add(path string, t Table) (name string, err error) {
	base := filepath.Base(path)
	name = cmp.Or(usage.Name(strings.TrimSuffix(base, filepath.Ext(base))), "table")
	switch {
	case l.entries[name] != nil:
		return "", usage.Errorf("%s: there is another data set of this name: give the file another, such as my-%s",
			path, filepath.Base(path))
	case t.Target == "":
		return "", usage.Errorf("%s: which column is predicted? --target names it, or is last", path)
	}
	b, err := safe.Read(path, maxFile)
	if err != nil {
		return "", usage.Errorf("%v", err)
	}
	t.Target = norm.NFC.String(t.Target)
	s, err := open(path, b)
	if err == nil {
		err = s.find(&t.Parse, t.Header)
	}
	if err != nil {
		return "", err
	}
	l.entries[name] = &Entry{Name: name, Title: name, Files: []File{{Role: "table"}}, Parse: t.Parse, Target: t.Target,
		own: path}
	_, err = l.Load(name)
	return name, err
}
