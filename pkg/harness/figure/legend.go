package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	keySpace  = 12.0 // between entries
	keyHeight = 12.5 // of a row
	keyAlpha  = 0.3  // of light areas
)

// legend collects the entries, one per label, and breaks them into rows of about the same width.
func (l *layout) legend() [][]key {
	var keys []key
	for _, p := range l.panels {
		for _, layer := range p.spec.Layers {
			k := layer.key()
			i := slices.IndexFunc(keys, func(o key) bool { return o.Label == k.Label })
			if i >= 0 {
				o := &keys[i]
				o.line = o.line || k.line
				o.mark = o.mark || k.mark
				if k.fill {
					o.fill, o.area = true, k.area
				}
			} else if k.Label != "" {
				keys = append(keys, k)
			}
		}
	}
	// Methods as in the table of samplers, then labels that are no method's, as they come.
	order := func(k key) uint { return uint(k.Style.place - 1) } // no place is the last: it wraps around
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(order(a), order(b)) })
	keys = l.takeEnds(keys)
	width := l.w - 2*outer
	for width > 6 && len(wrap(keys, width-6)) == len(wrap(keys, width)) { // as narrow as so many rows can be
		width -= 6
	}
	return wrap(keys, width)
}

// wrap breaks the entries into rows of at most this width.
func wrap(keys []key, width float64) [][]key {
	var rows [][]key
	used := math.Inf(1)
	for _, k := range keys {
		if used+keySpace+k.width() > width {
			rows, used = append(rows, nil), -keySpace
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += keySpace + k.width()
	}
	return rows
}

// sample returns the width of what stands before the label.
func (k key) sample() float64 {
	if k.line || k.fill {
		return 19
	}
	return 8
}

func (k key) width() float64 { return k.sample() + 4 + textWidth(k.Label, legendSize) }

func (l *layout) drawLegend(c *draw.Canvas) {
	y := vg.Length(l.h - outer - keyHeight/2)
	for _, row := range l.keys {
		w := -keySpace
		for _, k := range row {
			w += keySpace + k.width()
		}
		x := vg.Length(max(outer, (l.w-w)/2))
		for _, k := range row {
			end := x + vg.Length(k.sample())
			if k.fill {
				c.SetColor(k.area)
				c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: end, Y: y + 4}}.Path())
			}
			if k.line {
				c.StrokeLine2(k.Style.line(), x, y, end, y)
			}
			if k.mark {
				marks(c, k.Style.Mark, markRadius, k.Style.Color, vg.Point{X: (x + end) / 2, Y: y})
			}
			text(c, k.Label, legendSize, vg.Point{X: end + 4, Y: y}, 0, 0.5, 0)
			x += vg.Length(k.width() + keySpace)
		}
		y -= keyHeight
	}
}

const (
	widestEnd = 104.0 // points; a longer label stands in the legend
	leader    = 11.0  // from the frame to the label
	endHeight = legendSize + 1.5
)

// end is a label beside the end of its line.
type end struct {
	Style
	value float64 // of the line at the right edge
}

// takeEnds moves entries from the legend to the ends of their lines, where all panels stand in one row, the lines of
// the entry reach the right edge of each panel that has them, and the labels have room there; not of a legend that two
// panels or three share and that is easily learned.
func (l *layout) takeEnds(keys []key) []key {
	if l.f.Plane || l.rows > 1 || l.cols > 3 || len(keys) < 2 || l.cols > 1 && len(keys) < 5 {
		return keys
	}
	high := cmp.Or(l.f.Height*pointsPerCm, 0.72*(l.w/float64(l.cols)-40)+60) - 60
	rest, width := []key(nil), 0.0
	for _, k := range keys {
		if !l.takeEnd(k) {
			rest = append(rest, k)
			continue
		}
		width = max(width, leader+2+textWidth(k.Label, legendSize))
	}
	for _, p := range l.panels {
		if float64(len(p.ends))*endHeight > high {
			for _, p := range l.panels {
				p.ends = nil
			}
			return keys
		}
	}
	l.endWidth = width
	return rest
}

// takeEnd puts a label at the ends of its lines, or nowhere.
func (l *layout) takeEnd(k key) bool {
	if k.mark || textWidth(k.Label, legendSize) > widestEnd {
		return false
	}
	at := map[*panel]float64{} // the value at the end
	for _, p := range l.panels {
		for _, layer := range p.spec.Layers {
			s := layer.series()
			if !layer.key().line || layer.key().Label != k.Label || len(s.y) == 0 {
				continue
			}
			u, last := 1.0, 0
			if s.x != nil {
				last = floats.MaxIdx(s.x)
				u = p.x.unit(s.x[last])
			}
			v := p.y.unit(s.y[last])
			_, second := at[p]
			if second || !(u >= 0.97 && u <= 1.001 && v >= 0 && v <= 1) || p.x.Categories != nil {
				return false
			}
			at[p] = s.y[last]
		}
	}
	for p, y := range at {
		p.ends = append(p.ends, end{k.Style, y})
	}
	return len(at) > 0
}

// drawEnds writes the labels beside the frame, as near to the ends of their lines as they can be without meeting.
func (l *layout) drawEnds(p *panel) {
	ends := slices.SortedFunc(slices.Values(p.ends), func(a, b end) int { return cmp.Compare(b.value, a.value) })
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
		text(&p.Canvas, e.Label, legendSize, vg.Point{X: from.X + leader + 2, Y: at[i]}, 0, 0.5, 0)
	}
}
