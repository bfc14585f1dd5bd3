package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Layer is one thing drawn in a panel: Line, Band, Scatter, Path, Violin, Contours, HeatMap, HLine, Text.
type Layer interface {
	extent(e *extent)    // reports the data the axes must hold
	draw(a *area)        // draws inside the data area
	key() (Item, string) // entry of the legend, and the layer's type
}

// Line is a curve. A value that cannot be drawn makes a gap.
type Line struct {
	X, Y  []float64
	Style Style
	Marks bool // also the style's mark at each point
}

// Band is the field between two curves: a spread around a Line of the same style. On a log axis a lower edge at or
// below zero is drawn at the axis' end.
type Band struct {
	X, Lo, Hi []float64
	Style     Style
}

// Scatter is a set of points.
type Scatter struct {
	X, Y   []float64
	Style  Style
	Shape  Shape
	Radius float64 // points; 0: 1.4
	Alpha  float64 // 0: chosen from the number of points
	Edge   bool    // a white edge: for marks that must stand out of lines
}

// Path is the way of one particle: a thin, light curve. Draw one a particle, all with one style.
type Path struct {
	X, Y  []float64
	Style Style
	Alpha float64 // 0: 0.4
}

// HLine is a thin line across the panel, for a reference value. It widens the axis as the edges of a Band do: without
// deciding the scale, and by a decade at most on a log axis.
type HLine struct {
	Y     float64
	Style Style
}

// Text is a note at a data position, or with Frac at a fraction of the panel: (0, 0) lower left, (1, 1) upper right.
type Text struct {
	X, Y           float64
	S              string
	Frac           bool
	AlignX, AlignY float64     // which point of the text stands there: 0 left or baseline, 1 right or top
	Color          color.NRGBA // zero: the theme's
}

// area is a panel's data area, with the map from data to places. Its counters are those of the layer being drawn.
type area struct {
	draw.Canvas
	x, y                axis
	undrawable, outside int
}

