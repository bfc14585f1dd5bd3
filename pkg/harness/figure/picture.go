package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Picture draws a table as its Picture says. The panels of a forest plot are in so many columns, as wide as the screen
// of a phone; 0: in up to five columns, as wide as they need.
func Picture(t *table.Table, cols int) (*Figure, error) {
	switch t.Picture.Kind {
	case table.Heat:
		return heatOf(t), nil
	case table.Shares:
		return sharesOf(t), nil
	case table.Forest:
		return forestOf(t, cols), nil
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

func sharesOf(t *table.Table) *Figure {
	p := Panel{X: Axis{Label: t.Picture.Label, Min: 0, Max: 1}, Y: rows(names(t))}
	ends := make([]float64, len(t.Rows)) // of the parts so far
	for j, name := range headers(t) {
		style := Style{Label: name, Color: viridis(float64(j) / float64(max(len(t.Columns)-2, 1)))}
		for i, r := range t.Rows {
			from, y := ends[i], float64(len(t.Rows)-1-i)
			ends[i] += number(r[j+1])
			p.Layers = append(p.Layers, Band{
				X:     []float64{from, ends[i]},
				Lo:    []float64{y - 0.36, y - 0.36},
				Hi:    []float64{y + 0.36, y + 0.36},
				Style: style,
				Solid: true,
			})
		}
	}
	return &Figure{Panels: []Panel{p}, Width: 12, Row: rowHeight}
}

// forestOf has a panel for each problem, with a row for each rival.
func forestOf(t *table.Table, cols int) *Figure {
	var problems, methods, rivals []string
	lo, hi := -2.0, 2.0 // of the axis
	for _, r := range t.Rows {
		place(&problems, r[0].Text)
		place(&methods, r[1].Value)
		place(&rivals, r[2].Text)
		lo = min(lo, 1.3*number(r[4])/number(r[6]))
		hi = max(hi, 1.3*number(r[5])/number(r[6]))
	}
	var panels []Panel
	for _, problem := range problems {
		p := forestPanel(problem, rivals)
		p.X.Min, p.X.Max = lo, hi
		panels = append(panels, p)
	}
	for _, r := range t.Rows {
		e := estimateOf(r)
		apart := 0.56 / float64(len(methods)) // between the methods in a row
		method := float64(place(&methods, r[1].Value)) - float64(len(methods)-1)/2
		e.Y = []float64{float64(len(rivals)-1-place(&rivals, r[2].Text)) - apart*method}
		p := &panels[place(&problems, r[0].Text)]
		p.Layers = append(p.Layers, e)
	}
	f := &Figure{
		Cols:   cols,
		Panels: panels,
		Shared: true,
		Width:  9,
		Row:    rowHeight + 2,
		Below:  "← better · difference from the rival, in margins · worse →",
	}
	if cols == 0 {
		lines := (len(panels) + 4) / 5
		f.Cols = (len(panels) + lines - 1) / lines
		f.Width = 4 + 4*float64(f.Cols)
	}
	return f
}

// place returns the place of a name among others, to which it adds one that is new.
func place(names *[]string, name string) int {
	if !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
	return slices.Index(*names, name)
}

// forestPanel is a panel without comparisons: the margin, a line at 0, and what a hollow mark means.
func forestPanel(title string, rivals []string) Panel {
	bottom, top := -0.6, float64(len(rivals))-0.4
	return Panel{Title: title, X: Axis{Scale: Symmetric}, Y: rows(rivals), Layers: []Layer{
		Band{
			X:     []float64{-1, 1},
			Lo:    []float64{bottom, bottom},
			Hi:    []float64{top, top},
			Style: Style{Label: "within the margin", Color: gridGrey},
			Solid: true,
		},
		Line{X: []float64{0, 0}, Y: []float64{bottom, top}, Style: Style{Color: ink, Width: thinWidth}},
		Estimates{Hollow: true, Style: Style{Label: "open", Color: ink, Mark: Circle}},
	}}
}

// estimateOf is the comparison in a row of table.Comparisons, in margins.
func estimateOf(r []table.Cell) Estimates {
	margin := number(r[6])
	return Estimates{
		X:      []float64{number(r[3]) / margin},
		Lo:     []float64{number(r[4]) / margin},
		Hi:     []float64{number(r[5]) / margin},
		Hollow: r[7].Text == table.Open,
		Style:  Method(r[1].Value).As(r[1].Text),
	}
}
