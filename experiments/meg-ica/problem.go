package megica

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/harness"
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
	x        blas32.General // p×n, scaled
	exponent float64        // as the target has it: divided by n where the options say so
	digest   string         // of the unscaled channels
}

// posteriorOf reads a trial's options and data.
func posteriorOf(t *harness.Trial) (*posterior, error) {
	o, err := options(t)
	if err != nil {
		return nil, err
	}
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	w, err := channels(data, o.Channels)
	if err != nil {
		return nil, err
	}
	d := &posterior{o: o, exponent: 1, digest: digestOf(w.RawMatrix().Data)}
	if d.x, err = scale(w, o.Scaling); err != nil {
		return nil, usage.Errorf("data set %s: %v", data.Name, err)
	}
	if o.Average {
		d.exponent /= float64(data.Cols)
	}
	d.ICA, err = target.NewICA(d.x, target.ICAOptions{PriorSD: o.PriorSD, Exponent: d.exponent})
	return d, err
}

// local is the density of θ where W = centre + unit·θ.
type local struct {
	*target.ICA
	centre  []float64
	unit    float64
	scratch sync.Pool // of *[]float32
}

// Score implements sifg.Target: ∇_θ log π = unit·∇_W log π.
func (l *local) Score(dst, theta sifg.Batch, iter int) {
	buf, _ := l.scratch.Get().(*[]float32)
	if buf == nil || len(*buf) < len(theta.Data) {
		buf = new(make([]float32, len(theta.Data)))
	}
	defer l.scratch.Put(buf)
	w := theta
	w.Data = (*buf)[:len(theta.Data)]
	l.matrices(w, theta)
	l.ICA.Score(dst, w, iter)
	for i := range dst.Data {
		dst.Data[i] *= float32(l.unit)
	}
}

// matrices sets w = centre + unit·θ, row by row.
func (l *local) matrices(w, theta sifg.Batch) {
	for i, v := range theta.Data {
		w.Data[i] = float32(l.centre[i%theta.Cols] + l.unit*float64(v))
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
