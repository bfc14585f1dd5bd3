package figure

import (
	"fmt"
	"image/color"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Parts of the font's size.
const (
	capHeight = 0.716
	descent   = 0.212
)

// fonts are the fonts of gonum/plot. Liberation Sans has the widths of Arial and Helvetica.
var fonts = font.NewCache(liberation.Collection())

func face(size float64) font.Face {
	return fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
}

func textWidth(s string, size float64) float64 {
	f := face(size)
	return float64(f.Width(s))
}

// text writes s turned by turn radians about pt, which is the point (ax, ay) of its box: (0, 0) is the start of the
// baseline, (1, 1) the end of the cap height.
func (l *layout) text(c *draw.Canvas, s string, size float64, pt vg.Point, ax, ay, turn float64) {
	c.SetColor(ink)
	l.write(c, s, size, pt, ax, ay, turn)
}

// write is text in the colour of the canvas.
func (l *layout) write(c *draw.Canvas, s string, size float64, pt vg.Point, ax, ay, turn float64) {
	f := face(size)
	var buf sfnt.Buffer
	for _, ch := range s { // a character that the font lacks would be left out without a word
		if g, err := f.Face.GlyphIndex(&buf, ch); (err != nil || g == 0) && l.err == nil {
			l.err = fmt.Errorf("figure: label %q: the font has no character %q", s, ch)
		}
	}
	if s == "" {
		return
	}
	c.Push()
	c.Translate(pt)
	c.Rotate(turn)
	c.FillString(f, vg.Point{X: -vg.Length(ax) * f.Width(s), Y: -vg.Length(ay * capHeight * size)}, s)
	c.Pop()
}

// marks draws marks of a radius in points. Those that are larger than dots have a white edge.
func marks(c *draw.Canvas, shape draw.GlyphDrawer, radius float64, col color.NRGBA, at ...vg.Point) {
	one := func(c *draw.Canvas, p vg.Point) {
		if radius > dotRadius {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: white, Radius: vg.Length(radius + 0.8), Shape: shape}, p)
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: col, Radius: vg.Length(radius), Shape: shape}, p)
	}
	if svg, ok := c.Canvas.(*svgCanvas); ok && len(at) > 3 {
		mark := &svgCanvas{}
		one(&draw.Canvas{Canvas: mark}, vg.Point{})
		svg.repeat(mark, at)
		return
	}
	for _, p := range at {
		one(c, p)
	}
}
