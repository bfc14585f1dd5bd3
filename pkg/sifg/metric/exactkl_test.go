package metric

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// smoothed returns the law (1/n) Σ N(z_i, σ² I) as a mixture, the oracle of logSmoothed.
func smoothed(t *testing.T, z Points, sigma float64) *target.Mixture {
	t.Helper()
	var w, sds []float64
	var means [][]float64
	for i := range z.N {
		w, sds, means = append(w, 1/float64(z.N)), append(sds, sigma), append(means, z.Row(i))
	}
	p, err := target.NewMixture(w, means, sds)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// KL of one Gaussian to another is d[ln(s/σ) + σ²/2s² − ½] + ‖z−m‖²/2s².
func TestExactKLOfOneParticle(t *testing.T) {
	const sigma, s = 0.3, 0.8
	z := Points{N: 1, D: 3, Data: []float64{1, -1, 0.5}}
	origin := smoothed(t, NewPoints(1, 3), s)
	want := 3*(math.Log(s/sigma)+sigma*sigma/(2*s*s)-0.5) + 2.25/(2*s*s)
	kl, se, err := ExactKL(z, sigma, origin.LogDensity, 4000, rng.New(21, "kl"))
	if err != nil || !(math.Abs(kl-want) <= 5*se) || !(se > 0 && se < 0.05) {
		t.Errorf("got %g ± %g, %v, want %g", kl, se, err, want)
	}
}

// If μ is perfect, μ̂ = π, every draw gives log 1: the estimate is 0 to rounding, which checks the skipping of far
// particles too (d above, below and between multiples of 4; σ from isolated particles to one blob).
func TestExactKLOfPerfectCloud(t *testing.T) {
	for _, d := range []int{1, 3, 4, 10} {
		for _, sigma := range []float64{0.01, 0.5, 30} {
			z := NewPoints(40, d)
			r := rng.New(22, "perfect", uint64(d))
			for i := range z.Data {
				z.Data[i] = 2 * r.NormFloat64()
			}
			kl, se, err := ExactKL(z, sigma, smoothed(t, z, sigma).LogDensity, 200, r)
			// Log densities are below 50 in size, their rounding errors below 1e-13.
			if err != nil || !(math.Abs(kl) < 1e-12) || !(se < 1e-12) {
				t.Errorf("d = %d, σ = %g: got %g ± %g, %v, want 0", d, sigma, kl, se, err)
			}
		}
	}
}

// The estimate is right and its standard error honest: over 300 runs with two draws for each of 15 particles, the mean
// agrees with a long run, and the spread of the runs with the mean of the reported variances. Their ratio has relative
// error √(2/300) = 0.08 from the spread and √((κ−1)/(2·15·300)) from the variances, 0.03 for a kurtosis κ of 10: within
// 0.45.
func TestExactKLStandardError(t *testing.T) {
	p := target.GMM2D()
	z := draws(p, 15, rng.New(23, "cloud"))
	const sigma = 0.3
	long, longSE, _ := ExactKL(z, sigma, p.LogDensity, 100000, rng.New(24, "long"))
	var kls []float64
	var variance float64
	for i := range 300 {
		kl, se, err := ExactKL(z, sigma, p.LogDensity, 30, rng.New(25, "run", uint64(i)))
		if err != nil {
			t.Fatal(err)
		}
		kls, variance = append(kls, kl), variance+se*se/300
	}
	mean, se := meanSE(kls)
	if !(math.Abs(mean-long) <= 5*math.Hypot(se, longSE)) {
		t.Errorf("mean of the runs %g ± %g, long run %g ± %g", mean, se, long, longSE)
	}
	if ratio := se * se * 300 / variance; !(ratio > 0.55 && ratio < 1.45) {
		t.Errorf("variance of the runs over the reported one: %g", ratio)
	}
}

func TestExactKLEdges(t *testing.T) {
	z := line(0, 1)
	flat := func([]float64) float64 { return 0 }
	r := rng.New(26, "edges")
	for want, f := range map[string]func() (float64, float64, error){
		"sigma is 0":     func() (float64, float64, error) { return ExactKL(z, 0, flat, 10, r) },
		"sigma is NaN":   func() (float64, float64, error) { return ExactKL(z, math.NaN(), flat, 10, r) },
		"draws is 0":     func() (float64, float64, error) { return ExactKL(z, 1, flat, 0, r) },
		"must not be em": func() (float64, float64, error) { return ExactKL(Points{D: 1}, 1, flat, 10, r) },
		"holds a NaN":    func() (float64, float64, error) { return ExactKL(line(math.NaN()), 1, flat, 10, r) },
		"not a number": func() (float64, float64, error) {
			return ExactKL(z, 1, func([]float64) float64 { return math.NaN() }, 10, r)
		},
	} {
		if _, _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	kl, _, err := ExactKL(z, 1, func([]float64) float64 { return math.Inf(-1) }, 10, r)
	if err != nil || !math.IsInf(kl, 1) {
		t.Errorf("π vanishes at the draws: %g, %v, want +Inf", kl, err)
	}
}
