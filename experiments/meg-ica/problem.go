package megica

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// posterior is the density of a problem and its data.
type posterior struct {
	*target.ICA
	o        Options
	digest   string    // of the unscaled channels
	unmixing []float64 // p×p, of the scaled channels; nil: not known
}

// posteriorOf reads a trial's options and data.
func posteriorOf(t *harness.Trial) (*posterior, error) {
	o, err := options(t)
	if err != nil {
		return nil, err
	}
	w, mixing, err := recordings(t, o)
	if err != nil {
		return nil, err
	}
	d := &posterior{o: o, digest: digestOf(w.RawMatrix().Data)}
	x, whitening, err := scale(w, o.Scaling)
	if err != nil {
		return nil, usage.Errorf("data set %s: %v", t.Config.Data, err)
	}
	exponent := 1.0
	if o.Average {
		exponent /= float64(x.Cols)
	}
	if mixing != nil {
		if d.unmixing, err = unmixing(mixing, whitening); err != nil {
			return nil, err
		}
	}
	d.ICA, err = target.NewICA(x, target.ICAOptions{PriorSD: o.PriorSD, Exponent: exponent})
	return d, err
}

// recordings returns a trial's channels, a row a channel, and the matrix that mixed them, nil where it is not known.
func recordings(t *harness.Trial, o Options) (channel, mixing *mat.Dense, err error) {
	if o.Simulated > 0 {
		channel, mixing = simulate(o.Simulated)
		return channel, mixing, nil
	}
	data, err := t.Data()
	if err != nil {
		return nil, nil, err
	}
	channel, err = channels(data, o.Channels)
	return channel, nil, err
}

// channels returns a copy of the first p channels of the data, a row a channel.
func channels(d *dataset.Data, p int) (*mat.Dense, error) {
	switch {
	case p > d.Rows:
		return nil, usage.Errorf("options.channels: %d are asked for, data set %s has %d", p, d.Name, d.Rows)
	case d.Cols < d.Rows:
		return nil, usage.Errorf("data set %s has %d channels of %d samples, fewer than channels: a row must be a "+
			"channel, a column a sample", d.Name, d.Rows, d.Cols)
	}
	return mat.NewDense(p, d.Cols, slices.Clone(d.X[:p*d.Cols])), nil
}

// scale returns the channels (p×n), scaled, and the matrix that whitens them, nil of raw ones. It changes w.
func scale(w *mat.Dense, scaling string) (x blas32.General, whitening *mat.Dense, err error) {
	p, n := w.Dims()
	if scaling == "whitened" {
		for a := range p {
			floats.AddConst(-stats.Mean(w.RawRowView(a)), w.RawRowView(a))
		}
		if whitening, err = target.Whitening(w); err != nil {
			return x, nil, err
		}
		var white mat.Dense
		white.Mul(whitening, w)
		w = &white
	}
	return metric.Points{N: p, D: n, Data: w.RawMatrix().Data}.Batch(), whitening, nil
}

// local is the density of θ where W = centre + unit·θ.
type local struct {
	*target.ICA
	centre []float64
	unit   float64
}

// Score implements sifg.Target: ∇_θ log π = unit·∇_W log π.
func (l *local) Score(dst, theta sifg.Batch, iter int) {
	w := sifg.NewBatch(theta.Rows, theta.Cols)
	l.matrices(w, theta)
	l.ICA.Score(dst, w, iter)
	for i := range dst.Data {
		dst.Data[i] *= float32(l.unit)
	}
}

// matrices sets w = centre + unit·θ, row by row.
func (l *local) matrices(w, theta sifg.Batch) {
	for i, v := range theta.Data {
		w.Data[i] = float32(l.centre[i%theta.Cols] + float64(l.unit*float64(v)))
	}
}

// problem is one trial's problem.
type problem struct {
	o     Options
	p     int
	seed  uint64
	last  int
	pi    *posterior
	ref   *reference
	local *local // nil where particles are W

	truth  []float64      // W₀
	energy *metric.Energy // to the reference draws, standardised
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	pi, err := posteriorOf(t)
	if err != nil {
		return nil, err
	}
	ref, err := readReference(t.Reference)
	if err != nil {
		return nil, err
	}
	p := &problem{
		o: pi.o, p: pi.o.Channels, seed: t.Seed, last: t.Config.Iterations, pi: pi, ref: ref,
		truth: ref.truth(pi.o.Truth), energy: metric.NewEnergy(ref.standard(ref.draws)),
	}
	out := &harness.Problem{Target: pi.ICA, Init: p.init, Measure: p.measure}
	if pi.o.Unit > 0 {
		p.local = &local{ICA: pi.ICA, centre: ref.Mode.W, unit: pi.o.Unit}
		out.Target = p.local
	}
	return out, nil
}

// init draws the start, N(0, InitSD² I).
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	r.Normal(dst.Data)
	for i := range dst.Data {
		dst.Data[i] *= float32(p.o.InitSD)
	}
}
