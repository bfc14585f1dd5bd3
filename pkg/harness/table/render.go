package table

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// notes returns what stands below the table.
func (t *Table) notes() []string {
	if t.Spread == "" {
		return t.Notes
	}
	return append([]string{"±: " + t.Spread + "."}, t.Notes...)
}

var markdown = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "\n", " ",
).Replace

// Markdown returns the table in GitHub's Markdown, padded so that the source can be read too.
func (t *Table) Markdown() string {
	lines := make([]string, 2+len(t.Rows)) // the header, a rule, the rows
	for j, c := range t.Columns {
		cells := []string{markdown(c.Header), ""}
		for _, r := range t.Rows {
			s := markdown(strings.TrimSuffix(r[j].Text+" / "+r[j].Below, " / "))
			if r[j].Bold {
				s = "**" + s + "**"
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
		b.WriteString("**" + markdown(t.Title) + "**\n\n")
	}
	for _, n := range t.Above {
		b.WriteString(markdown(n) + "\n\n")
	}
	b.WriteString(strings.Join(lines, "|\n") + "|\n")
	for i, n := range t.notes() {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdown(n) + "\n")
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
		if lines[0] = append(lines[0], c.Header); spread {
			lines[0] = append(lines[0], c.Header+" spread")
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
