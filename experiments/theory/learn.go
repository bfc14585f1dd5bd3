package theory

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

const batchRows = 512 // of one network step

// fit trains a network to the score of a law smoothed by σ, by denoising: each of the steps takes a
// batch of the law's draws and fresh noise.
func fit(d, hidden, steps int, sigma float64, seed uint64, rows func(dst sifg.Batch, r *rng.Stream)) *nn.Net {
	net := nn.New(d, hidden, nn.Tanh)
	net.Init(rng.New(seed, "network"))
	opt := &nn.Adam{Rate: nn.Rate{LR: 1e-2, Every: max(1, steps/5), Decay: 0.3}}
	r, noise := rng.New(seed, "rows"), rng.New(seed, "noise")
	x, w := sifg.NewBatch(batchRows, d), sifg.NewBatch(batchRows, d)
	f, g := sifg.NewBatch(batchRows, d), sifg.NewBatch(batchRows, d)
	for range steps {
		rows(x, r)
		noise.Normal(w.Data)
		for i, v := range w.Data {
			x.Data[i] += float32(float32(sigma) * v)
		}
		net.Forward(f, x)
		for i, v := range w.Data {
			g.Data[i] = 2 * (f.Data[i] + v/float32(sigma)) / batchRows
		}
		net.Descend(g, opt)
	}
	return net
}

// among takes rows of a fixed sample at random.
func among(sample sifg.Batch) func(dst sifg.Batch, r *rng.Stream) {
	d := sample.Cols
	return func(dst sifg.Batch, r *rng.Stream) {
		pick := r.Rand()
		for i := range dst.Rows {
			k := pick.IntN(sample.Rows)
			copy(dst.Data[i*d:(i+1)*d], sample.Data[k*d:(k+1)*d])
		}
	}
}

// fitted is a law that networks are fitted to: its draws, and its smoothed score.
type fitted interface {
	rows(dst sifg.Batch, r *rng.Stream)
	smoothed(sigma float64) func(x []float64) []float64
}

// known is a mixture.
type known struct{ *target.Mixture }

func (k known) rows(dst sifg.Batch, r *rng.Stream) { k.Sample(dst, r) }

func (k known) smoothed(sigma float64) func(x []float64) []float64 {
	return lawOf(k.Mixture).smooth(sigma).score
}

// student has independent coordinates with Student's t of 5.5 degrees of freedom: moments up to the fifth, and no
// more than the theorem for heavy tails needs.
type student struct{}

const freedom = 5.5

func (student) rows(dst sifg.Batch, r *rng.Stream) {
	for i := range dst.Data {
		dst.Data[i] = float32(studentDraw(r))
	}
}

// studentDraw draws t(ν) by Bailey's polar method (Mathematics of Computation 62, 1994).
func studentDraw(r *rng.Stream) float64 {
	for {
		u, v := 2*r.Float64()-1, 2*r.Float64()-1
		if w := float64(u*u) + float64(v*v); w > 0 && w <= 1 {
			return u * math.Sqrt(freedom*(math.Pow(w, -2/freedom)-1)/w)
		}
	}
}

// smoothed tabulates the score of a coordinate, which is odd, and interpolates.
func (student) smoothed(sigma float64) func(x []float64) []float64 {
	const step, end = 0.02, 40.0
	var table []float64
	density := func(y float64) float64 { return math.Pow(1+y*y/freedom, -(freedom+1)/2) }
	rule := grid(1, 0.05)
	for x := 0.0; x <= end+step; x += step {
		mass, pull := 0.0, 0.0
		for k, w := range rule.w {
			p := float64(rule.weight[k] * density(x+float64(sigma*w[0])))
			mass, pull = mass+p, pull+float64(p*w[0])
		}
		table = append(table, pull/mass/sigma)
	}
	return func(x []float64) []float64 {
		g := make([]float64, len(x))
		for c, v := range x {
			at := min(math.Abs(v), end) / step
			k := int(at)
			g[c] = math.Copysign(1, v) * (table[k] + float64((at-float64(k))*(table[k+1]-table[k])))
		}
		return g
	}
}

