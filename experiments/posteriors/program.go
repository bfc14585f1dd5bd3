package posteriors

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// remote is a posterior that is a program. One that fails answers NaN, and its session says why.
type remote struct{ *program.Target }

// Energy implements hmc.Density.
func (r *remote) Energy(u []float64) float64 { return r.Grad(make([]float64, len(u)), u) }

// Grad implements hmc.Density.
func (r *remote) Grad(dst, u []float64) float64 {
	out := make([]float64, 1+len(u))
	r.Evaluate(out, u)
	for j := range dst {
		dst[j] = -out[1+j]
	}
	return -out[0]
}

// Constrain implements density.
func (r *remote) Constrain(values, u []float64) { copy(values, r.Target.Constrain(u)) }

// batched asks a program for all points at once.
type batched struct{ *local }

// block is about how many points a program is asked at once: one that is compiled for a thousand may never answer.
const block = 64

// Evaluate sets dst, n×(1+d), to log densities and gradients at z, n×d.
func (b batched) Evaluate(dst, z []float64) {
	d := b.Dim()
	for i := 0; i < len(z); i += block * d {
		var u []float64
		for x := range slices.Chunk(z[i:min(i+block*d, len(z))], d) {
			u = append(u, b.by.Forward(x)...)
		}
		b.p.(*remote).Evaluate(dst[i/d*(1+d):][:len(u)/d*(1+d)], u)
	}
	for i := 0; i < len(dst); i += 1 + d {
		b.by.PullBack(dst[i+1 : i+1+d])
	}
}

// Score implements sifg.Target.
func (b batched) Score(dst, x blas32.General, _ int) {
	d := b.Dim()
	z, out := metric.FromBatch(x).Data, make([]float64, x.Rows*(1+d))
	b.Evaluate(out, z)
	for i := range x.Rows {
		for j := range d {
			dst.Data[i*dst.Stride+j] = float32(out[i*(1+d)+1+j])
		}
	}
}

// long is the chains of package judge.
type long struct {
	numbers map[string][]number // of the report
	all     metric.Points       // draws of all values
	kept    []int               // values that vary
	weights []float64           // of the draws; one: of all
	broken  metric.Points       // all values where moves diverged
}

// ofProgram returns the posterior that is a program, as this trial asks it, and what the long chains tell of it.
func ofProgram(t *harness.Trial, id *program.Identity) (*truth, density, error) {
	p, err := program.Find(id)
	if err != nil {
		return nil, nil, err
	}
	c, err1 := harness.ReadPoints(t.Reference, "coordinates.npy")
	u, err2 := harness.ReadPoints(t.Reference, "u.npy")
	draws, err3 := harness.ReadPoints(t.Reference, "draws.npy")
	weights, err4 := harness.ReadPoints(t.Reference, "weights.npy")
	broken, err6 := harness.ReadPoints(t.Reference, "diverged.npy")
	var told map[string][]number
	err5 := harness.ReadJSON(t.Reference, "report.json", &told)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, nil, err
	}
	long := &long{numbers: told, all: draws, weights: weights.Data, broken: broken}
	for j := range draws.D {
		if !slices.Contains(told["constant"], number(j)) {
			long.kept = append(long.kept, j)
		}
	}
	tr, d := judgedBy(columns(draws, long.kept)), p.First.Target.Dim
	tr.long = long
	tr.laplace = judge.Affine{Shift: c.Row(0), L: mat.NewTriDense(d, mat.Lower, c.Data[d:])}
	tr.u = func(dst []float64, i int) { copy(dst, u.Row(i)) }
	return tr, &remote{p.Target(t.Programs)}, nil
}

// columns returns some columns of points.
func columns(p metric.Points, which []int) metric.Points {
	out := metric.NewPoints(p.N, len(which))
	for i := range p.N {
		for k, j := range which {
			out.Row(i)[k] = p.Row(i)[j]
		}
	}
	return out
}

// referenceShown is how many reference draws a figure of samples shows.
const referenceShown = 500

// keep implements harness.Problem.Keep: the constrained values of the sample, or those of the long chains.
func (p *problem) keep(sample sifg.Batch) map[string]*record.Array {
	all := p.long.all
	if p.chains {
		shape := []int{longChains.Chains, all.N / longChains.Chains, all.D}
		out := map[string]*record.Array{"values": {Shape: shape, Double: all.Data}}
		if p.long.broken.N > 0 {
			out["diverged"] = &record.Array{Shape: []int{p.long.broken.N, all.D}, Double: p.long.broken.Data}
		}
		if len(p.long.weights) == all.N {
			out["weights"] = &record.Array{Shape: shape[:2], Double: p.long.weights}
		}
		return out
	}
	values := p.posterior.(*remote).Target.Constrain(p.unconstrained(metric.FromBatch(sample)).Data)
	out := map[string]*record.Array{"values": {Shape: []int{sample.Rows, all.D}, Double: values}}
	if p.o.Everywhere {
		some := metric.NewPoints(referenceShown, all.D)
		for i := range some.N {
			copy(some.Row(i), all.Row(i*all.N/some.N))
		}
		out["reference"] = &record.Array{Shape: []int{some.N, some.D}, Double: some.Data}
	}
	return out
}

// chainsName is the method of a posterior of a person's own whose sample is draws of the long chains.
const chainsName = "nuts"

func init() {
	sifg.Register(sifg.Sampler{
		Name:    chainsName,
		Title:   "NUTS",
		Version: 1,
		Doc:     "on a posterior of your own: the No-U-Turn sampler, four chains, the reference of the other methods",
		Build: func(sifg.Config) (*sifg.Flow, error) {
			return &sifg.Flow{Field: sifg.Still{}, Mover: thinned{}}, nil
		},
	})
}

// thinned is the mover of that method: the particles are draws from the start.
type thinned struct{}

// Init implements sifg.Mover.
func (thinned) Init(c *sifg.Cloud) { c.Target.(batched).thinned(c.Z) }

// Move implements sifg.Mover.
func (thinned) Move(*sifg.Cloud) {}

// thinned sets particles to draws of the long chains, evenly spread.
func (p *problem) thinned(dst sifg.Batch) {
	u := make([]float64, dst.Cols)
	for i := range dst.Rows {
		p.u(u, i*p.draws.N/dst.Rows)
		for j, v := range p.by.Back(u) {
			dst.Data[i*dst.Cols+j] = float32(v)
		}
	}
}
