package gmm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study/density"
)

// kept returns the modes of the 10-D mixture, from 0, that a method keeps, and its share of each: a mode is kept if its
// occupancy, mean over seeds, is 0.05 or more.
func kept(e record.View, method string) (modes []int, share []float64) {
	for k := range 5 {
		if v := e.Final(method, "occupancy", k); len(v) > 0 {
			share = append(share, stats.Mean(v))
			if share[k] >= 0.05 {
				modes = append(modes, k)
			}
		}
	}
	return modes, share
}

// levels are lines at the k-NN KL of as many exact draws as there are particles of those modes alone that some method
// keeps in 10-D: as they are, and with the largest σ of a method added. nil where no mode is lost.
func levels(s *record.Set) (lines []figure.HLine) {
	e, sigma := record.View{Set: s, Problem: "gmm-10d"}, 0.0
	var modes []int
	for _, m := range s.Methods("gmm-10d") {
		own, _ := kept(e, m)
		modes = append(modes, own...)
		if v := e.Final(m, "sigma", 0); len(v) > 0 {
			sigma = max(sigma, stats.Median(v))
		}
	}
	slices.Sort(modes)
	modes = slices.Compact(modes)
	t, ok := record.First(s, "gmm-10d", "sifg")
	c, o, err := density.Config(t)
	mixture := density.Mixture(s, "gmm-10d")
	if !ok || err != nil || mixture == nil || len(modes) == 0 || len(modes) == 5 {
		return nil
	}
	var names []string
	for _, k := range modes {
		names = append(names, fmt.Sprint(k+1))
	}
	label := "exact draws of modes " + strings.Join(names, " and ")
	style := figure.Method("truth").As(label)
	style.Dash = []float64{6, 2}
	lines = append(lines, figure.HLine{Y: score(mixture, modes, 0, c.Particles, o.Reference), Style: style})
	style.Label, style.Dash = label+", smoothed by σ = "+table.Num(sigma), []float64{1.5, 1.5}
	return append(lines, figure.HLine{Y: score(mixture, modes, sigma, c.Particles, o.Reference), Style: style})
}

// score is the k-NN KL of n draws of some modes of a mixture, blurred by sigma, to as many draws of the mixture
// as reference says: the mean of five, which have a standard deviation of about 0.05 each. NaN of too few draws.
func score(mixture *target.Mixture, modes []int, sigma float64, n, reference int) float64 {
	_, means, sds := mixture.Components()
	var values []float64
	for i := range uint64(5) {
		r, d := rng.New(1, "some modes", i), mixture.Dim()
		x, all := sifg.NewBatch(n, d), sifg.NewBatch(reference, d)
		r.Normal(x.Data)
		for j := range x.Data {
			k := modes[j/x.Cols%len(modes)] // of equal weight
			x.Data[j] = float32(means[k][j%x.Cols] + float64(math.Hypot(sds[k], sigma)*float64(x.Data[j])))
		}
		mixture.Sample(all, rng.New(1, "all modes", i))
		kl, err := metric.KNNKL(metric.FromBatch(x), metric.FromBatch(all), 3)
		if err != nil {
			return math.NaN()
		}
		values = append(values, kl)
	}
	return stats.Mean(values)
}

// withLevels adds the levels to a figure of k-NN KL in 10-D.
func withLevels(f harness.Section) harness.Section {
	draw := f.Draw
	f.Draw = func(s *record.Set) (*figure.Figure, error) {
		out, err := draw(s)
		if err == nil {
			for _, l := range levels(s) {
				out.Panels[0].Layers = append(out.Panels[0].Layers, l)
			}
		}
		return out, err
	}
	return f
}
