package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
)

// goldenPrediction evaluates the particles of a golden case, two-layer ReLU networks of 50 units.
func goldenPrediction(t *testing.T, name, particles string) (p Prediction, y []float64) {
	t.Helper()
	theta, shape := golden.Read(t, name, particles)
	x, xShape := golden.Read(t, name, "X")
	n, dim, m, d := shape[0], shape[1], xShape[0], xShape[1]
	standardised, logPrec := NewPoints(n, m), make([]float64, n)
	for i := range n {
		v := theta[i*dim : (i+1)*dim]
		in, bias, out := v[:50*d], v[50*d:50*d+50], v[50*d+50:50*d+100]
		for k := range m {
			yHat := v[dim-3]
			for j, w := range out {
				a := bias[j]
				for c := range d {
					a += x[k*d+c] * in[c*50+j]
				}
				yHat += w * max(a, 0)
			}
			standardised.Row(i)[k] = yHat
		}
		logPrec[i] = v[dim-2]
	}
	mean, sd := golden.Scalar(t, name, "y_mean"), golden.Scalar(t, name, "y_std")
	return NewPrediction(standardised, logPrec, mean, sd, 50), vector(t, name, "y_original")
}

func within(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(1, math.Abs(b)) }

func TestPredictionGolden(t *testing.T) {
	for _, name := range []string{"bnn_13in", "bnn_4in"} {
		p, y := goldenPrediction(t, name, "particles")
		if got, want := p.RMSE(y), golden.Scalar(t, name, "rmse"); !within(got, want, 1e-9) {
			t.Errorf("%s: RMSE %.12g, want %.12g", name, got, want)
		}
		if got, want := p.LogLikelihood(y), golden.Scalar(t, name, "log_likelihood"); !within(got, want, 1e-9) {
			t.Errorf("%s: log likelihood %.12g, want %.12g", name, got, want)
		}
		selected, _ := goldenPrediction(t, name, "particles_selected")
		for rule, chosen := range map[string][]float64{"released": p.ReleasedPrecisions(y),
			"fitted": p.FitPrecisions(y)} {
			for i, want := range selected.LogPrec {
				if !within(chosen[i], want, 1e-9) {
					t.Errorf("%s, %s: log γ of particle %d is %.12g, want %.12g", name, rule, i, chosen[i], want)
				}
			}
			q := p
			q.LogPrec = chosen
			if got, want := q.LogLikelihood(y), golden.Scalar(t, name, "log_likelihood_selected"); !within(got, want,
				1e-9) {
				t.Errorf("%s, %s: log likelihood %.12g, want %.12g", name, rule, got, want)
			}
			if got, want := q.RMSE(y), golden.Scalar(t, name, "rmse_selected"); !within(got, want, 1e-9) {
				t.Errorf("%s, %s: RMSE %.12g, want %.12g", name, rule, got, want)
			}
		}
	}
}

// Where the likelihood of particle 1's own candidate underflows in float32, the released rule leaves it particle 0's
// value: one residual of 250 among 400 of which the others are about 1 makes 16 standard deviations of all.
func TestReleasedPrecisionsUnderflow(t *testing.T) {
	const m = 400
	y := make([]float64, m)
	p := Prediction{NewPoints(3, m), []float64{-20, -20, -20}, math.Inf(1)}
	for k := range m {
		p.Mean.Row(0)[k] = 2
		p.Mean.Row(1)[k] = 1
		p.Mean.Row(2)[k] = 3
	}
	p.Mean.Row(1)[7] = 250
	fitted, released := p.FitPrecisions(y), p.ReleasedPrecisions(y)
	want := []float64{-math.Log(4), -math.Log((m - 1 + 250*250) / float64(m)), -math.Log(9)}
	for i := range want {
		if !within(fitted[i], want[i], 1e-12) {
			t.Errorf("fitted: log γ of particle %d is %g, want %g", i, fitted[i], want[i])
		}
	}
	if !slices.Equal(released, []float64{fitted[0], fitted[0], fitted[2]}) {
		t.Errorf("released: %v, fitted: %v", released, fitted)
	}
	exact := Prediction{Points{1, 2, []float64{1, 2}}, []float64{0.5}, 50}
	if got := exact.FitPrecisions([]float64{1, 2}); got[0] != 0.5 {
		t.Errorf("a particle without residuals gets log γ = %g", got[0])
	}
}

// One particle is a normal law; two with equal precision are its equal mixture; the clamp acts on the square only.
func TestLogLikelihoodByHand(t *testing.T) {
	normal := func(u, prec float64) float64 { return math.Sqrt(prec/(2*math.Pi)) * math.Exp(-prec*u*u/2) }
	p := Prediction{Points{2, 1, []float64{1, 3}}, []float64{math.Log(4), math.Log(9)}, math.Inf(1)}
	if got, want := p.LogLikelihood([]float64{2}), math.Log((normal(1, 4)+normal(1, 9))/2); !within(got, want, 1e-14) {
		t.Errorf("got %g, want %g", got, want)
	}
	p.Clamp = 5
	want := math.Log((normal(1, 4) + 3/math.Sqrt(2*math.Pi)*math.Exp(-2.5)) / 2)
	if got := p.LogLikelihood([]float64{2}); !within(got, want, 1e-14) {
		t.Errorf("clamped: got %g, want %g", got, want)
	}
	if got := (Prediction{Points{1, 1, []float64{1e200}}, []float64{0},
		50}).LogLikelihood([]float64{0}); !math.IsInf(got, -1) {
		t.Errorf("hopeless prediction: %g", got)
	}
}

