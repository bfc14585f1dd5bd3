package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// axis is an Axis with its limits and scale decided.
type axis struct {
	Axis
	min, max float64
	log      bool
	ticks    []Tick
}

// unit maps a value to [0, 1] between the limits; NaN where a log axis has no place for it.
func (a *axis) unit(v float64) float64 {
	if a.log {
		if v <= 0 {
			return math.NaN()
		}
		return math.Log(v/a.min) / math.Log(a.max/a.min)
	}
	return (v - a.min) / (a.max - a.min)
}

// limits of the finite values of one axis: of all, and of those above zero.
type limits struct{ lo, hi, pos float64 }

func none() limits { return limits{math.Inf(1), math.Inf(-1), math.Inf(1)} }

func (l *limits) add(v float64) {
	if !finite(v) {
		return
	}
	l.lo, l.hi = min(l.lo, v), max(l.hi, v)
	if v > 0 {
		l.pos = min(l.pos, v)
	}
}

// extent collects what the axes of a panel must hold. Soft values (edges of bands, reference lines) widen an axis, but
// do not decide its scale, and widen a log axis by a decade at most: mean − sd near zero must not squeeze the curves.
type extent struct {
	x, y         limits
	softX, softY limits
	padX         bool // leave a margin at the sides too: points, not curves
	tight        bool // leave no margin: fields that fill the panel
	soft         bool
}

func newExtent() *extent { return &extent{x: none(), y: none(), softX: none(), softY: none()} }

func (e *extent) addX(v float64) {
	if e.soft {
		e.softX.add(v)
	} else {
		e.x.add(v)
	}
}

func (e *extent) addY(v float64) {
	if e.soft {
		e.softY.add(v)
	} else {
		e.y.add(v)
	}
}

// addXY adds points; one with a coordinate that is not finite is not drawn, so it widens nothing.
func (e *extent) addXY(x, y []float64) {
	for i := range x {
		if finite(x[i]) && finite(y[i]) {
			e.addX(x[i])
			e.addY(y[i])
		}
	}
}

// resolve decides scale and limits. empty tells that no data were there.
func (a Axis) resolve(hard, soft limits, margin float64) (r axis, empty bool, err error) {
	r = axis{Axis: a}
	if hard.lo > hard.hi {
		hard = soft
	}
	empty = hard.lo > hard.hi
	fixedMin, fixedMax := !math.IsNaN(a.Min) && a.Min != a.Max, !math.IsNaN(a.Max) && a.Min != a.Max
	below := fixedMin && a.Min <= 0 || fixedMax && a.Max <= 0
	r.log = a.Scale == Log || a.Scale == AutoLog && !empty && !below && hard.lo > 0 && hard.hi/hard.lo > 50
	if r.log {
		if below {
			return r, empty, fmt.Errorf("axis %q: limits %g, %g of a log axis must be above zero", a.Label, a.Min, a.Max)
		}
		if math.IsInf(hard.pos, 1) {
			hard, empty = limits{1, 10, 1}, true
		}
		lo, hi := min(hard.pos, max(soft.pos, hard.pos/10)), max(hard.hi, soft.hi)
		if hi/lo < 1.1 { // constant
			lo, hi = lo/3, hi*3
		}
		k := math.Pow(hi/lo, margin)
		r.min, r.max = lo/k, hi*k
	} else {
		if empty {
			hard = limits{0, 1, 1}
		}
		lo, hi := min(hard.lo, soft.lo), max(hard.hi, soft.hi)
		if hi-lo <= 1e-9*max(math.Abs(lo), math.Abs(hi)) { // constant
			w := max(math.Abs(hi)/10, 0.5)
			if hi != 0 {
				w = math.Abs(hi) / 10
			}
			lo, hi = lo-w, hi+w
		}
		r.min, r.max = lo-margin*(hi-lo), hi+margin*(hi-lo)
	}
	if fixedMin {
		r.min = a.Min
	}
	if fixedMax {
		r.max = a.Max
	}
	if n := len(a.Categories); n > 0 && !fixedMin && !fixedMax {
		r.min, r.max = -0.6, float64(n)-0.4
	}
	if !(r.min < r.max) || !finite(r.min) || !finite(r.max) {
		return r, empty, fmt.Errorf("axis %q: limits from %g to %g are not a range", a.Label, r.min, r.max)
	}
	return r, empty, nil
}

