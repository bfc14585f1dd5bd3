package table

import (
	"cmp"
	"encoding/csv"
	"html"
	"strings"
	"unicode/utf8"
)

// check panics if a row is not as long as the columns.
func (t *Table) check() {
	for _, r := range t.Rows {
		if len(r) != len(t.Columns) {
			panic("table: a row is not as long as the columns")
		}
	}
}

// notes returns what stands below the table.
func (t *Table) notes() []string {
	if t.Spread == "" {
		return t.Notes
	}
	return append([]string{"±: " + t.Spread + "."}, t.Notes...)
}

var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "\n", " ").Replace

// Markdown returns the table in GitHub's Markdown, padded so that the source can be read too.
func (t *Table) Markdown() string {
	t.check()
	text := [][]string{{}, {}} // heads, rules, rows
	width := make([]int, len(t.Columns))
	for _, c := range t.Columns {
		text[0] = append(text[0], markdown(c.Header))
	}
	for _, r := range t.Rows {
		var line []string
		for _, c := range r {
			s := markdown(c.Text)
			if c.Bold {
				s = "**" + s + "**"
			}
			line = append(line, s)
		}
		text = append(text, line)
	}
	for _, line := range text {
		for j, s := range line {
			width[j] = max(width[j], utf8.RuneCountInString(s), 3)
		}
	}
	for j, c := range t.Columns {
		text[1] = append(text[1], strings.Repeat("-", width[j]-int(c.Align))+strings.Repeat(":", int(c.Align)))
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + markdown(t.Title) + "**\n\n")
	}
	for _, line := range text {
		for j, s := range line {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if t.Columns[j].Align == Right {
				s = pad + s
			} else {
				s += pad
			}
			b.WriteString("| " + s + " ")
		}
		b.WriteString("|\n")
	}
	for i, n := range t.notes() {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdown(n) + "\n")
	}
	return b.String()
}

// latex escapes LaTeX's special characters, and signs and Greek letters that pdflatex does not take as they are.
var latex = strings.NewReplacer(
	"\\", "\\textbackslash{}", "{", "\\{", "}", "\\}", "$", "\\$", "&", "\\&", "#", "\\#", "%", "\\%", "_", "\\_",
	"^", "\\textasciicircum{}", "~", "\\textasciitilde{}", "<", "$<$", ">", "$>$", "|", "$|$", "\n", " ",
	"−", "$-$", "±", "$\\pm$", "×", "$\\times$", "·", "$\\cdot$", "∞", "$\\infty$", "≤", "$\\le$", "≥", "$\\ge$",
	"≈", "$\\approx$", "→", "$\\to$", "√", "$\\surd$", "∇", "$\\nabla$", "–", "--", "…", "\\ldots{}", "†", "\\dag{}",
	"²", "$^2$", "³", "$^3$", "₀", "$_0$", "₁", "$_1$", "₂", "$_2$",
	"α", "$\\alpha$", "β", "$\\beta$", "γ", "$\\gamma$", "δ", "$\\delta$", "ε", "$\\varepsilon$", "η", "$\\eta$",
	"θ", "$\\theta$", "λ", "$\\lambda$", "μ", "$\\mu$", "π", "$\\pi$", "ρ", "$\\rho$", "σ", "$\\sigma$",
	"τ", "$\\tau$", "φ", "$\\varphi$", "Δ", "$\\Delta$", "Σ", "$\\Sigma$",
).Replace

// LaTeX returns a table environment. It needs \usepackage{booktabs}. Text is escaped, so a cell cannot hold LaTeX.
func (t *Table) LaTeX() string {
	t.check()
	var b strings.Builder
	b.WriteString("\\begin{table}\n\\centering\n")
	if t.Title != "" {
		b.WriteString("\\caption{" + latex(t.Title) + "}\n")
	}
	align, heads := "", make([]string, len(t.Columns))
	for j, c := range t.Columns {
		align, heads[j] = align+[]string{"l", "r"}[c.Align], latex(c.Header)
	}
	b.WriteString("\\begin{tabular}{" + align + "}\n\\toprule\n" + strings.Join(heads, " & ") + " \\\\\n\\midrule\n")
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for j, c := range r {
			if cells[j] = latex(c.Text); c.Bold {
				cells[j] = "\\textbf{" + cells[j] + "}"
			}
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, n := range t.notes() {
		b.WriteString("\\par\\smallskip\\footnotesize " + latex(n) + "\n")
	}
	b.WriteString("\\end{table}\n")
	return b.String()
}

// CSV returns the table for programs, as RFC 4180 has it: CRLF line ends, numbers in full precision with a point and a
// hyphen for minus, empty for NaN. A column with spreads is followed by one named "… spread". Title and notes are left out.
func (t *Table) CSV() string {
	t.check()
	spread := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for j, c := range r {
			spread[j] = spread[j] || c.Spread != ""
		}
	}
	number := strings.NewReplacer("NaN", "", "+Inf", "inf", "-Inf", "-inf").Replace
	lines := make([][]string, 1+len(t.Rows))
	for j, c := range t.Columns {
		if lines[0] = append(lines[0], c.Header); spread[j] {
			lines[0] = append(lines[0], c.Header+" spread")
		}
	}
	for i, r := range t.Rows {
		for j, c := range r {
			text := c.Text
			if c.Value != "" {
				text = number(c.Value)
			}
			if lines[i+1] = append(lines[i+1], text); spread[j] {
				lines[i+1] = append(lines[i+1], number(c.Spread))
			}
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	w.WriteAll(lines) // a strings.Builder has no errors
	return b.String()
}

// HTML returns a table element with its notes, all text escaped. Every cell has its value in data-value, for sorting.
// Classes: "sortable" of the table, "number" and "best" of cells, "note" of notes.
func (t *Table) HTML() string {
	t.check()
	var b strings.Builder
	esc := html.EscapeString
	class := []string{"", ` class="number"`}
	best := []string{` class="best"`, ` class="number best"`}
	b.WriteString("<table class=\"sortable\">\n")
	if t.Title != "" {
		b.WriteString("<caption>" + esc(t.Title) + "</caption>\n")
	}
	b.WriteString("<thead>\n<tr>")
	for _, c := range t.Columns {
		b.WriteString(`<th scope="col"` + class[c.Align] + ">" + esc(c.Header) + "</th>")
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, r := range t.Rows {
		b.WriteString("<tr>")
		for j, c := range r {
			look := class[t.Columns[j].Align]
			if c.Bold {
				look = best[t.Columns[j].Align]
			}
			b.WriteString("<td" + look + ` data-value="` + esc(cmp.Or(c.Value, c.Text)) + `">` + esc(c.Text) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	for _, n := range t.notes() {
		b.WriteString(`<p class="note">` + esc(n) + "</p>\n")
	}
	return b.String()
}
