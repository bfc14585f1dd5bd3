package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Layer is one thing drawn in a panel: Line, Band, Scatter, HLine, Violin, Contours or HeatMap.
type Layer interface {
	extent(e *extent) // reports the data that the axes must hold
	draw(p *panel)    // draws inside the data area
	key() key         // the entry of the legend
}

// key is an entry of the legend.
type key struct {
	Style
	line, fill, mark bool // what its sample shows
}

// Line is a curve. A value that cannot be drawn makes a gap.
type Line struct {
	X, Y  []float64
	Style Style
	Marks bool // also the style's mark at each point
	Thin  bool // one of many, such as the path of a particle: thin, light and without dashes
}

// Band is the area between two curves, such as the range around a Line of the same style. On a log axis a lower edge at
// or below zero is drawn at the end of the axis.
type Band struct {
	X, Lo, Hi []float64
	Style     Style
}

// Scatter is a set of points: dots that are light where there are many, or marks with a white edge.
type Scatter struct {
	X, Y   []float64
	Style  Style
	Radius float64 // of the style's mark, in points; 0: dots
}

// HLine is a line across the panel at a reference value. It widens the axis as a Band does.
type HLine struct {
	Y     float64
	Style Style
}

// line returns the style of a line, of the given width in points unless the style has its own.
func (s Style) line(width float64) draw.LineStyle {
	if s.Width != 0 {
		width = s.Width
	}
	l := draw.LineStyle{Color: s.Color, Width: vg.Length(width)}
	for _, d := range s.Dash {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	return l
}

// style returns how the line is drawn: its own style, or the light one of a thin line.
func (l Line) style() Style {
	s := l.Style
	if l.Thin {
		s.Dash, s.Width = nil, thinWidth
	}
	return s
}

func (l Line) extent(e *extent) {
	e.padX = e.padX || l.Marks || l.Thin
	e.add(l.X, l.Y)
}

func (l Line) draw(p *panel) {
	style := l.style().line(lineWidth)
	if l.Thin {
		style.Color = shade(l.Style.Color, 0.4)
	}
	var piece, marked []vg.Point
	end := func() {
		if len(piece) == 1 && !l.Marks { // a lone point has no line
			marks(&p.Canvas, Circle, 1, l.Style.Color, piece...)
		} else if len(piece) > 1 {
			p.stroke(style, piece)
		}
		piece = nil
	}
	for i := range l.X {
		at, ok := p.at(l.X[i], l.Y[i])
		if !ok {
			end()
			continue
		}
		piece = append(piece, at)
		if l.Marks && p.Contains(at) {
			marked = append(marked, at)
		}
	}
	end()
	marks(&p.Canvas, l.Style.Mark, markRadius, l.Style.Color, marked...)
}

func (l Line) key() key { return key{Style: l.style(), line: true, mark: l.Marks} }

func (b Band) extent(e *extent) {
	sameLen(b.X, b.Lo)
	sameLen(b.X, b.Hi)
	for i, x := range b.X {
		if finite(b.Lo[i]) && finite(b.Hi[i]) {
			e.x, e.soft = append(e.x, x), append(e.soft, b.Lo[i], b.Hi[i])
		}
	}
}

func (b Band) draw(p *panel) {
	var lo, hi []vg.Point
	end := func() {
		slices.Reverse(hi)
		if len(lo) > 1 {
			p.FillPolygon(shade(b.Style.Color, fillAlpha), p.ClipPolygonXY(append(lo, hi...)))
		}
		lo, hi = nil, nil
	}
	for i, x := range b.X {
		low := b.Lo[i]
		if p.y.log && low <= 0 && b.Hi[i] > 0 {
			low = p.y.min
			p.hidden++
		}
		under, ok := p.at(x, low)
		over, ok2 := p.at(x, b.Hi[i])
		if !ok || !ok2 {
			end()
			continue
		}
		lo, hi = append(lo, under), append(hi, over)
	}
	end()
}

func (b Band) key() key { return key{Style: b.Style, fill: true} }

func (s Scatter) extent(e *extent) {
	e.padX = true
	e.add(s.X, s.Y)
}

func (s Scatter) draw(p *panel) {
	at := p.inside(s.X, s.Y)
	if s.Radius > 0 {
		marks(&p.Canvas, s.Style.Mark, s.Radius, s.Style.Color, at...)
		return
	}
	alpha := min(1, max(0.35, 1.4-0.35*math.Log10(float64(len(s.X)+1)))) // 1 for a few points, 0.35 for thousands
	marks(&p.Canvas, Circle, dotRadius, shade(s.Style.Color, alpha), at...)
}

func (s Scatter) key() key {
	k := key{Style: s.Style, mark: true}
	if s.Radius == 0 {
		k.Mark = Circle
	}
	return k
}

func (h HLine) extent(e *extent) { e.soft = append(e.soft, h.Y) }

func (h HLine) draw(p *panel) {
	Line{X: []float64{p.x.min, p.x.max}, Y: []float64{h.Y, h.Y}, Style: h.Style}.draw(p)
}

func (h HLine) key() key { return key{Style: h.Style, line: true} }
