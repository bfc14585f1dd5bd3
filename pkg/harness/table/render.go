package table

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

var markdown = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "\n", " ",
	"](", "]\\(", // no text of a cell becomes a link
).Replace

// Markdown returns the table in GitHub's Markdown, padded so that the source can be read too.
func (t *Table) Markdown() string { return t.lines(markdown, "**") }

// Plain returns the same for a terminal: without escapes and bold.
func (t *Table) Plain() string { return t.lines(func(s string) string { return s }, "") }

func (t *Table) lines(text func(string) string, bold string) string {
	lines := make([]string, 2+len(t.Rows)) // the header, a rule, the rows
	for j, c := range t.Columns {
		cells := []string{text(c.Header), ""}
		for _, r := range t.Rows {
			s := text(strings.TrimSuffix(r[j].Text+" / "+r[j].Below, " / "))
			if r[j].Bold {
				s = bold + s + bold
			}
			cells = append(cells, s)
		}
		width := 3
		for _, s := range cells {
			width = max(width, utf8.RuneCountInString(s))
		}
		if cells[1] = strings.Repeat("-", width); c.Align == Right {
			cells[1] = cells[1][1:] + ":"
		} else {
			width = -width // as the formats of fmt have it
		}
		for i, s := range cells {
			lines[i] += fmt.Sprintf("| %*s ", width, s)
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(bold + text(t.Title) + bold + "\n\n")
	}
	for _, n := range t.Above {
		b.WriteString(text(n) + "\n\n")
	}
	b.WriteString(strings.Join(lines, "|\n") + "|\n")
	notes := t.Notes
	if t.Spread != "" {
		notes = append([]string{"±: " + t.Spread + "."}, notes...)
	}
	for i, n := range notes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(text(n) + "\n")
	}
	return b.String()
}

// CSV returns the table for programs in the format of RFC 4180: CRLF line ends, numbers in full precision with a point
// and a hyphen for minus, empty for NaN. A column with spreads is followed by one named "… spread". Title and notes are
// left out. An apostrophe stands before a text that a spreadsheet would take for a formula.
func (t *Table) CSV() string {
	number := strings.NewReplacer("NaN", "", "+Inf", "inf", "-Inf", "-inf").Replace
	lines := make([][]string, 1+len(t.Rows))
	for j, c := range t.Columns {
		spread := slices.ContainsFunc(t.Rows, func(r []Cell) bool { return r[j].Spread != "" })
		header := c.Header
		if c.Group != "" {
			header = c.Group + ": " + header
		}
		if lines[0] = append(lines[0], header); spread {
			lines[0] = append(lines[0], header+" spread")
		}
		for i, r := range t.Rows {
			text := r[j].Text
			if r[j].Value != "" {
				text = number(r[j].Value)
			} else if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
				text = "'" + text
			}
			if lines[i+1] = append(lines[i+1], text); spread {
				lines[i+1] = append(lines[i+1], number(r[j].Spread))
			}
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	w.WriteAll(lines) // a strings.Builder has no errors
	return b.String()
}

// Significant writes v with this many significant digits: as a plain number from 0.0001 up to a million, else as
// 1.2e−7. NaN is "–".
func Significant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	e := exponent(v, digits)
	if e >= 6 || e <= -5 {
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
		return minus(mantissa + "e" + strconv.Itoa(e))
	}
	return fixed(v, digits-1-e)
}

// fixed writes v with this many digits after the point; −2 rounds to hundreds. It never writes −0.
func fixed(v float64, decimals int) string {
	if decimals < 0 {
		unit := math.Pow10(-decimals)
		v = math.Round(v/unit) * unit
	}
	s := strconv.FormatFloat(v, 'f', max(decimals, 0), 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return minus(s)
}

// exponent returns the decimal exponent of v at so many significant digits: 1 of 9.99 with two; 0 if it is not finite.
func exponent(v float64, digits int) int {
	_, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	n, _ := strconv.Atoi(e)
	return n
}

// exact writes v in full precision.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// minus makes of a number that Go has written one for people, whose minus is U+2212.
var minus = strings.NewReplacer("NaN", "–", "+Inf", "∞", "-Inf", "−∞", "-", "−").Replace

// Seconds prints a duration, given in seconds, in the unit that suits it: 5.0 s, 72 min, 2.5 h.
func Seconds(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.1f s", v)
	case v < 120:
		return fmt.Sprintf("%.0f s", v)
	case v < 7200:
		return fmt.Sprintf("%.0f min", v/60)
	}
	return fmt.Sprintf("%.1f h", v/3600)
}

// Num prints three significant digits, or the whole part; from 1e5 and below 0.001 as 1.5e−4.
func Num(v float64) string {
	switch {
	case !finite(v):
		return fixed(v, 0)
	case v != 0 && (math.Abs(v) < 0.001 || math.Abs(v) >= 1e5):
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		return minus(mantissa + "e" + strconv.Itoa(exponent(v, 3)))
	}
	format := "%.3g"
	if math.Abs(v) >= 999.5 {
		format = "%.0f"
	}
	return minus(fmt.Sprintf(format, v))
}

// Spread prints the median of values and their range.
func Spread(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	switch lo, hi := slices.Min(v), slices.Max(v); {
	case math.IsNaN(lo): // differences of infinite values
		return "undefined"
	case Num(lo) == Num(hi):
		return Num(stats.Median(v))
	}
	return fmt.Sprintf("%s (%s … %s)", Num(stats.Median(v)), Num(slices.Min(v)), Num(slices.Max(v)))
}
