package posteriors

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// put adds a row to a trace.
type put func(metric string, index int, value float64)

// measure implements harness.Problem.Measure. Iteration 0 also has what as many exact draws score, as metrics named
// "floor-…", and what draws of the Laplace approximation do, as "laplace-…".
func (p *problem) measure(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
	x := metric.FromBatch(sample)
	if c.Iter == 0 {
		if !p.chains {
			p.bounds(x.N, put)
			put("narrowest", 0, p.narrowest())
		}
		if p.long != nil {
			for name, values := range p.long.numbers {
				for k, v := range values {
					put("reference-"+name, k, float64(v))
				}
			}
		}
	}
	if p.chains {
		return
	}
	p.measureAll(p.unconstrained(x), c.Iter == p.last || p.o.Everywhere, put)
	if c.Iter == p.last {
		p.judgeChains(put)
	}
}

// judgeChains judges all draws of a method that runs chains.
func (p *problem) judgeChains(put put) {
	if p.target.draws == nil {
		return
	}
	d := p.posterior.Dim()
	flat := p.target.draws(d)
	u := p.unconstrained(metric.FromBatch(sifg.Batch{Rows: len(flat) / d, Cols: d, Stride: d, Data: flat}))
	values := p.values(u)
	e := p.reference.Errors(values)
	put("all-error-mean", 1, e.AverageMean)
	put("all-error-sd", 1, e.AverageSD)
	if p.o.Diagnose {
		p.diagnosed(values, put)
	}
}

// unconstrained returns u of points in the particles' coordinates.
func (p *problem) unconstrained(x metric.Points) metric.Points {
	u := metric.NewPoints(x.N, x.D)
	for i := range x.N {
		copy(u.Row(i), p.by.Forward(x.Row(i)))
	}
	return u
}

// values returns the constrained values of u.
func (p *problem) values(u metric.Points) metric.Points {
	if r, ok := p.posterior.(*remote); ok {
		return columns(metric.Points{N: u.N, D: p.long.all.D, Data: r.Target.Constrain(u.Data)}, p.long.kept)
	}
	out := metric.NewPoints(u.N, p.draws.D)
	for i := range u.N {
		p.posterior.Constrain(out.Row(i), u.Row(i))
	}
	return out
}

// narrowest is the smallest singular value of L in the particles' coordinates.
func (p *problem) narrowest() float64 {
	var rotated mat.Dense
	if err := rotated.Solve(p.by.L, p.laplace.L); err != nil {
		return math.NaN()
	}
	var svd mat.SVD
	if !svd.Factorize(&rotated, mat.SVDNone) {
		return math.NaN()
	}
	return slices.Min(svd.Values(nil))
}

// bounds puts what exact draws and draws of the Laplace approximation score.
func (p *problem) bounds(n int, put put) {
	d := p.posterior.Dim()
	exact, normal := metric.NewPoints(n, d), metric.NewPoints(n, d)
	r, z := rng.New(p.seed, "posteriors-bounds").Rand(), make([]float64, d)
	for i := range n {
		p.u(exact.Row(i), r.IntN(p.draws.N))
		for j := range z {
			z[j] = r.NormFloat64()
		}
		copy(normal.Row(i), p.laplace.Forward(z))
	}
	p.measureAll(exact, true, prefixed(put, "floor-", "error-mean", "error-sd"))
	p.measureAll(normal, true, prefixed(put, "laplace-"))
	e := p.reference.ExactErrors(n, 20, rng.New(0, "posteriors-exact"))
	put("floor-error-mean", 0, e.LargestMean)
	put("floor-error-mean", 1, e.AverageMean)
	put("floor-error-sd", 0, e.LargestSD)
	put("floor-error-sd", 1, e.AverageSD)
}

// gradients sets dst to the gradients of a density at z, both n×d: of a program with one question.
func gradients(l *local, dst, z []float64) {
	d := l.Dim()
	if _, ok := l.p.(*remote); ok {
		out := make([]float64, len(z)/d*(1+d))
		batched{l}.Evaluate(out, z)
		for i := range len(z) / d {
			copy(dst[i*d:(i+1)*d], out[i*(1+d)+1:(i+1)*(1+d)])
		}
		return
	}
	for i := 0; i < len(z); i += d {
		l.Gradient(dst[i:i+d], z[i:i+d])
	}
}

// prefixed puts metrics under another name, and leaves some out.
func prefixed(f put, prefix string, without ...string) put {
	return func(metric string, index int, value float64) {
		if !slices.Contains(without, metric) {
			f(prefix+metric, index, value)
		}
	}
}

// measureAll measures points u: the mean errors, and all else only if asked for.
func (p *problem) measureAll(u metric.Points, long bool, put put) {
	values := p.values(u)
	errors := p.reference.Errors(values)
	put("error-mean", 1, errors.AverageMean)
	put("error-sd", 1, errors.AverageSD)
	if !long {
		return
	}
	put("error-mean", 0, errors.LargestMean)
	put("error-sd", 0, errors.LargestSD)
	means, covariance := metric.Mean(values), metric.Covariance(values)
	mean, least, most := 0.0, math.Inf(1), 0.0
	for j, sd := range p.sd {
		ratio := math.Sqrt(covariance.At(j, j)) / sd
		mean, least, most = mean+ratio/float64(values.D), min(least, ratio), max(most, ratio)
		if p.long != nil {
			put("value-mean", j, means[j])
			put("value-sd", j, ratio*sd)
		}
	}
	put("sd-ratio", 0, mean)
	put("sd-ratio", 1, least)
	put("sd-ratio", 2, most)
	put("energy", 0, p.energy.Distance(values.Standard(p.mean, p.sd)))
	put("ksd", 0, p.ksd(u))
	put("coverage", 0, stats.Mean(p.reference.Coverage(values, 0.5)))
	put("coverage", 1, stats.Mean(p.reference.Coverage(values, 0.9)))
}

// ksd is the kernel Stein discrepancy of z/√d, z being the Laplace coordinates.
func (p *problem) ksd(u metric.Points) float64 {
	v, _ := metric.KSD(p.stein(u))
	return v
}

// stein returns z/√d and its score.
func (p *problem) stein(u metric.Points) (z, score metric.Points) {
	density := newLocal(p.posterior, p.laplace)
	z, score = metric.NewPoints(u.N, u.D), metric.NewPoints(u.N, u.D)
	root := math.Sqrt(float64(u.D))
	for i := range u.N {
		copy(z.Row(i), p.laplace.Back(u.Row(i)))
	}
	gradients(density, score.Data, z.Data)
	for i := range u.N {
		for j := range u.D {
			z.Row(i)[j] /= root
			score.Row(i)[j] *= root
		}
	}
	return z, score
}

// parts is how many chains each method that has chains runs; its draws are theirs, one after another.
const parts = 4

// diagnosed puts how many independent draws those of chains are worth.
func (p *problem) diagnosed(values metric.Points, put put) {
	each := values.N / parts
	if each < 20 {
		return
	}
	ess, mean := math.Inf(1), metric.Mean(values)
	for j := range values.D {
		chains, squares := make([][]float64, parts), make([][]float64, parts)
		for k := range chains {
			for i := range each {
				v := values.Row(k*each + i)[j]
				chains[k], squares[k] = append(chains[k], v), append(squares[k], (v-mean[j])*(v-mean[j]))
			}
		}
		ess = min(ess, hmc.BulkESS(chains), hmc.MeanESS(squares))
	}
	put("ess", 0, ess)
}
