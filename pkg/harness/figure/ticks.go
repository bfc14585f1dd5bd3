package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// setTicks chooses about n labelled ticks.
func (a *axis) setTicks(n int) {
	all := a.Ticks
	for i, s := range a.Categories {
		all = append(all, Tick{float64(i), s})
	}
	switch {
	case all != nil:
	case a.log && a.max/a.min > 3.3:
		all = logTicks(a.min, a.max, n)
	default:
		all = linearTicks(a.min, a.max, n)
	}
	a.ticks = nil
	for _, t := range all {
		if u := a.unit(t.Value); u > -1e-9 && u < 1+1e-9 {
			a.ticks = append(a.ticks, t)
		}
	}
}

// labels returns the number of labels and the width of the widest.
func (a *axis) labels() (n, widest float64) {
	for _, t := range a.ticks {
		if t.Label != "" {
			n, widest = n+1, max(widest, textWidth(t.Label, tickSize))
		}
	}
	return n, widest
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, as close to n in number as possible.
func linearTicks(lo, hi float64, n int) []Tick {
	p := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	step, best := p, math.Inf(1)
	for _, k := range []float64{1, 2, 5, 10} {
		count := math.Floor(hi/(k*p)+1e-9) - math.Ceil(lo/(k*p)-1e-9) + 1
		if d := math.Abs(count - float64(n)); d < best {
			step, best = k*p, d
		}
	}
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	power := math.Floor(math.Log10(step*max(math.Abs(first), math.Abs(last), 1)) + 1e-9)
	unit, suffix := 1.0, ""
	if power >= 6 || power <= -4 { // 2e6 rather than 2000000
		unit, suffix = math.Pow(10, power), fmt.Sprintf("e%g", power)
	}
	decimals := int(max(0, -math.Floor(math.Log10(step/unit)+1e-9)))
	var out []Tick
	for i := first; i <= last; i++ {
		label := strconv.FormatFloat(i*step/unit+0, 'f', decimals, 64) + suffix // +0 turns −0 into 0
		if i == 0 && suffix != "" {
			label = "0"
		}
		out = append(out, Tick{i * step, minus(label)})
	}
	return out
}

// logTicks are the decades, or every k-th of many, with minor ticks between. If there are fewer than two decades, 2 and 5
// times a decade are labelled too.
func logTicks(lo, hi float64, n int) []Tick {
	e0, e1 := int(math.Floor(math.Log10(lo)+1e-9)), int(math.Ceil(math.Log10(hi)-1e-9))
	decades := int(math.Floor(math.Log10(hi)+1e-9)) - int(math.Ceil(math.Log10(lo)-1e-9)) + 1
	every := max(1, (decades+n-1)/n)
	var out []Tick
	for e := e0; e <= e1; e++ {
		for k := 1; k < 10; k++ {
			t := Tick{Value: float64(k) * math.Pow(10, float64(e))}
			if labelled := k == 1 && e%every == 0 || decades < 2 && (k == 1 || k == 2 || k == 5); labelled {
				if t.Label = strconv.FormatFloat(t.Value, 'g', 12, 64); e > 3 || e < -3 {
					t.Label = minus(fmt.Sprintf("%de%d", k, e))
				}
			}
			if every == 1 || k == 1 {
				out = append(out, t)
			}
		}
	}
	return out
}

// minus replaces hyphens by U+2212.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
