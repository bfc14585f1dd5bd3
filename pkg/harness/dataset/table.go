package dataset

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// line is one line of a file.
type line struct {
	number int
	fields []string // without the spaces around them
}

// lines splits the text of the file at path. It leaves blank lines and a byte-order mark out.
func lines(path string, b []byte, separator string) (out []line, err error) {
	if bytes.IndexByte(b, 0) >= 0 { // such as a spreadsheet's own format
		return nil, damaged("%s: not a plain text: want a table as text in UTF-8, such as CSV", path)
	}
	b = bytes.ReplaceAll(bytes.TrimPrefix(b, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if separator == "whitespace" {
		for i, text := range strings.Split(string(b), "\n") {
			if f := strings.Fields(text); len(f) > 0 {
				out = append(out, line{i + 1, f})
			}
		}
		return out, nil
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.FieldsPerRecord = separators[separator], -1
	r.TrimLeadingSpace = separator != "tab" // or an empty field between tabs would be lost
	for f, err := r.Read(); err != io.EOF; f, err = r.Read() {
		if p, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, damaged("%s:%d: character %d: %v", path, p.Line, p.Column, p.Err)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if number, _ := r.FieldPos(0); len(f) > 1 || f[0] != "" {
			out = append(out, line{number, f})
		}
	}
	return out, nil
}

// parseTable reads the table of a data set.
func (d *Data) parseTable(path string, b []byte, e *Entry) error {
	all, err := lines(path, b, e.Parse.Separator)
	if err != nil {
		return err
	}
	var header []string
	if e.Parse.Header && len(all) > 0 {
		if header = all[0].fields; numeric(header) {
			return damaged("%s:%d: the header has numbers only: without a header, set parse.header to false",
				path, all[0].number)
		}
		all = all[1:]
	}
	if n := len(all); n == 0 {
		return damaged("%s: there are no rows of values", path)
	} else if e.Rows > 0 && n != e.Rows {
		return damaged("%s: %d rows, want %d", path, n, e.Rows)
	}
	names, keep, err := columns(path, all[0], header, e)
	if err != nil {
		return err
	}
	all, d.Missing, err = complete(path, all, names, keep, e)
	if all == nil {
		return err
	}
	columns, wrong := d.values(path, all, names, keep, e)
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	d.Rows, d.Cols = len(all), len(columns)
	for i := range all {
		d.Lines = append(d.Lines, all[i].number)
		for _, column := range columns {
			d.X = append(d.X, column[i])
		}
	}
	return d.setTarget(path, e)
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
					"leave it out with --drop", path, name, len(levels)+1, maxLevels+1)
			}
			for _, level := range levels {
				d.Columns = append(d.Columns, safe.Text(name+"="+level))
			}
			out = append(out, columns...)
		default:
			values, wrong := numbers(all, j)
			if wrong != "" {
				texts = append(texts, name+wrong)
			}
			out, d.Columns = append(out, values), append(d.Columns, safe.Text(name))
		}
	}
	if texts != nil {
		return nil, damaged("%s: no finite number in %s: --drop leaves columns of text out, --encode makes 0 and 1 of "+
			"all but the target; a first line of names needs parse.header", path, strings.Join(texts, ", "))
	}
	return out, nil
}

// maxLevels is the number of columns that a column of text may become.
const maxLevels = 50

// absent are the texts that stand for a missing value.
var absent = []string{"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"}

// complete returns the lines in which no value is missing, and how many others there are. Unless the entry says that
// they are left out, they are refused, and all lines are returned for what else may be wrong.
func complete(path string, all []line, names []string, keep []bool, e *Entry) (out []line, missing int, err error) {
	first, in := 0, map[string]bool{}
	for _, l := range all {
		if len(l.fields) != len(keep) {
			return nil, 0, damaged("%s:%d: %d fields, but line %d has %d: a value is missing or one too many",
				path, l.number, len(l.fields), all[0].number, len(keep))
		}
		lacks := false
		for j, text := range l.fields {
			if keep[j] && slices.Contains(absent, text) {
				in[names[j]], lacks = true, true
			}
		}
		if !lacks {
			out = append(out, l)
		} else if first == 0 {
			first = l.number
		}
	}
	missing = len(all) - len(out)
	switch {
	case missing > 0 && e.Parse.Missing != "drop":
		return all, 0, damaged("%s: values are missing in %d of %d rows, the first in line %d, of %s: --missing drop "+
			"or parse.missing leaves such rows out, --drop such columns", path, missing, len(all), first,
			strings.Join(slices.Sorted(maps.Keys(in)), ", "))
	case len(out) == 0:
		return nil, 0, damaged("%s: values are missing in every row", path)
	}
	return out, missing, nil
}

