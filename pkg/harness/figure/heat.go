package figure

import "gonum.org/v1/plot/vg"

// HeatMap fills cells of size 1×1 with colours of Figure.ColorBar. Z[i*Cols+j] is the value of the cell around (j, i),
// which stays white if that is not finite.
type HeatMap struct {
	Cols int
	Z    []float64
	Text []string // written in the cells; nil: nothing is
}

func (h HeatMap) extent(e *extent) {
	e.add([]float64{-0.5, float64(h.Cols) - 0.5}, []float64{-0.5, float64(len(h.Z)/h.Cols) - 0.5})
	e.z = append(e.z, h.Z...)
}

func (h HeatMap) draw(p *panel) {
	for k, z := range h.Z {
		u, x, y := p.bar.unit(z), float64(k%h.Cols), float64(k/h.Cols)
		if !finite(u) {
			p.hidden++
			continue
		}
		a, _ := p.at(x-0.5, y-0.5)
		b, _ := p.at(x+0.5, y+0.5)
		b.X, b.Y = min(b.X+0.4, p.Max.X), min(b.Y+0.4, p.Max.Y) // no light seams between cells
		p.FillPolygon(viridis(u), p.ClipPolygonXY([]vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}}))
	}
	for k, text := range h.Text {
		at, _ := p.at(float64(k%h.Cols), float64(k/h.Cols))
		fore := ink
		if p.bar.unit(h.Z[k]) < 0.5 {
			fore = white
		}
		p.SetColor(fore)
		p.write(&p.Canvas, text, tickSize, at, 0.5, 0.5, 0)
	}
}

func (h HeatMap) key() key { return key{} }
