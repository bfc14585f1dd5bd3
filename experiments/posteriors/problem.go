package posteriors

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/sifg/target/posterior"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

// Options are the keys of problems.<name>.options.
type Options struct {
	Posterior    string `mapstructure:"posterior"`    // a name in posterior.Table
	Precondition string `mapstructure:"precondition"` // laplace: particles are z, u = mode + L·z; none: particles are u
}

func options(t *harness.Trial) (o Options, row posterior.Entry, err error) {
	if err = settings.Decode(t.Config.Options, &o); err != nil {
		return o, row, err
	}
	i := slices.IndexFunc(posterior.Table, func(e posterior.Entry) bool { return e.Name == o.Posterior })
	switch {
	case i < 0:
		return o, row, fmt.Errorf("options.posterior: %q is not a posterior of package target/posterior", o.Posterior)
	case o.Precondition != "laplace" && o.Precondition != "none":
		return o, row, fmt.Errorf("options.precondition: %q is unknown: want laplace or none", o.Precondition)
	case t.Config.Data == "":
		return o, row, fmt.Errorf("data: the name of a data set is needed, such as posteriordb")
	}
	return o, posterior.Table[i], nil
}

func check(t *harness.Trial) error {
	_, _, err := options(t)
	return err
}

// truth is a posterior and what its samples are judged by.
type truth struct {
	*posterior.Posterior
	laplace affine
	draws   metric.Points // of the constrained values
	mean    []float64     // of the draws
	sd      []float64
	judge   *metric.Reference
	energy  *metric.Energy // to a thousand of the draws, in units of sd
}

// truths are those in use. Several trials share one.
var truths sync.Map // truthKey → func() (*truth, error)

type truthKey struct {
	data *dataset.Data
	name string
}

func truthOf(data *dataset.Data, row posterior.Entry) (*truth, error) {
	f, _ := truths.LoadOrStore(truthKey{data, row.Name}, sync.OnceValues(func() (*truth, error) { return newTruth(data, row) }))
	return f.(func() (*truth, error))()
}

func newTruth(data *dataset.Data, row posterior.Entry) (*truth, error) {
	numbers, err := posterior.ReadData(data.Raw["data/"+row.Data+".json.zip"])
	if err != nil {
		return nil, err
	}
	p, err := posterior.New(row.Name, numbers)
	if err != nil {
		return nil, err
	}
	chains, err := posterior.ReadDraws(data.Raw["draws/"+row.Name+".json.zip"], p.Values)
	if err != nil {
		return nil, err
	}
	tr := &truth{Posterior: p}
	if tr.laplace, err = laplace(p); err != nil {
		return nil, fmt.Errorf("%s: %w", row.Name, err)
	}
	d := p.Dim()
	flat := slices.Concat(chains...)
	tr.draws = metric.Points{N: len(flat) / d, D: d, Data: flat}
	tr.judge = metric.NewReference(tr.draws)
	tr.mean = metric.Mean(tr.draws)
	for j := range d {
		tr.sd = append(tr.sd, math.Sqrt(metric.Covariance(tr.draws).At(j, j)))
	}
	few := metric.NewPoints(1000, d)
	for i := range few.N {
		copy(few.Row(i), tr.draws.Row(i*tr.draws.N/few.N))
	}
	tr.energy = metric.NewEnergy(tr.standard(few))
	return tr, nil
}

// standard returns values less the mean of the reference draws, in units of their standard deviations.
func (tr *truth) standard(values metric.Points) metric.Points {
	out := metric.NewPoints(values.N, values.D)
	for i, v := range values.Data {
		out.Data[i] = (v - tr.mean[i%values.D]) / tr.sd[i%values.D]
	}
	return out
}

// local is the density of z where u = shift + L·z, computed in float64. Its Grad serves HMC at the cost of one gradient.
type local struct {
	*target.Func
	p  *posterior.Posterior
	by affine

	draws func(d int) []float32 // that HMC has kept of this trial so far; nil: the method is another
}

var _ samplers.Keeper = (*local)(nil)

// Keep implements samplers.Keeper.
func (l *local) Keep(draws func(d int) []float32) { l.draws = draws }

func newLocal(p *posterior.Posterior, by affine) *local {
	l := &local{p: p, by: by}
	l.Func = target.NewFunc(p.Dim(),
		func(z []float64) float64 { return p.LogDensity(by.forward(z)) },
		func(dst, z []float64) {
			l.Grad(dst, z)
			for j := range dst {
				dst[j] = -dst[j]
			}
		})
	return l
}

// Grad implements hmc.Density.
func (l *local) Grad(dst, z []float64) float64 {
	energy := l.p.Grad(dst, l.by.forward(z))
	blas64.Trmv(blas.Trans, l.by.l.RawTriangular(), blas64.Vector{N: len(dst), Inc: 1, Data: dst})
	return energy
}

// problem is one trial's problem.
type problem struct {
	*truth
	by     affine // of the particles
	target *local
	seed   uint64
	last   int
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	o, row, err := options(t)
	if err != nil {
		return nil, err
	}
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	tr, err := truthOf(data, row)
	if err != nil {
		return nil, err
	}
	p := &problem{truth: tr, by: tr.laplace, seed: t.Seed, last: t.Config.Iterations}
	if o.Precondition == "none" {
		p.by = identity(tr.Dim())
	}
	p.target = newLocal(tr.Posterior, p.by)
	return &harness.Problem{Target: p.target, Init: p.init, Measure: p.measure}, nil
}

// init draws the same start in all coordinates: in those of the Laplace approximation one standard deviation off, and half as wide.
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	z := make([]float64, dst.Cols)
	for i := range dst.Rows {
		for j := range z {
			z[j] = 1 + r.NormFloat64()/2
		}
		for j, v := range p.by.back(p.laplace.forward(z)) {
			dst.Data[i*dst.Cols+j] = float32(v)
		}
	}
}
