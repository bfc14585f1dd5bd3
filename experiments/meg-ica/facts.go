package megica

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/chains"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// summarise makes the summary of the kept draws of each chain (rows of p²). Its facts, by name:
//
//	chains, kept        their number, and the number of draws kept of each
//	acceptance, divergences, energy-error    share, number, mean |H' − H| over all iterations of all chains
//	rhat, ess-bulk, ess-tail    the worst over the p² entries of the aligned draws
//	rhat-unaligned      the worst over the entries of the draws as they are
//	modes, mode-changes    for each chain: how many of the 2^p·p! signed permutations of the mode a kept draw was nearest
//	                    to; how often that changed from one draw to the next
//	amari-halves        for each chain: Amari distance between the means of the first and the second half of its kept draws
//	amari-chains        the same between the means of two chains, for each pair
//	amari-aligned-halves, amari-aligned-chains    the same of means of aligned draws
//	amari-mode          of the mode to the mean of the first chain
//	restarts            how many of the searches for the mode found it, and how many there were
//	laplace-sd          smallest and largest standard deviation of the normal approximation at the mode
//	stable-step         the largest Euler step with which gradient ascent stays at the mode: 2/λ, λ the largest curvature
func (d *posterior) summarise(m mode, draws [][]float64, tallies []hmc.Tally) *reference {
	p, n := d.o.Channels, len(draws[0])/d.Dim()
	ref := &reference{Identity: d.identity(), Mode: m, Facts: map[string][]float64{}}
	fact := func(name string, values ...float64) {
		if !slices.ContainsFunc(values, math.IsNaN) { // a diagnostic that says nothing is left out
			ref.Facts[name] = values
		}
	}
	aligned := make([][]float64, len(draws))
	var visited, changes []float64
	for k, flat := range draws {
		ref.Kept = append(ref.Kept, digestOf(flat))
		aligned[k] = slices.Clone(flat)
		seen, last, changed := map[string]bool{}, "", 0.0
		for i := range n {
			row := aligned[k][i*p*p : (i+1)*p*p]
			metric.AlignRows(row, row, m.W, p)
			at := turn(row, flat[i*p*p:(i+1)*p*p], p)
			if i > 0 && at != last {
				changed++
			}
			seen[at], last = true, at
		}
		visited, changes = append(visited, float64(len(seen))), append(changes, changed)
	}
	plain, turned := hmc.Summarize(draws, p*p, tallies...), hmc.Summarize(aligned, p*p, tallies...)
	for _, c := range turned.Coordinates {
		ref.AlignedMean, ref.AlignedSD = append(ref.AlignedMean, c.Mean), append(ref.AlignedSD, c.SD)
	}
	ref.Mean = means(draws[0], p*p)
	fact("chains", float64(len(draws)))
	fact("kept", float64(n))
	fact("acceptance", turned.Acceptance)
	fact("divergences", float64(turned.Divergences))
	fact("energy-error", turned.MeanEnergyError)
	worst := func(s hmc.Summary, sign float64, of func(hmc.Coordinate) float64) float64 {
		out := math.Inf(-1)
		for _, c := range s.Coordinates {
			out = math.Max(out, sign*of(c)) // NaN stays
		}
		return sign * out
	}
	fact("rhat", worst(turned, 1, func(c hmc.Coordinate) float64 { return c.RHat }))
	fact("rhat-unaligned", worst(plain, 1, func(c hmc.Coordinate) float64 { return c.RHat }))
	fact("ess-bulk", worst(turned, -1, func(c hmc.Coordinate) float64 { return c.BulkESS }))
	fact("ess-tail", worst(turned, -1, func(c hmc.Coordinate) float64 { return c.TailESS }))
	fact("modes", visited...)
	fact("mode-changes", changes...)
	halves, pairs := spreads(draws, p)
	fact("amari-halves", halves...)
	fact("amari-chains", pairs...)
	halves, pairs = spreads(aligned, p)
	fact("amari-aligned-halves", halves...)
	fact("amari-aligned-chains", pairs...)
	fact("amari-mode", metric.Amari(m.W, ref.Mean, p))
	fact("restarts", float64(m.Agree), restarts)
	if lo, hi, ok := d.curvature(m.W); ok {
		fact("laplace-sd", 1/math.Sqrt(hi), 1/math.Sqrt(lo))
		fact("stable-step", 2/hi)
	}
	ref.draws = metric.Points{N: d.o.Reference.Draws, D: p * p, Data: chains.Thin(aligned, p*p, d.o.Reference.Draws)}
	return ref
}

// facts puts what is known of the reference into a trace, as "reference-…".
func (r *reference) facts(put put) {
	for _, name := range slices.Sorted(maps.Keys(r.Facts)) {
		for i, v := range r.Facts[name] {
			put("reference-"+name, i, v)
		}
	}
}

// turn names the signed permutation that took w to aligned.
func turn(aligned, w []float64, p int) string {
	name := make([]byte, 0, 2*p)
	for a := range p {
		for b := range p {
			same, opposite := true, true
			for c := range p {
				same = same && aligned[a*p+c] == w[b*p+c]
				opposite = opposite && aligned[a*p+c] == -w[b*p+c]
			}
			if same || opposite {
				name = fmt.Appendf(name, "%d%t ", b, same)
				break
			}
		}
	}
	return string(name)
}

// means returns the mean of each of d columns.
func means(flat []float64, d int) []float64 {
	out := make([]float64, d)
	for i, v := range flat {
		out[i%d] += v
	}
	for k := range out {
		out[k] /= float64(len(flat) / d)
	}
	return out
}

// spreads returns the Amari distances between the halves of each chain, and between each two chains.
func spreads(draws [][]float64, p int) (halves, chains []float64) {
	d := p * p
	for k, x := range draws {
		half := len(x) / d / 2 * d
		halves = append(halves, metric.Amari(means(x[:half], d), means(x[half:], d), p))
		for _, y := range draws[:k] {
			chains = append(chains, metric.Amari(means(x, d), means(y, d), p))
		}
	}
	return halves, chains
}

// curvature returns the smallest and the largest eigenvalue of the Hessian of U at w, by central differences of its gradient
// with a step of 1e-5 of the entries' root mean square; not ok unless all are positive.
func (d *posterior) curvature(w []float64) (lo, hi float64, ok bool) {
	n := len(w)
	var square float64
	for _, v := range w {
		square += v * v
	}
	h := 1e-5 * rootMean(square, n)
	x, up, down := slices.Clone(w), make([]float64, n), make([]float64, n)
	rows := mat.NewDense(n, n, nil)
	for i := range n {
		x[i] = w[i] + h
		d.Grad(up, x)
		x[i] = w[i] - h
		d.Grad(down, x)
		x[i] = w[i]
		for j := range n {
			rows.Set(i, j, (up[j]-down[j])/(2*h))
		}
	}
	hessian := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			hessian.SetSym(i, j, (rows.At(i, j)+rows.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(hessian, false) {
		return 0, 0, false
	}
	values := eigen.Values(nil)
	return values[0], values[n-1], values[0] > 0
}

func rootMean(sum float64, n int) float64 { return math.Sqrt(sum / float64(n)) }
