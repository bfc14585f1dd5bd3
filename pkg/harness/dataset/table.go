package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// parse reads the table of a data set.
func (d *Data) parse(s *source, e *Entry) error {
	all, err := s.lines(e.Parse.Separator, len(s.text)+1)
	if err != nil {
		return err
	}
	var header []string
	if len(all) > 0 && *e.Parse.Header {
		header, all = all[0].fields, all[1:]
	}
	if n := len(all); n == 0 {
		return damaged("%s: there are no rows of values", s.path)
	} else if e.Rows > 0 && n != e.Rows {
		return damaged("%s: %d rows, want %d", s.path, n, e.Rows)
	}
	names, err := s.columns(all, header, &e.Parse)
	if err != nil {
		return err
	}
	lost, err := d.take(s, all, names, &e.Parse)
	if err != nil {
		return err
	}
	d.Cols = len(names)
	for _, name := range names {
		d.Columns = append(d.Columns, safe.Text(name))
	}
	if err := d.setTarget(s.path, e); err != nil {
		return err
	}
	named, target := "no", "none"
	if *e.Parse.Header {
		named = "yes"
	}
	if d.Target >= 0 {
		target = d.Columns[d.Target]
	}
	said := []string{table.Count(d.Rows, "row"), "separator " + e.Parse.Separator,
		"decimal " + cmp.Or(e.Parse.Decimal, "point"), "header " + named, "target " + target}
	if len(all) > d.Rows {
		said = append(said, fmt.Sprintf("%s left out (%s)", table.Count(len(all)-d.Rows, "row"), worst(lost)))
	}
	d.Read = safe.Text(strings.Join(append(said, s.said...), ", "))
	return nil
}

// take takes up the records in which no value is missing, and returns in how many others each column lacks one. Unless
// p says that those are left out, they are refused.
func (d *Data) take(s *source, all []line, names []string, p *Parse) (lost map[string]int, err error) {
	first := 0 // line of a record that is left out
	lost = map[string]int{}
	texts := make([]string, len(names)) // in columns of numbers
	for _, l := range all {
		whole := true
		for j, text := range l.fields {
			if p.lacks(text) {
				lost[names[j]]++
				whole = false
			}
		}
		if !whole {
			first = cmp.Or(first, l.number)
			continue
		}
		d.Lines = append(d.Lines, l.number)
		for j, text := range l.fields {
			v, ok := number(text, p.Decimal)
			if d.X = append(d.X, v); !ok && texts[j] == "" {
				texts[j] = fmt.Sprintf("%s (%.40q in line %d)", names[j], text, l.number)
			}
		}
	}
	d.Rows = len(d.Lines)
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	switch missing := len(all) - d.Rows; {
	case missing > 0 && p.Missing != "drop":
		return nil, damaged("%s: values are missing in %d of %d rows, the first in line %d (%s): --parse "+
			"missing=drop leaves such rows out, drop such columns", s.path, missing, len(all), first, worst(lost))
	case d.Rows == 0:
		return nil, damaged("%s: values are missing in every row (%s): --parse drop leaves columns out", s.path,
			worst(lost))
	case len(texts) > 0:
		return nil, damaged("%s: no finite number in %s: --parse na names words that stand for a missing value, "+
			"drop leaves columns of text out; a first line of names needs header=true; the table was read with "+
			"separator %s and decimal %s", s.path, strings.Join(texts, ", "), p.Separator, cmp.Or(p.Decimal, "point"))
	}
	return lost, nil
}

// worst says in how many rows columns lack a value, of the five worst.
func worst(lost map[string]int) string {
	names := slices.SortedFunc(maps.Keys(lost), func(a, b string) int {
		return cmp.Or(lost[b]-lost[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d for %s", lost[name], name)
	}
	return strings.Join(names[:min(5, len(names))], ", ")
}

// columns returns the names of the columns that are read, and leaves no other fields in the records. A first column
// without a name is left out where it has row numbers or row names.
func (s *source) columns(all []line, header []string, p *Parse) (names []string, err error) {
	n, drop := len(all[0].fields), p.Drop
	switch {
	case p.Columns != nil:
		header = p.Columns
	case header == nil:
		header = make([]string, n)
	case rowNames(all):
		if len(header) == n-1 { // as R writes it
			header = slices.Concat([]string{""}, header)
		}
		if header[0] == "" {
			s.said = append(s.said, "row names or numbers left out")
			drop = append(slices.Clip(drop), "c1")
		}
	}
	if len(header) != n {
		return nil, damaged("%s:%d: %d fields, but the header or parse.columns has %d", s.path, all[0].number, n,
			len(header))
	}
	var kept []int // of the fields
	there := map[string]bool{}
	header = slices.Clone(header)
	for j, name := range header {
		name = cmp.Or(name, fmt.Sprintf("c%d", j+1))
		if there[name] {
			return nil, damaged("%s: two columns are called %q: rename one, or set parse.columns", s.path, name)
		}
		if header[j], there[name] = name, true; !slices.Contains(drop, name) {
			names, kept = append(names, name), append(kept, j)
		}
	}
	for _, name := range p.Drop {
		if !there[name] {
			return nil, usage.Errorf("%s: --parse drop names %q: the columns are %s", s.path, name,
				listed(header))
		}
	}
	for i, l := range all {
		if len(l.fields) != n {
			return nil, damaged("%s:%d: %d fields, but line %d has %d: a value is missing or one too many", s.path,
				l.number, len(l.fields), all[0].number, n)
		}
		for k, j := range kept {
			l.fields[k] = l.fields[j]
		}
		all[i].fields = l.fields[:len(kept)]
	}
	return names, nil
}

func listed(names []string) string { return safe.Text(strings.Join(names, ", ")) }

// rowNames reports whether the first column is 0, 1, 2, … or 1, 2, 3, …, or has no number.
func rowNames(all []line) bool {
	texts, counts := true, true
	start, _ := number(all[0].fields[0], "")
	for i, l := range all {
		v, is := number(l.fields[0], "")
		texts = texts && !is
		counts = counts && is && v == start+float64(i)
	}
	return texts || counts && (start == 0 || start == 1)
}

// setTarget finds the target's column.
func (d *Data) setTarget(path string, e *Entry) error {
	d.Target = slices.Index(d.Columns, e.Target)
	switch {
	case e.Target == "none":
		d.Target = -1
		return nil
	case d.Target < 0 && e.Target == "last":
		d.Target = d.Cols - 1
	case d.Target < 0:
		return usage.Errorf("%s: the target %q: want one of the columns %s, or last", path, e.Target, listed(d.Columns))
	}
	if d.Cols < 2 {
		return damaged("%s: there is no column besides the target: is parse.separator %s right?",
			path, e.Parse.Separator)
	}
	return nil
}

// parsePermutation reads the rows in some order from a file of the project.
func parsePermutation(b []byte) (out []int, err error) {
	for _, text := range strings.Fields(string(b)) {
		row, wrong := strconv.Atoi(text)
		out, err = append(out, row), cmp.Or(err, wrong)
	}
	return out, err
}
