package hmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// fixed returns series that any language can make: x_i = 0.6·x_{i−1} + u − 1/2 with a congruential generator for u,
// chain 1 wider, chain 2 moved.
func fixed(chains, n int) [][]float64 {
	s := uint32(12345)
	out := make([][]float64, chains)
	for c := range out {
		x := 0.0
		for range n {
			s = 1664525*s + 1013904223
			x = 0.6*x + (float64(s)/(1<<32) - 0.5)
			v := x
			switch c {
			case 1:
				v *= 1.5
			case 2:
				v += 0.3
			}
			out[c] = append(out[c], v)
		}
	}
	return out
}

// The values are ArviZ's (0.21.0), another implementation of the same paper, to the digits on which different orders of
// summation agree. It refuses an R-hat of one chain, where ours compares the halves.
func TestDiagnosticsAgreeWithArviZ(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		draws                          [][]float64
		rHat, bulk, tail, mean, errors float64
	}{
		"odd": {fixed(4, 201), 1.0937859683580373, 35.14656016329779, 302.0257552537278, 34.82366871804645,
			0.06876601090283566},
		"one": {fixed(1, 400), nan, 75.98468252717619, 164.66739051955383, 73.61998035978657, 0.03810100437713761},
		"tail": {transform(fixed(4, 201), math.Tan), 1.0937859683580373, 35.14656016329779, 302.0257552537278,
			38.86818359928829, 0.08139864351792087},
		"ties": {
			transform(fixed(3, 150), func(v float64) float64 { return math.RoundToEven(4*v) / 4 }),
			1.137320309000615, 17.805064462316142, 26.271417650612953, 17.152858172709305, 0.10332586627646526,
		},
		"to the last lag": { // ArviZ counts a constant indicator as full information
			transform(fixed(3, 150), func(v float64) float64 { return math.RoundToEven(2*v) / 2 }),
			1.102578650723017, 24.646419160232632, nan, 23.086074727742435, 0.09425635420052192,
		},
		"short": {fixed(2, 20), 1.0804306699798603, 14.796231358041224, 17.30769230769231, 15.892271300359397,
			0.10388005077044697},
	} {
		for what, v := range map[string][2]float64{
			"R-hat":                  {RankRHat(c.draws), c.rHat},
			"bulk ESS":               {BulkESS(c.draws), c.bulk},
			"tail ESS":               {TailESS(c.draws), c.tail},
			"ESS of the mean":        {MeanESS(c.draws), c.mean},
			"standard error of mean": {MCSE(c.draws), c.errors},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9*math.Abs(v[1])) && !math.IsNaN(v[1]) {
				t.Errorf("%s: %s is %.16g, want %.16g", name, what, v[0], v[1])
			}
		}
	}
}

// autoregressive returns m chains of x_i = ρ·x_{i−1} + √(1−ρ²)·e, each started in its law N(0, 1).
func autoregressive(rho float64, m, n int) [][]float64 {
	out := make([][]float64, m)
	for c := range out {
		r := rng.New(5, "autoregressive", uint64(c), math.Float64bits(rho))
		x := r.NormFloat64()
		for range n {
			x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
			out[c] = append(out[c], x)
		}
	}
	return out
}

// The 5 % quantile of 4 × 500 draws of a normal autoregression varies over 100 sets of chains as much as its standard
// error says: a standard deviation of 100 values is known to 1/√200 = 7 %, four of which are 28 %; and the error's own
// mean is nearly free of chance.
func TestQuantileError(t *testing.T) {
	for _, rho := range []float64{0, 0.7} {
		var lows, errs []float64
		all := autoregressive(rho, 400, 500)
		for i := 0; i < len(all); i += 4 {
			c := Describe(all[i : i+4])
			lows, errs = append(lows, c.Low), append(errs, c.LowError)
		}
		_, sd := stat.MeanStdDev(lows, nil)
		if mean := stat.Mean(errs, nil); math.Abs(mean/sd-1) > 0.28 {
			t.Errorf("ρ = %g: error %.4g, standard deviation %.4g", rho, mean, sd)
		}
	}
	same := [][]float64{slices.Repeat([]float64{1, 2}, 10)}
	if c := Describe(same); !(c.HighError == 0 || math.IsNaN(c.HighError)) {
		t.Errorf("two values: %g", c.HighError)
	}
}

func TestDiagnosticsOfNothing(t *testing.T) {
	nan := autoregressive(0, 2, 50)
	nan[1][7] = math.NaN()
	for name, draws := range map[string][][]float64{
		"constant": {make([]float64, 50), make([]float64, 50)},
		"few":      autoregressive(0, 2, 11),
		"NaN":      nan,
		"empty":    {{}},
	} {
		for what, got := range map[string]float64{
			"R-hat": RankRHat(draws),
			"bulk":  BulkESS(draws),
			"tail":  TailESS(draws),
			"mean":  MeanESS(draws),
			"MCSE":  MCSE(draws),
		} {
			if !math.IsNaN(got) {
				t.Errorf("%s: %s is %g", name, what, got)
			}
		}
	}
	// Two chains, each stuck in a place of its own: no variance within.
	stuck := [][]float64{make([]float64, 50),
		transform([][]float64{make([]float64, 50)}, func(float64) float64 { return 1 })[0]}
	if got := RankRHat(stuck); !math.IsInf(got, 1) {
		t.Errorf("stuck chains: R-hat %g", got)
	}
	defer func() {
		if recover() != badDraws {
			t.Error("chains of different lengths were accepted")
		}
	}()
	RankRHat([][]float64{make([]float64, 50), make([]float64, 49)})
}

// TestEBFMI: of a ramp by hand. Where a trajectory turns N(0, I) by a quarter, x becomes the momentum, so H_i = K_i +
// K_(i−1) of independent kinetic energies and the ratio is 1; over 4000 iterations its standard error is below
// √(6/4000) = 0.04. The potential energies alone, which are independent here, give 2.
func TestEBFMI(t *testing.T) {
	ramp := make([]float64, 12)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	if got := EBFMI(ramp); math.Abs(got-11.0/143) > 1e-12 {
		t.Errorf("of a ramp %g, want 11/143", got)
	}
	if got := EBFMI(make([]float64, 20)); !math.IsNaN(got) {
		t.Errorf("of a constant: %g", got)
	}
	const steps = 40
	c := must(NewChain(scaled(1, 1, 1, 1, 1), Config{Step: math.Pi / 2 / steps, Leapfrog: steps}, make([]float64, 5), 3,
		0))
	var h, u []float64
	for range 4000 {
		info := c.Step()
		h, u = append(h, info.Hamiltonian), append(u, info.Energy)
	}
	if got := EBFMI(h); math.Abs(got-1) > 0.16 {
		t.Errorf("of H %g, want 1", got)
	}
	if got := EBFMI(u); math.Abs(got-2) > 0.32 {
		t.Errorf("of U %g, want 2", got)
	}
}
