package figure

import (
	"fmt"
	"math"
	"strconv"
)

// Values are the curves of a figure with where they are drawn, for pages that show values under the pointer.
type Values struct {
	Width  float64       `json:"w"` // points
	Height float64       `json:"h"`
	Panels []PanelValues `json:"panels"` // those with curves
}

// PanelValues are one panel's curves.
type PanelValues struct {
	Area  [4]float64   `json:"area"` // left, top, right, bottom of the data area, in points from the left upper corner
	X     AxisValues   `json:"x"`
	Y     AxisValues   `json:"y"`
	Grid  [][]number   `json:"grid"` // the curves' x, each set once
	Lines []LineValues `json:"lines"`
}

// AxisValues is what an axis spans.
type AxisValues struct {
	Label string `json:"label"`
	Min   number `json:"min"`
	Max   number `json:"max"`
	Log   bool   `json:"log,omitempty"`
}

// LineValues is one curve.
type LineValues struct {
	Label string   `json:"label"`
	Color string   `json:"color"` // #rrggbb
	Grid  int      `json:"grid"`  // index of its x
	Y     []number `json:"y"`
}

// number is written with four significant digits, null where it is not finite.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if !finite(float64(n)) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 4, 64), nil
}

// mostValues is the number of points of a curve that are kept: enough for a pointer.
const mostValues = 120

// values returns the labelled curves of the figure, thinned; no panels if it has none.
func (l *layout) values() Values {
	round := func(v float64) float64 { return math.Round(10*v) / 10 }
	v := Values{Width: round(l.w), Height: round(l.h)}
	for i, p := range l.f.Panels {
		a := l.areas[i]
		out := PanelValues{
			Area: [4]float64{round(float64(a.Min.X)), round(l.h - float64(a.Max.Y)), round(float64(a.Max.X)), round(l.h - float64(a.Min.Y))},
			X:    AxisValues{p.X.Label, number(l.x[i].min), number(l.x[i].max), l.x[i].log},
			Y:    AxisValues{p.Y.Label, number(l.y[i].min), number(l.y[i].max), l.y[i].log},
		}
		at := map[string]int{}
		for _, layer := range p.Layers {
			line, ok := layer.(Line)
			if !ok || line.Style.Label == "" || len(line.X) < 3 {
				continue
			}
			c := line.Style.Color
			v := LineValues{Label: line.Style.Label, Color: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
			var x []number
			for k := 0; k < len(line.X); k += 1 + (len(line.X)-1)/mostValues {
				x, v.Y = append(x, number(line.X[k])), append(v.Y, number(line.Y[k]))
			}
			key := fmt.Sprint(x)
			grid, seen := at[key]
			if !seen {
				grid = len(out.Grid)
				at[key], out.Grid = grid, append(out.Grid, x)
			}
			v.Grid = grid
			out.Lines = append(out.Lines, v)
		}
		if out.Lines != nil {
			v.Panels = append(v.Panels, out)
		}
	}
	return v
}
