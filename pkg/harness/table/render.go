package table

import (
	"encoding/csv"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Markdown returns the table in GitHub's Markdown, padded so that the source can be read too.
func (t *Table) Markdown() string {
	t.check()
	text := [][]string{{}}
	for _, c := range t.Columns {
		text[0] = append(text[0], markdown(c.header()))
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
	width := make([]int, len(t.Columns))
	for _, r := range text {
		for j, s := range r {
			width[j] = max(width[j], utf8.RuneCountInString(s), 3)
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + markdown(t.Title) + "**\n\n")
	}
	for i, r := range text {
		for j, s := range r {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if t.Columns[j].Align == Right {
				b.WriteString("| " + pad + s + " ")
			} else {
				b.WriteString("| " + s + pad + " ")
			}
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for j, c := range t.Columns {
			rule := strings.Repeat("-", width[j])
			b.WriteString([]string{"| " + rule + " ", "| " + rule[1:] + ": ", "| :" + rule[2:] + ": "}[c.Align])
		}
		b.WriteString("|\n")
	}
	for i, n := range t.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdown(n) + "\n")
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "\n", " ")

func markdown(s string) string { return markdownEscapes.Replace(s) }

// LaTeX returns a table environment; it needs \usepackage{booktabs} and nothing else. Text is escaped, so a cell cannot
// hold LaTeX of its own.
func (t *Table) LaTeX() string {
	t.check()
	var b strings.Builder
	b.WriteString("\\begin{table}\n\\centering\n")
	if t.Title != "" {
		b.WriteString("\\caption{" + latex(t.Title) + "}\n")
	}
	b.WriteString("\\begin{tabular}{")
	for _, c := range t.Columns {
		b.WriteString([]string{"l", "r", "c"}[c.Align])
	}
	b.WriteString("}\n\\toprule\n")
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	if gs := t.groups(); gs != nil {
		var cells, rules []string
		for _, g := range gs {
			switch {
			case g.text == "":
				cells = append(cells, "")
			default:
				cells = append(cells, "\\multicolumn{"+strconv.Itoa(g.n)+"}{c}{"+latex(g.text)+"}")
				rules = append(rules, "\\cmidrule(lr){"+strconv.Itoa(g.first+1)+"-"+strconv.Itoa(g.first+g.n)+"}")
			}
		}
		line(cells)
		b.WriteString(strings.Join(rules, " ") + "\n")
	}
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, latex(c.Header))
	}
	line(heads)
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r {
			s := latex(c.Text)
			if c.Bold {
				s = "\\textbf{" + s + "}"
			}
			cells = append(cells, s)
		}
		line(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, n := range t.Notes {
		b.WriteString("\\par\\smallskip\\footnotesize " + latex(n) + "\n")
	}
	b.WriteString("\\end{table}\n")
	return b.String()
}

// latexEscapes covers LaTeX's special characters, and the signs and Greek letters that pdflatex does not take as they are.
var latexEscapes = strings.NewReplacer(
	"\\", "\\textbackslash{}", "{", "\\{", "}", "\\}", "$", "\\$", "&", "\\&", "#", "\\#", "%", "\\%", "_", "\\_",
	"^", "\\textasciicircum{}", "~", "\\textasciitilde{}", "<", "$<$", ">", "$>$", "|", "$|$", "\n", " ",
	"−", "$-$", "±", "$\\pm$", "×", "$\\times$", "·", "$\\cdot$", "∞", "$\\infty$", "≤", "$\\le$", "≥", "$\\ge$",
	"≈", "$\\approx$", "→", "$\\to$", "√", "$\\surd$", "∇", "$\\nabla$", "–", "--", "…", "\\ldots{}",
	"²", "$^2$", "³", "$^3$", "₁", "$_1$", "₂", "$_2$",
	"α", "$\\alpha$", "β", "$\\beta$", "γ", "$\\gamma$", "δ", "$\\delta$", "ε", "$\\varepsilon$", "η", "$\\eta$",
	"θ", "$\\theta$", "λ", "$\\lambda$", "μ", "$\\mu$", "π", "$\\pi$", "ρ", "$\\rho$", "σ", "$\\sigma$",
	"τ", "$\\tau$", "φ", "$\\varphi$", "Δ", "$\\Delta$", "Σ", "$\\Sigma$",
)

func latex(s string) string { return latexEscapes.Replace(s) }

// CSV returns the table as RFC 4180 has it (CRLF line ends), for programs: numbers in full precision with a point and a
// hyphen for minus, nothing marked. A column that has spreads is followed by one named "… spread". Missing values are
// empty. Title and notes are left out.
func (t *Table) CSV() string {
	t.check()
	spread := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for j, c := range r {
			spread[j] = spread[j] || c.HasSpread
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	var head []string
	for j, c := range t.Columns {
		head = append(head, c.header())
		if spread[j] {
			head = append(head, c.header()+" spread")
		}
	}
	lines := [][]string{head}
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")) // inf, -inf
	}
	for _, r := range t.Rows {
		var line []string
		for j, c := range r {
			if c.IsNumber {
				line = append(line, number(c.Value))
			} else {
				line = append(line, c.Text)
			}
			switch {
			case spread[j] && c.HasSpread:
				line = append(line, number(c.Spread))
			case spread[j]:
				line = append(line, "")
			}
		}
		lines = append(lines, line)
	}
	if err := w.WriteAll(lines); err != nil {
		panic("table: writing CSV to memory failed") // a strings.Builder has no errors
	}
	return b.String()
}

// HTML returns a table element: every cell carries its value in data-value, for sorting; classes "number" and "best".
func (t *Table) HTML() string {
	t.check()
	var b strings.Builder
	esc := html.EscapeString
	b.WriteString("<table class=\"sortable\">\n")
	if t.Title != "" {
		b.WriteString("<caption>" + esc(t.Title) + "</caption>\n")
	}
	b.WriteString("<thead>\n")
	if gs := t.groups(); gs != nil {
		b.WriteString("<tr class=\"groups\">")
		for _, g := range gs {
			b.WriteString("<th colspan=\"" + strconv.Itoa(g.n) + "\" scope=\"colgroup\">" + esc(g.text) + "</th>")
		}
		b.WriteString("</tr>\n")
	}
	class := func(a Align, bold bool) string {
		var c []string
		switch a {
		case Right:
			c = append(c, "number")
		case Center:
			c = append(c, "center")
		}
		if bold {
			c = append(c, "best")
		}
		if c == nil {
			return ""
		}
		return " class=\"" + strings.Join(c, " ") + "\""
	}
	b.WriteString("<tr>")
	for _, c := range t.Columns {
		b.WriteString("<th scope=\"col\"" + class(c.Align, false) + ">" + esc(c.Header) + "</th>")
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, r := range t.Rows {
		b.WriteString("<tr>")
		for j, c := range r {
			value := c.Text
			if c.IsNumber {
				value = strconv.FormatFloat(c.Value, 'g', -1, 64)
			}
			b.WriteString("<td" + class(t.Columns[j].Align, c.Bold) + " data-value=\"" + esc(value) + "\">" + esc(c.Text) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	for _, n := range t.Notes {
		b.WriteString("<p class=\"note\">" + esc(n) + "</p>\n")
	}
	return b.String()
}
