package gmm

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

// smc is annealed sequential Monte Carlo (Neal, Annealed importance sampling, 2001; Del Moral, Doucet and Jasra,
// 2006), a baseline for targets with modes far apart: over temper iterations the particles go from the normal law
// fitted to their start to the target along the path of powers π₀^(1−β)·π^β, reweighted at each β, resampled where
// their effective number falls below a half, and moved by one step of MALA, which adapts its size.
func smc() sifg.Sampler {
	return sifg.Sampler{
		Name: "smc", Title: "Annealed SMC", Version: 1,
		Doc:      "annealed sequential Monte Carlo with MALA; temper is the number of iterations of the annealing",
		Defaults: sifg.Config{Step: 0.01, Temper: 1000},
		Uses:     []string{"step"},
		Look:     sifg.Look{Color: 0x7a5195, Dash: []float64{5, 1.5, 1, 1.5}, Mark: "plus"},
		Build: func(c sifg.Config) (*sifg.Flow, error) {
			return &sifg.Flow{Field: sifg.Still{}, Mover: &annealed{length: c.Temper, step: c.Step}}, nil
		},
	}
}

// tempering is parallel tempering (Geyer, Markov chain Monte Carlo maximum likelihood, 1991): a particle is the
// coldest of several chains at the inverse temperatures 1, ½, ¼, …, of which one iteration moves one, so that it
// costs one score a particle as all methods do. After each round neighbours may swap. MALA adapts its step at each
// temperature.
func tempering() sifg.Sampler {
	return sifg.Sampler{
		Name: "tempering", Title: "Parallel tempering", Version: 1,
		Doc:      "parallel tempering with MALA; inner is the number of temperatures, each twice the one before",
		Defaults: sifg.Config{Step: 0.01, Inner: 8},
		Uses:     []string{"step", "inner"},
		Look:     sifg.Look{Color: 0x00798c, Dash: []float64{2, 1, 5, 1}, Mark: "cross"},
		Build: func(c sifg.Config) (*sifg.Flow, error) {
			return &sifg.Flow{Field: sifg.Still{}, Mover: &tempered{levels: c.Inner, step: c.Step}}, nil
		},
	}
}

// walker is a point with the target's energy and its gradient there.
type walker struct {
	x, grad []float64
	energy  float64
}

// newWalker takes x over.
func newWalker(u hmc.Density, x []float64) walker {
	w := walker{x: x, grad: make([]float64, len(x))}
	w.energy = u.Grad(w.grad, w.x)
	return w
}

// normal is the law N(mean, sd²I) that the start was drawn from, fitted to it.
type normal struct {
	mean []float64
	sd   float64
}

func fitNormal(z sifg.Batch) normal {
	o := normal{mean: make([]float64, z.Cols)}
	for i, v := range z.Data {
		o.mean[i%z.Cols] += float64(v) / float64(z.Rows)
	}
	for i, v := range z.Data {
		o.sd += math.Pow(float64(v)-o.mean[i%z.Cols], 2) / float64(len(z.Data))
	}
	o.sd = math.Sqrt(o.sd)
	return o
}

// energy returns −log of the density up to a constant.
func (o normal) energy(x []float64) (q float64) {
	for c, v := range x {
		q += float64((v - o.mean[c]) * (v - o.mean[c]))
	}
	return q / (2 * o.sd * o.sd)
}

// mala moves walkers by one Metropolis-adjusted Langevin step each for the energy β·U + (1 − β)·U₀, and adapts its
// step towards an acceptance of 0.57 (Roberts and Rosenthal, 1998).
type mala struct {
	u     hmc.Density
	prior normal
	step  float64
	r     *rng.Stream
}

func (m *mala) energy(w walker, beta float64) float64 {
	if beta == 1 {
		return w.energy
	}
	return float64(beta*w.energy) + float64((1-beta)*m.prior.energy(w.x))
}

// drift is minus the gradient of the energy, one coordinate.
func (m *mala) drift(w walker, beta float64, c int) float64 {
	pull := (1 - beta) * (w.x[c] - m.prior.mean[c]) / (m.prior.sd * m.prior.sd)
	return float64(-beta*w.grad[c]) - pull
}