// scoreError is mean‖f − ∇log μ̂‖² over fresh draws of the smoothed law.
func scoreError(
	net *nn.Net, l fitted, sigma float64, draws int, score func(x []float64) []float64, seed uint64,
) float64 {
	x, f := sifg.NewBatch(draws, net.Dim()), sifg.NewBatch(draws, net.Dim())
	w := slices.Clone(x.Data)
	l.rows(x, rng.New(seed, "test"))
	rng.New(seed, "test-noise").Normal(w)
	for i, v := range w {
		x.Data[i] += float32(float32(sigma) * v)
	}
	net.Forward(f, x)
	sum := 0.0
	for i, row := range points(x) {
		for c, g := range score(row) {
			sum += sq(float64(f.Data[i*x.Cols+c]) - g)
		}
	}
	return sum / float64(draws)
}

// samples measures Theorems 4.8 and 4.12: the error of a network that was fitted to n draws of a law, and that of one
// that never sees a draw twice (index 0).
func samples(m *measurement) {
	l := map[string]fitted{"sub-gaussian": known{target.GMM2D()}, "heavy-tailed": student{}}[m.method]
	for _, sigma := range m.o.Sigmas {
		score := l.smoothed(sigma)
		for _, n := range append([]int{0}, m.o.Sizes...) {
			rows := l.rows
			if n > 0 {
				sample := sifg.NewBatch(n, 2)
				l.rows(sample, rng.New(m.seed, "sample"))
				rows = among(sample)
			}
			net := fit(2, 32, m.o.Steps, sigma, m.seed, rows)
			m.put(at("error", sigma), n, scoreError(net, l, sigma, m.o.Draws, score, m.seed))
		}
	}
}

// width measures the trend of Theorem 4.9: the error of networks of several widths that never see a
// draw twice, in one and two dimensions.
func width(m *measurement) {
	var l fitted = known{bimodal().target()}
	d := 1
	if m.method == "2d" {
		l, d = known{target.GMM2D()}, 2
	}
	for _, sigma := range m.o.Sigmas {
		score := l.smoothed(sigma)
		for _, hidden := range m.o.Sizes {
			net := fit(d, hidden, m.o.Steps, sigma, m.seed, l.rows)
			m.put(at("error", sigma), hidden, scoreError(net, l, sigma, m.o.Draws, score, m.seed))
		}
	}
}

// helps measures what the learned score is worth on a law of width about 1 in d dimensions, normal-d or student-d
// (five degrees of freedom), for n particles and each σ: for SIFG, and for blind SIFG, whose network learns from the
// noise of other particles. Both start at half the width and move for Options.Time by steps of 0.3σ², which is the
// temperature 0.15. At the index n it puts
//
//	energy-FLOW   the energy distance of a fresh sample z + σw to the law
//	mean-FLOW     its squared error of the mean, over that which n exact draws have in expectation
//	share-sifg    the share 1 − L·σ²/d of fresh noise that SIFG's network predicts, L the denoising loss
//	energy-exact  the energy distance of n exact draws
func helps(m *measurement) {
	kind, dim, _ := strings.Cut(m.method, "-")
	d, _ := strconv.Atoi(dim)
	t := tailed{d, kind == "student"}
	energy := t.energy()
	for _, n := range m.o.Sizes {
		m.put("energy-exact", n, energy.Distance(t.draws(n, rng.New(m.seed, "floor", uint64(n)))))
		for _, sigma := range m.o.Sigmas {
			for _, name := range []string{"sifg", "sifg-blind"} {
				sample, share := m.fresh(name, t, n, sigma)
				m.put(at("energy-"+name, sigma), n, energy.Distance(sample))
				mean := metric.Mean(sample)
				m.put(at("mean-"+name, sigma), n, dot(mean, mean)/float64(d)*float64(n)/t.variance())
				if name == "sifg" {
					m.put(at("share-"+name, sigma), n, share)
				}
			}
		}
	}
}

