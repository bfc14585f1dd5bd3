package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Picture draws the comparisons of a table, or its numbers as its Picture says.
func Picture(t *table.Table) (*Figure, error) {
	switch {
	case t.Comparisons != nil:
		return forestOf(t.Comparisons), nil
	case t.Picture == nil:
		return nil, errors.New("figure: the table has no picture")
	case t.Picture.Kind == table.Heat:
		return heatOf(t), nil
	case t.Picture.Kind == table.Shares:
		return sharesOf(t), nil
	}
	return nil, fmt.Errorf("figure: a table cannot be drawn as %q", t.Picture.Kind)
}

// number is the value of a cell, NaN of one without.
func number(c table.Cell) float64 {
	if v, err := strconv.ParseFloat(c.Value, 64); err == nil {
		return v
	}
	return math.NaN()
}

// rows is an axis with the names of rows, the first at the top.
func rows(names []string) Axis {
	names = slices.Clone(names)
	slices.Reverse(names)
	return Axis{Categories: names}
}

// names are the texts of the first cells of a table's rows.
func names(t *table.Table) (out []string) {
	for _, r := range t.Rows {
		out = append(out, r[0].Text)
	}
	return out
}

func headers(t *table.Table) (out []string) {
	for _, c := range t.Columns[1:] {
		out = append(out, c.Header)
	}
	return out
}

const rowHeight = 13 // points, of a row of a table

func heatOf(t *table.Table) *Figure {
	h := HeatMap{Cols: len(t.Columns) - 1}
	for _, r := range slices.Backward(t.Rows) {
		for _, c := range r[1:] {
			v, text := number(c), c.Text
			if finite(v) {
				text = table.Significant(v, 2)
			}
			h.Z, h.Text = append(h.Z, v), append(h.Text, text)
		}
	}
	x, y := Axis{Categories: headers(t)}, rows(names(t))
	x.Min, x.Max = -0.5, float64(h.Cols)-0.5
	y.Min, y.Max = -0.5, float64(len(t.Rows))-0.5
	return &Figure{
		Panels:   []Panel{{X: x, Y: y, Layers: []Layer{h}}},
		ColorBar: Axis{Label: t.Picture.Label, Scale: AutoLog},
		Width:    18,
		Row:      rowHeight,
	}
}

// Rectangle is a rectangle in the style's colour.
func Rectangle(left, right, bottom, top float64, style Style) Band {
	return Band{
		X:     []float64{left, right},
		Lo:    []float64{bottom, bottom},
		Hi:    []float64{top, top},
		Style: style,
		Solid: true,
	}
}

func sharesOf(t *table.Table) *Figure {
	p := Panel{X: Axis{Label: t.Picture.Label, Min: 0, Max: 1}, Y: rows(names(t))}
	ends := make([]float64, len(t.Rows)) // of the parts so far
	for j, name := range headers(t) {
		style := Style{Label: name, Color: viridis(float64(j) / float64(max(len(t.Columns)-2, 1)))}
		for i, r := range t.Rows {
			from, y := ends[i], float64(len(t.Rows)-1-i)
			ends[i] += number(r[j+1])
			p.Layers = append(p.Layers, Rectangle(from, ends[i], y-0.36, y+0.36, style))
		}
	}
	return &Figure{Panels: []Panel{p}, Width: 12, Row: rowHeight}
}

// forestOf has a panel for each problem with a row for each rival, or for a single rival a row for each problem.
func forestOf(all []table.Comparison) *Figure {
	var groups, methods, lines []string
	lo, hi := -2.0, 2.0 // of the axis
	one := !slices.ContainsFunc(all, func(c table.Comparison) bool { return c.Rival != all[0].Rival })
	where := func(c table.Comparison) (group, line int) {
		rival := Label(c.Rival)
		if one {
			return place(&groups, "against "+rival), place(&lines, c.Problem)
		}
		return place(&groups, c.Problem), place(&lines, rival)
	}
	for _, c := range all {
		where(c)
		place(&methods, c.Method)
		for _, v := range append([]float64{c.Difference}, c.Interval...) {
			lo, hi = min(lo, 1.3*v/c.Margin), max(hi, 1.3*v/c.Margin)
		}
	}
	var panels []Panel
	for _, group := range groups {
		p := forestPanel(group, lines)
		p.X.Min, p.X.Max = lo, hi
		panels = append(panels, p)
	}
	apart := 0.84 / float64(len(methods)) // between the methods in a row
	for _, c := range all {
		group, line := where(c)
		method := float64(place(&methods, c.Method)) - float64(len(methods)-1)/2
		panels[group].compare(c, Method(c.Method), float64(len(lines)-1-line)-apart*method)
	}
	deep := (len(panels) + 4) / 5 // rows of up to five panels
	cols := (len(panels) + deep - 1) / deep
	return &Figure{
		Cols:   cols,
		Panels: panels,
		Shared: true,
		Width:  4 + 4*float64(max(cols, 2)),
		Row:    rowHeight + 2,
		Below:  "← better · difference from the rival, in margins · worse →",
	}
}

// place returns the place of a name among others, to which it adds one that is new.
func place(names *[]string, name string) int {
	if !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
	return slices.Index(*names, name)
}

// forestPanel is a panel without comparisons: the margin, a line at 0, and what a hollow mark means.
func forestPanel(title string, lines []string) Panel {
	bottom, top := -0.6, float64(len(lines))-0.4
	return Panel{Title: title, X: Axis{Scale: Symmetric}, Y: rows(lines), Layers: []Layer{
		Rectangle(-1, 1, bottom, top, Style{Label: "within the margin", Color: gridGrey}),
		Line{X: []float64{0, 0}, Y: []float64{bottom, top}, Style: Style{Color: ink, Width: thinWidth}},
		Estimates{Hollow: true, Style: Style{Label: "open", Color: ink, Mark: Circle}},
	}}
}

// compare adds a comparison in margins at a height. An arrow shows the way that lost tries decide: the difference
// of the others does not say it.
func (p *Panel) compare(c table.Comparison, style Style, y float64) {
	from, to := c.Ends()
	e := Estimates{
		X:      []float64{c.Difference / c.Margin},
		Y:      []float64{y},
		Lo:     []float64{from / c.Margin},
		Hi:     []float64{to / c.Margin},
		Hollow: c.Verdict == table.Open,
		Style:  style,
	}
	if c.Lost+c.RivalLost > 0 && !e.Hollow {
		e.Shape = map[bool]polygon{true: pointsRight, false: pointsLeft}[c.Lost > 0]
		lost := Style{Label: "lost tries decide", Color: ink, Mark: pointsRight}
		p.Layers = append(p.Layers, Estimates{Style: lost})
	}
	p.Layers = append(p.Layers, e)
}
