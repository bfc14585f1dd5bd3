// Package table renders tables as Markdown, LaTeX (booktabs), CSV and HTML.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Table is a table of cells.
type Table struct {
	Title   string   `json:"title,omitempty"`
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`            // each as long as Columns
	Notes   []string `json:"notes,omitempty"` // below the table: what was averaged, how the best is marked
}

// Align is where the text of a column stands.
type Align int

// Alignments.
const (
	Left Align = iota
	Right
	Center
)

// Column is the head of a column. Neighbours with the same Group share a heading above theirs.
type Column struct {
	Header string `json:"header"`
	Align  Align  `json:"align,omitempty"`
	Group  string `json:"group,omitempty"`
}

// Cell is one cell. Text is what is read; Value is what is sorted by and what CSV holds where IsNumber is set.
type Cell struct {
	Text      string
	Value     float64
	Spread    float64 // shown after ± in Text, a column of its own in CSV; where HasSpread is set
	IsNumber  bool
	HasSpread bool
	Bold      bool // marked as the best
}

// Text returns a cell of words.
func Text(s string) Cell { return Cell{Text: s} }

// Int returns a whole number.
func Int(n int) Cell { return Cell{Text: minus(strconv.Itoa(n)), Value: float64(n), IsNumber: true} }

// Count writes a count with its noun: 1 trial, 2 trials.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Number returns v with digits significant digits; "–" for NaN, "∞" for infinity.
func Number(v float64, digits int) Cell {
	return Cell{Text: Significant(v, digits), Value: v, IsNumber: true}
}

// Fixed returns v with decimals digits after the point.
func Fixed(v float64, decimals int) Cell {
	c := Cell{Value: v, IsNumber: true, Text: odd(v)}
	if c.Text == "" {
		c.Text = minus(strconv.FormatFloat(round(v, decimals), 'f', decimals, 64))
	}
	return c
}

// PlusMinus returns "value ± spread", both to the place of the spread's second significant digit (1.234 ± 0.056), or
// the value alone if the spread is NaN. Say in a note whether the spread is a standard deviation or error.
func PlusMinus(value, spread float64) Cell {
	c := Cell{Value: value, Spread: spread, IsNumber: true, HasSpread: true}
	switch {
	case odd(value) != "":
		c.Text = odd(value)
	case odd(spread) != "": // one value has no spread
		c.Text = Significant(value, 3)
	default:
		big := max(math.Abs(value), spread)
		decimals := 2
		if spread > 0 {
			decimals = 1 - exponent(spread, 2)
		} else if value != 0 {
			decimals = 2 - exponent(value, 3)
		}
		decimals = min(decimals, 5-exponent(big, 2)) // a tiny spread asks for no more than six digits
		if e := exponent(big, 2); big > 0 && (e >= 6 || e <= -4) {
			m := math.Pow(10, float64(e))
			d := max(0, decimals+e)
			c.Text = minus("(" + strconv.FormatFloat(round(value/m, d), 'f', d, 64) + " ± " +
				strconv.FormatFloat(round(spread/m, d), 'f', d, 64) + ")e" + strconv.Itoa(e))
			break
		}
		d := max(0, decimals)
		c.Text = minus(strconv.FormatFloat(round(value, decimals), 'f', d, 64) + " ± " +
			strconv.FormatFloat(round(spread, decimals), 'f', d, 64))
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

// Significant writes v with digits significant digits: as a plain number from 0.0001 up to a million, else as 1.2e−7.
func Significant(v float64, digits int) string {
	if s := odd(v); s != "" {
		return s
	}
	if v == 0 {
		return "0"
	}
	e := exponent(v, digits)
	if e >= 6 || e <= -5 {
		s := strconv.FormatFloat(v, 'e', digits-1, 64)
		mantissa, _, _ := strings.Cut(s, "e")
		return minus(mantissa + "e" + strconv.Itoa(e))
	}
	return minus(strconv.FormatFloat(round(v, digits-1-e), 'f', max(0, digits-1-e), 64))
}

// odd returns how values that are no finite number are written, "" for others.
func odd(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	return ""
}

// exponent returns the decimal exponent of v once rounded to digits significant digits (9.99 has 1 with two).
func exponent(v float64, digits int) int {
	_, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	n, _ := strconv.Atoi(e)
	return n
}

// round rounds v to decimals places, which may be below zero; never to −0.
func round(v float64, decimals int) float64 {
	if decimals >= 0 {
		if s := strconv.FormatFloat(v, 'f', decimals, 64); strings.Trim(s, "-0.") == "" {
			return 0
		}
		return v // the formatting rounds, exactly
	}
	m := math.Pow(10, float64(-decimals))
	return math.Round(v/m)*m + 0
}

// minus writes U+2212 for the hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// MarkBest sets Bold on the best number of each given column, on all that read the same. sign < 0: the smallest is
// best; sign > 0: the largest. Cells without a finite number do not take part.
func (t *Table) MarkBest(sign int, columns ...int) {
	for _, j := range columns {
		best, text := math.NaN(), ""
		for _, r := range t.Rows {
			v := r[j].Value
			if takesPart(r[j]) && (math.IsNaN(best) || float64(sign)*(v-best) > 0) {
				best, text = v, leading(r[j].Text)
			}
		}
		for i := range t.Rows {
			c := &t.Rows[i][j]
			c.Bold = takesPart(*c) && leading(c.Text) == text
		}
	}
}

func takesPart(c Cell) bool { return c.IsNumber && !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) }

// leading returns the value of "value ± spread".
func leading(s string) string {
	v, _, _ := strings.Cut(s, " ±")
	return v
}

// check panics if a row is not as long as the columns.
func (t *Table) check() {
	for _, r := range t.Rows {
		if len(r) != len(t.Columns) {
			panic("table: a row is not as long as the columns")
		}
	}
}

// groups returns the headings above the columns: text, first column, number of columns.
func (t *Table) groups() (out []group) {
	some := false
	for j, c := range t.Columns {
		if n := len(out); n > 0 && c.Group != "" && out[n-1].text == c.Group {
			out[n-1].n++
		} else {
			out = append(out, group{c.Group, j, 1})
		}
		some = some || c.Group != ""
	}
	if !some {
		return nil
	}
	return out
}

type group struct {
	text     string
	first, n int
}

// header returns the column's name where there is no row of groups above.
func (c Column) header() string {
	if c.Group == "" {
		return c.Header
	}
	return fmt.Sprintf("%s: %s", c.Group, c.Header)
}
