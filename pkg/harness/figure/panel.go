package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a Panel whose axes and sizes are decided.
type panel struct {
	spec           *Panel
	x, y, bar      axis
	note           string
	labelX, labelY bool // ticks and axis are labelled
	turned         bool // the tick labels of X are slanted
	draw.Canvas         // the data area
	hidden         int  // values not shown
}

// margins surround a data area, in points.
type margins struct{ left, right, bottom, top float64 }

const slant = math.Pi / 6 // of turned labels

// resolve decides the axes, and returns the values of heat maps.
func (p *panel) resolve() (z []float64, err error) {
	var e extent
	for _, layer := range p.spec.Layers {
		layer.extent(&e)
	}
	marginX, marginY := 0.0, 0.04
	switch {
	case e.z != nil: // a heat map fills the panel
		marginY = 0
	case e.padX:
		marginX = 0.04
	}
	var noX, noY bool
	if p.x, noX, err = p.spec.X.resolve(e.x, nil, marginX); err != nil {
		return nil, err
	}
	if p.y, noY, err = p.spec.Y.resolve(e.y, e.soft, marginY); err != nil {
		return nil, err
	}
	if p.note = p.spec.Note; p.note == "" && noX && noY {
		p.note = "no data"
	}
	return e.z, nil
}

// chooseTicks chooses the ticks for a data area of w×h points.
func (p *panel) chooseTicks(w, h float64) {
	p.y.setTicks(int(min(max(h/26, 2), 7)))
	n := int(min(max(w/32, 2), 8))
	p.x.setTicks(n)
	full := func() bool {
		labels, widest := p.x.labels()
		return labels*(widest+5) > w
	}
	p.turned = p.x.Categories != nil && full()
	for ; n > 2 && !p.turned && full(); n-- { // fewer, until their labels have room
		p.x.setTicks(n - 1)
	}
}

// margins returns the room that titles and labels need around a data area of this width.
func (p *panel) margins(w float64) margins {
	m := margins{left: 2, right: 3, bottom: 2, top: 3}
	_, highest := p.x.labels()
	_, widest := p.y.labels()
	if p.labelY {
		m.left, m.top = tickLength+2.5+widest, tickSize/2
		if p.y.Label != "" {
			m.left += textSize*(capHeight+descent) + 4
		}
	}
	if p.labelX {
		m.bottom = tickLength + 3 + tickSize*capHeight + textSize*descent
		if p.turned {
			m.bottom += highest * math.Sin(slant)
		}
		if p.x.Label != "" {
			m.bottom += textSize*capHeight + 5
		}
		for _, t := range p.x.ticks { // labels that stick out at the sides
			u, left := p.x.unit(t.Value), textWidth(t.Label, tickSize)/2+1
			right := left
			if p.turned {
				left, right = 2*left*math.Cos(slant), 0
			}
			m.left, m.right = max(m.left, left-u*w), max(m.right, right-(1-u)*w)
		}
	}
	if p.spec.Title != "" {
		m.top = textSize + 4
	}
	return m
}

// drawGrid draws light lines at the labelled ticks.
func (p *panel) drawGrid() {
	s := draw.LineStyle{Color: gridGrey, Width: 0.5}
	for _, t := range p.x.ticks {
		if x := p.X(p.x.unit(t.Value)); t.Label != "" && p.x.Categories == nil {
			p.StrokeLine2(s, x, p.Min.Y, x, p.Max.Y)
		}
	}
	for _, t := range p.y.ticks {
		if y := p.Y(p.y.unit(t.Value)); t.Label != "" {
			p.StrokeLine2(s, p.Min.X, y, p.Max.X, y)
		}
	}
}

// drawFrame draws the frame and the ticks.
func (p *panel) drawFrame() {
	s := draw.LineStyle{Color: ink, Width: thinWidth}
	length := func(t Tick) vg.Length {
		if t.Label == "" {
			return tickLength * 0.6
		}
		return tickLength
	}
	p.SetLineStyle(s)
	p.Stroke(p.Rectangle.Path())
	for _, t := range p.x.ticks {
		if x := p.X(p.x.unit(t.Value)); p.x.Categories == nil {
			p.StrokeLine2(s, x, p.Min.Y, x, p.Min.Y-length(t))
		}
	}
	for _, t := range p.y.ticks {
		y := p.Y(p.y.unit(t.Value))
		p.StrokeLine2(s, p.Min.X, y, p.Min.X-length(t), y)
	}
}

// at returns the place of a data point. If there is none it counts the point and returns false.
func (p *panel) at(x, y float64) (vg.Point, bool) {
	u, v := p.x.unit(x), p.y.unit(y)
	if !finite(u) || !finite(v) {
		p.hidden++
		return vg.Point{}, false
	}
	return vg.Point{X: p.X(u), Y: p.Y(v)}, true
}

// inside returns the places of the points within the limits, and counts the others.
func (p *panel) inside(x, y []float64) []vg.Point {
	var out []vg.Point
	for i := range x {
		switch at, ok := p.at(x[i], y[i]); {
		case ok && p.Contains(at):
			out = append(out, at)
		case ok:
			p.hidden++
		}
	}
	return out
}

// stroke draws a polyline, clipped to the area.
func (p *panel) stroke(s draw.LineStyle, line []vg.Point) { p.StrokeLines(s, p.ClipLinesXY(line)...) }