func TestAmariGolden(t *testing.T) {
	w, ref := vector(t, "ica", "W"), vector(t, "ica", "W_reference")
	for i, want := range vector(t, "ica", "amari") {
		if got := Amari(w[i*25:(i+1)*25], ref, 5); !within(got, want, 1e-9) {
			t.Errorf("W[%d]: %.12g, want %.12g", i, got, want)
		}
	}
}

func TestAmariInvariants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []int{1, 2, 5} {
		ref, w := make([]float64, p*p), make([]float64, p*p)
		for k := range ref {
			ref[k] = r.NormFloat64()
		}
		for a, b := range r.Perm(p) {
			scale := r.NormFloat64()
			for c := range p {
				w[a*p+c] = scale * ref[b*p+c]
			}
		}
		if got := Amari(w, ref, p); math.Abs(got) > 1e-10 {
			t.Errorf("p = %d: scaled permutation has distance %g", p, got)
		}
	}
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}
	identity := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	if got := Amari(ones, identity, 3); !within(got, 2, 1e-12) {
		t.Errorf("the largest distance is %g, want p − 1", got)
	}
	if got := Amari(make([]float64, 9), identity, 3); !math.IsNaN(got) {
		t.Errorf("W = 0 has distance %g", got)
	}
	if got := Amari(identity, ones, 3); got < 0 || math.IsNaN(got) {
		t.Errorf("a singular reference gives %g", got)
	}
}

// The aligned rows are a signed permutation of w's, and none of all 2^p·p! of them is nearer to ref.
func TestAlignRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for p := 1; p <= 5; p++ {
		for range 20 {
			ref, w, got := make([]float64, p*p), make([]float64, p*p), make([]float64, p*p)
			for k := range ref {
				ref[k], w[k] = r.NormFloat64(), math.Round(2*r.NormFloat64())
			}
			AlignRows(got, w, ref, p)
			best := math.Inf(1)
			var try func(order []int, rest []int)
			try = func(order, rest []int) {
				if len(rest) == 0 {
					var d float64
					for a, b := range order { // the better sign of each row
						d += math.Min(sqDist(ref[a*p:(a+1)*p], w[b*p:(b+1)*p]), sqSum(ref[a*p:(a+1)*p], w[b*p:(b+1)*p]))
					}
					best = math.Min(best, d)
				}
				for k, b := range rest {
					try(append(slices.Clone(order), b), slices.Delete(slices.Clone(rest), k, k+1))
				}
			}
			all := make([]int, p)
			for b := range all {
				all[b] = b
			}
			try(nil, all)
			if d := sqDist(got, ref); !within(d, best, 1e-12) {
				t.Fatalf("p = %d: distance² %g, the least is %g", p, d, best)
			}
			used := make([]bool, p)
			for a := range p {
				found := false
				for b := range p {
					u, v := got[a*p:(a+1)*p], w[b*p:(b+1)*p]
					if !used[b] && (sqDist(u, v) == 0 || sqSum(u, v) == 0) {
						used[b], found = true, true
						break
					}
				}
				if !found {
					t.Fatalf("p = %d: row %d is none of w's", p, a)
				}
			}
			AlignRows(w, w, ref, p)
			if !slices.Equal(w, got) {
				t.Fatal("another result in place")
			}
		}
	}
	bad := []float64{1, math.NaN(), 2, 3}
	AlignRows(bad, bad, []float64{0, 1, 1, 0}, 2)
	if bad[0] != 1 || bad[3] != 3 {
		t.Errorf("not finite: %v", bad)
	}
}

// sqSum returns ‖x + y‖².
func sqSum(x, y []float64) (s float64) {
	for c, v := range x {
		s += (v + y[c]) * (v + y[c])
	}
	return s
}

// One particle whose residuals are 1 for even outcomes and 2 for odd ones: the precision fitted on one half is 1 over
// the squared residual there.
func TestCrossFitted(t *testing.T) {
	p := NewPrediction(NewPoints(1, 3), []float64{5}, 0, 1, math.Inf(1))
	law := func(residual, sd float64) float64 {
		return -0.5*math.Log(2*math.Pi*sd*sd) - 0.5*residual*residual/(sd*sd)
	}
	got, want := p.CrossFitted([]float64{1, -2, 1}, Prediction.FitPrecisions), (2*law(1, 2)+law(2, 1))/3
	if math.Abs(got-want) > 1e-14 {
		t.Errorf("got %g, want %g", got, want)
	}
}
