package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// layout is a figure with every size decided, in points.
type layout struct {
	f          *Figure
	rows, cols int
	panels     []*panel
	keys       [][]key // rows of the legend
	strip      float64 // height of the legend
	w, h       float64 // of the figure
}

const (
	outer     = 3.0  // margin of the figure
	gap       = 9.0  // between panels
	rowHeight = 20.0 // of a category along Y
)

func (f *Figure) layout() (*layout, error) {
	if len(f.Panels) == 0 {
		return nil, errors.New("figure: a figure needs a panel")
	}
	l := &layout{f: f, cols: cmp.Or(f.Cols, len(f.Panels))}
	l.rows = (len(f.Panels) + l.cols - 1) / l.cols
	for i := range f.Panels {
		p := &panel{layout: l, spec: &f.Panels[i]}
		l.panels = append(l.panels, p)
		if err := p.resolve(); err != nil {
			return nil, fmt.Errorf("figure: panel %d: %w", i, err)
		}
		if f.Plane {
			p.x, p.y = l.panels[0].x, l.panels[0].y
			p.x.Label, p.y.Label = p.spec.X.Label, p.spec.Y.Label
		}
		p.x.labelled = !f.Plane || i/l.cols == l.rows-1
		p.y.labelled = !f.Plane || i%l.cols == 0
		p.y.vertical = true
		p.y.Label = strings.Replace(p.y.Label, logBeyond, "\n"+logBeyond[2:], 1) // it would be too long
		// A label is said once in a row, and once in a column.
		if i%l.cols > 0 && p.y.Label == f.Panels[i-1].Y.Label {
			p.y.Label = ""
		}
		if above := i - l.cols; above >= 0 && p.x.Label == f.Panels[above].X.Label {
			l.panels[above].x.Label = ""
		}
	}
	cm := cmp.Or(f.Width, []float64{9, 14, 18}[min(l.cols, 3)-1])
	l.w = cm * pointsPerCm
	l.keys = l.legend()
	l.strip = keyHeight * float64(len(l.keys))
	// The ticks depend on the size of the panels, and the size on the labels of the ticks: twice is enough.
	w := l.w/float64(l.cols) - 40
	h := l.height(w)
	for range 2 {
		w, h = l.place(w, h)
	}
	if w < 20 || h < 15 {
		const text = "figure: %.1f×%.1f cm leave no room for %d×%d panels"
		return nil, fmt.Errorf(text, cm, l.h/pointsPerCm, l.rows, l.cols)
	}
	return l, nil
}

// height returns the height of data areas of this width.
func (l *layout) height(w float64) float64 {
	x, y := &l.panels[0].x, &l.panels[0].y
	switch {
	case l.f.Plane:
		return w * (y.max - y.min) / (x.max - x.min)
	case y.Categories != nil:
		return rowHeight * (y.max - y.min)
	}
	return w * 0.72
}

// place chooses the ticks for data areas of w×h points, then decides the height of the figure and the data areas. They
// are all of the size that it returns.
func (l *layout) place(w, h float64) (float64, float64) {
	left, bottom := make([]float64, l.cols), make([]float64, l.rows)
	right, top := 0.0, 0.0
	for i, p := range l.panels {
		p.chooseTicks(w, h)
		pl, pr, pb, pt := p.margins(w)
		left[i%l.cols], bottom[i/l.cols] = max(left[i%l.cols], pl), max(bottom[i/l.cols], pb)
		right, top = max(right, pr), max(top, pt)
	}
	rows, cols := float64(l.rows), float64(l.cols)
	usedW := 2*outer + cols*right + (cols-1)*gap + floats.Sum(left)
	usedH := 2*outer + l.strip + rows*top + (rows-1)*gap + floats.Sum(bottom)
	w = (l.w - usedW) / cols
	if l.h = l.f.Height * pointsPerCm; l.f.Height == 0 || l.f.Plane {
		l.h = usedH + rows*l.height(w)
	}
	h = (l.h - usedH) / rows
	x, y := 0.0, l.h-outer-l.strip
	for i, p := range l.panels {
		if i%l.cols == 0 {
			x = outer
		}
		x += left[i%l.cols]
		p.Min = vg.Point{X: vg.Length(x), Y: vg.Length(y - top - h)}
		p.Max = p.Min.Add(vg.Point{X: vg.Length(w), Y: vg.Length(h)})
		x += w + right + gap
		if (i+1)%l.cols == 0 {
			y -= top + h + bottom[i/l.cols] + gap
		}
	}
	return w, h
}

