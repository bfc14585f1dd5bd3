package theory

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

const smoothing = 0.5 // σ of the scores that networks are fitted to

// fitted is a law that networks are fitted to: draws, and its smoothed score.
type fitted struct {
	d     int
	rows  func(dst sifg.Batch, r *rng.Stream)
	score func(x []float64) []float64
}

func mixture(m *target.Mixture) fitted {
	return fitted{m.Dim(), m.Sample, lawOf(m).smooth(smoothing).score}
}

// student is Student's t of 5.5 degrees of freedom in 2-D, nearly: 400 normal laws whose widths are at even quantiles.
// It has moments up to the fifth, and no more than the theorem for heavy tails needs.
func student() fitted {
	const freedom, count = 5.5, 400
	t := &law{}
	for k := range count {
		g := 2 * mathext.GammaIncRegInv(freedom/2, (float64(k)+0.5)/count)
		t.weights, t.means = append(t.weights, 1.0/count), append(t.means, []float64{0, 0})
		t.sds = append(t.sds, math.Sqrt(freedom/g))
	}
	return fitted{2, func(dst sifg.Batch, r *rng.Stream) {
		copy(dst.Data, batch(t.draws(dst.Rows, r)).Data)
	}, t.smooth(smoothing).score}
}

// perturbed sets x to draws and noise of a law, and returns the noise.
func (l fitted) perturbed(x sifg.Batch, draws, noise *rng.Stream) []float32 {
	l.rows(x, draws)
	w := make([]float32, len(x.Data))
	noise.Normal(w)
	for i, v := range w {
		x.Data[i] += smoothing * v
	}
	return w
}

// fit trains a network by 500 denoising steps, each on fresh noise about a batch of draws, and returns its squared
// error mean‖f − ∇log μ̂‖² over 1024 others. With n > 0 batches are taken from n draws, with 0 no draw comes twice.
func (l fitted) fit(hidden, n int, seed uint64) float64 {
	const steps, rows, judged = 500, 256, 1024
	net := nn.New(l.d, hidden, nn.Tanh)
	net.Init(rng.New(seed, "network"))
	adam := &nn.Adam{Rate: nn.Rate{LR: 1e-2, Every: steps / 5, Decay: 0.3}}
	of := l
	if n > 0 {
		of.rows = among(l, n, seed)
	}
	draws, noise := rng.New(seed, "rows"), rng.New(seed, "noise")
	x, f, g := sifg.NewBatch(rows, l.d), sifg.NewBatch(rows, l.d), sifg.NewBatch(rows, l.d)
	for range steps {
		w := of.perturbed(x, draws, noise)
		net.Forward(f, x)
		for i, v := range w {
			g.Data[i] = 2 * (f.Data[i] + v/smoothing) / rows
		}
		net.Descend(g, adam)
	}
	x, f = sifg.NewBatch(judged, l.d), sifg.NewBatch(judged, l.d)
	l.perturbed(x, rng.New(seed, "test"), rng.New(seed, "test noise"))
	net.Forward(f, x)
	sum, out := 0.0, points(f)
	for i, row := range points(x) {
		for c, want := range l.score(row) {
			sum += sq(out[i][c]-want) / judged
		}
	}
	return sum
}

// among takes rows of n draws at random.
func among(l fitted, n int, seed uint64) func(dst sifg.Batch, r *rng.Stream) {
	sample := sifg.NewBatch(n, l.d)
	l.rows(sample, rng.New(seed, "sample"))
	return func(dst sifg.Batch, r *rng.Stream) {
		pick := r.Rand()
		for i := range dst.Rows {
			k := pick.IntN(n)
			copy(dst.Data[i*l.d:(i+1)*l.d], sample.Data[k*l.d:(k+1)*l.d])
		}
	}
}

// TestLearning is T22, Theorem 4.12, and T19, Theorem 4.8: the excess error of a score that is fitted to n draws falls
// like 1/n for a sub-Gaussian law and at least like n^(−1/2) for a heavy-tailed one. T20, Theorem 4.9: the error of a
// network that never sees a draw twice falls with its width.
func TestLearning(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	// slopeOver is that of the errors that five seeds have, by x.
	slopeOver := func(xs []int, ofSeed func(seed uint64) func(x int) float64) slope {
		var curves []record.Curve
		for seed := range uint64(5) {
			c, err := record.Curve{Iteration: xs}, ofSeed(seed+1)
			for _, x := range xs {
				c.Value = append(c.Value, err(x))
			}
			curves = append(curves, c)
		}
		return slopeOf(curves)
	}
	for _, x := range []struct {
		law   fitted
		limit float64
	}{{mixture(target.GMM2D()), -0.8}, {student(), -0.4}} {
		s := slopeOver([]int{32, 64, 128, 256}, func(seed uint64) func(n int) float64 {
			least := x.law.fit(32, 0, seed)
			return func(n int) float64 { return x.law.fit(32, n, seed) - least }
		})
		if s.high > x.limit {
			t.Errorf("the slope of the excess error is %v, above %g", s, x.limit)
		}
	}
	for _, law := range []fitted{mixture(bimodal().target()), mixture(target.GMM2D())} {
		s := slopeOver([]int{2, 8, 32}, func(seed uint64) func(hidden int) float64 {
			return func(hidden int) float64 { return law.fit(hidden, 0, seed) }
		})
		if s.high > 0 {
			t.Errorf("%d-D: the slope of the error against the width is %v, above 0", law.d, s)
		}
	}
}
