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

// grid returns the headers and the rows as text in a form's escapes; bold is the format of a cell that is marked.
func (t *Table) grid(escape func(string) string, bold string) [][]string {
	out := make([][]string, 1+len(t.Rows))
	for _, c := range t.Columns {
		out[0] = append(out[0], escape(c.Header))
	}
	for i, r := range t.Rows {
		for _, c := range r {
			s := escape(c.Text)
			if c.Bold {
				s = fmt.Sprintf(bold, s)
			}
			out[i+1] = append(out[i+1], s)
		}
	}
	return out
}

var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "\n", " ").Replace

// Markdown returns the table in GitHub's Markdown, padded so that the source can be read too.
func (t *Table) Markdown() string {
	lines := t.grid(markdown, "**%s**")
	width := make([]int, len(t.Columns))
	rule := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		width[j] = 3
		for _, line := range lines {
			width[j] = max(width[j], utf8.RuneCountInString(line[j]))
		}
		if rule[j] = strings.Repeat("-", width[j]); c.Align == Right {
			rule[j] = rule[j][1:] + ":"
		} else {
			width[j] = -width[j] // as the formats of fmt have it
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + markdown(t.Title) + "**\n\n")
	}
	for _, line := range slices.Insert(lines, 1, rule) {
		for j, s := range line {
			fmt.Fprintf(&b, "| %*s ", width[j], s)
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
	var b strings.Builder
	b.WriteString("\\begin{table}\n\\centering\n")
	if t.Title != "" {
		b.WriteString("\\caption{" + latex(t.Title) + "}\n")
	}
	b.WriteString("\\begin{tabular}{")
	for _, c := range t.Columns {
		b.WriteString([]string{"l", "r"}[c.Align])
	}
	b.WriteString("}\n\\toprule\n")
	for i, line := range t.grid(latex, "\\textbf{%s}") {
		if b.WriteString(strings.Join(line, " & ") + " \\\\\n"); i == 0 {
			b.WriteString("\\midrule\n")
		}
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
