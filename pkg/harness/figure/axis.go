package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// axis is an Axis with its scale, limits and ticks decided.
type axis struct {
	Axis
	scale
	min, max float64
	ticks    []tick
	vertical bool
	labelled bool // shows the labels of the ticks and its own
	turned   bool // the labels of the ticks are slanted
}

// tick is a place on an axis. One without a label is a minor tick.
type tick struct {
	value float64
	label string
}

// scale maps values to a line on which equal steps have equal lengths, and back.
type scale struct {
	to, from func(float64) float64
	knee     float64 // of one around zero: linear up to here, a logarithm beyond; 0: of others
}

func identity(v float64) float64 { return v }

var (
	linear    = scale{to: identity, from: identity}
	logarithm = scale{to: math.Log, from: math.Exp}
)

// logBeyond is between an axis' label and its knee.
const logBeyond = ", log beyond ±"

// around is linear near zero and a logarithm beyond a knee, on both sides.
func around(knee float64) scale {
	to := func(v float64) float64 { return math.Asinh(v / knee) }
	return scale{to, func(u float64) float64 { return knee * math.Sinh(u) }, knee}
}

// unit maps a value to [0, 1] between the limits. It is not finite for a value that the axis cannot show.
func (a *axis) unit(v float64) float64 {
	lo, hi := a.to(a.min), a.to(a.max)
	return (a.to(v) - lo) / (hi - lo)
}

// log reports whether the axis shows logarithms.
func (a *axis) log() bool { return a.to(0) < 0 }

// extent collects the values that the axes of a panel must hold. Soft values (edges of bands, reference lines) widen an
// axis but do not decide its scale, and extend a log axis downwards by at most a decade: mean − sd near zero must not
// squeeze the curves.
type extent struct {
	x, y, soft []float64
}

// add adds points. A point with a coordinate that is not finite is not drawn, so it widens nothing.
func (e *extent) add(x, y []float64) {
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			e.x, e.y = append(e.x, x[i]), append(e.y, y[i])
		}
	}
}

// finite reports whether a value can be shown: the range of an axis, with room at its ends, must not overflow.
func finite(v float64) bool { return math.Abs(v) <= 2e307 }

// span returns the smallest and largest finite place on the scale; lo > hi if there is none.
func (s scale) span(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v = s.to(v); finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// scaleOf chooses the scale by the ends of the axis and the values that it must hold.
func (a Axis) scaleOf(lo, hi float64, values []float64) scale {
	switch {
	case a.Scale == Log, a.Scale == AutoLog && lo > 0 && hi/lo > 50:
		return logarithm
	case a.Scale == AutoLog && lo < 0 && hi/-lo > 50 && hi > 50*stats.Median(values):
		// what is below zero shows how large the noise around it is
		return around(math.Pow10(int(math.Floor(math.Log10(-lo)))))
	}
	return linear
}

// resolve decides the scale and the limits of an axis; margin is the share of its length that is free at both ends.
func (a Axis) resolve(values, soft []float64, margin float64) (axis, error) {
	lo, hi := linear.span(values)
	if lo > hi {
		values = soft
		lo, hi = linear.span(values)
	}
	given := func(end float64) bool { return a.Min != a.Max && !math.IsNaN(end) }
	if given(a.Min) {
		lo, soft = a.Min, append(soft, a.Min)
	}
	if given(a.Max) {
		hi, soft = a.Max, append(soft, a.Max)
	}
	r := axis{Axis: a, scale: a.scaleOf(lo, hi, values)}
	if r.knee > 0 {
		r.Label += logBeyond + table.Num(r.knee)
	}
	if lo, hi = r.span(values); lo > hi {
		lo, hi = 0, 1
	}
	lo, hi = r.widen(lo, hi, soft)
	free := margin * (hi - lo)
	r.min, r.max = r.from(lo-free), r.from(hi+free)
	if n := len(a.Categories); n > 0 {
		r.min, r.max = -0.6, float64(n)-0.4
	}
	if given(a.Min) {
		r.min = a.Min
	}
	if given(a.Max) {
		r.max = a.Max
	}
	if !(r.min < r.max) || math.IsInf(r.max-r.min, 0) || r.log() && r.min <= 0 {
		return r, fmt.Errorf("axis %q: limits from %g to %g are not a range", a.Label, r.min, r.max)
	}
	return r, nil
}

// widen makes room between two places on the scale for soft values, and between two that are alike.
func (a *axis) widen(lo, hi float64, soft []float64) (float64, float64) {
	softLo, softHi := a.span(soft)
	if a.log() {
		softLo = max(softLo, lo-math.Ln10)
	}
	lo, hi = min(lo, softLo), max(hi, softHi)
	if hi-lo > 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		return lo, hi
	}
	free := math.Abs(hi) / 10
	if hi == 0 || a.log() {
		free = 1
	}
	return lo - free, hi + free
}

