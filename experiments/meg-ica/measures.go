package megica

import (
	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// sample is a judged sample in several forms.
type sample struct {
	points  metric.Points // n×p²
	aligned metric.Points // each turned by the signed permutation that brings it nearest to the mode
	iter    int
}

func (p *problem) sample(w sifg.Batch, iter int) *sample {
	s := &sample{points: metric.FromBatch(w), aligned: metric.FromBatch(w), iter: iter}
	for i := range s.aligned.N {
		metric.AlignRows(s.aligned.Row(i), s.aligned.Row(i), p.ref.Mode.W, p.p)
	}
	return s
}

type put = func(metric string, index int, value float64)

// truthMetric is the Amari distance to the inverse of a mixing matrix that is known.
const truthMetric = "amari-truth"

// measures is the table of metrics by name; Experiment.Metrics says what they are.
var measures = map[string]func(p *problem, s *sample, put put){
	"amari":      func(p *problem, s *sample, put put) { p.amari("amari", p.truth, s, put) },
	truthMetric:  func(p *problem, s *sample, put put) { p.amari(truthMetric, p.pi.unmixing, s, put) },
	"amari-mode": func(p *problem, s *sample, put put) { p.amari("amari-mode", p.ref.Mode.W, s, put) },
	"energy": func(p *problem, s *sample, put put) {
		put("energy", 0, p.energy.Distance(p.ref.standard(s.aligned)))
	},
	"ksd":   (*problem).ksd,
	"modes": (*problem).modes,
	"rms":   func(_ *problem, s *sample, put put) { put("rms", 0, rootMeanSquare(s.points.Data)) },
}

// measure implements harness.Problem.Measure. At iteration 0 it also measures as many reference draws, as metrics named
// "floor-…", and random matrices, as "random-…"; and it puts what is known of the reference, as "reference-…".
func (p *problem) measure(c *sifg.Cloud, w sifg.Batch, put func(string, int, float64)) {
	if c.Iter == 0 {
		p.floors(w.Rows, put)
		for _, f := range facts {
			for i, v := range p.ref.Facts[f.name] {
				put("reference-"+f.name, i, v)
			}
		}
	}
	p.all(p.sample(w, c.Iter), put)
}

func (p *problem) all(s *sample, put put) {
	for _, name := range p.o.Metrics {
		measures[name](p, s, put)
	}
}

// floors judges n reference draws, and n matrices with independent N(0, 1) entries.
func (p *problem) floors(n int, put put) {
	exact, random := metric.NewPoints(n, p.p*p.p), sifg.NewBatch(n, p.p*p.p)
	r := rng.New(p.seed, "floor").Rand()
	for i, k := range pick(r.IntN, p.ref.draws.N, n) {
		copy(exact.Row(i), p.ref.draws.Row(k))
	}
	rng.New(p.seed, "random").Normal(random.Data)
	floor := func(name string, index int, value float64) { put("floor-"+name, index, value) }
	p.all(p.sample(exact.Batch(), p.last), floor)
	p.amari("random-amari", p.truth, p.sample(random, p.last), put)
	if p.pi.unmixing != nil {
		p.amari("random-"+truthMetric, p.pi.unmixing, p.sample(random, p.last), put)
		put("w0-"+truthMetric, 0, metric.Amari(p.truth, p.pi.unmixing, p.p))
	}
}

// pick returns n numbers below m in random order, different ones while there are as many.
func pick(draw func(int) int, m, n int) []int {
	all := make([]int, m)
	for i := range all {
		all[i] = i
	}
	out := make([]int, n)
	for i := range out {
		if i < m {
			j := i + draw(m-i)
			all[i], all[j] = all[j], all[i]
		}
		out[i] = all[i%m]
	}
	return out
}

// amari puts the median over particles of the Amari distance to a matrix ("amari-median"), and at the last iteration
// and at SettledFrom the distance of every particle.
func (p *problem) amari(name string, to []float64, s *sample, put put) {
	each := make([]float64, s.points.N)
	for i := range each {
		each[i] = metric.Amari(s.points.Row(i), to, p.p)
		if s.iter == p.last || p.o.SettledFrom > 0 && s.iter == p.o.SettledFrom {
			put(name, i, each[i])
		}
	}
	put(name+"-median", 0, stats.Median(each))
}

// modes puts in how many modes the particles are, and how many of them are farther from the mode of their own than any
// reference draw is from its.
func (p *problem) modes(s *sample, put put) {
	seen, outside, reach, own := map[string]bool{}, 0.0, 0.0, p.ref.standard(s.aligned)
	for draws, i := p.ref.standard(p.ref.draws), 0; i < draws.N; i++ {
		reach = max(reach, floats.Norm(draws.Row(i), 2))
	}
	for i := range own.N {
		if seen[turn(s.aligned.Row(i), s.points.Row(i), p.p)] = true; floats.Norm(own.Row(i), 2) > reach {
			outside++
		}
	}
	put("modes", 0, float64(len(seen)))
	put("outside", 0, outside)
}

// ksd puts the kernel Stein discrepancy of the aligned sample, every coordinate in units of the reference's standard
// deviation. The density does not change under the alignment, so the score there is that of the aligned matrix.
func (p *problem) ksd(s *sample, put put) {
	score := sifg.NewBatch(s.aligned.N, s.aligned.D)
	p.pi.Score(score, s.aligned.Batch(), 0)
	g := metric.FromBatch(score)
	for i := range g.Data {
		g.Data[i] *= p.ref.AlignedSD[i%g.D]
	}
	v, u := metric.KSD(p.ref.standard(s.aligned), g)
	put("ksd", 0, v)
	put("ksd", 1, u)
}