// setTicks chooses about n labelled ticks.
func (a *axis) setTicks(n int) {
	switch {
	case len(a.Categories) > 0:
		a.ticks = nil
		for i, s := range a.Categories {
			a.ticks = append(a.ticks, Tick{float64(i), s})
		}
	case a.Ticks != nil:
		a.ticks = a.Ticks
	case a.log:
		a.ticks = logTicks(a.min, a.max, n)
	default:
		a.ticks = linearTicks(a.min, a.max, n)
	}
	in := a.ticks[:0:0]
	for _, t := range a.ticks {
		if u := a.unit(t.Value); u > -1e-9 && u < 1+1e-9 {
			in = append(in, t)
		}
	}
	a.ticks = in
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, as near to n in number as there are.
func linearTicks(lo, hi float64, n int) []Tick {
	p := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	step, best := p, math.Inf(1)
	for _, k := range []float64{1, 2, 5, 10} {
		count := math.Floor(hi/(k*p)+1e-9) - math.Ceil(lo/(k*p)-1e-9) + 1
		if d := math.Abs(count - float64(n)); d < best {
			step, best = k*p, d
		}
	}
	var values []float64
	big := 0.0
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step && len(values) < 100; i++ {
		values = append(values, i*step)
		big = max(big, math.Abs(i*step))
	}
	var out []Tick
	for _, v := range values {
		label := ""
		if e := math.Floor(math.Log10(max(big, step)) + 1e-9); e >= 6 || e <= -4 { // 2×10⁶ rather than 2000000
			m := math.Pow(10, e)
			prec := int(max(0, -math.Floor(math.Log10(step/m)+1e-9)))
			if label = strconv.FormatFloat(v/m, 'f', prec, 64) + "×10^{" + strconv.Itoa(int(e)) + "}"; v == 0 {
				label = "0"
			}
		} else {
			prec := int(max(0, -math.Floor(math.Log10(step)+1e-9)))
			label = strconv.FormatFloat(v+0, 'f', prec, 64) // +0 turns −0 into 0
		}
		out = append(out, Tick{v, minus(label)})
	}
	return out
}

// logTicks are the decades, every k-th if they are many; with fewer than two decades inside, also 2 and 5 times them;
// within a factor of about 3, ticks as on a linear axis.
func logTicks(lo, hi float64, n int) []Tick {
	e0, e1 := int(math.Floor(math.Log10(lo)+1e-9)), int(math.Ceil(math.Log10(hi)-1e-9))
	decades := int(math.Floor(math.Log10(hi)+1e-9)) - int(math.Ceil(math.Log10(lo)-1e-9)) + 1
	if hi/lo < 3.3 {
		return linearTicks(lo, hi, n)
	}
	every := max(1, (decades+n-1)/max(n, 1))
	var out []Tick
	for e := e0; e <= e1; e++ {
		for k := 1; k < 10; k++ {
			v := float64(k) * math.Pow(10, float64(e))
			label := ""
			switch {
			case k == 1 && e%every == 0 && decades >= 2:
				label = minus(fmt.Sprintf("10^{%d}", e))
			case decades < 2 && (k == 1 || k == 2 || k == 5):
				if label = strconv.FormatFloat(v, 'g', 12, 64); e > 4 || e < -3 {
					label = minus(fmt.Sprintf("%d×10^{%d}", k, e))
				}
			}
			if label != "" || every == 1 || k == 1 {
				out = append(out, Tick{v, label})
			}
		}
	}
	return out
}

// minus writes U+2212 for the hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
