package target

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// regression returns n rows of d standard normal features and a noisy target.
func regression(n, d int) (blas32.General, []float32) {
	r := rng.New(12, "bnn", uint64(n), uint64(d))
	x, y := newBatch(n, d), make([]float32, n)
	for i := range n {
		for c := range d {
			x.Data[i*d+c] = float32(r.NormFloat64())
		}
		y[i] = float32(math.Abs(float64(x.Data[i*d])) - 0.8 + 0.3*r.NormFloat64())
	}
	return x, y
}

func TestBNNGolden(t *testing.T) {
	for _, name := range []string{"bnn_13in", "bnn_4in"} {
		t.Run(name, func(t *testing.T) {
			x, y := golden.Batch(t, name, "X"), golden.Batch(t, name, "y")
			o := DefaultBNN()
			o.Batch, o.Scale = x.Rows, golden.Scalar(t, name, "scale")
			p := must(NewBNN(x, y.Data, o))
			particles, shape := golden.Read(t, name, "particles")
			logs, _ := golden.Read(t, name, "log_density")
			scores, _ := golden.Read(t, name, "score")
			d := p.Dim()
			if d != shape[1] {
				t.Fatalf("dimension %d, want %d", d, shape[1])
			}
			b := toBatch(particles, d)
			got := newBatch(b.Rows, d)
			p.Score(got, b, 0)
			in, out := d-2-1-50, d-2-1
			for i, want := range logs {
				// The data are rounded to float32: 2⁻²⁴ each, and the residuals are sums of some hundred products of
				// them.
				v := p.LogDensity(particles[i*d : (i+1)*d])
				if math.Abs(v-want) > 1e-5*math.Abs(want) {
					t.Errorf("log density of particle %d: got %.12g, want %.12g", i, v, want)
				}
				if batch := p.batchLogDensity(particles[i*d:(i+1)*d], 7); math.Abs(batch-v) > -1e-12*v {
					t.Errorf("log density of the only mini-batch: %.12g, of all rows %.12g", batch, v)
				}
				blocks := []int{0, in - 50, in, out, d - 2, d - 1, d} // W1, b1, W2, b2, log γ, log λ
				for k := range len(blocks) - 1 {
					from, to := i*d+blocks[k], i*d+blocks[k+1]
					golden.Compare(t, []string{"W1", "b1", "W2", "b2", "log γ", "log λ"}[k], got.Data[from:to],
						scores[from:to], 2e-4)
				}
			}
		})
	}
}

// Predictions of the golden case reproduce its RMSE, which tests the sign and the scale of Predict.
func TestBNNPredict(t *testing.T) {
	for _, name := range []string{"bnn_13in", "bnn_4in"} {
		x, y := golden.Batch(t, name, "X"), golden.Batch(t, name, "y")
		p := must(NewBNN(x, y.Data, DefaultBNN()))
		particles := golden.Batch(t, name, "particles")
		const times = 7 // more rows than Predict takes at once
		many := newBatch(times*x.Rows, x.Cols)
		for k := range times {
			copy(many.Data[k*len(x.Data):], x.Data)
		}
		dst := newBatch(particles.Rows, many.Rows)
		p.Predict(dst, particles, many)
		mean, sd := golden.Scalar(t, name, "y_mean"), golden.Scalar(t, name, "y_std")
		original, _ := golden.Read(t, name, "y_original")
		var sum float64
		for k := range many.Rows {
			var yHat float64
			for i := range particles.Rows {
				yHat += float64(dst.Data[i*many.Rows+k]) / float64(particles.Rows)
			}
			u := yHat*sd + mean - original[k%x.Rows]
			sum += u * u
		}
		got, want := math.Sqrt(sum/float64(many.Rows)), golden.Scalar(t, name, "rmse")
		if math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: RMSE %g, want %g", name, got, want)
		}
		for i := range particles.Rows { // the same row gives the same bits wherever it stands
			r := row(dst, i)
			if !slices.Equal(r[:x.Rows], r[(times-1)*x.Rows:]) {
				t.Errorf("%s: predictions depend on the row's place", name)
			}
		}
	}
}

