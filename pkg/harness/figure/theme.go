package figure

import (
	"cmp"
	"hash/fnv"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg/draw"
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
	Dash  []float64 // points on, off, …; nil: solid
	Mark  draw.GlyphDrawer
	Width float64 // of lines, in points; 0: the theme's
}

// Shapes of marks.
var (
	Circle   = draw.CircleGlyph{}
	Square   = draw.BoxGlyph{}
	Triangle = draw.PyramidGlyph{}
)

var (
	white    = rgb(0xffffff)
	ink      = rgb(0x262626)
	gridGrey = rgb(0xe6e6e6)
)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// methods are the known methods in the order of every legend, which starts as in the paper. The first seven have the
// colours of Okabe and Ito, with grey for their yellow, which is too light for lines. The others, and the spare ones, are
// the farthest from all before them in CIELAB space, for full, protan and deutan vision, among those with a contrast of at
// least 2.2 to both white and black; those of the protocol beyond differ from what they are drawn with. Dashes and marks differ
// too, for print without colour.
var methods = []struct {
	name string
	Style
}{
	{"l2-gf", Style{Label: "L2-GF", Color: rgb(0x009e73), Dash: []float64{4, 2}, Mark: Triangle}},
	{"ada-gwg", Style{Label: "Ada-GWG", Color: rgb(0xcc79a7), Dash: []float64{6, 1.6, 1.4, 1.6}, Mark: draw.TriangleGlyph{}}},
	{"sifg", Style{Label: "SIFG", Color: rgb(0x0072b2), Mark: Circle}},
	{"ada-sifg", Style{Label: "Ada-SIFG", Color: rgb(0xd55e00), Dash: []float64{6, 1.6}, Mark: Square}},
	{"sifg-a", Style{Label: "SIFG-A", Color: rgb(0x5014dc), Dash: []float64{9, 1.6}, Mark: draw.RingGlyph{}}},
	{"ada-sifg-a", Style{Label: "Ada-SIFG-A", Color: rgb(0x783c14), Dash: []float64{9, 1.6, 1.4, 1.6}, Mark: draw.PlusGlyph{}}},
	{"interpolated", Style{Label: "Interpolated", Color: rgb(0xc00000), Mark: draw.CrossGlyph{}}},
	{"svgd", Style{Label: "SVGD", Color: rgb(0xe69f00), Dash: []float64{1.6, 1.4}, Mark: draw.SquareGlyph{}}},
	{"sgld", Style{Label: "SGLD", Color: rgb(0x56b4e9), Dash: []float64{3, 1.4, 1.2, 1.4, 1.2, 1.4}, Mark: draw.CrossGlyph{}}},
	{"psgld", Style{Label: "pSGLD", Color: rgb(0x8c1478), Dash: []float64{3, 1.4, 1.2, 1.4}, Mark: draw.RingGlyph{}}},
	{"sgld-long", Style{Label: "longer SGLD", Color: rgb(0x1f7f8f), Dash: []float64{1, 1}, Mark: draw.CrossGlyph{}}},
	{"baoab", Style{Label: "BAOAB", Color: rgb(0x7a7a00), Dash: []float64{5, 1, 1, 1}, Mark: Square}},
	{"ascent", Style{Label: "Ascent", Color: rgb(0x9f6fdf), Dash: []float64{2, 4}, Mark: Triangle}},
	{"kde-flow", Style{Label: "KDE flow", Color: rgb(0x777777), Dash: []float64{2.6, 2.6}, Mark: draw.PlusGlyph{}}},
	{"hmc", Style{Label: "HMC", Color: ink, Dash: []float64{8, 2.4}, Mark: draw.RingGlyph{}}},
	{"truth", Style{Label: "Ground truth", Color: ink, Mark: Circle}},
}

// spare are the colours of methods that are not in the table.
var spare = []color.NRGBA{rgb(0x28c864), rgb(0x3c3cb4), rgb(0x783c3c), rgb(0x2878dc), rgb(0x508c3c), rgb(0xa0b43c)}

// titles are the labels of other methods: see Name.
var titles = map[string]string{}

// Name gives a method that the theme does not know a label. Call it before anything is drawn.
func Name(method, label string) { titles[method] = label }

// Method returns the style of a method: of the samplers of the library, "hmc" and "truth" (the target itself). Any other
// name gets a colour, dashes and a mark that depend on the name alone, and is its own label unless it has another (Name).
func Method(name string) Style {
	for _, m := range methods {
		if m.name == name {
			return m.Style
		}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	k := h.Sum32()
	return Style{
		Label: cmp.Or(titles[name], name), Color: spare[k%uint32(len(spare))],
		Mark: []draw.GlyphDrawer{Square, Triangle, draw.RingGlyph{}, draw.CrossGlyph{}}[k/8%4],
		Dash: [][]float64{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}[k/64%4],
	}
}

// As returns the style with another label; "" leaves the series out of the legend.
func (s Style) As(label string) Style { s.Label = label; return s }

// Thin returns the style of one of many lines, such as the path of a particle: thin, light and without dashes.
func (s Style) Thin() Style {
	s.Dash, s.Width, s.Color = nil, thinWidth, shade(s.Color, 0.4)
	return s
}

// rank is the place of a label in the legend; labels of no method come last.
func rank(label string) int {
	for i, m := range methods {
		if m.Label == label {
			return i
		}
	}
	return len(methods)
}

// shade returns c with opacity a in [0, 1].
func shade(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(math.Round(255 * a))
	return c
}

// viridis is the colour scale of heat maps at t, clamped to [0, 1]: even in lightness and fit for colour-blind readers.
func viridis(t float64) color.NRGBA {
	anchors := [...]uint32{
		0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725,
	}
	x := min(max(t, 0), 1) * float64(len(anchors)-1)
	i := min(int(x), len(anchors)-2)
	a, b, f := rgb(anchors[i]), rgb(anchors[i+1]), x-float64(i)
	mix := func(p, q uint8) uint8 { return uint8(math.Round(float64(p)*(1-f) + float64(q)*f)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}
