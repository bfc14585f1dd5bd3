package figure

import (
	"cmp"
	"hash/fnv"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Sizes of the theme, in points.
const (
	textSize   = 9.0 // titles and axis labels
	legendSize = 8.5
	tickSize   = 7.5
	lineWidth  = 1.2
	thinWidth  = 0.6
	tickLength = 3.0
	dotRadius  = 1.4
	markRadius = 2.4
	fillAlpha  = 0.2
)

// Style is how a series looks, the same in every figure.
type Style struct {
	Label string // in the legend; "": not there
	Color color.NRGBA
	Dash  []float64        // points on, off, …; nil: solid
	Mark  draw.GlyphDrawer // nil in Looks: a circle
	Width float64          // of lines, in points; 0: the theme's

	place int // in a legend, from 1; 0: after those that have one
}

// Shapes of marks.
var (
	Circle       = draw.CircleGlyph{}
	Ring         = draw.RingGlyph{}
	Square       = draw.BoxGlyph{}
	OpenSquare   = draw.SquareGlyph{}
	Triangle     = draw.PyramidGlyph{}
	OpenTriangle = draw.TriangleGlyph{}
	Plus         = draw.PlusGlyph{}
	Cross        = draw.CrossGlyph{}
)

var (
	white    = RGB(0xffffff)
	ink      = RGB(0x262626)
	gridGrey = RGB(0xe6e6e6)
)

// RGB is the colour 0xrrggbb.
func RGB(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// spare are the colours of methods without one of their own: the farthest from those of the samplers.
var spare = []color.NRGBA{
	RGB(0x28c864), RGB(0x3c3cb4), RGB(0x783c3c), RGB(0x2878dc), RGB(0x508c3c), RGB(0xa0b43c),
}

// Looks are those of methods. Experiments declare theirs before anything is drawn.
//
// The first seven colours of the paper's figures are those of Okabe and Ito, with grey for their yellow, which is too
// light for lines. The others are the farthest from all before them in CIELAB space, for full, protan and deutan
// vision, among those with a contrast of at least 2.2 to both white and black. Dashes and marks differ too, for print
// without colour.
var Looks = map[string]Style{
	"l2-gf":        {Color: RGB(0x009e73), Dash: []float64{4, 2}, Mark: Triangle},
	"ada-gwg":      {Color: RGB(0xcc79a7), Dash: []float64{6, 1.6, 1.4, 1.6}, Mark: OpenTriangle},
	"sifg":         {Color: RGB(0x0072b2), Mark: Circle},
	"ada-sifg":     {Color: RGB(0xd55e00), Dash: []float64{6, 1.6}, Mark: Square},
	"sifg-a":       {Color: RGB(0x5014dc), Dash: []float64{9, 1.6}, Mark: Ring},
	"interpolated": {Color: RGB(0xc00000), Dash: []float64{9, 1.6, 1.4, 1.6, 1.4, 1.6}, Mark: Cross},
	"svgd":         {Color: RGB(0xe69f00), Dash: []float64{1.6, 1.4}, Mark: OpenSquare},
	"sgld":         {Color: RGB(0x56b4e9), Dash: []float64{3, 1.4, 1.2, 1.4, 1.2, 1.4}, Mark: Cross},
	"psgld":        {Color: RGB(0x8c1478), Dash: []float64{3, 1.4, 1.2, 1.4}, Mark: Ring},
	"baoab":        {Color: RGB(0x7a7a00), Dash: []float64{5, 1, 1, 1}, Mark: Square},
	"ascent":       {Color: RGB(0x9f6fdf), Dash: []float64{2, 4}, Mark: Triangle},
	"kde-flow":     {Color: RGB(0x777777), Dash: []float64{2.6, 2.6}, Mark: Plus},
}

// Method returns the style of a method: that of Looks, with title and place in the table of samplers of its sampler; or
// of "truth", the target itself. Another name gets a colour, dashes and a mark that depend on it alone.
func Method(name string) Style {
	if name == "truth" { // the last in a legend
		return Style{Label: "Ground truth", Color: ink, Mark: Circle, place: math.MaxInt}
	}
	s, declared := Looks[name]
	for i, x := range sifg.Samplers() {
		if x.Name == name {
			s.Label, s.place = cmp.Or(s.Label, x.Title), i+1
		}
	}
	s.Label, s.Mark = cmp.Or(s.Label, name), cmp.Or(s.Mark, draw.GlyphDrawer(Circle))
	if !declared {
		h := fnv.New32a()
		h.Write([]byte(name))
		k := h.Sum32()
		s.Color, s.place = spare[k%uint32(len(spare))], 0
		s.Mark = []draw.GlyphDrawer{Square, Triangle, Ring, Cross}[k/8%4]
		s.Dash = [][]float64{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}[k/64%4]
	}
	return s
}

// As returns the style with another label; "" leaves the series out of the legend.
func (s Style) As(label string) Style {
	if s.Label != label {
		s.Label, s.place = label, 0
	}
	return s
}

// Thin returns the style of one of many lines, such as the path of a particle: thin, light and without dashes.
func (s Style) Thin() Style {
	s.Dash, s.Width, s.Color = nil, thinWidth, shade(s.Color, 0.4)
	return s
}

// shade returns c with opacity a in [0, 1].
func shade(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(math.Round(255 * a))
	return c
}

// viridis is even in lightness and fit for colour-blind readers. Its lightest part is left out.
var viridis = []uint32{0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59}

// Shade is the style of one of several series that are no methods, at t in [0, 1] of their order: dark to light.
func Shade(t float64, label string) Style {
	return Style{Label: label, Color: RGB(viridis[int(math.Round(7*t))]), Mark: Circle}
}

// Label is a sampler's name in words.
func Label(method string) string { return Method(method).Label }

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
func text(c *draw.Canvas, s string, size float64, pt vg.Point, ax, ay, turn float64) {
	if s == "" {
		return
	}
	s = safe.Text(s) // XML has no control characters
	c.SetColor(ink)
	c.Push()
	c.Translate(pt)
	c.Rotate(turn)
	c.FillString(face(size), vg.Point{X: -vg.Length(ax * textWidth(s, size)), Y: -vg.Length(ay * capHeight * size)}, s)
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
