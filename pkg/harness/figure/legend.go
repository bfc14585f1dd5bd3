package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	keySpace  = 12.0 // between entries
	keyHeight = 12.5 // of a row
	keyAlpha  = 0.3  // of areas
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
				o.fill = o.fill || k.fill
			} else if k.Label != "" {
				keys = append(keys, k)
			}
		}
	}
	// Methods as in the table of samplers, then labels that are no method's, as they come.
	order := func(k key) uint { return uint(k.Style.place - 1) } // no place is the last: it wraps around
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(order(a), order(b)) })
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
				c.SetColor(shade(k.Style.Color, keyAlpha))
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