// Every coordinate of θ: central differences with h = 1e-5 err by rounding, 2⁻⁵²·|log π|/h ≈ 1e-8, and by h²/6 times a
// third derivative (of exp(log γ)·squares: about h² of its score). A unit whose input changes sign within h of a row
// would err by h itself; the fixed seed has none. The score is float32: 1e-4 of a block's largest entry.
func TestBNNGradient(t *testing.T) {
	const h = 1e-5
	for _, c := range []struct{ n, d, hidden, batch int }{
		{23, 3, 7, 10}, {40, 1, 50, 40}, {9, 2, 16, 20}, {30, 20, 33, 0}, {5, 1, 1, 1},
	} {
		x, y := regression(c.n, c.d)
		o := DefaultBNN()
		o.Hidden, o.Batch = c.hidden, c.batch
		p := must(NewBNN(x, y, o))
		d := p.Dim()
		theta := newBatch(1, d)
		rng.New(5, "theta").Normal(theta.Data)
		for _, iter := range []int{0, 1, 2, 1000} {
			s := newBatch(1, d)
			p.Score(s, theta, iter)
			v := widen(theta.Data)
			want := make([]float64, d)
			for k, u := range v {
				v[k] = u + h
				up := p.batchLogDensity(v, iter)
				v[k] = u - h
				want[k] = (up - p.batchLogDensity(v, iter)) / (2 * h)
				v[k] = u
			}
			H := c.hidden
			blocks := []int{0, c.d * H, (c.d + 1) * H, (c.d + 2) * H, d - 2, d - 1, d}
			for k := range len(blocks) - 1 {
				scale := 0.1
				for _, u := range want[blocks[k]:blocks[k+1]] {
					scale = max(scale, math.Abs(u))
				}
				for j := blocks[k]; j < blocks[k+1]; j++ {
					if math.Abs(float64(s.Data[j])-want[j]) > 1e-4*scale {
						t.Fatalf("%+v, batch %d: score %d is %g, difference quotient %g", c, iter, j, s.Data[j],
							want[j])
					}
				}
			}
		}
	}
}

// The mini-batches of one pass cover every row once: their mean is the log density of all rows.
func TestBNNBatches(t *testing.T) {
	const n = 24
	x, y := regression(n, 2)
	o := DefaultBNN()
	o.Batch = 6
	p := must(NewBNN(x, y, o))
	theta := make([]float64, p.Dim())
	r := rng.New(6, "theta")
	for k := range theta {
		theta[k] = r.NormFloat64()
	}
	var mean float64
	for k := range 4 {
		mean += p.batchLogDensity(theta, k) / 4
	}
	if want := p.LogDensity(theta); math.Abs(mean-want) > 1e-12*math.Abs(want) {
		t.Errorf("mean of mini-batches %g, of all rows %g", mean, want)
	}
	// 10 rows a batch do not divide 24: batch 2 is rows 20 … 23, 0 … 5.
	o.Batch, o.Scale = 10, 1
	wrapped := must(NewBNN(x, y, o))
	picked, py := newBatch(10, 2), make([]float32, 10)
	for k := range 10 {
		copy(row(picked, k), row(x, (20+k)%n))
		py[k] = y[(20+k)%n]
	}
	a, b := wrapped.batchLogDensity(theta, 2), must(NewBNN(picked, py, o)).LogDensity(theta)
	if math.Abs(a-b) > 1e-12*math.Abs(b) {
		t.Errorf("the batch across the end: %g, its rows: %g", a, b)
	}
}

// At an input of exactly 0 the derivative of ReLU is ½: with W1 = b1 = 0 every unit is there, and the score of b1 is
// half of κγ·W2·Σ(y − b2).
func TestBNNKink(t *testing.T) {
	x, y := regression(8, 2)
	o := DefaultBNN()
	o.Hidden, o.Batch = 3, 0
	p := must(NewBNN(x, y, o))
	theta, s := newBatch(1, p.Dim()), newBatch(1, p.Dim())
	net := p.network(theta.Data)
	copy(net.out, []float32{1, -2, 3})
	p.Score(s, theta, 0)
	var sum float64
	for _, v := range y {
		sum += float64(v)
	}
	for j, w := range net.out {
		got, want := float64(p.network(s.Data).in[6+j]), sum*float64(w)/2
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("unit %d: %g, want %g", j, got, want)
		}
	}
}

func TestBNNInitParticles(t *testing.T) {
	const n, d = 1500, 13
	x, y := regression(n, d)
	for k := 1000; k < n; k++ { // so that the first 1000 rows are not like all
		y[k] += 3
	}
	p := must(NewBNN(x, y, DefaultBNN()))
	b := newBatch(200, p.Dim())
	p.InitParticles(b, rng.New(1, "init"))
	var w1, w2 []float64
	yHat := newBatch(b.Rows, n)
	p.Predict(yHat, b, x)
	for i := range b.Rows {
		net := p.network(row(b, i))
		for k, v := range net.in {
			if k < d*50 {
				w1 = append(w1, float64(v)*float64(v))
			} else if v != 0 {
				t.Fatalf("bias %g", v)
			}
		}
		for _, v := range net.out {
			w2 = append(w2, float64(v)*float64(v))
		}
		if net.rest[0] != 0 || net.rest[2] != p.network(row(b, 0)).rest[2] {
			t.Fatalf("b2 = %g, log λ = %g", net.rest[0], net.rest[2])
		}
		// 1000 of 1500 residuals without replacement: the mean of their squares, whose standard deviation is at most
		// 1.7 of it, has a standard error of 1.7·√(1/3/1000) = 0.031 of it; five.
		var squares float64
		for k, v := range row(yHat, i) {
			squares += float64(v-y[k]) * float64(v-y[k]) / n
		}
		if u := float64(net.rest[1]) + math.Log(squares); math.Abs(u) > 5*0.031 {
			t.Errorf("particle %d: log γ = %g, that of all rows %g", i, net.rest[1], -math.Log(squares))
		}
	}
	mean5(t, "variance of W1", w1, 1.0/14)
	mean5(t, "variance of W2", w2, 1.0/51)
	// λ is exponential with mean 0.1
	var lambdas []float64
	one := newBatch(1, p.Dim())
	small := must(NewBNN(blas32.General{Rows: 2, Cols: d, Stride: d, Data: x.Data}, y[:2], DefaultBNN()))
	for k := range 2000 {
		small.InitParticles(one, rng.New(uint64(k), "init"))
		lambdas = append(lambdas, math.Exp(float64(one.Data[p.Dim()-1])))
	}
	mean5(t, "λ", lambdas, 0.1)
}