// numbers returns the values of a column, and where the first is that is none, but not missing, and what it says.
func numbers(all []line, j int) (values []float64, wrong string) {
	for _, l := range all {
		v, ok := number(l.fields[j])
		if values = append(values, v); ok || wrong != "" || slices.Contains(absent, l.fields[j]) {
			continue
		}
		wrong = fmt.Sprintf(" (%.40q in line %d)", l.fields[j], l.number)
		if _, ok := number(strings.Replace(l.fields[j], ",", ".", 1)); ok {
			wrong = fmt.Sprintf(" (%.40q in line %d: numbers have a decimal point and no comma)", l.fields[j], l.number)
		}
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

// columns returns the names of a line's fields and which of them are read.
func columns(path string, l line, header []string, e *Entry) (names []string, keep []bool, err error) {
	n := len(l.fields)
	if header == nil {
		header = make([]string, n)
	}
	for j, name := range header { // such as that of row numbers, which may have none
		names = append(names, cmp.Or(name, fmt.Sprintf("c%d", j+1)))
	}
	if e.Parse.Columns != nil {
		names = e.Parse.Columns
	}
	if len(names) != n {
		return nil, nil, damaged("%s:%d: %d fields, but the header or parse.columns has %d",
			path, l.number, n, len(names))
	}
	for j, name := range names {
		if slices.Index(names, name) < j {
			return nil, nil, damaged("%s: two columns are called %q: rename one, or set parse.columns", path, name)
		}
	}
	keep = slices.Repeat([]bool{true}, n)
	for _, name := range slices.Concat(e.Parse.Drop, e.Parse.Encode) {
		j := slices.Index(names, name)
		if j < 0 {
			have := safe.Text(strings.Join(names, ", "))
			return nil, nil, usage.Errorf("%s: --drop or --encode, or data set %s in %s, names %q: the columns are "+
				"%s", path, e.Name, e.manifest, name, have)
		}
		keep[j] = !slices.Contains(e.Parse.Drop, name)
	}
	return names, keep, nil
}

// setTarget finds the target's column.
func (d *Data) setTarget(path string, e *Entry) error {
	d.Target = slices.Index(d.Columns, e.Target)
	switch {
	case e.Target == "none":
		d.Target = -1
		return nil
	case e.Target == "last":
		d.Target = d.Cols - 1
	case d.Target < 0:
		return usage.Errorf("%s: data set %s has the target %q: want one of the columns %s, or last",
			path, e.Name, e.Target, strings.Join(d.Columns, ", "))
	}
	if d.Cols < 2 {
		return damaged("%s: there is no column besides the target: is parse.separator %s right?",
			path, e.Parse.Separator)
	}
	for i := range d.Rows {
		if v := d.X[i*d.Cols+d.Target]; e.Task == "binary" && v != 0 && v != 1 {
			return damaged("%s: row %d: the target %s of a binary task must be 0 or 1, not %v",
				path, i+1, d.Columns[d.Target], v)
		}
	}
	return nil
}

// number reads a finite decimal number. Go also reads 1_0, 0x1p4, NaN and Inf.
func number(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !strings.ContainsAny(text, "_xXnN")
}

func numeric(fields []string) bool {
	return !slices.ContainsFunc(fields, func(s string) bool { _, ok := number(s); return !ok })
}

// parsePermutation reads the rows 0 to n−1 in some order.
func parsePermutation(path string, b []byte, n int) ([]int, error) {
	var out []int
	seen := make([]bool, n)
	for i, text := range strings.Fields(string(b)) {
		row, err := strconv.Atoi(text)
		if err != nil || row < 0 || row >= n || seen[row] {
			return nil, damaged("%s: number %d is %.40q: want each of the rows 0 to %d once", path, i+1, text, n-1)
		}
		seen[row], out = true, append(out, row)
	}
	if len(out) != n {
		return nil, damaged("%s: %d rows, but the table has %d", path, len(out), n)
	}
	return out, nil
}
