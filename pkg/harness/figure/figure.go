// Package figure draws figures in one theme, with one colour per method and one legend per figure, as SVG.
//
// A figure describes panels, axes and layers in terms of data. SVG draws it in memory:
//
//	f := figure.Figure{Panels: []figure.Panel{{
//		X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "KL", Scale: figure.AutoLog},
//		Layers: []figure.Layer{
//			figure.Band{X: it, Lo: lo, Hi: hi, Style: figure.Method("sifg")},
//			figure.Line{X: it, Y: mean, Style: figure.Method("sifg")},
//		},
//	}}}
//	svg, hidden, err := f.SVG()
//
// gonum.org/v1/plot supplies the canvas. Panels, axes and legend are laid out here: its Plot has no frame and no legend
// outside the data, skips decades of log axes, and panics on a value that a log axis cannot show.
//
// Labels are plain text. Values that cannot be drawn are left out and counted.
package figure

import (
	"cmp"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

const pointsPerCm = 72 / 2.54

// Figure is a grid of panels. Above them stands a legend of all labels of their layers, methods first.
type Figure struct {
	Cols   int     // 0: all panels in one row
	Panels []Panel // row by row
	Plane  bool    // the panels share the axes of the first, with equal units on both: parts of a plane
	Width  float64 // cm; 0: 9 for one column, 14 for two, 18 for more
	Height float64 // cm; 0: from the widths of the panels, or their categories along Y
}

// Panel is a pair of axes with layers, drawn in order.
type Panel struct {
	Title  string
	X, Y   Axis
	Layers []Layer
}

// Scale of an axis.
type Scale int

// Scales of an axis.
const (
	Linear  Scale = iota
	Log           // values at or below zero are hidden
	AutoLog       // Log if all values are positive and span more than a factor of 50, else Linear
)

// Axis is one axis of a panel.
type Axis struct {
	Label      string
	Min, Max   float64 // equal, as in the zero value: both from the data; NaN: this one from the data
	Scale      Scale
	Categories []string // names of the positions 0, 1, 2, …, in place of ticks
}

// SVG draws the figure: the same one gives the same bytes. hidden is the number of values that are not shown: NaN,
// infinite, not positive on a log axis, or outside the limits. The error names limits that are no range, or no room.
func (f *Figure) SVG() (svg []byte, hidden int, err error) {
	l, err := f.layout()
	if err != nil {
		return nil, 0, err
	}
	w, h := vg.Length(l.w), vg.Length(l.h)
	c := &svgCanvas{h: h}
	hidden = l.draw(draw.NewCanvas(c, w, h))
	return c.write(w), hidden, nil
}

// series is the data of a layer, each column as long as X or nil.
type series struct {
	kind, label  string // label "": that in the legend
	x, y, lo, hi []float64
}

// CSV returns the data that the figure shows as a table for programs, with a row for each point of each layer and seven
// significant digits, or the name of a category. Panels count from 1, and one without a title has the label of its X. A
// layer that is not in the legend has no label.
func (f *Figure) CSV() []byte {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	w.Write([]string{"panel", "title", "kind", "label", "x", "y", "low", "high"})
	for i, p := range f.Panels {
		for _, layer := range p.Layers {
			s := layer.series()
			for k := range max(len(s.x), len(s.y)) {
				w.Write([]string{
					strconv.Itoa(i + 1), cmp.Or(p.Title, p.X.Label), s.kind, cmp.Or(s.label, layer.key().Label),
					digits(s.x, k, p.X.Categories), digits(s.y, k, p.Y.Categories),
					digits(s.lo, k, nil), digits(s.hi, k, nil),
				})
			}
		}
	}
	w.Flush() // a strings.Builder has no errors
	return []byte(b.String())
}

// Alt says in words what the figure shows: what stands on the axes, and what lines and points are of.
func (f *Figure) Alt() string {
	var axes, labels []string
	for _, p := range f.Panels {
		text := strings.TrimSuffix(p.Y.Label+" against "+p.X.Label, " against ")
		if p.Y.Label != "" && !slices.Contains(axes, text) {
			axes = append(axes, text)
		}
		for _, layer := range p.Layers {
			if label := layer.key().Label; label != "" && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	text := table.Count(len(f.Panels), "panel")
	if len(axes) > 0 {
		text += " of " + strings.Join(axes, "; ")
	}
	if len(labels) > 0 {
		text += ". Shown are " + strings.Join(labels, ", ")
	}
	return text + "."
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

func (s Scatter) series() series {
	if s.Shared != "" {
		return series{kind: s.Shared, label: s.Style.Label, x: s.X, y: s.Y}
	}
	return series{kind: "points", x: s.X, y: s.Y}
}

func (h HLine) series() series { return series{kind: "horizontal line", y: []float64{h.Y}} }

func (b Box) series() series {
	return series{kind: "box", x: slices.Repeat([]float64{b.At}, len(b.Values)), y: b.Values}
}