func TestNewBNNRefuses(t *testing.T) {
	x, y := regression(10, 2)
	bad, _ := regression(10, 2)
	bad.Data[5] = float32(math.NaN())
	infinite := slices.Clone(y)
	infinite[3] = float32(math.Inf(1))
	with := func(f func(o *BNNOptions)) BNNOptions {
		o := DefaultBNN()
		f(&o)
		return o
	}
	for name, c := range map[string]struct {
		x blas32.General
		y []float32
		o BNNOptions
	}{
		"no rows":   {blas32.General{Cols: 2, Stride: 2}, nil, DefaultBNN()},
		"short x":   {blas32.General{Rows: 10, Cols: 2, Stride: 2, Data: x.Data[:19]}, y, DefaultBNN()},
		"short y":   {x, y[:9], DefaultBNN()},
		"NaN in x":  {bad, y, DefaultBNN()},
		"Inf in y":  {x, infinite, DefaultBNN()},
		"hidden 0":  {x, y, with(func(o *BNNOptions) { o.Hidden = 0 })},
		"batch -1":  {x, y, with(func(o *BNNOptions) { o.Batch = -1 })},
		"scale NaN": {x, y, with(func(o *BNNOptions) { o.Scale = math.NaN() })},
		"rate 0":    {x, y, with(func(o *BNNOptions) { o.Rate = 0 })},
		"shape Inf": {x, y, with(func(o *BNNOptions) { o.Shape = math.Inf(1) })},
		"clamp 0":   {x, y, with(func(o *BNNOptions) { o.Clamp = 0 })},
	} {
		if _, err := NewBNN(c.x, c.y, c.o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestBNNWrongShapesPanic(t *testing.T) {
	x, y := regression(10, 2)
	p := must(NewBNN(x, y, DefaultBNN()))
	d := p.Dim()
	expectPanic(t, badPredict, func() { p.Predict(newBatch(3, 9), newBatch(3, d), x) })
	expectPanic(t, badPredict, func() { p.Predict(newBatch(3, 10), newBatch(3, d-1), x) })
	expectPanic(t, badPredict, func() { p.Predict(newBatch(3, 10), newBatch(3, d), newBatch(10, 3)) })
	expectPanic(t, badInit, func() { p.InitParticles(newBatch(3, d+1), rng.New(1, "x")) })
}

// batchLogDensity is LogDensity of mini-batch iter ≥ 0, whose gradient Score is but for the clamp.
func (t *BNN) batchLogDensity(theta []float64, iter int) float64 {
	return t.logDensity(theta, t.first(iter), t.o.Batch, t.o.Scale)
}

// logDensity is LogDensity as it is written down, of some rows.
func (t *BNN) logDensity(theta []float64, first, rows int, scale float64) float64 {
	checkPoint(t.Dim(), theta)
	H, c := t.o.Hidden, t.d+1
	in, out, b2 := theta[:c*H], theta[c*H:(c+1)*H], theta[(c+1)*H]
	var squares, norm float64
	for i := first; i < first+rows; i++ {
		x := t.x[i*c:][:c]
		r := float64(t.y[i]) - b2
		for j, w := range out {
			var a float64
			for k, v := range x {
				a += float64(float64(v) * in[k*H+j])
			}
			r -= float64(w * max(a, 0))
		}
		squares += float64(r * r)
	}
	weights := theta[:len(theta)-2]
	for _, w := range weights {
		norm += float64(w * w)
	}
	logGamma, logLambda := theta[len(theta)-2], theta[len(theta)-1]
	gamma, lambda := min(math.Exp(logGamma), t.o.Clamp), min(math.Exp(logLambda), t.o.Clamp)
	normal := func(n, logPrecision, precision, squares float64) float64 {
		return float64(0.5 * (float64(n*(logPrecision-math.Log(2*math.Pi))) - float64(precision*squares)))
	}
	return float64(scale*normal(float64(rows), logGamma, gamma,
		squares)) + float64(t.o.Shape*logGamma) - float64(t.o.Rate*gamma) +
		normal(float64(len(weights)), logLambda, lambda, norm) + float64(t.o.Shape*logLambda) - float64(t.o.Rate*lambda)
}
