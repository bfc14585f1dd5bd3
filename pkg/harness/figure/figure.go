// Package figure draws the project's figures: one theme, one colour a method, one legend a figure; PNG, SVG and PDF.
//
// A figure is described in terms of data (panels, axes, layers) and saved with Save:
//
//	f := figure.Figure{Panels: []figure.Panel{{
//		X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "KL", Scale: figure.AutoLog},
//		Layers: []figure.Layer{
//			figure.Band{X: it, Lo: lo, Hi: hi, Style: figure.Method("sifg")},
//			figure.Line{X: it, Y: mean, Style: figure.Method("sifg")},
//		},
//	}}}
//	info, err := f.Save(dir, "figure3")
//
// The drawing is done on the canvases of gonum.org/v1/plot (vg, vg/draw); panels, axes and legend are laid out here,
// because its Plot has no frame, no equal axes, no legend outside the data, drops decades of log axes and panics on a
// value that a log axis cannot show. The same figure gives the same bytes.
//
// Every label may hold superscripts and subscripts: "10^{−2}", "x_{1}". A label with a character that the font lacks
// is an error. Values that cannot be drawn (NaN, infinite, at or below zero on a log axis) are left out and counted in
// Info. Series that differ in length panic.
package figure

// Figure is a grid of panels with one legend in a strip of its own above them.
type Figure struct {
	Rows, Cols int     // 0: as many as the panels need; both 0: one row
	Panels     []Panel // row by row
	Legend     []Item  // nil: made from the layers' styles, methods first
	NoLegend   bool
	Shared     bool      // all panels have the same axes: tick and axis labels only at the left and below
	ColorBar   *ColorBar // scale of the heat maps, in a strip at the right
	Width      float64   // cm; 0: 9 for one column, 14 for two, 18 for more
	Height     float64   // cm; 0: from the panels' proportions
}

// Panel is one pair of axes with its layers, drawn in order.
type Panel struct {
	Title     string
	X, Y      Axis
	EqualAxes bool // one unit is as long along X as along Y: for scatter plots of positions
	Layers    []Layer
}

// Scale of an axis.
type Scale int

// Scales of an axis.
const (
	Linear  Scale = iota
	Log           // values at or below zero are left out and counted
	AutoLog       // Log if all data are above zero and span more than a factor 50, Linear otherwise
)

// Axis is one axis of a panel.
type Axis struct {
	Label      string
	Min, Max   float64 // equal (as in the zero value): from the data; NaN: that end from the data
	Scale      Scale
	Ticks      []Tick   // nil: chosen
	Categories []string // names for the positions 0, 1, 2, …; replaces Ticks
}

// Tick is a place on an axis; without a label it is a minor tick.
type Tick struct {
	Value float64
	Label string
}

// Item is one entry of the legend.
type Item struct {
	Style
	Line bool // a line across the key
	Fill bool // a light field behind it: band, violin
	Mark bool // the style's mark
}

// ColorBar is the scale of heat maps.
type ColorBar struct {
	Label    string
	Min, Max float64
	Log      bool
}

// Info tells what was drawn.
type Info struct {
	Files         []string // base names of the files written
	Width, Height float64  // cm
	Dropped       []Drop   // layers of which something is not seen
}

// Drop counts the values of one layer that are not seen.
type Drop struct {
	Panel      int    // index in Figure.Panels
	Layer      string // type and label
	Undrawable int    // NaN, infinite, or not above zero on a log axis
	Outside    int    // points outside the axes' limits
}

// Column returns column j of a row-major n×cols array as float64, as the layers take it.
func Column(data []float32, cols, j int) []float64 {
	out := make([]float64, 0, len(data)/cols)
	for i := j; i < len(data); i += cols {
		out = append(out, float64(data[i]))
	}
	return out
}
