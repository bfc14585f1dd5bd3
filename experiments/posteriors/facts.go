package posteriors

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// describe sets the facts.
func (l *long) describe() {
	v := len(l.values[0]) / (len(l.u[0]) / l.dim)
	f := map[string][]float64{}
	l.facts, l.kept = f, nil
	ebfmi, moves, bad, gradients := math.Inf(1), 0, 0, 0
	for k, c := range l.chains {
		t := c.Tally()
		moves, bad, gradients = moves+t.Iterations, bad+t.Divergent, gradients+t.Gradients
		ebfmi = min(ebfmi, hmc.EBFMI(l.energies[k]))
	}
	set := func(name string, value ...float64) { f[name] = value }
	if l.same {
		set("same", 1)
	}
	set("ebfmi", ebfmi)
	set("divergences", float64(bad)/float64(moves))
	set("moves", float64(moves))
	set("gradients", float64(gradients))
	set("asked", float64(l.asked))
	set("refused", float64(l.refused)/float64(l.asked))
	f["rhat"], f["bulk"], f["tail"] = []float64{0, -1}, []float64{math.Inf(1), -1}, []float64{math.Inf(1), -1}
	worse := func(name string, j int, value, by float64) {
		if w := f[name]; value*by > w[0]*by || w[1] < 0 {
			f[name] = []float64{value, float64(j)}
		}
	}
	for j := range v {
		x := hmc.Column(l.values, v, j)
		if !varies(x) {
			f["constant"] = append(f["constant"], float64(j))
			continue
		}
		c, at := hmc.Describe(x), len(l.kept)
		l.kept = append(l.kept, j)
		f["value-mcse"], f["value-rhat"] = append(f["value-mcse"], c.MCSE), append(f["value-rhat"], c.RHat)
		f["value-bulk"], f["value-tail"] = append(f["value-bulk"], c.BulkESS), append(f["value-tail"], c.TailESS)
		if tailIndex(slices.Concat(x...)) > heavyTail {
			f["heavy"] = append(f["heavy"], float64(at))
		}
		worse("rhat", at, c.RHat, 1)
		worse("bulk", at, c.BulkESS, -1)
		worse("tail", at, c.TailESS, -1)
	}
	l.place()
	l.modes()
}

// heavyTail is an estimate of the tail index that laws without a variance, whose index is above 1/2, hardly stay below.
// Draws of the twelve posteriors have up to 0.13.
const heavyTail = 0.4

// tailIndex is the larger index ξ of the two tails of draws: 1/ν for Student's t with ν degrees of freedom, 0 where
// tails fall off exponentially. It is that of the Pareto law that fits the outermost tenth of a side by
// probability-weighted moments (Hosking and Wallis, 1987), which stays below 1.
func tailIndex(draws []float64) float64 {
	sorted := slices.Sorted(slices.Values(draws))
	index, n := math.Inf(-1), len(sorted)/10
	for range 2 {
		edge := sorted[len(sorted)-n-1]
		var mean, weighed float64
		for i, v := range sorted[len(sorted)-n:] {
			mean += (v - edge) / float64(n)
			weighed += (v - edge) * (1 - (float64(i)+0.65)/float64(n)) / float64(n)
		}
		slices.Reverse(sorted) // the other side next
		floats.Scale(-1, sorted)
		index = max(index, 2-mean/(mean-2*weighed))
	}
	return index
}

// varies reports whether the draws of a value are finite and differ by more than rounding.
func varies(draws [][]float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range draws {
		if !(metric.Points{Data: x}).Finite() {
			return false
		}
		least, most = min(least, slices.Min(x)), max(most, slices.Max(x))
	}
	return most-least > 1e-13*max(math.Abs(least), math.Abs(most))
}

// place says where chains had trouble: the value on which those points from which they diverged lie farthest off, by
// how many standard deviations, and that with which the energy goes most, or its distance from the median.
func (l *long) place() {
	n := len(l.u[0]) / l.dim
	v := len(l.values[0]) / n
	var broken []float64
	if len(l.broken) > 0 {
		broken = l.constrain(l.broken)
	}
	energies := ranked(slices.Concat(l.energies...))
	off, energy := []float64{0, -1}, []float64{0, -1, 0}
	for at, j := range l.kept {
		x := slices.Concat(hmc.Column(l.values, v, j)...)
		mean, sd := stat.MeanStdDev(x, nil)
		var sum float64
		for i := j; i < len(broken); i += v {
			sum += (broken[i] - mean) / sd
		}
		if z := sum * float64(v) / float64(max(1, len(broken))); math.Abs(z) > math.Abs(off[0]) {
			off = []float64{z, float64(at)}
		}
		median := metric.Quantile(slices.Sorted(slices.Values(x)), 0.5)
		apart := slices.Clone(x)
		for i := range apart {
			apart[i] = math.Abs(apart[i] - median)
		}
		for folded, y := range [][]float64{x, apart} {
			if r := stat.Correlation(ranked(y), energies, nil); math.Abs(r) > math.Abs(energy[0]) {
				energy = []float64{r, float64(at), float64(folded)}
			}
		}
	}
	l.facts["diverged-off"], l.facts["energy"] = off, energy
}

// ranked returns the rank of each value.
func ranked(v []float64) []float64 {
	sorted, order, out := slices.Clone(v), make([]int, len(v)), make([]float64, len(v))
	floats.Argsort(sorted, order)
	for rank, i := range order {
		out[i] = float64(rank)
	}
	return out
}

// modes says what is known of modes: how many searches there were, the heavy modes with their shares, by Laplace's
// approximation and of the draws, how often chains went from one to another, and the coordinates that are swapped
// between the heaviest and another.
func (l *long) modes() {
	heavy := l.found.heavy()
	l.facts["searches"] = []float64{float64(l.found.tried)}
	l.facts["modes"] = []float64{float64(len(heavy)), float64(len(l.found.modes))}
	if len(heavy) < 2 {
		return
	}
	visits, passes, all := make([]float64, len(heavy)), 0, 0
	for _, u := range l.u {
		last := -1
		for i := 0; i < len(u); i += l.dim {
			at := nearest(heavy, u[i:i+l.dim])
			if visits[at]++; last >= 0 && at != last {
				passes++
			}
			last, all = at, all+1
		}
	}
	for k := range heavy {
		l.facts["mode-share"] = append(l.facts["mode-share"], heavy[k].share)
		l.facts["mode-draws"] = append(l.facts["mode-draws"], visits[k]/float64(all))
		for _, j := range swapped(&heavy[0], &heavy[k]) {
			l.facts["swapped"] = append(l.facts["swapped"], float64(j))
		}
	}
	l.facts["passes"] = []float64{float64(passes)}
}
