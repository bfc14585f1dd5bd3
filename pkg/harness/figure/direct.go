package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	widestEnd = 80.0 // points; a longer label stands in the legend
	leader    = 11.0 // from the frame to the label
	endHeight = legendSize + 1.5
)

// end is a label beside the end of its line.
type end struct {
	Style
	value float64 // of the line at the right edge
}

// takeEnds moves entries from the legend to the ends of their lines, where a figure has one panel and every line there
// reaches its right edge.
func (l *layout) takeEnds(keys []key) []key {
	p := l.panels[0]
	if len(l.panels) > 1 || l.f.Plane || p.spec.X.Categories != nil || len(keys) < 2 {
		return keys
	}
	var ends []end
	rest := slices.DeleteFunc(slices.Clone(keys), func(k key) bool {
		for _, layer := range p.spec.Layers {
			if at, value, ok := lastPoint(layer); layer.key().Label == k.Label && ok && !k.mark {
				if u := p.x.unit(at); u < 0.97 || u > 1.001 || textWidth(k.Label, legendSize) > widestEnd {
					return false
				}
				if u := p.y.unit(value); !(u >= 0 && u <= 1) {
					return false
				}
				ends = append(ends, end{k.Style, value})
				return true
			}
		}
		return false
	})
	if float64(len(ends))*endHeight > 0.6*l.w {
		return keys
	}
	l.ends = ends
	for _, e := range ends {
		l.endWidth = max(l.endWidth, leader+2+textWidth(e.Label, legendSize))
	}
	return rest
}

// lastPoint returns where a line ends; ok is false for what is no line.
func lastPoint(layer Layer) (x, y float64, ok bool) {
	line, ok := layer.(Line)
	if n := len(line.X); ok && n > 0 {
		return line.X[n-1], line.Y[n-1], true
	}
	return 0, 0, false
}

// drawEnds writes the labels beside the frame, as near to the ends of their lines as they can be without meeting.
func (l *layout) drawEnds(p *panel) {
	ends := slices.SortedFunc(slices.Values(l.ends), func(a, b end) int { return cmp.Compare(b.value, a.value) })
	at := make([]vg.Length, len(ends))
	for i, e := range ends {
		at[i] = p.Y(p.y.unit(e.value))
		if i > 0 {
			at[i] = min(at[i], at[i-1]-endHeight)
		}
	}
	low := p.Min.Y + endHeight/2
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = max(at[i], low)
		low = at[i] + endHeight
	}
	for i, e := range ends {
		line := draw.LineStyle{Color: e.Color, Width: lineWidth}
		from := vg.Point{X: p.Max.X, Y: p.Y(p.y.unit(e.value))}
		p.StrokeLine2(line, from.X, from.Y, from.X+leader, at[i])
		l.text(&p.Canvas, e.Label, legendSize, vg.Point{X: from.X + leader + 2, Y: at[i]}, 0, 0.5, 0)
	}
}
