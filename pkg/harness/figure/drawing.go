package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws the figure and returns what is not seen of it.
func (l *layout) draw(c draw.Canvas) []Drop {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	l.drawLegend(&c)
	var drops []Drop
	for i, p := range l.f.Panels {
		a := &area{Canvas: draw.Canvas{Canvas: c.Canvas, Rectangle: l.areas[i]}, x: l.x[i], y: l.y[i]}
		if !p.EqualAxes {
			a.grid()
		}
		for _, layer := range p.Layers {
			a.undrawable, a.outside = 0, 0
			layer.draw(a)
			if a.undrawable+a.outside > 0 {
				it, name := layer.key()
				if it.Label != "" {
					name += " " + it.Label
				}
				drops = append(drops, Drop{i, name, a.undrawable, a.outside})
			}
		}
		if l.empty[i] {
			drawText(&a.Canvas, "no data", textSize, noteGrey, a.Center(), 0.5, 0.5, 0)
		}
		l.drawAxes(a, i)
	}
	if l.f.ColorBar != nil {
		l.drawColorBar(&c)
	}
	return drops
}

// grid draws light lines at the labelled ticks.
func (a *area) grid() {
	s := draw.LineStyle{Color: gridGrey, Width: 0.5}
	for _, t := range a.x.ticks {
		if x := a.X(a.x.unit(t.Value)); t.Label != "" && len(a.x.Categories) == 0 {
			a.StrokeLine2(s, x, a.Min.Y, x, a.Max.Y)
		}
	}
	for _, t := range a.y.ticks {
		if y := a.Y(a.y.unit(t.Value)); t.Label != "" {
			a.StrokeLine2(s, a.Min.X, y, a.Max.X, y)
		}
	}
}

// drawAxes draws frame, ticks, labels and title.
func (l *layout) drawAxes(a *area, i int) {
	p, c := l.f.Panels[i], &a.Canvas
	s := draw.LineStyle{Color: ink, Width: thinWidth}
	c.SetLineStyle(s)
	c.Stroke(a.Rectangle.Path())
	showX, showY := l.labelled(i)
	length := func(t Tick) vg.Length {
		if t.Label == "" {
			return tickLength * 0.6
		}
		return tickLength
	}
	under := float64(a.Min.Y) - tickLength - 3 // top of the tick labels
	deepest := under - tickSize*capHeight
	for _, t := range a.x.ticks {
		x := a.X(a.x.unit(t.Value))
		if len(a.x.Categories) == 0 {
			c.StrokeLine2(s, x, a.Min.Y, x, a.Min.Y-length(t))
		}
		switch {
		case !showX:
		case l.turn[i]:
			drawText(c, t.Label, tickSize, ink, vg.Point{X: x + 2, Y: vg.Length(under)}, 1, 0.8, slant)
			deepest = min(deepest, under-tickSize*capHeight-float64(textWidth(t.Label, tickSize))*math.Sin(slant))
		default:
			drawText(c, t.Label, tickSize, ink, vg.Point{X: x, Y: vg.Length(under)}, 0.5, 1, 0)
		}
	}
	widest := vg.Length(0)
	for _, t := range a.y.ticks {
		y := a.Y(a.y.unit(t.Value))
		c.StrokeLine2(s, a.Min.X, y, a.Min.X-length(t), y)
		if showY {
			drawText(c, t.Label, tickSize, ink, vg.Point{X: a.Min.X - tickLength - 2.5, Y: y}, 1, 0.5, 0)
			widest = max(widest, textWidth(t.Label, tickSize))
		}
	}
	mid := a.Center()
	if showX {
		drawText(c, p.X.Label, textSize, ink, vg.Point{X: mid.X, Y: vg.Length(deepest - 5)}, 0.5, 1, 0)
	}
	if showY {
		x := a.Min.X - tickLength - 2.5 - widest - 4 - vg.Length(textSize*descent)
		drawText(c, p.Y.Label, textSize, ink, vg.Point{X: x, Y: mid.Y}, 0.5, 0, math.Pi/2)
	}
	drawText(c, p.Title, textSize, ink, vg.Point{X: mid.X, Y: a.Max.Y + 4}, 0.5, 0, 0)
}

func (l *layout) drawLegend(c *draw.Canvas) {
	y := l.h - outer - keyHeight/2
	for _, row := range l.keys {
		w := -keySpace
		for _, it := range row {
			w += keySpace + itemWidth(it)
		}
		x := max(outer, (l.w-w)/2)
		for _, it := range row {
			k := keySize(it)
			if it.Fill {
				c.SetColor(shade(it.Color, fillAlpha+0.1))
				c.Fill(vg.Rectangle{
					Min: vg.Point{X: vg.Length(x), Y: vg.Length(y - 4)}, Max: vg.Point{X: vg.Length(x + k), Y: vg.Length(y + 4)},
				}.Path())
			}
			if it.Line {
				c.StrokeLine2(it.line(), vg.Length(x), vg.Length(y), vg.Length(x+k), vg.Length(y))
			}
			if it.Mark {
				mark(c, it.Style.Mark, markRadius, it.Color, false, vg.Point{X: vg.Length(x + k/2), Y: vg.Length(y)})
			}
			drawText(c, it.Label, legendSize, ink, vg.Point{X: vg.Length(x + k + 4), Y: vg.Length(y)}, 0, 0.5, 0)
			x += itemWidth(it) + keySpace
		}
		y -= keyHeight
	}
}

// drawColorBar draws the scale of the heat maps beside the panels, as high as they are.
func (l *layout) drawColorBar(c *draw.Canvas) {
	lo, hi := l.areas[0].Min.Y, l.areas[0].Max.Y
	for _, r := range l.areas {
		lo, hi = min(lo, r.Min.Y), max(hi, r.Max.Y)
	}
	x := vg.Length(l.w - outer - l.barWidth + barGap)
	end := x + barSize
	a := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: lo}, Max: vg.Point{X: end, Y: hi}}}
	const steps = 128
	for i := range steps {
		y0, y1 := a.Y(float64(i)/steps), a.Y(min(float64(i+2)/steps, 1)) // the next one covers the upper half
		c.SetColor(viridis((float64(i) + 0.5) / steps))
		c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: y0}, Max: vg.Point{X: end, Y: y1}}.Path())
	}
	s := draw.LineStyle{Color: ink, Width: thinWidth}
	c.SetLineStyle(s)
	c.Stroke(a.Rectangle.Path())
	for _, t := range l.bar.ticks {
		y := a.Y(l.bar.unit(t.Value))
		c.StrokeLine2(s, end, y, end+tickLength, y)
		drawText(c, t.Label, tickSize, ink, vg.Point{X: end + tickLength + 2, Y: y}, 0, 0.5, 0)
	}
	at := end + tickLength + 2 + vg.Length(barLabels(l.bar)) + 3 + textSize*capHeight
	drawText(c, l.f.ColorBar.Label, textSize, ink, vg.Point{X: at, Y: (lo + hi) / 2}, 0.5, 0, math.Pi/2)
}

// barLabels returns the width of the widest tick label of the colour bar.
func barLabels(bar axis) float64 {
	w := 0.0
	for _, t := range bar.ticks {
		w = max(w, float64(textWidth(t.Label, tickSize)))
	}
	return w
}
