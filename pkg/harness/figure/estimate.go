package figure

import (
	"cmp"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Estimates are values with intervals along X, at places of the y axis.
type Estimates struct {
	Y, X   []float64
	Lo, Hi []float64 // NaN: no interval
	Hollow bool      // the marks
	Style  Style
	Shape  draw.GlyphDrawer // of the marks; nil: that of the style, filled
}

func (e Estimates) extent(out *extent) {
	out.padX = true
	for _, x := range [][]float64{e.X, e.Lo, e.Hi} {
		out.add(x, e.Y)
	}
}

func (e Estimates) draw(p *panel) {
	line := e.Style.line()
	line.Dashes = nil
	for i, y := range e.Y {
		if finite(e.Lo[i]) && finite(e.Hi[i]) {
			from, _ := p.at(e.Lo[i], y)
			to, _ := p.at(e.Hi[i], y)
			p.stroke(line, []vg.Point{from, to})
		}
		if at, ok := p.at(e.X[i], y); ok && p.Contains(at) {
			e.key().sign(&p.Canvas, at)
		}
	}
}

func (e Estimates) key() key {
	e.Style.Mark = cmp.Or(e.Shape, filled[e.Style.Mark], e.Style.Mark)
	return key{Style: e.Style, mark: true, hollow: e.Hollow}
}

// sign draws the mark of a key.
func (k key) sign(c *draw.Canvas, at vg.Point) {
	marks(c, k.Style.Mark, markRadius, k.Style.Color, at)
	if k.hollow {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: markRadius - 0.9, Shape: k.Style.Mark}, at)
	}
}

// filled are shapes in place of those that look hollow, or cannot be: hollow marks have a meaning.
var filled = map[draw.GlyphDrawer]draw.GlyphDrawer{
	draw.RingGlyph{}:     Circle,
	draw.SquareGlyph{}:   Square,
	draw.TriangleGlyph{}: Triangle,
	draw.PlusGlyph{}:     polygon{4, 0},
	draw.CrossGlyph{}:    polygon{3, -math.Pi / 2},
}

var pointsRight, pointsLeft = polygon{3, 0}, polygon{3, math.Pi}

// polygon is a regular one, with a corner in a direction.
type polygon struct {
	corners   int
	direction float64
}

func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var corners []vg.Point
	for i := range g.corners {
		turn, r := g.direction+2*math.Pi*float64(i)/float64(g.corners), 1.25*float64(style.Radius)
		corners = append(corners, at.Add(vg.Point{X: vg.Length(r * math.Cos(turn)), Y: vg.Length(r * math.Sin(turn))}))
	}
	c.FillPolygon(style.Color, corners)
}
