package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Layer is one thing drawn in a panel: Line, Band, Scatter, HLine or Box.
type Layer interface {
	extent(e *extent) // reports the data that the axes must hold
	draw(p *panel)    // draws inside the data area
	key() key         // the entry of the legend
	series() series   // the data that it shows
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
}

// Band is the area between two curves, such as the range around a Line of the same style. On a log axis a lower edge at
// or below zero is drawn at the end of the axis.
type Band struct {
	X, Lo, Hi []float64
	Style     Style
}

// Scatter is a set of points: dots that are small and light where there are many, or marks.
type Scatter struct {
	X, Y   []float64
	Style  Style
	Radius float64 // of the style's mark, in points; 0: dots
	Shared string  // the entry of the legend, in ink, of points in several colours; "": that of the style
}

// HLine is a line across the panel at a reference value. It widens the axis as a Band does.
type HLine struct {
	Y     float64
	Style Style
}

// line returns the style of a line.
func (s Style) line() draw.LineStyle {
	l := draw.LineStyle{Color: s.Color, Width: vg.Length(cmp.Or(s.Width, lineWidth))}
	for _, d := range s.Dash {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	return l
}

func (l Line) extent(e *extent) { e.add(l.X, l.Y) }

func (l Line) draw(p *panel) {
	var piece []vg.Point
	end := func() {
		if len(piece) == 1 { // a lone point has no line
			marks(&p.Canvas, Circle, 1, l.Style.Color, piece...)
		} else if len(piece) > 1 {
			p.stroke(l.Style.line(), piece)
		}
		piece = nil
	}
	for i := range l.X {
		if at, ok := p.at(l.X[i], l.Y[i]); ok {
			piece = append(piece, at)
		} else {
			end()
		}
	}
	end()
}

func (l Line) key() key { return key{Style: l.Style, line: true} }

func (b Band) extent(e *extent) {
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
		if p.y.log() && low <= 0 && b.Hi[i] > 0 {
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

func (s Scatter) extent(e *extent) { e.add(s.X, s.Y) }

func (s Scatter) draw(p *panel) {
	at := p.inside(s.X, s.Y)
	if s.Radius > 0 {
		marks(&p.Canvas, s.Style.Mark, s.Radius, s.Style.Color, at...)
		return
	}
	many := math.Log10(float64(len(s.X) + 1))
	alpha := min(1, max(0.35, 1.4-0.35*many))              // 1 for a few points, 0.35 for thousands
	radius := dotRadius * min(1, max(0.55, 1.3-0.25*many)) // 1 for a few points, 0.55 for thousands
	marks(&p.Canvas, Circle, radius, shade(s.Style.Color, alpha), at...)
}

func (s Scatter) key() key {
	k := key{Style: s.Style, mark: true}
	if s.Shared != "" {
		k.Style = Style{Label: s.Shared, Color: ink, Mark: Circle}
	}
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

// Box is values at position At of the x axis: a box from the first quartile to the third with the median across,
// whiskers to the 5 % and 95 % quantiles, and the values as dots where they are few.
type Box struct {
	At     float64
	Values []float64
	Style  Style
}

const (
	boxHalf = 0.28 // half width of a box on the x axis
	fewDots = 60   // values that are drawn as dots
)

func (b Box) extent(e *extent) {
	e.x, e.y = append(e.x, b.At-0.6, b.At+0.6), append(e.y, b.Values...)
}

func (b Box) key() key { return key{Style: b.Style, fill: true} }

func (b Box) draw(p *panel) {
	var values []float64 // those with a place on the axis
	for _, y := range slices.Sorted(slices.Values(b.Values)) {
		if finite(p.y.unit(y)) {
			values = append(values, y)
		} else {
			p.hidden++
		}
	}
	if len(values) == 0 {
		return
	}
	left, right, style := b.At-boxHalf, b.At+boxHalf, Style{Color: b.Style.Color, Width: 0.9}
	q := func(share float64) float64 { return stats.Quantile(values, share) }
	low, high := []float64{q(0.25), q(0.25)}, []float64{q(0.75), q(0.75)}
	line := func(style Style, x []float64, y ...float64) { Line{X: x, Y: y, Style: style}.draw(p) }
	Band{X: []float64{left, right}, Lo: low, Hi: high, Style: style}.draw(p)
	line(style, []float64{left, right, right, left, left}, slices.Concat(low, high, low[:1])...)
	line(style, []float64{b.At, b.At}, q(0.05), q(0.25))
	line(style, []float64{b.At, b.At}, q(0.75), q(0.95))
	if len(values) <= fewDots {
		x := make([]float64, len(values))
		for i := range x { // steps of the golden ratio spread neighbours in value over the width
			_, f := math.Modf(float64(i) * 0.6180339887498949)
			x[i] = b.At + 0.12*(2*f-1)
		}
		Scatter{X: x, Y: values, Style: style}.draw(p)
	}
	line(Style{Color: ink, Width: 1.5}, []float64{left, right}, q(0.5), q(0.5))
}
