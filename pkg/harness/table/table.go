// Package table holds tables and renders them as Markdown and CSV.
package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Table is a table of cells.
type Table struct {
	Title   string
	Above   []string // sentences above the table: what it says, and how far it can be trusted
	Columns []Column
	Rows    [][]Cell // each as long as Columns
	Spread  string   // what stands after ±, such as "standard deviation over seeds"
	Notes   []string // below the table: what was averaged, how the best is marked
}

// Column is the head of a column.
type Column struct {
	Header string
	Align  Align
	Group  string // what neighbouring columns share, above their headers; "": nothing
}

// Group is neighbouring columns of one group.
type Group struct {
	Name    string
	Columns int
}

// Groups are the groups of all columns, in order; nil if there are none.
func (t *Table) Groups() (out []Group) {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Group != "" }) {
		return nil
	}
	for i, c := range t.Columns {
		if i == 0 || c.Group != t.Columns[i-1].Group {
			out = append(out, Group{Name: c.Group})
		}
		out[len(out)-1].Columns++
	}
	return out
}

// Columns returns columns with these headers, the first n aligned left and the others right.
func Columns(n int, headers ...string) []Column {
	out := make([]Column, len(headers))
	for i, h := range headers {
		out[i] = Column{Header: h, Align: Right}
		if i < n {
			out[i].Align = Left
		}
	}
	return out
}

// Align is where the text of a column stands.
type Align int

const (
	Left Align = iota
	Right
)

// Cell is one cell. Text is what people read. Numbers are in full precision.
type Cell struct {
	Text   string
	Value  string // what a page sorts by and what CSV holds; "": Text
	Spread string // after ± in Text, a column of its own in CSV; "": none
	Bold   bool   // marked as the best
	Below  string // a second line
	Tip    string // what a page says of the cell where the pointer rests on it
}

// Text returns a cell of words, without characters that control a terminal.
func Text(s string) Cell { return Cell{Text: safe.Text(s)} }

// Int returns a whole number.
func Int(n int) Cell { return Cell{Text: minus(strconv.Itoa(n)), Value: strconv.Itoa(n)} }

// Number returns v with this many significant digits; "–" for NaN, "∞" for infinity.
func Number(v float64, digits int) Cell {
	return Cell{Text: Significant(v, digits), Value: exact(v)}
}

// Fixed returns v with this many digits after the point.
func Fixed(v float64, decimals int) Cell {
	return Cell{Text: fixed(v, decimals), Value: exact(v)}
}

// PlusMinus returns "value ± spread", both to the place of the spread's second significant digit, as in 1.235 ± 0.056,
// or the value alone if there is no spread (NaN). Table.Spread says what the spread is.
func PlusMinus(value, spread float64) Cell {
	c := Cell{Value: exact(value), Spread: exact(spread)}
	last := exponent(spread, 2) - 1 // the place of the last digit, as a power of ten
	big := exponent(max(math.Abs(value), spread), 2)
	switch {
	case !finite(value) || !finite(spread):
		c.Text = Significant(value, 3)
	case spread == 0:
		c.Text = Significant(value, 4) + " ± 0"
	case big-last > 5 || big < -307: // too many digits to read, or no power of ten that is a normal number
		c.Text = Significant(value, 6) + " ± " + Significant(spread, 1)
	case big >= 6 || big <= -4:
		unit := math.Pow10(big)
		mantissas := fixed(value/unit, big-last) + " ± " + fixed(spread/unit, big-last)
		c.Text = "(" + mantissas + ")e" + minus(strconv.Itoa(big))
	default:
		c.Text = fixed(value, -last) + " ± " + fixed(spread, -last)
	}
	return c
}

// PValue returns p with two significant digits, "< 0.001" below that.
func PValue(p float64) Cell {
	c := Number(p, 2)
	if p < 0.001 {
		c.Text = "< 0.001"
	}
	return c
}

// Count writes a count with its noun: 1 trial, 2 trials.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Counts writes how many there are of each kind, in this order, or that of the alphabet: 1 diverged, 9 ok.
func Counts(n map[string]int, kinds ...string) string {
	var out []string
	if len(kinds) == 0 {
		kinds = slices.Sorted(maps.Keys(n))
	}
	for _, kind := range kinds {
		if n[kind] > 0 {
			out = append(out, fmt.Sprintf("%d %s", n[kind], kind))
		}
	}
	return strings.Join(out, ", ")
}

// MeanSD is the cell of mean ± standard deviation, "–" of no values.
func MeanSD(v []float64) Cell {
	if len(v) == 0 {
		return Text("–")
	}
	return PlusMinus(stats.Mean(v), stats.SD(v))
}

// Sheet is a table whose rows are about one thing each: a method, a problem, a σ. It is filled column by column.
type Sheet[R any] struct {
	Table
	things []R
}

// Of returns a table with a row for each of things, and no columns yet.
func Of[R any](things []R) *Sheet[R] {
	s := &Sheet[R]{things: things}
	for range things {
		s.Rows = append(s.Rows, nil)
	}
	return s
}

// Words adds a column of words, aligned left.
func (s *Sheet[R]) Words(header string, of func(thing R) string) {
	s.add(Column{Header: header}, func(thing R) Cell { return Text(of(thing)) })
}

// Column adds a column of cells, aligned right. It calls of for each row in order.
func (s *Sheet[R]) Column(header string, of func(thing R) Cell) {
	s.add(Column{Header: header, Align: Right}, of)
}

func (s *Sheet[R]) add(c Column, of func(thing R) Cell) {
	s.Columns = append(s.Columns, c)
	for i, thing := range s.things {
		s.Rows[i] = append(s.Rows[i], of(thing))
	}
}
