package hmc

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

func TestSummarize(t *testing.T) {
	var one, two Tally
	one.Add(Info{Accepted: true, AcceptChance: 1, EnergyError: -0.5})
	one.Add(Info{AcceptChance: 0.25, EnergyError: 1.5})
	two.Add(Info{AcceptChance: 0, EnergyError: math.Inf(1), Divergent: true})
	two.Add(Info{Accepted: true, AcceptChance: 0.5, EnergyError: 1})
	if one != (Tally{Iterations: 2, Accepted: 1, AcceptChance: 1.25, AbsEnergyError: 2}) {
		t.Errorf("tally %+v", one)
	}
	const n = 300
	x, y := fixed(2, n), autoregressive(0.5, 2, n)
	draws := make([]metric.Points, 2)
	for c := range draws {
		draws[c] = metric.NewPoints(n, 2)
		for i := range n {
			copy(draws[c].Row(i), []float64{x[c][i], y[c][i]})
		}
	}
	s := Summarize(draws, one, two)
	if s.Chains != 2 || s.Draws != n || s.Iterations != 4 || s.Acceptance != 0.5 ||
		s.MeanEnergyError != 1 || s.Divergences != 1 {
		t.Errorf("summary %+v", s)
	}
	for k, want := range [][][]float64{x, y} {
		var mean, square float64
		for _, v := range pooled(want) {
			mean += v / (2 * n)
			square += v * v / (2 * n)
		}
		got := s.Coordinates[k]
		sd := math.Sqrt((square - mean*mean) * (2 * n) / (2*n - 1))
		sorted := slices.Sorted(slices.Values(pooled(want)))
		if got.Low < sorted[29] || got.Low > sorted[30] || got.High < sorted[569] || got.High > sorted[570] {
			t.Errorf("coordinate %d: quantiles %g and %g", k, got.Low, got.High)
		}
		if math.Abs(got.Mean-mean) > 1e-12 || math.Abs(got.SD-sd) > 1e-12 || got.RHat != RankRHat(want) ||
			got.BulkESS != BulkESS(want) || got.TailESS != TailESS(want) || got.MCSE != MCSE(want) {
			t.Errorf("coordinate %d: %+v", k, got)
		}
	}
	if s := Summarize(draws); !math.IsNaN(s.Acceptance) || !math.IsNaN(s.MeanEnergyError) {
		t.Errorf("without tallies: %+v", s)
	}
}