// at returns the place of a data point, and false (and counts it) if there is none.
func (a *area) at(x, y float64) (vg.Point, bool) {
	u, v := a.x.unit(x), a.y.unit(y)
	if !finite(u) || !finite(v) {
		a.undrawable++
		return vg.Point{}, false
	}
	return vg.Point{X: a.X(u), Y: a.Y(v)}, true
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// stroke draws a polyline, clipped to the area. Points nearer than a fifth of a point to the last are skipped: nobody
// sees them, and 50 paths of 2000 steps would make files of many megabytes.
func (a *area) stroke(s draw.LineStyle, pts []vg.Point) {
	thin := pts[:0:0]
	for i, p := range pts {
		if n := len(thin); n > 0 && i < len(pts)-1 && math.Hypot(float64(p.X-thin[n-1].X), float64(p.Y-thin[n-1].Y)) < 0.2 {
			continue
		}
		thin = append(thin, p)
	}
	if len(thin) > 1 {
		a.StrokeLines(s, a.ClipLinesXY(thin)...)
	}
}

// runs calls f with each longest stretch of points that can be drawn.
func (a *area) runs(x, y []float64, f func([]vg.Point)) {
	var pts []vg.Point
	for i := range x {
		if p, ok := a.at(x[i], y[i]); ok {
			pts = append(pts, p)
		} else if len(pts) > 0 {
			f(pts)
			pts = nil
		}
	}
	if len(pts) > 0 {
		f(pts)
	}
}

func (s Style) line() draw.LineStyle {
	l := draw.LineStyle{Color: s.Color, Width: vg.Length(s.Width)}
	if s.Width == 0 {
		l.Width = lineWidth
	}
	for _, d := range s.Dash {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	return l
}

func sameLen(a, b []float64) {
	if len(a) != len(b) {
		panic("figure: coordinates of a layer differ in length")
	}
}

func (l Line) extent(e *extent) {
	sameLen(l.X, l.Y)
	e.padX = e.padX || l.Marks
	e.addXY(l.X, l.Y)
}

func (l Line) draw(a *area) {
	a.runs(l.X, l.Y, func(p []vg.Point) {
		a.stroke(l.Style.line(), p)
		if len(p) == 1 && !l.Marks { // a lone point has no line
			mark(&a.Canvas, Circle, 1, l.Style.Color, false, p[0])
		}
		for _, p := range p {
			if l.Marks && a.Contains(p) {
				mark(&a.Canvas, l.Style.Mark, markRadius, l.Style.Color, true, p)
			}
		}
	})
}

func (l Line) key() (Item, string) { return Item{Style: l.Style, Line: true, Mark: l.Marks}, "line" }

func (b Band) extent(e *extent) {
	sameLen(b.X, b.Lo)
	sameLen(b.X, b.Hi)
	e.soft = true // the edges of a band do not decide the scale
	e.addXY(b.X, b.Lo)
	e.addXY(b.X, b.Hi)
	e.soft = false
}

func (b Band) draw(a *area) {
	var lo, hi []vg.Point
	fill := func() {
		for i := len(hi) - 1; i >= 0; i-- {
			lo = append(lo, hi[i])
		}
		if len(lo) > 2 {
			a.FillPolygon(shade(b.Style.Color, fillAlpha), a.ClipPolygonXY(lo))
		}
		lo, hi = nil, nil
	}
	for i := range b.X {
		low := b.Lo[i]
		if a.y.log && low <= 0 && b.Hi[i] > 0 {
			low = a.y.min
			a.undrawable++
		}
		p, ok := a.at(b.X[i], low)
		q, ok2 := a.at(b.X[i], b.Hi[i])
		if !ok || !ok2 {
			fill()
			continue
		}
		lo, hi = append(lo, p), append(hi, q)
	}
	fill()
}

func (b Band) key() (Item, string) { return Item{Style: b.Style, Fill: true}, "band" }

func (s Scatter) extent(e *extent) {
	sameLen(s.X, s.Y)
	e.padX = true
	e.addXY(s.X, s.Y)
}

func (s Scatter) draw(a *area) {
	r, alpha := s.Radius, s.Alpha
	if r == 0 {
		r = dotRadius
	}
	if alpha == 0 { // 1 for a few points, 0.35 for thousands
		alpha = min(1, max(0.35, 1.4-0.35*math.Log10(float64(len(s.X)+1))))
	}
	for i := range s.X {
		p, ok := a.at(s.X[i], s.Y[i])
		switch {
		case !ok:
		case a.Contains(p):
			mark(&a.Canvas, s.Shape, r, shade(s.Style.Color, alpha), s.Edge, p)
		default:
			a.outside++
		}
	}
}

func (s Scatter) key() (Item, string) {
	st := s.Style
	st.Mark = s.Shape
	return Item{Style: st, Mark: true}, "scatter"
}

func (l Path) extent(e *extent) {
	sameLen(l.X, l.Y)
	e.padX = true
	e.addXY(l.X, l.Y)
}

func (l Path) draw(a *area) {
	s := draw.LineStyle{Color: shade(l.Style.Color, l.Alpha), Width: vg.Length(l.Style.Width)}
	if l.Alpha == 0 {
		s.Color = shade(l.Style.Color, 0.4)
	}
	if l.Style.Width == 0 {
		s.Width = thinWidth
	}
	a.runs(l.X, l.Y, func(p []vg.Point) { a.stroke(s, p) })
}

func (l Path) key() (Item, string) {
	st := l.Style
	st.Dash, st.Width = nil, thinWidth
	return Item{Style: st, Line: true}, "path"
}

func (h HLine) extent(e *extent) {
	e.soft = true
	e.addY(h.Y)
	e.soft = false
}

func (h HLine) draw(a *area) {
	s := h.Style
	if s.Width == 0 {
		s.Width = 0.8
	}
	if s.Color == (color.NRGBA{}) {
		s.Color = ink
	}
	switch p, ok := a.at(a.x.min, h.Y); {
	case ok && a.ContainsY(p.Y):
		a.stroke(s.line(), []vg.Point{{X: a.Min.X, Y: p.Y}, {X: a.Max.X, Y: p.Y}})
	case ok:
		a.outside++
	}
}

func (h HLine) key() (Item, string) { return Item{Style: h.Style, Line: true}, "hline" }

func (t Text) extent(e *extent) {
	if !t.Frac {
		e.addXY([]float64{t.X}, []float64{t.Y})
	}
}

func (t Text) draw(a *area) {
	p := vg.Point{X: a.X(t.X), Y: a.Y(t.Y)}
	if !t.Frac {
		var ok bool
		if p, ok = a.at(t.X, t.Y); !ok {
			return
		}
	}
	// kept inside the frame, whatever the position
	const gap = 3
	w, h := textWidth(t.S, tickSize+0.5), vg.Length(capHeight*(tickSize+0.5))
	p.X = max(a.Min.X+gap, min(p.X-vg.Length(t.AlignX)*w, a.Max.X-gap-w))
	p.Y = max(a.Min.Y+gap, min(p.Y-vg.Length(t.AlignY)*h, a.Max.Y-gap-h))
	c := t.Color
	if c == (color.NRGBA{}) {
		c = ink
	}
	box := vg.Rectangle{Min: vg.Point{X: p.X - 1.5, Y: p.Y - 1.5}, Max: vg.Point{X: p.X + w + 1.5, Y: p.Y + h + 1.5}}
	a.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xc8})
	a.Fill(box.Path())
	drawText(&a.Canvas, t.S, tickSize+0.5, c, p, 0, 0, 0)
}

func (t Text) key() (Item, string) { return Item{}, "text" }
