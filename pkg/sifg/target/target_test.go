package target

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

// Far from every mode the widest component takes all: the score is (m_5 − x)/s_5², although every weight underflows.
func TestMixtureFarAway(t *testing.T) {
	p := GMM2D()
	_, means, sds := p.Components()
	x, s := newBatch(1, 2), newBatch(1, 2)
	x.Data[0], x.Data[1] = 3e18, -1e4
	p.Score(s, x, 0)
	for c := range 2 {
		want := (means[4][c] - float64(x.Data[c])) / (sds[4] * sds[4])
		near(t, "score", float64(s.Data[c])/want, 1, 1e-6)
	}
	if l := p.LogDensity([]float64{1e200, 0}); !math.IsInf(l, -1) {
		t.Errorf("log density at 1e200: %g, want -Inf", l)
	}
}

// A particle that has left the numbers must not come back.
func TestNaNStaysNaN(t *testing.T) {
	forEach(t, func(t *testing.T, p Density) {
		x := newBatch(1, p.Dim())
		s := newBatch(1, p.Dim())
		x.Data[0] = float32(math.NaN())
		p.Score(s, x, 0)
		if !math.IsNaN(float64(s.Data[0])) {
			t.Errorf("score of NaN is %v", s.Data)
		}
	})
}

func TestMixtureErrors(t *testing.T) {
	half, mean := []float64{0.5, 0.5}, [][]float64{{0, 1}, {2, 3}}
	for want, f := range map[string]func() (*Mixture, error){
		"means is empty":      func() (*Mixture, error) { return NewMixture(nil, nil, nil) },
		"3 weights and 2 sds": func() (*Mixture, error) { return NewMixture([]float64{.3, .3, .4}, mean, half) },
		"means[1] has 1 coordinates": func() (*Mixture,
			error) {
			return NewMixture(half, [][]float64{{0, 1}, {2}}, half)
		},
		"means[1][0] is NaN": func() (*Mixture,
			error) {
			return NewMixture(half, [][]float64{{0}, {math.NaN()}}, half)
		},
		"weights[0] is 0":    func() (*Mixture, error) { return NewMixture([]float64{0, 1}, mean, half) },
		"weights sum to 0.9": func() (*Mixture, error) { return NewMixture([]float64{.4, .5}, mean, half) },
		"sds[1] is -1":       func() (*Mixture, error) { return NewMixture(half, mean, []float64{1, -1}) },
		"sds[0] is NaN": func() (*Mixture,
			error) {
			return NewMixture(half, mean, []float64{math.NaN(), 1})
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestOtherErrors(t *testing.T) {
	indefinite := mat.NewSymDense(2, []float64{1, 2, 2, 1})
	for want, f := range map[string]func() error{
		"alpha is 0":             func() error { _, err := NewMonomialGamma(2, 0, 1); return err },
		"beta is -1":             func() error { _, err := NewMonomialGamma(2, 1, -1); return err },
		"monomial gamma: d is 0": func() error { _, err := NewMonomialGamma(0, 1, 1); return err },
		"funnel: d is 1":         func() error { _, err := NewFunnel(1, 3); return err },
		"funnel: sd is 0":        func() error { _, err := NewFunnel(2, 0); return err },
		"mean has 1 coordinates, cov is 2": func() error {
			_,
				err := NewGaussian([]float64{0}, indefinite)
			return err
		},
		"not positive definite": func() error {
			_,
				err := NewGaussian([]float64{0, 0}, indefinite)
			return err
		},
		"mean[0] is NaN": func() error {
			_, err := NewGaussian([]float64{math.NaN()}, mat.NewDiagDense(1, []float64{1}))
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// At 0 the score is 0; next to it, finite, with the sign that points back, even for a small exponent.
func TestMonomialGammaAtZero(t *testing.T) {
	for _, alpha := range []float64{0.1, ReleasedAlpha, 1, 2} {
		p := must(NewMonomialGamma(2, alpha, 0.3))
		x, s := newBatch(2, 2), newBatch(2, 2)
		x.Data[2], x.Data[3] = math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32
		p.Score(s, x, 0)
		if s.Data[0] != 0 || s.Data[1] != 0 {
			t.Errorf("α = %g: score at 0 is %v", alpha, s.Data[:2])
		}
		if !(s.Data[2] <= 0 && s.Data[3] == -s.Data[2]) || math.IsInf(float64(s.Data[2]), 0) {
			t.Errorf("α = %g: score at ±1e-45 is %v", alpha, s.Data[2:])
		}
	}
}

// The density integrates to 1 and its closed-form absolute moments are its own. After x = u¹⁰ the integrand is smooth
// enough at 0 for Gauss–Legendre; beyond |x| = 10³ the mass is below e^{−0.3·10^{2.7}} ≈ 1e-65.
func TestMonomialGammaMoments(t *testing.T) {
	for _, alpha := range []float64{ReleasedAlpha, 0.9} {
		p := must(NewMonomialGamma(1, alpha, 0.3))
		for _, m := range []float64{0, 1, 2, 3.5} {
			got := 2 * quad.Fixed(func(u float64) float64 {
				x := math.Pow(u, 10)
				return math.Pow(x, m) * math.Exp(p.LogDensity([]float64{x})) * 10 * x / u
			}, 0, math.Pow(1e3, 0.1), 400, nil, 1)
			near(t, "moment", got, p.AbsMoment(m), 1e-9)
		}
	}
	p := must(NewMonomialGamma(2, ReleasedAlpha, 0.3))
	// E|x| of the two laws, computed apart: 4.42 and 3.57.
	near(t, "E|x|", p.AbsMoment(1), 4.42, 2e-3)
	near(t, "E|x| of the released reference", p.absMoment(1, p.alpha), 3.57, 2e-3)
}

// Exact draws have E|x| of π, the released ones of the other law: with n = 40000 the two are 50 standard errors apart.
func TestMonomialGammaSamplers(t *testing.T) {
	p := must(NewMonomialGamma(1, ReleasedAlpha, 0.3))
	x := newBatch(40000, 1)
	abs := func() []float64 {
		v := widen(x.Data)
		for i := range v {
			v[i] = math.Abs(v[i])
		}
		return v
	}
	p.Sample(x, rng.New(5, "mg"))
	mean5(t, "E|x|", abs(), p.AbsMoment(1))
	p.SampleReleased(x, rng.New(6, "mg"))
	mean5(t, "E|x| of the released reference", abs(), p.absMoment(1, p.alpha))
}

// The funnel's log density is the sum of its conditionals', and x_c e^{−x_1/2} of an exact draw is N(0, 1).
func TestFunnel(t *testing.T) {
	p := must(NewFunnel(4, 3))
	x := newBatch(20000, 4)
	p.Sample(x, rng.New(7, "funnel"))
	var first, fourth []float64
	for i := range x.Rows {
		v := widen(row(x, i))
		want := distuv.Normal{Sigma: 3}.LogProb(v[0])
		for _, u := range v[1:] {
			want += distuv.Normal{Sigma: math.Exp(v[0] / 2)}.LogProb(u)
			w := u * math.Exp(-v[0]/2)
			first, fourth = append(first, w*w), append(fourth, w*w*w*w)
		}
		near(t, "log density", p.LogDensity(v), want, 1e-12)
	}
	mean5(t, "second moment", first, 1)
	mean5(t, "fourth moment", fourth, 3)
	if l := p.LogDensity([]float64{-1e4, 0, 0, 0}); math.IsNaN(l) {
		t.Error("log density in the neck's axis is NaN")
	}
}

func TestGaussianLogDensity(t *testing.T) {
	p := toyGaussian()
	mean, cov := moments(p)
	oracle, ok := distmv.NewNormal(mean, cov, nil)
	if !ok {
		t.Fatal("covariance not positive definite")
	}
	x := points(p, 20)
	for i := range x.Rows {
		v := widen(row(x, i))
		near(t, "log density", p.LogDensity(v), oracle.LogProb(v), 1e-11)
	}
}

func TestByName(t *testing.T) {
	for _, e := range Table {
		p, err := ByName(e.Name)
		if err != nil || p.Dim() < 1 || e.Doc == "" {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	_, err := ByName("gmm-3d")
	for _, want := range []string{`"gmm-3d": want one of`, "funnel"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
