package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Why is the reason for which there is no finite number; "" where there is one.
type Why string

// Reasons, of one trial.
const (
	NotComputed Why = "not computed" // there is no trial of this method with this seed
	NotMeasured Why = "not measured" // the trial ended well and does not have the metric
	Diverged    Why = "diverged"
	Failed      Why = "failed"
	Stopped     Why = "stopped" // from outside: by a limit, the kernel or a person
	Infinite    Why = "infinite"
	Undefined   Why = "undefined" // NaN
)

// Untold says of metrics why they are +∞ where that is no loss: a sample from which what they estimate cannot be told.
// Packages add theirs when the program starts.
var Untold = map[string]Why{}

// Reasons, of several trials.
const (
	TooFew    Why = "too few seeds"
	Constant  Why = "does not vary over seeds"
	LostTries Why = "runs failed or are infinite"
)

// Value is what a trial gives of a metric at a checkpoint: a number, or why there is none.
type Value struct {
	Seed   uint64
	Number float64 // as it was measured: finite if Why is "", ±∞ if Infinite, NaN if Undefined; otherwise 0
	Why    Why
}

// valueOf is the value of a metric, or of something that is made of metrics and has no name, that was measured.
func valueOf(metric string, seed uint64, v float64) Value {
	if why := Untold[metric]; why != "" && math.IsInf(v, 1) {
		return Value{Seed: seed, Why: why}
	}
	out := Value{Seed: seed, Number: v}
	switch {
	case math.IsNaN(v):
		out.Why = Undefined
	case math.IsInf(v, 0):
		out.Why = Infinite
	}
	return out
}

// Measured reports whether a trial ended well and has the metric, as a finite number or not.
func (v Value) Measured() bool { return v.Why == "" || v.Why == Infinite || v.Why == Undefined }

// Lost reports whether the method lost the try: it diverged, it failed, or what it gives is undefined or +∞.
// Comparisons count a lost try as larger than any number.
func (v Value) Lost() bool {
	return v.Why == Diverged || v.Why == Failed || v.Why == Undefined || v.Why == Infinite && v.Number > 0
}

// Tried reports whether the try counts in comparisons: it has a number or is lost, and was not stopped from outside.
func (v Value) Tried() bool { return v.Measured() || v.Lost() }

// compare orders two tries by size: lost ones are alike, and above all others.
func (v Value) compare(w Value) int {
	size := func(v Value) float64 {
		if v.Lost() {
			return math.Inf(1)
		}
		return v.Number
	}
	return cmp.Compare(size(v), size(w))
}

// Sample is what the trials of one method on one problem give of a metric: a value for each trial, in order of seed.
type Sample []Value

// Numbers returns what the trials measured, in order of seed, also infinite and undefined numbers; nil of none.
func (s Sample) Numbers() []float64 {
	var out []float64
	for _, v := range s {
		if v.Measured() {
			out = append(out, v.Number)
		}
	}
	return out
}

// Lost counts the lost tries.
func (s Sample) Lost() (n int) {
	for _, v := range s {
		if v.Lost() {
			n++
		}
	}
	return n
}

// Why says why some of the values are no finite numbers, such as "diverged in 1 of 10 seeds"; "" if all are.
func (s Sample) Why() string {
	count := map[Why]int{}
	var reasons []Why
	for _, v := range s {
		if v.Why != "" && count[v.Why] == 0 {
			reasons = append(reasons, v.Why)
		}
		count[v.Why]++
	}
	if len(s) == 0 {
		return string(NotComputed)
	}
	var text []string
	for _, why := range reasons {
		if count[why] == len(s) {
			return string(why)
		}
		text = append(text, fmt.Sprintf("%s in %d of %d seeds", why, count[why], len(s)))
	}
	return strings.Join(text, ", ")
}

// Map returns the sample with f of each number that was measured.
func (s Sample) Map(f func(float64) float64) Sample {
	out := slices.Clone(s)
	for i, v := range s {
		if v.Measured() {
			out[i] = valueOf("", v.Seed, f(v.Number))
		}
	}
	return out
}

// Minus returns a − b for the seeds with which both were measured; for the others, what a is or why b has no number.
func Minus(a, b Sample) Sample {
	out := slices.Clone(a)
	for i, v := range a {
		w := b.Of(v.Seed)
		switch {
		case !v.Measured():
		case !w.Measured():
			out[i] = w
		default:
			out[i] = valueOf("", v.Seed, v.Number-w.Number)
		}
	}
	return out
}

// Beside returns the numbers of samples side by side, out[k] the k-th's: of the seeds with which all were measured.
func Beside(samples ...Sample) [][]float64 {
	out := make([][]float64, len(samples))
	if len(samples) == 0 {
		return out
	}
	for _, first := range samples[0] {
		var row []float64
		for _, s := range samples {
			if v := s.Of(first.Seed); v.Measured() {
				row = append(row, v.Number)
			}
		}
		for k := range out {
			if len(row) == len(samples) {
				out[k] = append(out[k], row[k])
			}
		}
	}
	return out
}

// Of returns the value of a seed, one that is not computed if the sample does not have it.
func (s Sample) Of(seed uint64) Value {
	i, found := slices.BinarySearchFunc(s, seed, func(v Value, seed uint64) int { return cmp.Compare(v.Seed, seed) })
	if !found {
		return Value{Seed: seed, Why: NotComputed}
	}
	return s[i]
}
