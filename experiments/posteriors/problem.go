package posteriors

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/experiments/posteriors/posteriordb"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

// Options are the keys of problems.<name>.options.
type Options struct {
	Posterior string            `mapstructure:"posterior"` // a name in posteriordb.Table
	Program   *program.Identity `mapstructure:"program"`   // or a posterior of a person's own
	Values    []string          `mapstructure:"values"`    // names of that one's values
	// laplace: particles are z, u = mode + L·z; none: particles are u, as those of a paper (see Paper) are by default
	Precondition string `mapstructure:"precondition"`
	// of a paper: particles start at u of N(StartMean, StartSD² I), StartMean one value a coordinate or one for all,
	// absent: 0
	StartMean []float64 `mapstructure:"start_mean"`
	StartSD   float64   `mapstructure:"start_sd"` // above 0; 0: not of a paper
	// measure all metrics at every checkpoint, and keep some reference draws with each trial
	Everywhere bool `mapstructure:"everywhere"`
	// also measure how many independent draws those of chains are worth
	Diagnose bool `mapstructure:"diagnose"`
}

func options(t *harness.Trial) (o Options, row posteriordb.Entry, err error) {
	if paper, _ := t.Config.Options["everywhere"].(bool); paper {
		o.Precondition, o.StartSD = "none", 1
	}
	if err = settings.Decode(t.Config.Options, &o); err != nil {
		return o, row, err
	}
	if o.Precondition != "laplace" && o.Precondition != "none" {
		return o, row, fmt.Errorf("options.precondition: %q is unknown: want laplace or none", o.Precondition)
	}
	if o.Program != nil {
		return o, row, o.checkStart()
	}
	if t.Config.Sampler.Sampler == chainsName {
		return o, row, errors.New(chainsName + " is for a posterior of your own (--program): posteriordb's has draws")
	}
	i := slices.IndexFunc(posteriordb.Table, func(e posteriordb.Entry) bool { return e.Name == o.Posterior })
	switch {
	case i < 0:
		return o, row, fmt.Errorf("options.posterior: %q is not a posterior of posteriordb", o.Posterior)
	case t.Config.Data == "":
		return o, row, fmt.Errorf("data: the name of a data set is needed, such as posteriordb")
	}
	return o, posteriordb.Table[i], nil
}

// checkStart refuses a start that cannot be drawn.
func (o *Options) checkStart() error {
	if o.StartSD < 0 || o.Everywhere && o.StartSD == 0 {
		return fmt.Errorf("options.start_sd: must be above 0, got %v", o.StartSD)
	}
	p, err := program.Find(o.Program)
	if err != nil {
		return nil // it is said where the trial runs
	}
	if n, d := len(o.StartMean), p.First.Target.Dim; n > 1 && n != d {
		return fmt.Errorf("options.start_mean: %d values for %d coordinates: want one for each, or one for all", n, d)
	}
	return nil
}

func check(t *harness.Trial) error {
	_, _, err := options(t)
	return err
}

// density is a posterior of unconstrained coordinates u.
type density interface {
	hmc.Density
	Constrain(values, u []float64)
}

// truth is what the samples of a posterior are judged by.
type truth struct {
	laplace   judge.Affine
	draws     metric.Points // of the constrained values
	mean      []float64     // of the draws
	sd        []float64
	reference *metric.Reference
	energy    *metric.Energy             // to a thousand of the draws, in units of sd
	posterior density                    // nil of a program, which each trial asks by itself
	u         func(dst []float64, i int) // the unconstrained coordinates of a draw
	long      *long                      // the chains that made the draws; nil: they are published
}

// truths are those in use. Several trials share one.
var truths sync.Map // truthKey → func() (*truth, error)

type truthKey struct {
	data *dataset.Data
	name string
}

func truthOf(data *dataset.Data, row posteriordb.Entry) (*truth, error) {
	f, _ := truths.LoadOrStore(truthKey{data, row.Name}, sync.OnceValues(func() (*truth, error) {
		return newTruth(data, row)
	}))
	return f.(func() (*truth, error))()
}

