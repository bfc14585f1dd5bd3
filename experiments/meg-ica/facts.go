package megica

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// facts are what is known of the reference chains: names in the summary and, after "reference-", in traces, and what
// they are. A value for each chain, or for each pair of chains, has as many components.
var facts = []struct{ name, words string }{
	{"chains", "chains"},
	{"kept", "draws kept of each"},
	{"acceptance", "acceptance rate"},
	{"divergences", "divergent iterations"},
	{"energy-error", "mean error of the energy"},
	{"rhat-unaligned", "R-hat of the draws before alignment, worst entry"},
	{"rhat", "R-hat of aligned draws, worst entry"},
	{"ess-bulk", "bulk effective sample size of aligned draws, worst entry"},
	{"ess-tail", "tail effective sample size of aligned draws, worst entry"},
	{"modes", "equivalent modes visited, each chain"},
	{"mode-changes", "changes of mode, each chain"},
	{"amari-halves", "Amari distance between the means of a chain's halves"},
	{"amari-chains", "Amari distance between the means of two chains"},
	{"amari-aligned-halves", "the same between halves, draws aligned"},
	{"amari-aligned-chains", "the same between chains, draws aligned"},
	{"amari-mode", "Amari distance of the mode to the mean of the first chain"},
	{"restarts", "searches that found the mode, of"},
	{"laplace-sd", "smallest and largest sd of the normal approximation"},
	{"stable-step", "largest step with which gradient ascent stays at the mode"},
}

// summarise makes the summary of the kept draws of each chain (rows of p²).
func (d *posterior) summarise(m target.ICAMode, draws []metric.Points, tallies []hmc.Tally) *reference {
	p, n := d.o.Channels, draws[0].N
	ref := &reference{Identity: d.identity(), Mode: m, Mean: metric.Mean(draws[0])}
	aligned := make([]metric.Points, len(draws))
	var visited, changes []float64
	for k, points := range draws {
		ref.Kept = append(ref.Kept, digestOf(points.Data))
		aligned[k] = metric.Points{N: n, D: p * p, Data: slices.Clone(points.Data)}
		seen, last, changed := map[string]bool{}, "", 0.0
		for i := range n {
			row := aligned[k].Row(i)
			metric.AlignRows(row, row, m.W, p)
			at := turn(row, points.Row(i), p)
			if i > 0 && at != last {
				changed++
			}
			seen[at], last = true, at
		}
		visited, changes = append(visited, float64(len(seen))), append(changes, changed)
	}
	plain, turned := hmc.Summarize(draws, tallies...), hmc.Summarize(aligned, tallies...)
	rhat, unaligned, bulk, tail := 0.0, 0.0, math.Inf(1), math.Inf(1) // NaN stays
	for i, c := range turned.Coordinates {
		ref.AlignedMean, ref.AlignedSD = append(ref.AlignedMean, c.Mean), append(ref.AlignedSD, c.SD)
		rhat, unaligned = max(rhat, c.RHat), max(unaligned, plain.Coordinates[i].RHat)
		bulk, tail = min(bulk, c.BulkESS), min(tail, c.TailESS)
	}
	halves, pairs := spreads(draws, p)
	alignedHalves, alignedPairs := spreads(aligned, p)
	ref.Facts = map[string][]float64{
		"chains": {float64(len(draws))}, "kept": {float64(n)},
		"acceptance": {turned.Acceptance}, "divergences": {float64(turned.Divergences)},
		"energy-error":   {turned.MeanEnergyError},
		"rhat-unaligned": {unaligned}, "rhat": {rhat}, "ess-bulk": {bulk}, "ess-tail": {tail},
		"modes": visited, "mode-changes": changes,
		"amari-halves": halves, "amari-chains": pairs,
		"amari-aligned-halves": alignedHalves, "amari-aligned-chains": alignedPairs,
		"amari-mode": {metric.Amari(m.W, ref.Mean, p)},
		"restarts":   {float64(m.Agree), searches},
	}
	if lo, hi := d.Curvature(m.W); lo > 0 {
		ref.Facts["laplace-sd"] = []float64{1 / math.Sqrt(hi), 1 / math.Sqrt(lo)}
		ref.Facts["stable-step"] = []float64{2 / hi}
	}
	// NaN is no finding: the chains were too short for it
	maps.DeleteFunc(ref.Facts, func(_ string, v []float64) bool { return slices.ContainsFunc(v, math.IsNaN) })
	ref.draws = hmc.Thin(aligned, d.o.Reference.Draws)
	return ref
}

// turn names the signed permutation that took w to aligned.
func turn(aligned, w []float64, p int) string {
	name := make([]byte, 0, 2*p)
	for a := range p {
		for b := range p {
			x, y := aligned[a*p:(a+1)*p], w[b*p:(b+1)*p]
			same := slices.Equal(x, y)
			if same || slices.EqualFunc(x, y, func(x, y float64) bool { return x == -y }) {
				name = fmt.Appendf(name, "%d%t ", b, same)
				break
			}
		}
	}
	return string(name)
}

// spreads returns the Amari distances between the halves of each chain, and between each two chains.
func spreads(draws []metric.Points, p int) (halves, chains []float64) {
	for k, x := range draws {
		first, last := x, x
		first.N, last.N = x.N/2, x.N-x.N/2
		at := x.N / 2 * x.D
		first.Data, last.Data = x.Data[:at], x.Data[at:]
		halves = append(halves, metric.Amari(metric.Mean(first), metric.Mean(last), p))
		for _, y := range draws[:k] {
			chains = append(chains, metric.Amari(metric.Mean(x), metric.Mean(y), p))
		}
	}
	return halves, chains
}

func rootMeanSquare(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	return math.Sqrt(sum / float64(len(x)))
}
