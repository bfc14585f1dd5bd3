package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimates are values with intervals along X, at places of the y axis.
type Estimates struct {
	Y, X   []float64
	Lo, Hi []float64 // NaN: no interval
	Hollow bool      // the marks
	Style  Style
}

func (e Estimates) extent(out *extent) {
	out.padX = true
	for _, x := range [][]float64{e.X, e.Lo, e.Hi} {
		out.add(x, e.Y)
	}
}

func (e Estimates) draw(p *panel) {
	line := e.Style.line(lineWidth)
	line.Dashes = nil
	for i, y := range e.Y {
		if finite(e.Lo[i]) && finite(e.Hi[i]) {
			from, _ := p.at(e.Lo[i], y)
			to, _ := p.at(e.Hi[i], y)
			p.stroke(line, []vg.Point{from, to})
		}
		if at, ok := p.at(e.X[i], y); ok && p.Contains(at) {
			e.mark(&p.Canvas, at)
		}
	}
}

func (e Estimates) mark(c *draw.Canvas, at vg.Point) {
	marks(c, e.Style.Mark, markRadius, e.Style.Color, at)
	if e.Hollow {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: markRadius - 0.9, Shape: e.Style.Mark}, at)
	}
}

func (e Estimates) key() key { return key{Style: e.Style, mark: true, hollow: e.Hollow} }