func (m *mala) move(all []walker, beta float64) {
	accepted := 0.0
	for i, w := range all {
		x := make([]float64, len(w.x))
		there := 0.0 // squares of the noise of the way there
		for c := range x {
			xi := m.r.NormFloat64()
			x[c] = w.x[c] + float64(m.step*m.drift(w, beta, c)) + float64(math.Sqrt(2*m.step)*xi)
			there += float64(xi * xi)
		}
		next := newWalker(m.u, x)
		back := 0.0
		for c := range x {
			xi := (w.x[c] - x[c] - float64(m.step*m.drift(next, beta, c))) / math.Sqrt(2*m.step)
			back += float64(xi * xi)
		}
		log := m.energy(w, beta) - m.energy(next, beta) + float64((there-back)/2)
		if math.Log(m.r.Float64()) < log {
			all[i], accepted = next, accepted+1/float64(len(all))
		}
	}
	m.step *= math.Exp(0.2 * (accepted - 0.57))
}

// annealed is the mover of SMC.
type annealed struct {
	length int
	step   float64

	mala
	particles []walker
	logs      []float64 // of the weights
}

// Init implements sifg.Mover.
func (m *annealed) Init(c *sifg.Cloud) {
	m.mala = mala{u: samplers.Energy(c.Target), prior: fitNormal(c.Z), step: m.step, r: rng.New(c.Seed, "smc")}
	m.particles, m.logs = walkers(m.u, c.Z), make([]float64, c.Z.Rows)
}

func walkers(u hmc.Density, z sifg.Batch) (out []walker) {
	for i, x := 0, metric.FromBatch(z); i < x.N; i++ {
		out = append(out, newWalker(u, x.Row(i)))
	}
	return out
}

// put writes walkers into the cloud.
func put(all []walker, z sifg.Batch) {
	for i, w := range all {
		for c, v := range w.x {
			z.Data[i*z.Cols+c] = float32(v)
		}
	}
}

// Move implements sifg.Mover.
func (m *annealed) Move(c *sifg.Cloud) {
	beta := min(1, float64(c.Iter+1)/float64(m.length))
	if c.Iter < m.length {
		for i, w := range m.particles {
			m.logs[i] -= (w.energy - m.prior.energy(w.x)) / float64(m.length)
		}
		weights, effective := normalised(m.logs)
		if effective < float64(len(weights))/2 || c.Iter+1 == m.length {
			m.particles = resample(m.particles, weights, m.r.Float64())
			clear(m.logs)
		}
	}
	m.mala.move(m.particles, beta)
	put(m.particles, c.Z)
}

// normalised returns weights that sum to 1, and their effective number 1/Σw².
func normalised(logs []float64) (weights []float64, effective float64) {
	top, sum, squares := math.Inf(-1), 0.0, 0.0
	for _, l := range logs {
		top = max(top, l)
	}
	for _, l := range logs {
		w := math.Exp(l - top)
		weights, sum = append(weights, w), sum+w
	}
	for i := range weights {
		weights[i] /= sum
		squares += float64(weights[i] * weights[i])
	}
	return weights, 1 / squares
}

// resample draws as many walkers as there are, by systematic resampling with the uniform u.
func resample(all []walker, weights []float64, u float64) []walker {
	out := make([]walker, 0, len(all))
	n, k, upTo := float64(len(all)), 0, weights[0]
	for i := range all {
		for at := (float64(i) + u) / n; at > upTo && k < len(all)-1; {
			k++
			upTo += weights[k]
		}
		out = append(out, all[k])
	}
	return out
}

// tempered is the mover of parallel tempering.
type tempered struct {
	levels int
	step   float64

	chains [][]walker // by temperature, the coldest first
	mala   []mala
	r      *rng.Stream
}

// Init implements sifg.Mover.
func (m *tempered) Init(c *sifg.Cloud) {
	u := samplers.Energy(c.Target)
	m.chains, m.mala, m.r = nil, nil, rng.New(c.Seed, "tempering")
	for k := range m.levels {
		m.chains = append(m.chains, walkers(u, c.Z))
		flat := normal{mean: make([]float64, c.Z.Cols), sd: math.Inf(1)}
		m.mala = append(m.mala, mala{u: u, prior: flat, step: m.step * math.Pow(2, float64(k)), r: m.r})
	}
}

// Move implements sifg.Mover.
func (m *tempered) Move(c *sifg.Cloud) {
	level := c.Iter % m.levels
	m.mala[level].move(m.chains[level], math.Pow(2, -float64(level)))
	if level == m.levels-1 {
		for k := range m.levels - 1 {
			m.swap(m.chains[k], m.chains[k+1], math.Pow(2, -float64(k))/2)
		}
	}
	put(m.chains[0], c.Z)
}

// swap exchanges the states of neighbours whose inverse temperatures differ by gap.
func (m *tempered) swap(cold, hot []walker, gap float64) {
	for i := range cold {
		if math.Log(m.r.Float64()) < gap*(cold[i].energy-hot[i].energy) {
			cold[i], hot[i] = hot[i], cold[i]
		}
	}
}