// setTicks chooses about n labelled ticks.
func (a *axis) setTicks(n int) {
	var all []tick
	for i, s := range a.Categories {
		all = append(all, tick{float64(i), s})
	}
	switch {
	case all != nil:
	case a.knee > 0:
		all = a.aroundTicks(n)
	case a.log() && a.max/a.min > 3.3:
		all = logTicks(a.min, a.max, n)
	default:
		all = linearTicks(a.min, a.max, n)
	}
	a.ticks = slices.DeleteFunc(all, func(t tick) bool { return math.Abs(a.unit(t.value)-0.5) > 0.5+1e-9 })
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, as close to n in number as possible.
func linearTicks(lo, hi float64, n int) []tick {
	p := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	step, best := p, math.Inf(1)
	for _, k := range []float64{1, 2, 5, 10} {
		count := math.Floor(hi/(k*p)+1e-9) - math.Ceil(lo/(k*p)-1e-9) + 1
		if d := math.Abs(count - float64(n)); d < best && count > 1 { // one tick tells no unit
			step, best = k*p, d
		}
	}
	magnitude := func(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)) + 1e-9)) }
	var out []tick
	for i := math.Ceil(lo/step - 1e-9); i <= math.Floor(hi/step+1e-9); i++ {
		v := i * step
		out = append(out, tick{v, table.Significant(v, magnitude(v)-magnitude(step)+1)})
	}
	return out
}

// logTicks are the decades, or every k-th of many, with minor ticks; of fewer than two decades 2 and 5 have labels too.
func logTicks(lo, hi float64, n int) []tick {
	e0, e1 := int(math.Floor(math.Log10(lo)+1e-9)), int(math.Ceil(math.Log10(hi)-1e-9))
	decades := int(math.Floor(math.Log10(hi)+1e-9)) - int(math.Ceil(math.Log10(lo)-1e-9)) + 1
	every := max(1, (decades+n-1)/n)
	var out []tick
	for e := e0; e <= e1; e++ {
		for k := 1; k < 10; k++ {
			t := tick{value: float64(k) * math.Pow(10, float64(e))}
			decade, between := k == 1 && e%every == 0, decades < 2 && (k == 1 || k == 2 || k == 5)
			if decade || between {
				t.label = table.Num(t.value)
			}
			if every == 1 || k == 1 {
				out = append(out, t)
			}
		}
	}
	return out
}

// aroundTicks are 0 and the decades on both sides, from the knee to the largest, or every k-th of many. Those at the
// knee have labels where there is room beside that of 0.
func (a *axis) aroundTicks(n int) []tick {
	out, e0 := []tick{{0, "0"}}, int(math.Round(math.Log10(a.knee)))
	e1 := int(math.Floor(math.Log10(max(-a.min, a.max))))
	for e := e0; e <= e1; e += max(1, (e1-e0+n)/n) {
		for _, v := range []float64{-math.Pow10(e), math.Pow10(e)} {
			t := tick{value: v}
			if e > e0 || a.to(a.max)-a.to(a.min) <= 2.5*float64(n) {
				t.label = table.Num(v)
			}
			out = append(out, t)
		}
	}
	return out
}

const (
	slant     = math.Pi / 6      // of turned labels
	labelGap  = tickLength + 2.5 // from the frame to the labels of the ticks
	lineSpace = 1.2              // of two lines of a label, in parts of its size
)

// sizes returns the width of the widest tick label, and of all side by side if each is as wide.
func (a *axis) sizes() (widest, all float64) {
	n := 0.0
	for _, t := range a.ticks {
		if t.label != "" {
			widest, n = max(widest, textWidth(t.label, tickSize)), n+1
		}
	}
	return widest, n * (widest + 5)
}

// deep returns how far the tick labels reach away from the frame.
func (a *axis) deep() float64 {
	widest, _ := a.sizes()
	switch {
	case a.vertical:
		return widest
	case a.turned:
		return widest*math.Sin(slant) + tickSize*capHeight
	}
	return tickSize * capHeight
}

// room returns the room that all labels need beside the frame.
func (a *axis) room() float64 {
	if a.Label == "" {
		return labelGap + a.deep() + tickSize*descent
	}
	lines := float64(strings.Count(a.Label, "\n"))
	return labelGap + a.deep() + 4 + textSize*(capHeight+descent) + textSize*lines*lineSpace
}
