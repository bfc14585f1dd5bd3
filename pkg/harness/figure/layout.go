package figure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// layout is a figure with every size decided, in points.
type layout struct {
	f          *Figure
	rows, cols int
	panels     []*panel
	keys       [][]key // rows of the legend
	bar        axis    // of the colour bar
	strip      float64 // height of legend and colour bar
	w, h       float64 // of the figure
	err        error   // of drawing
}

const (
	outer = 3.0 // margin of the figure
	gap   = 9.0 // between panels
)

func (f *Figure) layout() (*layout, error) {
	l := &layout{f: f, cols: f.Cols}
	if len(f.Panels) == 0 {
		return nil, errors.New("figure: a figure needs a panel")
	}
	if l.cols == 0 {
		l.cols = len(f.Panels)
	}
	l.rows = (len(f.Panels) + l.cols - 1) / l.cols
	var z []float64 // of heat maps
	for i := range f.Panels {
		p := &panel{spec: &f.Panels[i]}
		p.labelX, p.labelY = !f.Plane || i+l.cols >= len(f.Panels), !f.Plane || i%l.cols == 0
		l.panels = append(l.panels, p)
		values, err := p.resolve()
		if err != nil {
			return nil, fmt.Errorf("panel %d: %w", i, err)
		}
		z = append(z, values...)
		if f.Plane {
			p.x, p.y = l.panels[0].x, l.panels[0].y
		}
	}
	if f.Plane && (l.panels[0].x.log || l.panels[0].y.log) {
		return nil, errors.New("figure: the axes of a plane must be linear")
	}
	cm := f.Width
	if cm == 0 {
		cm = []float64{9, 14, 18}[min(l.cols, 3)-1]
	}
	l.w = cm * pointsPerCm
	l.keys = l.legend()
	l.strip = keyHeight * float64(len(l.keys))
	if z != nil {
		var err error
		if l.bar, _, err = f.ColorBar.resolve(z, nil, 0); err != nil {
			return nil, err
		}
		l.bar.setTicks(5)
		l.strip += barHeight
	}
	// The ticks depend on the size of the panels, and the size on the labels of the ticks: twice is enough.
	w := l.w/float64(l.cols) - 40
	h := w * l.aspect()
	for range 2 {
		w, h = l.place(w, h)
	}
	if w < 20 || h < 20 {
		return nil, fmt.Errorf("figure: %.1f×%.1f cm leave no room for %d×%d panels", cm, l.h/pointsPerCm, l.rows, l.cols)
	}
	return l, nil
}

// aspect returns height over width of a data area.
func (l *layout) aspect() float64 {
	if x, y := l.panels[0].x, l.panels[0].y; l.f.Plane {
		return (y.max - y.min) / (x.max - x.min)
	}
	return 0.72
}

// place chooses the ticks for data areas of w×h points, then decides the height of the figure and the data areas. They are
// all of the size that it returns.
func (l *layout) place(w, h float64) (float64, float64) {
	left, bottom := make([]float64, l.cols), make([]float64, l.rows)
	right, top := 0.0, 0.0
	for i, p := range l.panels {
		p.chooseTicks(w, h)
		m := p.margins(w)
		left[i%l.cols], bottom[i/l.cols] = max(left[i%l.cols], m.left), max(bottom[i/l.cols], m.bottom)
		right, top = max(right, m.right), max(top, m.top)
	}
	rows, cols := float64(l.rows), float64(l.cols)
	usedW, usedH := 2*outer+cols*right+(cols-1)*gap, 2*outer+l.strip+rows*top+(rows-1)*gap
	for _, v := range left {
		usedW += v
	}
	for _, v := range bottom {
		usedH += v
	}
	w = (l.w - usedW) / cols
	if l.h = l.f.Height * pointsPerCm; l.f.Height == 0 || l.f.Plane {
		l.h = usedH + rows*w*l.aspect()
	}
	h = (l.h - usedH) / rows
	x, y := 0.0, l.h-outer-l.strip
	for i, p := range l.panels {
		if i%l.cols == 0 {
			x = outer
		}
		x += left[i%l.cols]
		p.Rectangle = rectangle(x, y-top-h, w, h)
		x += w + right + gap
		if (i+1)%l.cols == 0 {
			y -= top + h + bottom[i/l.cols] + gap
		}
	}
	return w, h
}

func rectangle(x, y, w, h float64) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: vg.Length(x), Y: vg.Length(y)}, Max: vg.Point{X: vg.Length(x + w), Y: vg.Length(y + h)}}
}

// draw draws the figure, and returns the number of values that are not shown.
func (l *layout) draw(c draw.Canvas) (hidden int) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	l.drawLegend(&c)
	if l.bar.ticks != nil {
		l.drawColorBar(&c)
	}
	for _, p := range l.panels {
		p.Canvas.Canvas, p.bar = c.Canvas, l.bar
		if !l.f.Plane {
			p.drawGrid()
		}
		for _, layer := range p.spec.Layers {
			layer.draw(p)
		}
		hidden += p.hidden
		p.drawFrame()
		l.drawTexts(p)
	}
	return hidden
}

// drawTexts writes around a panel.
func (l *layout) drawTexts(p *panel) {
	c, mid := &p.Canvas, p.Center()
	if p.labelX {
		y := p.Min.Y - tickLength - 3
		for _, t := range p.x.ticks {
			at := vg.Point{X: p.X(p.x.unit(t.Value)), Y: y}
			if p.turned {
				l.text(c, t.Label, tickSize, at, 1, 0.8, slant)
			} else {
				l.text(c, t.Label, tickSize, at, 0.5, 1, 0)
			}
		}
		y -= tickSize*capHeight + 5
		if p.turned {
			_, widest := p.x.labels()
			y -= vg.Length(widest * math.Sin(slant))
		}
		l.text(c, p.x.Label, textSize, vg.Point{X: mid.X, Y: y}, 0.5, 1, 0)
	}
	if p.labelY {
		x := p.Min.X - tickLength - 2.5
		for _, t := range p.y.ticks {
			l.text(c, t.Label, tickSize, vg.Point{X: x, Y: p.Y(p.y.unit(t.Value))}, 1, 0.5, 0)
		}
		_, widest := p.y.labels()
		x -= vg.Length(widest + 4 + textSize*descent)
		l.text(c, p.y.Label, textSize, vg.Point{X: x, Y: mid.Y}, 0.5, 0, math.Pi/2)
	}
	l.text(c, p.spec.Title, textSize, vg.Point{X: mid.X, Y: p.Max.Y + 4}, 0.5, 0, 0)
	l.text(c, p.note, textSize, mid, 0.5, 0.5, 0)
}
