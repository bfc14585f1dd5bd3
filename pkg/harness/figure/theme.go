package figure

import (
	"hash/fnv"
	"image/color"
	"math"
	"slices"
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

var (
	ink      = color.NRGBA{0x26, 0x26, 0x26, 0xff}
	gridGrey = color.NRGBA{0xe6, 0xe6, 0xe6, 0xff}
	noteGrey = color.NRGBA{0x80, 0x80, 0x80, 0xff}
)

// Style is how a series looks, the same in every figure.
type Style struct {
	Label string // in the legend; "": none
	Color color.NRGBA
	Dash  []float64 // points on, off, …; nil: solid
	Mark  Shape
	Width float64 // of lines, in points; 0: the theme's
}

// Shape of a mark.
type Shape int

// Shapes of marks.
const (
	Circle Shape = iota
	Square
	Triangle
	Diamond
	TriangleDown
	Cross
	Plus
	Ring
)

// Colours of Okabe and Ito, which colour-blind readers tell apart, without their yellow (too light for lines).
var (
	blue       = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	green      = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	purple     = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}
	orange     = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	sky        = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	grey       = color.NRGBA{0x77, 0x77, 0x77, 0xff}
)

// methods is the one table of how methods look; dashes and marks differ too, for print without colour.
var methods = map[string]Style{
	"sifg":     {Label: "SIFG", Color: blue, Mark: Circle},
	"ada-sifg": {Label: "Ada-SIFG", Color: vermillion, Dash: []float64{6, 1.6}, Mark: Square},
	"l2-gf":    {Label: "L2-GF", Color: green, Dash: []float64{4, 2}, Mark: Triangle},
	"ada-gwg":  {Label: "Ada-GWG", Color: purple, Dash: []float64{6, 1.6, 1.4, 1.6}, Mark: Diamond},
	"svgd":     {Label: "SVGD", Color: orange, Dash: []float64{1.6, 1.4}, Mark: TriangleDown},
	"sgld":     {Label: "SGLD", Color: sky, Dash: []float64{3, 1.4, 1.2, 1.4, 1.2, 1.4}, Mark: Cross},
	"kde-flow": {Label: "KDE flow", Color: grey, Dash: []float64{2.6, 2.6}, Mark: Plus},
	"hmc":      {Label: "HMC", Color: ink, Dash: []float64{8, 2.4}, Mark: Ring},
	"truth":    {Label: "Ground truth", Color: ink},
}

// legendOrder is the order of methods in every legend, as in the paper; other entries follow as they appear.
var legendOrder = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg", "svgd", "sgld", "kde-flow"}

// legendRank returns the place of a label in the legend.
func legendRank(label string) int {
	i := slices.IndexFunc(legendOrder, func(m string) bool { return methods[m].Label == label })
	if i < 0 {
		return len(legendOrder)
	}
	return i
}

// Method returns the style of a method: sifg, ada-sifg, l2-gf, ada-gwg, svgd, sgld, kde-flow (the closed-form score of
// the kernel density), hmc, truth (ground truth). Any other name is its own label, with a colour that depends on the
// name alone.
func Method(name string) Style {
	if s, ok := methods[name]; ok {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	k := h.Sum32()
	extra := []color.NRGBA{
		{0x88, 0x22, 0x55, 0xff}, {0x33, 0x22, 0x88, 0xff}, {0x99, 0x99, 0x33, 0xff}, {0x66, 0x33, 0x00, 0xff},
		{0x11, 0x77, 0x33, 0xff}, {0xaa, 0x44, 0x99, 0xff},
	}
	return Style{
		Label: name, Color: extra[k%uint32(len(extra))], Mark: Shape(k / 7 % 8),
		Dash: [][]float64{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}[k/64%4],
	}
}

// As returns the style with another label; "" leaves the series out of the legend.
func (s Style) As(label string) Style { s.Label = label; return s }

// shade returns c with opacity a in [0, 1].
func shade(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(math.Round(255 * min(max(a, 0), 1)))
	return c
}

// viridis is the colour scale of heat maps, even in lightness and fit for colour-blind readers, at t in [0, 1].
func viridis(t float64) color.NRGBA {
	anchors := [...][3]float64{
		{68, 1, 84}, {72, 40, 120}, {62, 74, 137}, {49, 104, 142}, {38, 130, 142},
		{31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37},
	}
	x := min(max(t, 0), 1) * float64(len(anchors)-1)
	i := min(int(x), len(anchors)-2)
	f := x - float64(i)
	mix := func(k int) uint8 { return uint8(math.Round(anchors[i][k]*(1-f) + anchors[i+1][k]*f)) }
	return color.NRGBA{mix(0), mix(1), mix(2), 0xff}
}
