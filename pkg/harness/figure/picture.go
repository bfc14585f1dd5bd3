package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Picture draws the numbers of a table as its Picture says.
func Picture(t *table.Table) (*Figure, error) {
	switch {
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

const (
	rowHeight   = 13 // points, of a row of a table
	widestRatio = 30 // that a heat map tells from larger ones
)

func heatOf(t *table.Table) *Figure {
	h := HeatMap{Cols: len(t.Columns) - 1}
	for _, r := range slices.Backward(t.Rows) {
		for _, c := range r[1:] {
			v, text := number(c), c.Text
			if finite(v) {
				text = table.Significant(v, 2)
				if k, e, large := strings.Cut(text, "e"); large {
					exponent, _ := strconv.Atoi(e)
					text = k + "·10" + raised(exponent)
				}
			}
			h.Z, h.Text = append(h.Z, v), append(h.Text, text)
		}
	}
	x, y := Axis{Categories: headers(t)}, rows(names(t))
	x.Min, x.Max = -0.5, float64(h.Cols)-0.5
	y.Min, y.Max = -0.5, float64(len(t.Rows))-0.5
	return &Figure{
		Panels:   []Panel{{X: x, Y: y, Layers: []Layer{h}}},
		ColorBar: Axis{Label: t.Picture.Label, Scale: Log, Min: 1. / widestRatio, Max: widestRatio},
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
		grey := uint8(0x40 + 0xa0*j/max(len(t.Columns)-2, 1)) // no part is better than another
		style := Style{Label: name, Color: color.NRGBA{grey, grey, grey, 0xff}}
		for i, r := range t.Rows {
			from, y := ends[i], float64(len(t.Rows)-1-i)
			ends[i] += number(r[j+1])
			p.Layers = append(p.Layers, Rectangle(from, ends[i], y-0.36, y+0.36, style))
		}
	}
	top, parts := float64(len(t.Rows))-0.5, len(t.Columns)-1
	for j := 1; j < parts; j++ { // where equal parts would end
		at := float64(j) / float64(parts)
		guide := Style{Color: rgb(0xd00000), Width: thinWidth, Dash: []float64{3, 2}}
		p.Layers = append(p.Layers, Line{X: []float64{at, at}, Y: []float64{-0.5, top}, Style: guide})
	}
	return &Figure{Panels: []Panel{p}, Width: 12, Row: rowHeight}
}
