package theory

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
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
