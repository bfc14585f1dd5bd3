package posteriors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// The chains of NUTS that are the answer on a program, and judge other samples of it: in rounds until R-hat of every
// value is at most mostRHat and its effective draws are Enough, or Rounds are done. After the second round only chains
// that nearly agree, R-hat at most Hopeless, go on. All of M is adapted in up to Dense dimensions. With an acceptance
// of 0.8 the chains stick in narrow bends: on a banana they are then worth a sixth.
var longChains = struct {
	Chains, Warmup, Round, Rounds, Enough, Dense int
	Hopeless, Accept                             float64
}{seats, 1000, 1000, 5, 1000, 40, 1.1, 0.9}

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
			l := &long{together: newTogether(session.Context(), target.Dim(), target.Evaluate),
				constrain: target.Constrain, names: target.Names, same: target.Values == nil}
			err = l.run(told)
			if failure := session.Settle(); failure != nil {
				return nil, failure
			}
			if err != nil {
				return nil, err
			}
			return l.files()
		}}, nil
}

// long is the chains on one density and what they found.
type long struct {
	*together
	constrain func(u []float64) []float64 // values of points, row by row
	names     []string                    // of the coordinates; nil: they have none
	same      bool                        // the values are the coordinates

	found     *search
	chains    []*hmc.Chain
	u, values [][]float64 // by chain, row by row
	energies  [][]float64 // H, by chain
	broken    []float64   // u where iterations that diverged ended

	kept  []int                // values that vary
	facts map[string][]float64 // what is said of the chains; of single numbers one
}

// run looks for modes and runs the chains.
func (l *long) run(told func(done, total int)) error {
	defer l.stop()
	n := longChains.Chains
	l.u, l.energies = make([][]float64, n), make([][]float64, n)
	if err := l.begin(); err != nil {
		return err
	}
	for round := 0; round <= longChains.Rounds; round++ {
		until := longChains.Warmup + round*longChains.Round
		l.sit(n)
		if err := hmc.Run(l.ctx, l.chains, until, l.keep(until)); err != nil {
			return err
		}
		l.sit(1)
		told(until, longChains.Warmup+longChains.Rounds*longChains.Round)
		if round == 0 {
			continue
		}
		l.values = l.values[:0]
		for k := range l.u {
			l.values = append(l.values, l.constrain(l.u[k]))
		}
		l.describe()
		rhat, ess := l.facts["rhat"][0], min(l.facts["bulk"][0], l.facts["tail"][0])
		if rhat <= mostRHat && ess >= float64(longChains.Enough) || round > 1 && rhat > longChains.Hopeless {
			break
		}
	}
	return nil
}

// begin makes the chains: the first ones in the modes that were found, at most all but one of them, the others at wide
// starts.
func (l *long) begin() error {
	wide := l.wide()
	if wide == nil {
		return errors.New("log density or gradient is not finite at any of 100 points of (−2, 2)^d: all of R^d " +
			"should be allowed, transform bounded parameters")
	}
	l.found = findModes(l.together)
	points := slices.Clone(wide)
	if len(l.found.modes) > 0 {
		points = append(points, l.found.modes[0].forward(slices.Repeat([]float64{1}, l.dim)))
	}
	if err := checkGradients(l.together, l.names, points); err != nil {
		return err
	}
	starts := l.feasible(slices.Concat(l.found.starts, wide))
	heavy, r := l.found.heavy(), rng.New(1, "posteriors-chains").Rand()
	for k := range longChains.Chains {
		start := starts[k%len(starts)]
		if k < min(len(heavy), longChains.Chains-1) {
			z := make([]float64, l.dim)
			for j := range z {
				z[j] = r.NormFloat64() / 2
			}
			start = heavy[k].forward(z)
		}
		config := hmc.Config{Warmup: longChains.Warmup, TargetAccept: longChains.Accept,
			Dense: l.dim <= longChains.Dense}
		chain, err := hmc.NewChain(l.together, config, start, 1, k)
		if err != nil {
			chain, err = hmc.NewChain(l.together, config, wide[k%len(wide)], 1, k)
		}
		if err != nil {
			return err
		}
		l.chains = append(l.chains, chain)
	}
	return nil
}

