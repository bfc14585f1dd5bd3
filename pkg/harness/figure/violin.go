package figure

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Violin is the density of values at position At of the x axis, with quartiles and median, and the values as dots if
// Points is set. The density is a Gaussian kernel estimate with Silverman's bandwidth along the axis as drawn (so in
// the logarithm on a log axis), cut at the smallest and largest value.
type Violin struct {
	At     float64
	Values []float64
	Style  Style
	Points bool
}

const violinHalf = 0.32 // half width of a violin

func (v Violin) extent(e *extent) {
	e.addX(v.At - 0.6)
	e.addX(v.At + 0.6)
	for _, y := range v.Values {
		e.addY(y)
	}
}

func (v Violin) key() (Item, string) { return Item{Style: v.Style, Fill: true}, "violin" }

// drawable returns the values that have a place on the y axis, sorted.
func (a *area) drawable(v []float64) []float64 {
	var out []float64
	for _, v := range v {
		if finite(a.y.unit(v)) {
			out = append(out, v)
		} else {
			a.undrawable++
		}
	}
	slices.Sort(out)
	return out
}

// dots draws the values beside each other as their order asks: the same values always lie alike.
func (a *area) dots(at, half float64, v []float64, s Style) {
	for i, y := range v {
		// golden-ratio steps spread neighbours in value over the width
		_, f := math.Modf(float64(i) * 0.6180339887498949)
		p, _ := a.at(at+half*(2*f-1), y)
		if a.Contains(p) {
			mark(&a.Canvas, Circle, dotRadius, shade(s.Color, 0.75), false, p)
		} else {
			a.outside++
		}
	}
}

func (v Violin) draw(a *area) {
	val := a.drawable(v.Values)
	if len(val) == 0 {
		return
	}
	u := make([]float64, len(val)) // along the axis, so that the shape is right on a log axis too
	for i, y := range val {
		u[i] = a.y.unit(y)
	}
	c := v.Style.Color
	q := func(p float64) vg.Length { return a.Y(stats.Quantile(u, p)) }
	mid := a.X(a.x.unit(v.At))
	width := a.X(a.x.unit(v.At+violinHalf)) - mid
	spread := stats.SD(u)
	if iqr := (stats.Quantile(u, 0.75) - stats.Quantile(u, 0.25)) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	if h := 0.9 * spread * math.Pow(float64(len(u)), -0.2); h > 1e-9 {
		const k = 100
		lo, hi, top := u[0], u[len(u)-1], 0.0
		var dens [k]float64
		for i := range dens {
			y := lo + (hi-lo)*float64(i)/(k-1)
			for _, p := range u {
				dens[i] += math.Exp(-(y - p) * (y - p) / (2 * h * h))
			}
			top = max(top, dens[i])
		}
		shape := make([]vg.Point, 2*k)
		for i, d := range dens {
			y, w := a.Y(lo+(hi-lo)*float64(i)/(k-1)), width*vg.Length(d/top)
			shape[i], shape[2*k-1-i] = vg.Point{X: mid - w, Y: y}, vg.Point{X: mid + w, Y: y}
		}
		a.FillPolygon(shade(c, fillAlpha+0.1), a.ClipPolygonXY(shape))
		a.stroke(draw.LineStyle{Color: c, Width: 0.8}, append(shape, shape[0]))
	}
	if v.Points {
		a.dots(v.At, 0.12, val, v.Style)
	}
	a.stroke(draw.LineStyle{Color: shade(ink, 0.6), Width: 2.4}, []vg.Point{{X: mid, Y: q(0.25)}, {X: mid, Y: q(0.75)}})
	a.stroke(draw.LineStyle{Color: ink, Width: 1.5},
		[]vg.Point{{X: mid - width*0.45, Y: q(0.5)}, {X: mid + width*0.45, Y: q(0.5)}})
}
