package figure

import (
	"cmp"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// series is the data of a layer, each column as long as X or nil.
type series struct {
	kind               string
	x, y, lo, hi, each []float64
}

// CSV returns the data that the figure shows as a table for programs, with a row for each point of each layer and seven
// significant digits, or the name of a category. Panels count from 1, and one without a title has the label of its X. A
// layer that is not in the legend has no label.
func (f *Figure) CSV() []byte {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	w.Write([]string{"panel", "title", "kind", "label", "x", "y", "low", "high", "value"})
	for i, p := range f.Panels {
		for _, layer := range p.Layers {
			s := layer.series()
			for k := range max(len(s.x), len(s.y)) {
				w.Write([]string{
					strconv.Itoa(i + 1), cmp.Or(p.Title, p.X.Label), s.kind, layer.key().Label,
					digits(s.x, k, p.X.Categories), digits(s.y, k, p.Y.Categories),
					digits(s.lo, k, nil), digits(s.hi, k, nil), digits(s.each, k, nil),
				})
			}
		}
	}
	w.Flush() // a strings.Builder has no errors
	return []byte(b.String())
}

// digits prints a value of a column, or the name of the position that it is nearest to; "" if there is none.
func digits(column []float64, k int, names []string) string {
	if column == nil || math.IsNaN(column[k]) {
		return ""
	}
	if i := math.Round(column[k]); i >= 0 && i < float64(len(names)) {
		return names[int(i)]
	}
	return strconv.FormatFloat(column[k], 'g', 7, 64)
}

func (l Line) series() series { return series{kind: "line", x: l.X, y: l.Y} }

func (b Band) series() series { return series{kind: "band", x: b.X, lo: b.Lo, hi: b.Hi} }

func (s Scatter) series() series { return series{kind: "points", x: s.X, y: s.Y} }

func (h HLine) series() series { return series{kind: "horizontal line", y: []float64{h.Y}} }

func (b Box) series() series {
	return series{kind: "box", x: slices.Repeat([]float64{b.At}, len(b.Values)), y: b.Values}
}

func (h HeatMap) series() series {
	s := series{kind: "cells", each: h.Z}
	for k := range h.Z {
		s.x, s.y = append(s.x, float64(k%h.Cols)), append(s.y, float64(k/h.Cols))
	}
	return s
}

func (e Estimates) series() series {
	return series{kind: "estimates", x: e.X, y: e.Y, lo: e.Lo, hi: e.Hi}
}