// fresh runs SIFG or blind SIFG and returns z + σw for a new w, and the share of it that SIFG's network predicts.
func (m *measurement) fresh(name string, t tailed, n int, sigma float64) (sample metric.Points, share float64) {
	h := 0.3 * sigma * sigma
	flow, err := sifg.New(sifg.Config{Sampler: name, Step: h, Sigma: sigma, Hidden: 64, LR: 4e-3, Warmup: 200})
	if err != nil {
		panic(err) // a trial that panics has failed, with this text
	}
	c := m.start(flow, t, n, func(dst sifg.Batch, r *rng.Stream) {
		r.Normal(dst.Data)
		for i := range dst.Data {
			dst.Data[i] /= 2
		}
	})
	for c.Iter < int(math.Round(m.o.Time/h)) {
		if _, err := flow.Step(c); err != nil {
			panic(err)
		}
	}
	if trained, ok := flow.Field.(*sifg.Denoise); ok {
		trained.Inner = 0 // what follows perturbs and judges, and teaches nothing
		trained.Velocity(c, &sifg.Noise{Sigma: float32(sigma)})
		loss := 0.0
		for i, w := range c.W.Data {
			loss += sq(float64(c.S.Data[i]-c.V.Data[i]) + float64(w)/sigma)
		}
		share = 1 - loss*sigma*sigma/float64(n*t.d)
	} else {
		c.Perturb()
	}
	return metric.FromBatch(c.X), share
}

// tailed is N(0, I) or the multivariate Student's t with five degrees of freedom on R^d, which is N(0, 5/g·I) for g ~
// χ²₅.
type tailed struct {
	d     int
	heavy bool
}

const degrees = 5

// Dim implements sifg.Target.
func (t tailed) Dim() int { return t.d }

// Score implements sifg.Target: −x, or −(ν+d)x/(ν+‖x‖²).
func (t tailed) Score(dst, x sifg.Batch, _ int) {
	for i := range x.Rows {
		row, out := x.Data[i*t.d:(i+1)*t.d], dst.Data[i*t.d:(i+1)*t.d]
		factor := float32(-1)
		if t.heavy {
			square := 0.0
			for _, v := range row {
				square += sq(float64(v))
			}
			factor = float32(-(degrees + float64(t.d)) / (degrees + square))
		}
		for c, v := range row {
			out[c] = factor * v
		}
	}
}

// variance is that of a coordinate.
func (t tailed) variance() float64 {
	if t.heavy {
		return degrees / (degrees - 2.0)
	}
	return 1
}

// draws are exact.
func (t tailed) draws(n int, r *rng.Stream) metric.Points {
	out := metric.NewPoints(n, t.d)
	for i := range n {
		sd := 1.0
		if t.heavy {
			g := 0.0
			for range degrees {
				g += sq(r.NormFloat64())
			}
			sd = math.Sqrt(degrees / g)
		}
		for c := range t.d {
			out.Row(i)[c] = sd * r.NormFloat64()
		}
	}
	return out
}

// energy prepares the energy distance to the law: of Student's t as the mixture of 400 normal laws whose widths are
// at even quantiles.
func (t tailed) energy() *metric.Energy {
	count := 1
	if t.heavy {
		count = 400
	}
	var m metric.Modes
	for k := range count {
		sd := 1.0
		if t.heavy {
			g := 2 * mathext.GammaIncRegInv(degrees/2.0, (float64(k)+0.5)/float64(count))
			sd = math.Sqrt(degrees / g)
		}
		m.Weights, m.Means = append(m.Weights, 1/float64(count)), append(m.Means, make([]float64, t.d))
		m.SDs = append(m.SDs, sd)
	}
	return m.Energy()
}
