package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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
	b = bytes.ReplaceAll(bytes.TrimPrefix(b, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return nil, damaged("%s:1: the text is UTF-16: save it as UTF-8", path)
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		return nil, damaged("%s:%d: a carriage return without a line feed: save the file with the line ends LF or CR LF",
			path, 1+bytes.Count(b[:i], []byte("\n")))
	}
	if separator == "whitespace" {
		number := 0
		for text := range strings.Lines(string(b)) {
			number++
			if f := strings.Fields(text); len(f) > 0 {
				out = append(out, line{number, f})
			}
		}
		return out, nil
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.FieldsPerRecord = separators[separator], -1
	r.TrimLeadingSpace = separator != "tab" // or an empty field between tabs would be lost
	for f, err := r.Read(); err != io.EOF; f, err = r.Read() {
		if p := (*csv.ParseError)(nil); errors.As(err, &p) {
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
func parseTable(path string, b []byte, e *Entry) (*Data, error) {
	all, err := lines(path, b, e.Parse.Separator)
	if err != nil {
		return nil, err
	}
	var header []string
	if e.Parse.Header && len(all) > 0 {
		if header = all[0].fields; !slices.ContainsFunc(header, notNumber) {
			return nil, damaged("%s:%d: the header has numbers only: without a header, set parse.header to false", path, all[0].number)
		}
		all = all[1:]
	}
	if n := len(all); n == 0 || e.Rows > 0 && n != e.Rows {
		return nil, damaged("%s: %d rows, want %d", path, n, max(e.Rows, 1))
	}
	names, keep, err := columns(path, all[0], header, e)
	if err != nil {
		return nil, err
	}
	d := &Data{Name: e.Name, Rows: len(all)}
	for i, l := range all {
		if len(l.fields) != len(keep) {
			return nil, damaged("%s:%d: %d fields, but line %d has %d: a value is missing or one too many",
				path, l.number, len(l.fields), all[0].number, len(keep))
		}
		for j, text := range l.fields {
			if !keep[j] {
				continue
			}
			v, wrong := number(text)
			if wrong != "" {
				if i == 0 && header == nil && notNumber(text) {
					wrong += "; if the first line has names, set parse.header to true"
				}
				return nil, damaged("%s:%d: column %d (%s): %s", path, l.number, j+1, names[j], wrong)
			}
			d.X = append(d.X, v)
		}
	}
	for j, name := range names {
		if keep[j] {
			d.Columns = append(d.Columns, safe.Text(name))
		}
	}
	d.Cols = len(d.Columns)
	return d, d.setTarget(path, e)
}

// columns returns the names of a line's fields and which of them are read.
func columns(path string, l line, header []string, e *Entry) (names []string, keep []bool, err error) {
	n := len(l.fields)
	switch {
	case e.Parse.Columns != nil:
		names = e.Parse.Columns
	case header != nil:
		names = header
	default:
		for j := range n {
			names = append(names, fmt.Sprintf("c%d", j+1))
		}
	}
	if len(names) != n {
		return nil, nil, damaged("%s:%d: %d fields, but the header or parse.columns has %d", path, l.number, n, len(names))
	}
	for j, name := range names {
		if slices.Index(names, name) < j {
			return nil, nil, damaged("%s: two columns are called %q: name them by parse.columns", path, name)
		}
	}
	keep = slices.Repeat([]bool{true}, n)
	for _, name := range e.Parse.Drop {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, nil, usage.Errorf("%s: parse.drop of data set %s names %q: the columns of %s are %s", e.manifest, e.Name, name,
				path, safe.Text(strings.Join(names, ", ")))
		}
		keep[j] = false
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
		return usage.Errorf("%s: the target of data set %s is %q: the columns of %s are %s, or write last",
			e.manifest, e.Name, e.Target, path, strings.Join(d.Columns, ", "))
	}
	if d.Cols < 2 {
		return damaged("%s: there is no column besides the target: is parse.separator %s right?", path, e.Parse.Separator)
	}
	for i := range d.Rows {
		if v := d.X[i*d.Cols+d.Target]; e.Task == "binary" && v != 0 && v != 1 {
			return damaged("%s: row %d: the target %s of a binary task must be 0 or 1, not %v", path, i+1, d.Columns[d.Target], v)
		}
	}
	return nil
}

// number reads a finite decimal number, and says what is wrong with another text.
func number(text string) (v float64, wrong string) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "" || text == "?" || text == "NA":
		return 0, fmt.Sprintf("the value is missing (%q)", text)
	case notNumber(text):
		return 0, fmt.Sprintf("%.40q is not a finite number", text)
	case err != nil:
		return 0, text + " is too large"
	}
	return v, ""
}

// notNumber also holds for 1_0, 0x1p4, NaN and Inf, which Go reads.
func notNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(text, "_xXnN")
}

// indices reads rows, from 0, one a line, written as 7 or 7.0. It refuses a row that seen marks or does not have, and marks others.
func indices(path string, b []byte, seen []bool) ([]int, error) {
	all, err := lines(path, b, "whitespace")
	if err == nil && len(all) == 0 {
		err = damaged("%s: there are no rows", path)
	}
	if err != nil {
		return nil, err
	}
	out := make([]int, len(all))
	for i, l := range all {
		v, wrong := number(l.fields[0])
		row := int(v)
		switch {
		case wrong != "" || len(l.fields) > 1 || v != float64(row):
			return nil, damaged("%s:%d: %.40q is not the index of a row", path, l.number, strings.Join(l.fields, " "))
		case row < 0 || row >= len(seen):
			return nil, damaged("%s:%d: there is no row %d: the table has rows 0 to %d", path, l.number, row, len(seen)-1)
		case seen[row]:
			return nil, damaged("%s:%d: row %d is there twice, here or in both parts of the split", path, l.number, row)
		}
		seen[row], out[i] = true, row
	}
	return out, nil
}
