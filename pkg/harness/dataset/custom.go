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

// Set sets a key as a person writes it: decimal=comma, or drop=id,city.
func (p *Parse) Set(text string) error {
	key, value, _ := strings.Cut(norm.NFC.String(text), "=") // as tables are read
	texts := map[string]*string{
		"separator": &p.Separator, "decimal": &p.Decimal, "missing": &p.Missing, "header": new(string),
	}
	valid := map[string][]string{"separator": slices.Sorted(maps.Keys(separators)), "decimal": {"point", "comma"},
		"missing": {"drop"}, "header": {"true", "false"}}
	lists := map[string]*[]string{"columns": &p.Columns, "drop": &p.Drop, "na": &p.NA}
	switch {
	case value == "":
		return usage.Errorf("--parse %s: want KEY=VALUE, such as drop=id,city", text)
	case texts[key] != nil:
		if *texts[key] = value; key == "header" {
			p.Header = new(value == "true")
		}
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

// Add makes the table in a file a data set, which is called after the file. What p leaves empty is found out. A table
// that cannot be read is not added.
func (l *Library) Add(path, target string, p Parse) (name string, err error) {
	base := filepath.Base(path)
	name = cmp.Or(usage.Name(strings.TrimSuffix(base, filepath.Ext(base))), "table")
	switch {
	case l.entries[name] != nil:
		return "", usage.Errorf("%s: there is another data set of this name: give the file another, such as my-%s",
			path, filepath.Base(path))
	case target == "":
		return "", usage.Errorf("%s: which column is predicted? --target names it, or is last", path)
	}
	b, err := safe.Read(path, maxFile)
	if err != nil {
		return "", usage.Errorf("%v", err)
	}
	s, err := open(path, b)
	if err == nil {
		err = s.find(&p)
	}
	if err != nil {
		return "", err
	}
	e := &Entry{Name: name, Title: name, Parse: p, Target: norm.NFC.String(target),
		Files: []File{{Role: "table", SHA256: sum(b)}}}
	d := &Data{Name: name, digest: e.digest()}
	if err := d.parse(s, e); err != nil {
		return "", err
	}
	l.entries[name], l.loaded[name] = e, d
	return name, nil
}
