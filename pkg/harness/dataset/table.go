package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// line is one line of a table, split.
type line struct {
	number int
	fields []string // without the spaces around them
}

// lines splits a table, leaving blank lines out. A byte-order mark is no part of the first field, and a line may end in CR LF.
func lines(path string, b []byte, separator string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
			yield(line{}, faultf("%s:1: the text is UTF-16: save it as UTF-8", path))
			return
		}
		b := bytes.TrimPrefix(b, []byte("\ufeff"))
		if n := loneReturn(b); n > 0 {
			yield(line{}, faultf("%s:%d: a carriage return without a line feed: save the file with the line ends LF or CR LF", path, n))
			return
		}
		if separator == "whitespace" {
			number := 0
			for text := range strings.Lines(string(b)) {
				number++
				if f := strings.Fields(text); len(f) > 0 && !yield(line{number, f}, nil) {
					return
				}
			}
			return
		}
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma, r.FieldsPerRecord = separators[separator], -1
		r.TrimLeadingSpace = separator != "tab" // the reader would take an empty field between tabs for space
		for {
			f, err := r.Read()
			if err == io.EOF {
				return
			}
			if p := (*csv.ParseError)(nil); errors.As(err, &p) {
				yield(line{}, faultf("%s:%d: character %d: %v", path, p.Line, p.Column, p.Err))
				return
			}
			number, _ := r.FieldPos(0)
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			if len(f) == 1 && f[0] == "" {
				continue
			}
			if !yield(line{number, f}, nil) {
				return
			}
		}
	}
}

// loneReturn returns the line of the first carriage return that ends none, 0 where there is no such.
func loneReturn(b []byte) int {
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			return 1 + bytes.Count(b[:i], []byte("\n"))
		}
	}
	return 0
}

// parseTable reads the table of a data set.
func parseTable(path string, b []byte, e *Entry) (*Data, error) {
	if isHTML(b) {
		return nil, faultf("%s is an HTML page, not a table", path)
	}
	d := &Data{Name: e.Name, Path: path, Target: -1}
	var (
		header []string // names in the first line, if it has any
		first  line     // the first line with values
		names  []string // of the fields
		keep   []bool   // fields that are read
	)
	for l, err := range lines(path, b, e.Parse.Separator) {
		if err != nil {
			return nil, err
		}
		if e.Parse.Header && header == nil {
			if !slices.ContainsFunc(l.fields, notNumber) {
				return nil, faultf("%s:%d: the header has numbers only: without a header, set parse.header to false", path, l.number)
			}
			header = slices.Clone(l.fields)
			continue
		}
		if first.number == 0 {
			first = l
			var err error
			if names, keep, err = fields(path, l, header, e); err != nil {
				return nil, err
			}
		}
		if len(l.fields) != len(keep) {
			return nil, faultf("%s:%d: %d fields, but line %d has %d: a value is missing or one too many", path, l.number, len(l.fields), first.number, len(keep))
		}
		d.Rows++
		for j, text := range l.fields {
			if !keep[j] {
				continue
			}
			v, bad := number(text)
			if bad != "" {
				if l.number == first.number && header == nil && notNumber(text) {
					bad += "; if the first line has names, set parse.header to true"
				}
				return nil, faultf("%s:%d: column %d (%s): %s", path, l.number, j+1, names[j], bad)
			}
			d.X = append(d.X, v)
		}
	}
	if d.Rows == 0 {
		return nil, faultf("%s: there are no rows", path)
	}
	if e.Rows > 0 && d.Rows != e.Rows {
		return nil, faultf("%s: %d rows, want %d", path, d.Rows, e.Rows)
	}
	for j, name := range names {
		if keep[j] {
			d.Columns = append(d.Columns, name)
		}
	}
	d.Cols = len(d.Columns)
	return d, d.setTarget(e)
}

// fields returns the names of a line's fields and which of them are read.
func fields(path string, l line, header []string, e *Entry) (names []string, keep []bool, err error) {
	keep = make([]bool, len(l.fields))
	for j := range keep {
		keep[j] = true
	}
	if header != nil && len(header) != len(keep) {
		return nil, nil, faultf("%s:%d: %d fields, but the header has %d", path, l.number, len(keep), len(header))
	}
	names = header
	if e.Parse.Columns != nil {
		names = e.Parse.Columns
	}
	if names == nil {
		names = numbered(len(keep))
	}
	if len(names) != len(keep) {
		return nil, nil, faultf("%s:%d: %d fields, but parse.columns names %d", path, l.number, len(keep), len(names))
	}
	if d := duplicate(names); d != "" {
		return nil, nil, faultf("%s: two columns are called %q: name them by parse.columns", path, d)
	}
	for _, name := range e.Parse.Drop {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, nil, usage.Errorf("parse.drop of %s in %s names %q: the columns of %s are %s", e.Name, e.From, name, path, strings.Join(names, ", "))
		}
		keep[j] = false
	}
	return names, keep, nil
}

// setTarget finds the target's column.
func (d *Data) setTarget(e *Entry) error {
	switch e.Target {
	case "none":
		return nil
	case "last":
		d.Target = d.Cols - 1
	default:
		if d.Target = slices.Index(d.Columns, e.Target); d.Target < 0 {
			return usage.Errorf("the target of %s in %s is %q: the columns of %s are %s, or write last", e.Name, e.From, e.Target, d.Path, strings.Join(d.Columns, ", "))
		}
	}
	if d.Cols < 2 {
		return faultf("%s: there is no column beside the target: is parse.separator %s right?", d.Path, e.Parse.Separator)
	}
	for i := 0; e.Task == "binary" && i < d.Rows; i++ {
		if v := d.At(i, d.Target); v != 0 && v != 1 {
			return faultf("%s: row %d: the target %s of a binary task must be 0 or 1, not %v", d.Path, i+1, d.Columns[d.Target], v)
		}
	}
	return nil
}

// number reads a finite number; bad says what is wrong with it.
func number(text string) (v float64, bad string) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "" || text == "?" || text == "NA":
		return 0, fmt.Sprintf("the value is missing (%q)", text)
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Sprintf("%s is too large", short(text))
	case err != nil:
		return 0, fmt.Sprintf("%q is not a number", short(text))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Sprintf("%s is not finite", text)
	}
	return v, ""
}

// short cuts a text that is no number for a message.
func short(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}

func notNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err != nil && !errors.Is(err, strconv.ErrRange)
}

func numbered(n int) []string {
	out := make([]string, n)
	for j := range out {
		out[j] = fmt.Sprintf("c%d", j+1)
	}
	return out
}
