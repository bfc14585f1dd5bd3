package posteriors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
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

// Evaluate sets dst, n×(1+d), to log densities and gradients at z, n×d.
func (b batched) Evaluate(dst, z []float64) {
	d := b.Dim()
	u := make([]float64, 0, len(z))
	for i := 0; i < len(z); i += d {
		u = append(u, b.by.forward(z[i:i+d])...)
	}
	b.p.(*remote).Evaluate(dst, u)
	for i := 0; i < len(dst); i += 1 + d {
		b.by.pullBack(dst[i+1 : i+1+d])
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

// The chains that a program's samples are judged by: four of Leapfrog steps, in rounds until the least effective number
// of draws of any value is Enough, or Rounds are done. The first round warms up.
var longChains = struct{ Chains, Leapfrog, Round, Rounds, Enough int }{4, 4, 1000, 10, 4000}

// reference implements harness.Experiment.Reference: long chains on a program. Published posteriors need none.
func reference(t *harness.Trial) (*harness.Reference, error) {
	o, _, err := options(t)
	if err != nil || o.Program == nil {
		return nil, err
	}
	config := map[string]any{"program": o.Program, "chains": longChains}
	return &harness.Reference{Config: config, Bytes: referenceBytes(o),
		Make: func(ctx context.Context, _ string, told func(int, int)) (map[string][]byte, error) {
			p, err := program.Find(o.Program)
			if err != nil {
				return nil, err
			}
			session := program.Begin(ctx)
			defer session.End()
			target, err := p.Target(session)
			if err != nil {
				return nil, err
			}
			files, err := long(session.Context(), &remote{target}, told)
			if failure := session.Settle(); failure != nil {
				return nil, failure
			}
			return files, err
		}}, nil
}

// long runs the chains in the coordinates of the Laplace approximation, or as they are where that cannot be had, and
// returns the files of the reference: coordinates, draws of u and of the values, and facts.
func long(ctx context.Context, r *remote, told func(int, int)) (map[string][]byte, error) {
	d, facts := r.Dim(), map[string]float64{"laplace": 1}
	n := longChains.Chains
	chains, u, h := make([]*hmc.Chain, n), make([][]float64, n), make([][]float64, n)
	starts, far := make([][]float64, n), make([]float64, n)
	for k := range starts {
		stream := rng.New(1, "posteriors-chains", uint64(k)).Rand()
		for range d {
			starts[k] = append(starts[k], stream.NormFloat64())
		}
	}
	checkFinite(r, identity(d), starts) // of several points at once a wrong shape shows, which the session then tells
	by, err := laplace(r)
	if err != nil {
		by, facts["laplace"] = identity(d), 0
	}
	at := newLocal(r, by)
	points := slices.Clone(starts)
	for _, z := range starts {
		points = append(points, by.forward(z))
	}
	if err := errors.Join(checkFinite(r, by, starts), checkGradients(r, r.Names, points)); err != nil {
		return nil, err
	}
	for k, start := range starts {
		config := hmc.Config{Leapfrog: longChains.Leapfrog, Warmup: longChains.Round, Jitter: 0.5, TargetAccept: 0.9}
		if chains[k], err = hmc.NewChain(at, config, start, 1, k); err != nil {
			return nil, err
		}
	}
	keep := func(k, _ int, z []float64, info hmc.Info) error {
		if far[k] = max(far[k], floats.Norm(z, math.Inf(1))); !(far[k] < lost) {
			return errors.New("the long chains of HMC ran away: " + signWrong)
		}
		if !info.Warmup {
			u[k], h[k] = append(u[k], by.forward(z)...), append(h[k], info.Hamiltonian)
		}
		return nil
	}
	var values [][]float64
	for round := 1; round <= longChains.Rounds+1; round++ {
		if err := hmc.Run(ctx, chains, round*longChains.Round, keep); err != nil {
			return nil, err
		}
		told(round*longChains.Round, (longChains.Rounds+1)*longChains.Round)
		if round == 1 {
			continue
		}
		values = values[:0]
		for k := range u {
			values = append(values, r.Target.Constrain(u[k]))
		}
		facts["far"] = slices.Max(far)
		describe(facts, values, h, chains, len(values[0])/(len(u[0])/d))
		if facts["ess"] >= float64(longChains.Enough) {
			break
		}
	}
	return referenceFiles(by, u, values, d, facts)
}

// What is said of chains that go farther than lost from 0.
const (
	lost      = 1e9
	signWrong = "the density does not fall off: is its sign wrong, or the posterior improper, as with a flat prior?"
)

// checkFinite returns an error if the log density or its gradient is not finite at one of the points z.
func checkFinite(r *remote, by affine, z [][]float64) error {
	var u []float64
	for _, point := range z {
		u = append(u, by.forward(point)...)
	}
	d := r.Dim()
	out := make([]float64, len(z)*(1+d))
	r.Evaluate(out, u)
	for i := range z {
		if row := out[i*(1+d) : (i+1)*(1+d)]; !(metric.Points{Data: row}).Finite() {
			at := fmt.Sprintf("%.3g", u[i*d:i*d+min(d, 5)])
			if d > 5 {
				at = at[:len(at)-1] + " …]"
			}
			return fmt.Errorf("log density or gradient is not finite at %s: all of R^d must be allowed, transform "+
				"bounded parameters", at)
		}
	}
	return nil
}

// describe puts the diagnostics of chains into facts.
func describe(facts map[string]float64, values, hamiltonians [][]float64, chains []*hmc.Chain, v int) {
	var tallies []hmc.Tally
	facts["ebfmi"] = math.Inf(1)
	for k, c := range chains {
		tallies = append(tallies, c.Tally())
		facts["ebfmi"] = min(facts["ebfmi"], hmc.EBFMI(hamiltonians[k]))
	}
	s := hmc.Summarize(values, v, tallies...)
	facts["divergences"] = float64(s.Divergences) / float64(s.Iterations)
	facts["rhat"], facts["ess"] = s.Worst()
}

func referenceFiles(by affine, u, values [][]float64, d int, facts map[string]float64) (map[string][]byte, error) {
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, fmt.Errorf("the diagnostics of the long chains, %v: %w", facts, err)
	}
	rows := len(u[0]) / d
	file := func(chains [][]float64) []byte {
		var flat []float64
		for _, c := range chains {
			flat = append(flat, c...)
		}
		return npy.Encode([]int{len(chains), rows, len(flat) / len(chains) / rows}, flat)
	}
	coordinates := append([]float64{}, by.shift...)
	for i := range d {
		for j := range d {
			coordinates = append(coordinates, by.l.At(i, j))
		}
	}
	return map[string][]byte{"facts.json": text, "coordinates.npy": npy.Encode([]int{1 + d, d}, coordinates),
		"u.npy": file(u), "draws.npy": file(values)}, nil
}

// ofProgram returns the posterior that is a program, as this trial asks it, and what the long chains tell of it.
func ofProgram(t *harness.Trial, id *program.Identity) (*truth, density, error) {
	p, err := program.Find(id)
	if err != nil {
		return nil, nil, err
	}
	target, err := p.Target(t.Programs)
	if err != nil {
		return nil, nil, err
	}
	c, err1 := harness.ReadPoints(t.Reference, "coordinates.npy")
	u, err2 := harness.ReadPoints(t.Reference, "u.npy")
	draws, err3 := harness.ReadPoints(t.Reference, "draws.npy")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, err
	}
	tr, d := judgedBy(draws), target.Dim()
	if err := harness.ReadJSON(t.Reference, "facts.json", &tr.facts); err != nil {
		return nil, nil, err
	}
	tr.laplace = affine{c.Row(0), mat.NewTriDense(d, mat.Lower, nil)}
	for i := range d {
		for j := range i + 1 {
			tr.laplace.l.SetTri(i, j, c.Row(1 + i)[j])
		}
	}
	tr.u = func(dst []float64, i int) { copy(dst, u.Row(i)) }
	return tr, &remote{target}, nil
}

