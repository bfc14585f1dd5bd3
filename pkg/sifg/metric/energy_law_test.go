package metric

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestNormalNorm: for d = 1 E|N(m, s²)| = s√(2/π)·e^{−m²/2s²} + m·erf(m/(s√2)), for d = 3 E‖N(m, I)‖ = √(2/π)·e^{−r²/2}
// + (r + 1/r)·erf(r/√2); at m = 0 it is the mean of a chi law, and far away m + (d−1)s²/(2m). The two series agree
// where they meet.
func TestNormalNorm(t *testing.T) {
	for _, r := range []float64{0.001, 0.3, 1, 3, 7, 10.1, 10.2, 12, 40} {
		tail, inside := math.Sqrt(2/math.Pi)*math.Exp(-r*r/2), math.Erf(r/math.Sqrt2)
		near(t, "d = 1", newNormalNorm(1).mean(4*r*r, 2), 2*(tail+r*inside), 1e-14)
		near(t, "d = 3", newNormalNorm(3).mean(r*r, 1), tail+(r+1/r)*inside, 1e-12)
	}
	for _, d := range []int{1, 2, 10, 101} {
		o, n := newNormalNorm(d), float64(d)
		a, _ := math.Lgamma((n + 1) / 2)
		b, _ := math.Lgamma(n / 2)
		near(t, "at the mean", o.mean(0, 3), 3*math.Sqrt2*math.Exp(a-b), 1e-14)
		near(t, "far away", o.mean(1e8, 1), 1e4+(n-1)/2e4, 1e-12)
		edge := 2 * (50 + 2*n)
		near(t, "where the series meet", o.mean(edge*(1+1e-13), 1), o.mean(edge*(1-1e-13), 1), 1e-12)
	}
}

// TestNormalNormOfManyDimensions: E‖N(m, I)‖ is √(‖m‖² + d) up to 1/(4‖m‖), also where e^−z is 0 or has lost digits,
// and the two sums agree where they meet.
func TestNormalNormOfManyDimensions(t *testing.T) {
	for _, d := range []int{400, 10_000} {
		for _, z := range []float64{650, 740, 744, 800, 5000} {
			if got, want := newNormalNorm(d).mean(2*z, 1), math.Sqrt(2*z+float64(d)); math.Abs(got/want-1) > 1e-3 {
				t.Errorf("d %d, z %g: E‖Y‖ is %v, want about %v", d, z, got, want)
			}
		}
		o := newNormalNorm(d)
		near(t, "where the sums meet", o.mean(1400*(1+1e-13), 1), o.mean(1400, 1), 1e-11)
	}
}

// TestEnergyPassesNaN: a NaN passes through the closed form as through any sum.
func TestEnergyPassesNaN(t *testing.T) {
	m := Modes{Weights: []float64{1}, Means: [][]float64{{0, 0}}, SDs: []float64{1}}
	if got := m.Energy().Distance(Points{N: 2, D: 2, Data: []float64{0, math.NaN(), 1, 1}}); !math.IsNaN(got) {
		t.Errorf("%v, want NaN", got)
	}
}

// lawCase is a density, the energy distance to it, and the relative error of its quadrature.
type lawCase struct {
	name  string
	of    target.Density
	law   *Energy
	error float64
}

func laws(t *testing.T) []lawCase {
	mixture := func(m *target.Mixture) *Energy {
		weights, means, sds := m.Components()
		return Modes{weights, means, sds}.Energy()
	}
	gamma, err := target.NewMonomialGamma(2, target.ReleasedAlpha, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	funnel, err := target.NewFunnel(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	nodes, weights := gamma.Nodes(60)
	return []lawCase{
		{"2-D mixture", target.GMM2D(), mixture(target.GMM2D()), 0},
		{"10-D mixture", target.GMM10D(), mixture(target.GMM10D()), 0},
		{"monomial gamma", gamma, NewEnergyNodes(Points{N: len(weights), D: 2, Data: nodes}, weights), 1e-4},
		{"funnel", funnel, NewEnergyDraws(draws(funnel, 20000, rng.New(6, "many"))), 0.02},
	}
}

// TestEnergyOfLaws: E‖x − Y‖ and E‖Y − Y'‖ agree with a Monte Carlo of 200,000 draws within four of its standard
// errors, and of what is known of the quadrature.
func TestEnergyOfLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of draws: half a second")
	}
	for _, c := range laws(t) {
		y := draws(c.of, 200000, rng.New(7, "truth"))
		agrees := func(what string, got float64, value func(j int) float64, n int) {
			values := make([]float64, n)
			for j := range values {
				values[j] = value(j)
			}
			mean, se := meanSE(values)
			if tol := 4*se + c.error*mean; !(math.Abs(got-mean) <= tol) {
				t.Errorf("%s, %s: %g, want %g ± %g", c.name, what, got, mean, tol)
			}
		}
		agrees("between draws", c.law.within, func(j int) float64 {
			return math.Sqrt(sqDist(y.Row(2*j), y.Row(2*j+1)))
		}, y.N/2)
		for _, at := range []float64{0, 0.3, 3, -20} {
			x := make([]float64, y.D)
			x[0], x[1] = at, 1
			agrees("to a point", c.law.to(x), func(j int) float64 { return math.Sqrt(sqDist(x, y.Row(j))) }, y.N)
		}
	}
}

// TestMeanDistanceOfMixtures: two normal laws on the line, N(0, 1) and N(δ, 1), have 2 E|N(δ, 2)| − 4/√π; a mixture
// is at 0 from itself.
func TestMeanDistanceOfMixtures(t *testing.T) {
	normal := func(mean float64) Modes { return Modes{[]float64{1}, [][]float64{{mean}}, []float64{1}} }
	distance := func(a, b Modes) float64 { return 2*a.meanDistance(b) - a.meanDistance(a) - b.meanDistance(b) }
	const delta = 0.7
	want := 2*(2/math.SqrtPi*math.Exp(-delta*delta/4)+delta*math.Erf(delta/2)) - 4/math.SqrtPi
	near(t, "N(0, 1) and N(δ, 1)", distance(normal(0), normal(delta)), want, 1e-12)
	weights, means, sds := target.GMM10D().Components()
	mixture := Modes{weights, means, sds}
	if d := distance(mixture, mixture); math.Abs(d) > 1e-12 {
		t.Errorf("a mixture is at %g from itself", d)
	}
}
