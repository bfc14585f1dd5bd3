package figure

import (
	"fmt"
	"math"
)

// axis is an Axis with its scale, limits and ticks decided.
type axis struct {
	Axis
	min, max float64
	log      bool
	ticks    []Tick
}

// unit maps a value to [0, 1] between the limits. It is not finite for a value that the axis cannot show.
func (a *axis) unit(v float64) float64 {
	if a.log {
		return math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return (v - a.min) / (a.max - a.min)
}

// extent collects the values that the axes of a panel must hold. Soft values (edges of bands, reference lines) widen an
// axis but do not decide its scale, and extend a log axis downwards by at most a decade: mean − sd near zero must not
// squeeze the curves.
type extent struct {
	x, y, soft []float64
	z          []float64 // values of heat maps
	padX       bool      // leave a margin left and right: points, not curves
}

// add adds points. A point with a coordinate that is not finite is not drawn, so it widens nothing.
func (e *extent) add(x, y []float64) {
	sameLen(x, y)
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			e.x, e.y = append(e.x, x[i]), append(e.y, y[i])
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func sameLen(a, b []float64) {
	if len(a) != len(b) {
		panic("figure: coordinates of a layer differ in length")
	}
}

// span returns the smallest and largest finite value, or finite logarithm; lo > hi if there is none.
func span(values []float64, log bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if log {
			v = math.Log(v)
		}
		if finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// resolve decides the scale and the limits of an axis; margin is the share of its length to leave free at both ends.
// empty reports that there was nothing to show.
func (a Axis) resolve(values, soft []float64, margin float64) (r axis, empty bool, err error) {
	r = axis{Axis: a}
	lo, hi := span(values, false)
	if lo > hi {
		values = soft
		lo, hi = span(values, false)
	}
	fixedMin, fixedMax := !math.IsNaN(a.Min) && a.Min != a.Max, !math.IsNaN(a.Max) && a.Min != a.Max
	below := fixedMin && a.Min <= 0 || fixedMax && a.Max <= 0
	r.log = a.Scale == Log || a.Scale == AutoLog && !below && lo <= hi && lo > 0 && hi/lo > 50
	if r.log && below {
		return r, false, fmt.Errorf("figure: axis %q is logarithmic, so its limits %g and %g must be positive", a.Label, a.Min, a.Max)
	}
	lo, hi = span(values, r.log)
	if empty = lo > hi; empty {
		lo, hi = 0, 1
	}
	softLo, softHi := span(soft, r.log)
	if r.log {
		softLo = max(softLo, lo-math.Ln10)
	}
	lo, hi = min(lo, softLo), max(hi, softHi)
	if hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) { // constant
		w := math.Abs(hi) / 10
		if hi == 0 || r.log {
			w = 1
		}
		lo, hi = lo-w, hi+w
	}
	w := margin * (hi - lo)
	if r.min, r.max = lo-w, hi+w; r.log {
		r.min, r.max = math.Exp(r.min), math.Exp(r.max)
	}
	if n := len(a.Categories); n > 0 {
		r.min, r.max = -0.6, float64(n)-0.4
	}
	if fixedMin {
		r.min = a.Min
	}
	if fixedMax {
		r.max = a.Max
	}
	if !(r.min < r.max) || !finite(r.max-r.min) {
		return r, empty, fmt.Errorf("figure: axis %q: limits from %g to %g are not a range", a.Label, r.min, r.max)
	}
	return r, empty, nil
}