// draw draws the figure, and returns the number of values that are not shown.
func (l *layout) draw(c draw.Canvas) (hidden int) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	l.drawLegend(&c)
	for _, p := range l.panels {
		p.Canvas.Canvas = c.Canvas
		if light := (draw.LineStyle{Color: gridGrey, Width: 0.5}); !l.f.Plane {
			p.x.drawTicks(&p.Canvas, light, float64(p.Min.Y-p.Max.Y), 0)
			p.y.drawTicks(&p.Canvas, light, float64(p.Min.X-p.Max.X), 0)
		}
		for _, layer := range p.spec.Layers {
			layer.draw(p)
		}
		hidden += p.hidden
		p.SetLineStyle(draw.LineStyle{Color: ink, Width: thinWidth})
		p.Stroke(p.Rectangle.Path())
		l.drawAxis(&p.Canvas, &p.x)
		l.drawAxis(&p.Canvas, &p.y)
		mid := p.Center()
		if p.empty {
			text(&p.Canvas, "no data", textSize, mid, 0.5, 0.5, 0)
		}
		text(&p.Canvas, p.spec.Title, textSize, vg.Point{X: mid.X, Y: p.Max.Y + 4}, 0.5, 0, 0)
	}
	return hidden
}

// place returns the point at a share u of the axis, this far out of the frame c.
func (a *axis) place(c *draw.Canvas, u, out float64) vg.Point {
	if a.vertical {
		return vg.Point{X: c.Min.X - vg.Length(out), Y: c.Y(u)}
	}
	return vg.Point{X: c.X(u), Y: c.Min.Y - vg.Length(out)}
}

// drawTicks draws lines at the ticks, from the frame outwards. Categories along X have none.
func (a *axis) drawTicks(c *draw.Canvas, s draw.LineStyle, labelled, others float64) {
	for _, t := range a.ticks {
		length := labelled
		if t.label == "" {
			length = others
		}
		if u := a.unit(t.value); length != 0 && (a.vertical || a.Categories == nil) {
			c.StrokeLines(s, []vg.Point{a.place(c, u, 0), a.place(c, u, length)})
		}
	}
}

// drawAxis draws the ticks and labels of an axis along the frame c.
func (l *layout) drawAxis(c *draw.Canvas, a *axis) {
	a.drawTicks(c, draw.LineStyle{Color: ink, Width: thinWidth}, tickLength, 0.6*tickLength)
	if !a.labelled {
		return
	}
	for _, t := range a.ticks {
		switch at := a.place(c, a.unit(t.value), labelGap); {
		case a.vertical:
			text(c, t.label, tickSize, at, 1, 0.5, 0)
		case a.turned:
			text(c, t.label, tickSize, at, 0.95, 0.8, slant)
		default:
			text(c, t.label, tickSize, at, 0.5, 1, 0)
		}
	}
	if out := labelGap + a.deep() + 4; a.vertical {
		for _, line := range slices.Backward(strings.Split(a.Label, "\n")) {
			text(c, line, textSize, a.place(c, 0.5, out+textSize*descent), 0.5, 0, math.Pi/2)
			out += textSize * lineSpace
		}
	} else {
		text(c, a.Label, textSize, a.place(c, 0.5, out), 0.5, 1, 0)
	}
}

// panel is a Panel whose axes and sizes are decided.
type panel struct {
	*layout
	spec        *Panel
	x, y        axis
	draw.Canvas      // the data area
	empty       bool // there are no data
	hidden      int  // values not shown
}

// resolve decides the axes.
func (p *panel) resolve() (err error) {
	var e extent
	for _, layer := range p.spec.Layers {
		layer.extent(&e)
	}
	p.empty = len(e.x)+len(e.soft) == 0
	if p.x, err = p.spec.X.resolve(e.x, nil, 0.02); err != nil {
		return err
	}
	p.y, err = p.spec.Y.resolve(e.y, e.soft, 0.04)
	return err
}

// chooseTicks chooses the ticks for a data area of w×h points.
func (p *panel) chooseTicks(w, h float64) {
	p.y.setTicks(int(min(max(h/26, 2), 7)))
	for n := int(min(max(w/32, 2), 8)); ; n-- { // fewer, until their labels have room
		p.x.setTicks(n)
		_, wide := p.x.sizes()
		p.x.turned = p.x.Categories != nil && wide > w
		if wide <= w || n <= 2 || p.x.turned {
			return
		}
	}
}

// margins returns the room, in points, that titles and labels need around a data area of this width.
func (p *panel) margins(w float64) (left, right, bottom, top float64) {
	left, right, bottom, top = 2, 3, 2, 3
	if p.y.labelled {
		left, top = p.y.room(), tickSize/2
	}
	if p.x.labelled {
		bottom = p.x.room()
		for _, t := range p.x.ticks { // labels that stick out at the sides
			u, before := p.x.unit(t.value), textWidth(t.label, tickSize)/2+1
			after := before
			if p.x.turned {
				before, after = 2*before*math.Cos(slant), 0
			}
			left, right = max(left, before-u*w), max(right, after-(1-u)*w)
		}
	}
	if p.spec.Title != "" {
		top = textSize + 4
	}
	return left, right, bottom, top
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
		if at, ok := p.at(x[i], y[i]); ok && p.Contains(at) {
			out = append(out, at)
		} else if ok {
			p.hidden++
		}
	}
	return out
}

// stroke draws a polyline, clipped to the area.
func (p *panel) stroke(s draw.LineStyle, line []vg.Point) { p.StrokeLines(s, p.ClipLinesXY(line)...) }
