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

// parseTable reads the table of a data set.
func (d *Data) parseTable(path string, b []byte, e *Entry) error {
	s, err := open(path, b)
	if err != nil {
		return err
	}
	all, err := s.lines(e.Parse.Separator, len(s.text)+1)
	if err != nil {
		return err
	}
	var header []string
	if e.Parse.Header && len(all) > 0 {
		header, all = all[0].fields, all[1:]
	}
	if n := len(all); n == 0 {
		return damaged("%s: there are no rows of values", path)
	} else if e.Rows > 0 && n != e.Rows {
		return damaged("%s: %d rows, want %d", path, n, e.Rows)
	}
	names, keep, err := s.columns(all, header, e)
	if err != nil {
		return err
	}
	whole, lost, err := complete(path, all, names, keep, e)
	if err != nil {
		return err
	}
	columns, err := d.values(path, whole, names, keep, e)
	if err != nil {
		return err
	}
	d.Rows, d.Cols = len(whole), len(columns)
	for i := range whole {
		d.Lines = append(d.Lines, whole[i].number)
		for _, column := range columns {
			d.X = append(d.X, column[i])
		}
	}
	if err := d.setTarget(path, e); err != nil {
		return err
	}
	said := []string{table.Count(d.Rows, "row"), "separator " + e.Parse.Separator,
		"decimal " + cmp.Or(e.Parse.Decimal, "point"), "header no", "target none"}
	if e.Parse.Header {
		said[3] = "header yes"
	}
	if d.Target >= 0 {
		said[4] = "target " + d.Columns[d.Target]
	}
	if len(all) > d.Rows {
		said = append(said, fmt.Sprintf("%s left out (%s)", table.Count(len(all)-d.Rows, "row"), worst(lost)))
	}
	d.Read = safe.Text(strings.Join(append(said, s.said...), ", "))
	return nil
}

// values returns the columns of a table, whose names it notes.
func (d *Data) values(path string, all []line, names []string, keep []bool, e *Entry) (out [][]float64, err error) {
	var texts []string // columns that are no numbers
	for j, name := range names {
		switch {
		case !keep[j]:
		case slices.Contains(e.Parse.Encode, name):
			columns, levels := encode(all, j)
			if len(levels) > maxLevels {
				return nil, damaged("%s: %s has %d texts, more than the %d that can be encoded: "+
					"leave it out with --parse drop", path, name, len(levels)+1, maxLevels+1)
			}
			for _, level := range levels {
				d.Columns = append(d.Columns, safe.Text(name+"="+level))
			}
			out = append(out, columns...)
		default:
			values, wrong := numbers(all, j, &e.Parse)
			if wrong != "" {
				texts = append(texts, name+wrong)
			}
			out, d.Columns = append(out, values), append(d.Columns, safe.Text(name))
		}
	}
	if texts != nil {
		return nil, damaged("%s: no finite number in %s: --parse na names words that stand for a missing value, "+
			"drop leaves columns of text out, encode makes 0 and 1 of all but the target; a first line of names needs "+
			"header=true; the table was read with separator %s and decimal %s", path, strings.Join(texts, ", "),
			e.Parse.Separator, cmp.Or(e.Parse.Decimal, "point"))
	}
	return out, err
}

const maxLevels = 50 // columns that a column of text may become

// complete returns the records in which no value is missing, and in how many others each column lacks one. Unless the
// entry says that those are left out, they are refused.
func complete(path string, all []line, names []string, keep []bool, e *Entry) (
	out []line, lost map[string]int, err error,
) {
	first := 0
	lost = map[string]int{}
	for _, l := range all {
		if len(l.fields) != len(keep) {
			return nil, nil, damaged("%s:%d: %d fields, but line %d has %d: a value is missing or one too many",
				path, l.number, len(l.fields), all[0].number, len(keep))
		}
		whole := true
		for j, text := range l.fields {
			if keep[j] && e.Parse.lacks(text, slices.Contains(e.Parse.Encode, names[j])) {
				lost[names[j]]++
				whole = false
			}
		}
		if whole {
			out = append(out, l)
		} else if first == 0 {
			first = l.number
		}
	}
	switch missing := len(all) - len(out); {
	case missing > 0 && e.Parse.Missing != "drop":
		return nil, nil, damaged("%s: values are missing in %d of %d rows, the first in line %d (%s): --parse "+
			"missing=drop leaves such rows out, drop such columns", path, missing, len(all), first, worst(lost))
	case len(out) == 0:
		return nil, nil, damaged("%s: values are missing in every row (%s): --parse drop leaves columns out", path,
			worst(lost))
	}
	return out, lost, nil
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

// numbers returns the values of a column, and describes the first field that is neither a number nor missing.
func numbers(all []line, j int, p *Parse) (values []float64, wrong string) {
	for _, l := range all {
		text := l.fields[j]
		v, ok := number(text, p.Decimal)
		if values = append(values, v); ok || wrong != "" || p.lacks(text, false) {
			continue
		}
		wrong = fmt.Sprintf(" (%.40q in line %d)", text, l.number)
	}
	return values, wrong
}

// encode returns a column of 0 and 1 for each text of column j but the first in the alphabet, and these texts.
func encode(all []line, j int) (columns [][]float64, levels []string) {
	for _, l := range all {
		levels = append(levels, l.fields[j])
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)[1:]
	columns = make([][]float64, len(levels))
	for k, level := range levels {
		columns[k] = make([]float64, len(all))
		for i, l := range all {
			if l.fields[j] == level {
				columns[k][i] = 1
			}
		}
	}
	return columns, levels
}

// columns returns the names of the fields of records, and which of them are read. A first column without a name is left
// out where it has row numbers or row names.
func (s *source) columns(all []line, header []string, e *Entry) (names []string, keep []bool, err error) {
	n := len(all[0].fields)
	keep = slices.Repeat([]bool{true}, n)
	switch given := e.Parse.Columns; {
	case given != nil:
		header = given
	case header == nil:
		header = make([]string, n)
	case rowNames(all):
		if len(header) == n-1 { // as R writes it
			header = slices.Insert(slices.Clone(header), 0, "")
		}
		if keep[0] = header[0] != ""; !keep[0] {
			s.said = append(s.said, "row names or numbers left out")
		}
	}
	if len(header) != n {
		return nil, nil, damaged("%s:%d: %d fields, but the header or parse.columns has %d", s.path, all[0].number, n,
			len(header))
	}
	at := map[string]int{}
	for j, name := range header {
		name = cmp.Or(name, fmt.Sprintf("c%d", j+1))
		if _, twice := at[name]; twice {
			return nil, nil, damaged("%s: two columns are called %q: rename one, or set parse.columns", s.path, name)
		}
		at[name], names = j, append(names, name)
	}
	for _, name := range slices.Concat(e.Parse.Drop, e.Parse.Encode) {
		j, there := at[name]
		if !there {
			return nil, nil, usage.Errorf("%s: --parse drop or encode names %q: the columns are %s", s.path, name,
				listed(names))
		}
		keep[j] = !slices.Contains(e.Parse.Drop, name)
	}
	return names, keep, nil
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