// keep implements harness.Problem.Keep: the constrained values of the sample, and, of one method, those of the long
// chains.
func (p *problem) keep(sample sifg.Batch, long bool) map[string]*record.Array {
	values := p.values(p.unconstrained(metric.FromBatch(sample)))
	out := map[string]*record.Array{"values": {Shape: []int{values.N, values.D}, Data: values.Batch().Data}}
	if n := longChains.Chains; long {
		shape := []int{n, p.draws.N / n, p.draws.D}
		out["reference"] = &record.Array{Shape: shape, Data: p.draws.Batch().Data}
	}
	return out
}

// putFacts puts the diagnostics of the long chains, if there are any, and what they say of each value.
func (p *problem) putFacts(put put) {
	if p.facts == nil {
		return
	}
	for name, v := range p.facts {
		put("reference-"+name, 0, v)
	}
	p.putValues(p.draws, prefixed(put, "reference-"))
}

// putValues puts what points say of each value.
func (p *problem) putValues(values metric.Points, put put) {
	for j := range values.D {
		sorted := slices.Sorted(slices.Values(values.Column(j)))
		mean, sd := stat.MeanStdDev(sorted, nil)
		put("value-mean", j, mean)
		put("value-sd", j, sd)
		put("value-low", j, metric.Quantile(sorted, 0.05))
		put("value-high", j, metric.Quantile(sorted, 0.95))
	}
}