// feasible returns the starts whose log density is known to coarse at least, all of them if none is: where its rounding
// is larger, chains see no change of H and stay for ever, as where a time series explodes.
func (l *long) feasible(starts [][]float64) (out [][]float64) {
	const coarse = 0.1
	for _, u := range starts {
		if math.Abs(l.Energy(u))*0x1p-52 < coarse {
			out = append(out, u)
		}
	}
	if out == nil {
		return starts
	}
	return out
}

// wide returns starts on (−2, 2) in every coordinate where density and gradient are finite, of 100 tries.
func (l *long) wide() (starts [][]float64) {
	r, g := rng.New(1, "posteriors-wide").Rand(), make([]float64, l.dim)
	for range 100 {
		u := make([]float64, l.dim)
		for j := range u {
			u[j] = nearWidth * (2*r.Float64() - 1)
		}
		if finite(l.Grad(g, u)) && (metric.Points{Data: g}).Finite() {
			if starts = append(starts, u); len(starts) == longChains.Chains {
				break
			}
		}
	}
	return starts
}

// What is said of chains that go farther than lost from 0.
const (
	lost      = 1e9
	signWrong = "the density does not fall off: is its sign wrong, or the posterior improper, as with a flat prior?"
)

// keep returns what notes an iteration; at the last before until a chain leaves its seat.
func (l *long) keep(until int) func(k, iter int, u []float64, info hmc.Info) error {
	return func(k, iter int, u []float64, info hmc.Info) error {
		if !(floats.Norm(u, math.Inf(1)) < lost) {
			l.stop()
			return errors.New("the chains of NUTS ran away: " + signWrong)
		}
		if iter+1 == until {
			l.leave()
		}
		if info.Warmup {
			return nil
		}
		l.u[k], l.energies[k] = append(l.u[k], u...), append(l.energies[k], info.Hamiltonian)
		if info.Divergent {
			l.note(u)
		}
		return nil
	}
}

// note keeps a point from which a trajectory diverged.
func (l *long) note(u []float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, u...)
}

// files are the files of the reference: coordinates, draws of u and of the values, and facts. The coordinates are those
// in which the draws have mean 0 and covariance I.
func (l *long) files() (map[string][]byte, error) {
	for name, v := range l.facts { // JSON has no NaN; what is absent is NaN
		if !(metric.Points{Data: v}).Finite() {
			delete(l.facts, name)
		}
	}
	text, err := json.Marshal(l.facts)
	if err != nil {
		return nil, err
	}
	rows := len(l.u[0]) / l.dim
	file := func(chains [][]float64) []byte {
		flat := slices.Concat(chains...)
		return npy.Encode([]int{len(chains), rows, len(flat) / len(chains) / rows}, flat)
	}
	by, err := standard(metric.Points{N: rows * len(l.u), D: l.dim, Data: slices.Concat(l.u...)})
	if err != nil {
		return nil, err
	}
	coordinates := slices.Clone(by.shift)
	for i := range l.dim {
		for j := range l.dim {
			coordinates = append(coordinates, by.l.At(i, j))
		}
	}
	kept := make([]float64, len(l.kept))
	for i, j := range l.kept {
		kept[i] = float64(j)
	}
	return map[string][]byte{"facts.json": text, "coordinates.npy": npy.Encode([]int{1 + l.dim, l.dim}, coordinates),
		"u.npy": file(l.u), "draws.npy": file(l.values), "kept.npy": npy.Encode([]int{1, len(kept)}, kept)}, nil
}

// standard returns the coordinates in which draws have mean 0 and covariance I; the variances alone where the
// covariance is singular.
func standard(draws metric.Points) (affine, error) {
	covariance := metric.Covariance(draws)
	l := mat.NewTriDense(draws.D, mat.Lower, nil)
	var c mat.Cholesky
	if c.Factorize(covariance) {
		c.LTo(l)
		return affine{metric.Mean(draws), l}, nil
	}
	for j := range draws.D {
		sd := math.Sqrt(covariance.At(j, j))
		if !(sd > 0) {
			return affine{}, fmt.Errorf("coordinate %d did not move in %d draws: does the log density depend on it?",
				j, draws.N)
		}
		l.SetTri(j, j, sd)
	}
	return affine{metric.Mean(draws), l}, nil
}
