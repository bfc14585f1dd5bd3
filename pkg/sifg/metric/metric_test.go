package metric

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

func TestWrongShapesPanic(t *testing.T) {
	x := NewPoints(3, 2)
	for name, f := range map[string]func(){
		"energy":       func() { NewEnergy(NewPoints(3, 1)).Distance(x) },
		"ksd":          func() { KSD(x, NewPoints(2, 2)) },
		"displacement": func() { Displacement(x, NewPoints(2, 2)) },
		"covariance":   func() { Covariance(NewPoints(1, 2)) },
		"mean":         func() { Mean(Points{D: 1}) },
		"coverage":     func() { Modes{[]float64{1}, [][]float64{{0}}, []float64{1}}.Coverage(x, 1) },
	} {
		func() {
			defer func() {
				if got := recover(); got != badShape {
					t.Errorf("%s: panic %v, want %q", name, got, badShape)
				}
			}()
			f()
		}()
	}
}

func TestMoments(t *testing.T) {
	x := Points{N: 2, D: 2, Data: []float64{3, 4, -1, 0}}
	if got := Mean(x); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("mean %v", got)
	}
	cov := Covariance(x)
	for c, want := range []float64{8, 8, 8, 8} {
		near(t, "covariance", cov.At(c/2, c%2), want, 1e-14)
	}
	if got := AbsMoments(x, 3); got[0] != 14 || got[1] != 32 {
		t.Errorf("third absolute moments %v, want 14 and 32", got)
	}
	near(t, "M_3", NormMoment(x, 3), 63, 1e-14)
}

func TestDisplacement(t *testing.T) {
	a := NewPoints(4, 2)
	b := Points{N: 4, D: 2, Data: []float64{3, 4, 0, 1, 0, 0, -2, 0}}
	mean, median := Displacement(a, b)
	if mean != 2 || median != 1.5 {
		t.Errorf("got %g, %g, want 2, 1.5", mean, median)
	}
}

// By hand: 2·(1+5+1+3)/4 − 2 − 4.
func TestEnergyDistanceByHand(t *testing.T) {
	near(t, "energy distance", NewEnergy(line(1, 5)).Distance(line(0, 2)), -1, 1e-14)
}

// By hand for the score −x at 0 and 1: the pair has k_π = (0 + ½(−1 + 1 − 3/2))/√2, the diagonal 1 and 1 + 1.
func TestKSDByHand(t *testing.T) {
	v, u := KSD(line(0, 1), line(0, -1))
	pair := -0.75 / math.Sqrt2
	near(t, "u", u, pair, 1e-14)
	near(t, "v", v, math.Sqrt((3+2*pair)/4), 1e-14)
}

// The Stein kernel is what its definition says, with the kernel's derivatives by central differences: at h = 1e-3 they
// err by about h² = 1e-6, the mixed one by rounding 2⁻⁵²/4h² ≈ 1e-10 besides.
func TestSteinKernel(t *testing.T) {
	const d, h = 3, 1e-3
	r := rng.New(32, "kernel")
	k := func(x, y []float64) float64 { return 1 / math.Sqrt(1+sqDist(x, y)) }
	for range 20 {
		x, s := NewPoints(2, d), NewPoints(2, d)
		for i := range x.Data {
			x.Data[i], s.Data[i] = r.NormFloat64(), r.NormFloat64()
		}
		a, b, sa, sb := x.Row(0), x.Row(1), s.Row(0), s.Row(1)
		at := func(c int, da, db float64) float64 {
			p, q := slices.Clone(a), slices.Clone(b)
			p[c] += da
			q[c] += db
			return k(p, q)
		}
		var want float64
		for c := range d {
			want += (at(c, h, h) - at(c, h, -h) - at(c, -h, h) + at(c, -h, -h)) / (4 * h * h)
			want += sa[c]*(at(c, 0, h)-at(c, 0, -h))/(2*h) + sb[c]*(at(c, h, 0)-at(c, -h, 0))/(2*h)
			want += sa[c] * sb[c] * k(a, b)
		}
		_, u := KSD(x, s)
		near(t, "k_π", u, want, 3e-5)
	}
}

// Half a unit from the first of two unit modes at 0 and 2 the responsibilities are as ¼ to ¾e^{−1}; a particle so far
// from both of two modes that every weight underflows belongs to the wide one.
func TestCoverageByHand(t *testing.T) {
	m := Modes{Weights: []float64{0.25, 0.75}, Means: [][]float64{{0}, {2}}, SDs: []float64{1, 1}}
	within, occupancy := m.Coverage(line(0.5, 0.5, 0.5), 1)
	if !slices.Equal(within, []float64{1, 0}) {
		t.Errorf("within %v, want 1, 0", within)
	}
	near(t, "occupancy", occupancy[0], 0.25/(0.25+0.75/math.E), 1e-14)
	near(t, "occupancy", occupancy[1], 1-0.25/(0.25+0.75/math.E), 1e-14)

	// the border is at 1 − ln(3)/2
	if got := m.Offsets(line(-0.5, 0.5, 4)).Data; !slices.Equal(got, []float64{-0.5, -1.5, 2}) {
		t.Errorf("offsets %v", got)
	}

	m.SDs[1] = 2
	if _, occupancy = m.Coverage(line(-1e6), 1); occupancy[0] != 0 || occupancy[1] != 1 {
		t.Errorf("occupancy far away %v, want 0, 1", occupancy)
	}
}