func newTruth(data *dataset.Data, row posteriordb.Entry) (*truth, error) {
	numbers, err := posteriordb.ReadData(data.Raw["data/"+row.Data+".json.zip"])
	if err != nil {
		return nil, err
	}
	p := posteriordb.New(row, numbers)
	chains, err := posteriordb.ReadDraws(data.Raw["draws/"+row.Name+".json.zip"], p.Values)
	if err != nil {
		return nil, err
	}
	flat := slices.Concat(chains...)
	tr := judgedBy(metric.Points{N: len(flat) / p.Dim(), D: p.Dim(), Data: flat})
	tr.posterior = p
	tr.u = func(dst []float64, i int) { p.Unconstrain(dst, tr.draws.Row(i)) }
	if tr.laplace, err = judge.Laplace(p); err != nil {
		return nil, fmt.Errorf("%s: %w", row.Name, err)
	}
	return tr, nil
}

// judgedBy returns the truth that draws of the values tell.
func judgedBy(draws metric.Points) *truth {
	tr := &truth{draws: draws, reference: metric.NewReference(draws), mean: metric.Mean(draws)}
	covariance := metric.Covariance(draws)
	for j := range draws.D {
		tr.sd = append(tr.sd, math.Sqrt(covariance.At(j, j)))
	}
	few := metric.NewPoints(1000, draws.D)
	for i := range few.N {
		copy(few.Row(i), draws.Row(i*draws.N/few.N))
	}
	tr.energy = metric.NewEnergy(few.Standard(tr.mean, tr.sd))
	return tr
}

// local is the density of z where u = shift + L·z, in float64. Its Grad serves HMC at the cost of one gradient.
type local struct {
	*target.Func
	p  density
	by judge.Affine

	draws   func(d int) []float32 // of the second halves of the chains so far; nil: the method has none
	thinned func(dst sifg.Batch)  // sets particles to draws of the long chains
}

var _ samplers.Keeper = (*local)(nil)

// Keep implements samplers.Keeper.
func (l *local) Keep(draws func(d int) []float32) { l.draws = draws }

func newLocal(p density, by judge.Affine) *local {
	l := &local{p: p, by: by}
	l.Func = target.NewFunc(p.Dim(),
		func(z []float64) float64 { return -p.Energy(by.Forward(z)) },
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
	energy := l.p.Grad(dst, l.by.Forward(z))
	l.by.PullBack(dst)
	return energy
}

// problem is one trial's problem.
type problem struct {
	*truth
	posterior density
	by        judge.Affine // of the particles
	target    *local
	seed      uint64
	last      int
	o         Options
	chains    bool // the method is the long chains
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	o, row, err := options(t)
	if err != nil {
		return nil, err
	}
	p := &problem{seed: t.Seed, last: t.Config.Iterations, o: o}
	if o.Program != nil {
		p.truth, p.posterior, err = ofProgram(t, o.Program)
	} else {
		p.truth, p.posterior, err = published(t, row)
	}
	if err != nil {
		return nil, err
	}
	p.by = p.laplace
	if o.Precondition == "none" {
		d := p.posterior.Dim()
		p.by = judge.Affine{Shift: make([]float64, d), L: mat.NewTriDense(d, mat.Lower, nil)}
		for j := range d {
			p.by.L.SetTri(j, j, 1)
		}
	}
	p.target = newLocal(p.posterior, p.by)
	out := &harness.Problem{Target: p.target, Init: p.init, Measure: p.measure}
	if o.Program != nil {
		out.Target = batched{p.target}
		p.target.thinned = p.thinned
		p.chains = t.Method == chainsName
		out.Keep = p.keep
	}
	return out, nil
}

// published returns a posterior of posteriordb.
func published(t *harness.Trial, row posteriordb.Entry) (*truth, density, error) {
	data, err := t.Data()
	if err != nil {
		return nil, nil, err
	}
	tr, err := truthOf(data, row)
	if err != nil {
		return nil, nil, err
	}
	return tr, tr.posterior, nil
}

// init draws the same start in all coordinates: in those of the Laplace approximation one standard deviation off, and
// half as wide. Those of a paper start in the program's, as the options say.
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	z := make([]float64, dst.Cols)
	for i := range dst.Rows {
		for j := range z {
			z[j] = p.o.start(j, r.NormFloat64())
		}
		u := z
		if p.o.StartSD == 0 {
			u = p.laplace.Forward(z)
		}
		for j, v := range p.by.Back(u) {
			dst.Data[i*dst.Cols+j] = float32(v)
		}
	}
}

// start is coordinate j of a start, of a standard normal number.
func (o *Options) start(j int, normal float64) float64 {
	switch n := len(o.StartMean); {
	case o.StartSD == 0:
		return 1 + float64(normal/2)
	case n == 0:
		return o.StartSD * normal
	default:
		return o.StartMean[j%n] + float64(o.StartSD*normal)
	}
}
