package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Funnel is Neal's funnel on R^d (Neal, 2003, "Slice sampling"): x_1 ~ N(0, s²) and x_c | x_1 ~ N(0, e^{x_1}) for the
// other coordinates. Its log density is normalised.
type Funnel struct {
	d  int
	sd float64
}

// NewFunnel returns the funnel in d ≥ 2 dimensions whose first coordinate has standard deviation sd > 0 (usually 3).
func NewFunnel(d int, sd float64) (*Funnel, error) {
	if d < 2 {
		return nil, fmt.Errorf("target: funnel: d is %d; it must be ≥ 2", d)
	}
	if !(sd > 0) || math.IsInf(sd, 0) {
		return nil, fmt.Errorf("target: funnel: sd is %g; it must be positive and finite", sd)
	}
	return &Funnel{d: d, sd: sd}, nil
}

// Dim returns d.
func (t *Funnel) Dim() int { return t.d }

// Score sets dst[i] to (−(d−1)/2 − x_1/s² + e^{−x_1}‖x_{2:d}‖²/2, −e^{−x_1} x_2, …, −e^{−x_1} x_d). It leaves the range
// of float32 deep in the neck (x_1 below about −88), where it is not finite.
func (t *Funnel) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	for i := range x.Rows {
		g, v := row(dst, i), row(x, i)
		first := float64(v[0])
		prec := math.Exp(-first)
		var q float64
		for c, u := range v[1:] {
			q += float64(float64(u) * float64(u))
			g[1+c] = float32(-prec * float64(u))
		}
		g[0] = float32(float64(-0.5*float64(t.d-1)) - first/(t.sd*t.sd) + float64(0.5*prec*q))
	}
}

// LogDensity returns log π(x), normalised.
func (t *Funnel) LogDensity(x []float64) float64 {
	checkPoint(t.d, x)
	var q float64
	for _, u := range x[1:] {
		q += float64(u * u)
	}
	l := float64(-0.5*float64(t.d)*math.Log(2*math.Pi)) - math.Log(t.sd) - float64(0.5*float64(t.d-1)*x[0]) -
		0.5*x[0]*x[0]/(t.sd*t.sd)
	if q > 0 { // at q = 0 an overflow of e^{−x_1} must not turn into 0·∞
		l -= float64(0.5 * math.Exp(-x[0]) * q)
	}
	return l
}

// Sample fills dst with exact draws.
func (t *Funnel) Sample(dst blas32.General, r *rng.Stream) {
	checkSample(dst, t.d)
	for i := range dst.Rows {
		x := row(dst, i)
		first := t.sd * r.NormFloat64()
		x[0] = float32(first)
		sd := math.Exp(0.5 * first)
		for c := 1; c < t.d; c++ {
			x[c] = float32(sd * r.NormFloat64())
		}
	}
}
