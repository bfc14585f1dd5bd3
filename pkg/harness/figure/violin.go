package figure

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Violin is the density of values at position At of the x axis, with median, quartiles and, if Points is set, the values
// as dots. The density is a Gaussian kernel estimate along the axis as drawn, so of the logarithm on a log axis, with
// Silverman's bandwidth, cut at the smallest and largest value.
type Violin struct {
	At     float64
	Values []float64
	Style  Style
	Points bool
}

const violinHalf = 0.32 // half width of a violin on the x axis

func (v Violin) extent(e *extent) {
	e.x, e.y = append(e.x, v.At-0.6, v.At+0.6), append(e.y, v.Values...)
}

func (v Violin) key() key { return key{Style: v.Style, fill: true} }

func (v Violin) draw(p *panel) {
	var values, u []float64 // those with a place on the axis, and these places
	for _, y := range slices.Sorted(slices.Values(v.Values)) {
		if at := p.y.unit(y); finite(at) {
			values, u = append(values, y), append(u, at)
		} else {
			p.hidden++
		}
	}
	if len(u) == 0 {
		return
	}
	c, mid := v.Style.Color, p.X(p.x.unit(v.At))
	width := p.X(p.x.unit(v.At+violinHalf)) - mid
	if shape := outline(p, u, mid, width); shape != nil {
		p.FillPolygon(shade(c, fillAlpha+0.1), p.ClipPolygonXY(shape))
		p.stroke(draw.LineStyle{Color: c, Width: 0.8}, append(shape, shape[0]))
	}
	if v.Points {
		x := make([]float64, len(values))
		for i := range x { // steps of the golden ratio spread neighbours in value over the width
			_, f := math.Modf(float64(i) * 0.6180339887498949)
			x[i] = v.At + 0.12*(2*f-1)
		}
		marks(&p.Canvas, Circle, dotRadius, shade(c, 0.75), p.inside(x, values)...)
	}
	q := func(share float64) vg.Length { return p.Y(stats.Quantile(u, share)) }
	p.stroke(draw.LineStyle{Color: shade(ink, 0.6), Width: 2.4}, []vg.Point{{X: mid, Y: q(0.25)}, {X: mid, Y: q(0.75)}})
	p.stroke(draw.LineStyle{Color: ink, Width: 1.5},
		[]vg.Point{{X: mid - width*0.45, Y: q(0.5)}, {X: mid + width*0.45, Y: q(0.5)}})
}

// outline returns the shape of a violin about mid, nil if the values u are all alike; u is sorted.
func outline(p *panel, u []float64, mid, width vg.Length) []vg.Point {
	spread := stats.SD(u)
	if iqr := (stats.Quantile(u, 0.75) - stats.Quantile(u, 0.25)) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	h := 0.9 * spread * math.Pow(float64(len(u)), -0.2)
	if !(h > 1e-9) {
		return nil
	}
	const k = 100
	var at, density [k]float64
	for i := range density {
		at[i] = u[0] + (u[len(u)-1]-u[0])*float64(i)/(k-1)
		for _, v := range u {
			density[i] += math.Exp(-(at[i] - v) * (at[i] - v) / (2 * h * h))
		}
	}
	top := slices.Max(density[:])
	shape := make([]vg.Point, 2*k)
	for i, d := range density {
		y, w := p.Y(at[i]), width*vg.Length(d/top)
		shape[i], shape[2*k-1-i] = vg.Point{X: mid - w, Y: y}, vg.Point{X: mid + w, Y: y}
	}
	return shape
}
