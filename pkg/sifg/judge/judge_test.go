package judge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// knownTruth is a density of which mean and standard deviation of the first coordinate are known, and what is to be
// said.
type knownTruth struct {
	d        int
	log      func(x []float64) float64 // log density; its gradient is taken by differences unless score is set
	score    func(dst, x []float64)
	values   func(x []float64) []float64 // nil: the coordinates
	mean, sd float64
	trust    bool   // the draws can be had, so withholding them is a false alarm
	says     string // by the page and the terminal; or the error
	cloud    string // by Summarize of a flow; "": nothing, or the cloud is right
}

// unseen is what Summarize says where it cannot see that a cloud is wrong.
const unseen = "Not detected by this: modes without particles"

// lse is log(w·exp(a) + (1−w)·exp(b)).
func lse(w, a, b float64) float64 {
	a, b = a+math.Log(w), b+math.Log(1-w)
	return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

func square(x []float64, at float64) (s float64) {
	for _, v := range x {
		s += (v - at) * (v - at)
	}
	return s
}

// modesAt is 0.7·N(−a, s²I) + 0.3·N(a, s²I).
func modesAt(a, s float64) func(x []float64) float64 {
	return func(x []float64) float64 { return lse(0.7, -square(x, -a)/(2*s*s), -square(x, a)/(2*s*s)) }
}

// robust is a location with Cauchy errors, whose data are in two groups of five, of which one is a little tighter.
func robust(x []float64) (s float64) {
	for i := range 5 {
		s -= math.Log1p(math.Pow((x[0]-5-float64(i)/10)/0.5, 2)) + math.Log1p(math.Pow((x[0]+5-float64(i)/8)/0.5, 2))
	}
	return s - x[0]*x[0]/200
}

// quadrature returns mean and standard deviation of a density on the line.
func quadrature(log func(x []float64) float64) (mean, sd float64) {
	var mass, first, second float64
	for x := -50.0; x < 50; x += 1e-3 {
		w := math.Exp(log([]float64{x}) + 30)
		mass, first, second = mass+w, first+w*x, second+w*x*x
	}
	mean = first / mass
	return mean, math.Sqrt(second/mass - mean*mean)
}

func moon(x []float64) float64 {
	r := math.Sqrt(square(x, 0) + 1e-12)
	return -math.Pow((r-2)/0.2, 2)/2 + lse(0.5, -math.Pow((x[0]-2)/0.3, 2)/2, -math.Pow((x[0]+2)/0.3, 2)/2)
}

// labels is a mixture of two normal laws without an order, of 30 values.
func labels() func(x []float64) float64 {
	var data []float64
	r := rng.New(5, "labels")
	for i := range 30 {
		at := -2.0
		if i >= 20 {
			at = 3
		}
		data = append(data, at+r.NormFloat64())
	}
	return func(x []float64) float64 {
		w := 1 / (1 + math.Exp(-x[2]))
		s := -(x[0]*x[0]+x[1]*x[1])/50 + math.Log(w) + math.Log1p(-w)
		for _, y := range data {
			s += lse(w, -(y-x[0])*(y-x[0])/2, -(y-x[1])*(y-x[1])/2)
		}
		return s
	}
}

var knownTruths = map[string]knownTruth{
	"two modes, far": {d: 2, log: modesAt(4, 0.5), mean: -1.6, sd: 3.70, says: "2 modes were found",
		cloud: "separate lumps"},
	"two modes, near": {d: 2, log: modesAt(1, 0.7), mean: -0.4, sd: 1.152, trust: true, says: "2 modes"},
	"label switching": {d: 3, log: labels(), mean: 0.5, sd: 2.5, says: "Label switching: modes are each other with " +
		"u0, u1, u2 swapped or mirrored", cloud: "separate lumps"},
	"labels with shares": {d: 3, log: labels(), mean: 0.5, sd: 2.5, says: "with u0, u1, u2 swapped or mirrored",
		values: func(x []float64) []float64 { return []float64{x[0], x[1], 1 / (1 + math.Exp(-x[2]))} }},
	"robust location, two groups": {d: 1, log: robust, says: "modes were found", cloud: "lumps"},
	"dual moon": {d: 2, log: moon, mean: 0, sd: 1.82,
		says: "modes were found", cloud: "separate lumps"},
	"spike in a slab": {d: 10, log: func(x []float64) float64 {
		return lse(0.5, -square(x, 0)/2, -square(x, 0)/2/0.0025-10*math.Log(0.05))
	}, mean: 0, sd: 0.708, says: "do not agree", cloud: unseen}, // no particle came near the spike
	"banana": {d: 2, log: func(x []float64) float64 {
		return -x[0]*x[0]/2 - math.Pow(x[1]-x[0]*x[0], 2)*2
	}, mean: 0, sd: 1, trust: true, says: "one mode"},
	"funnel": {d: 10, log: func(x []float64) float64 {
		return -x[0]*x[0]/18 - square(x[1:], 0)*math.Exp(-x[0])/2 - float64(len(x)-1)/2*x[0]
	}, mean: 0, sd: 3, says: "do not agree about u"},
	"Cauchy": {d: 2, log: func(x []float64) float64 { return -1.5 * math.Log1p(square(x, 0)) }, mean: math.NaN(),
		sd: math.NaN(), says: "heavy", cloud: "heavy tails"},
	"wrong gradient": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 },
		score: func(dst, x []float64) { dst[0], dst[1] = -x[0]/2, -x[1] }, says: "coordinate u0 of the gradient is",
		cloud: "not the gradient of the target's log density: coordinate 0"},
	"wrong sign": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 },
		score: func(dst, x []float64) { dst[0], dst[1] = x[0], x[1] }, says: "it has the wrong sign everywhere",
		cloud: "wrong sign"},
	"constant value": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 }, mean: 0, sd: 1, trust: true,
		values: func(x []float64) []float64 { return []float64{x[0], 0, 1 + 1e-16*x[1]} }, says: "Use these draws"},
	"offset 1e9": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 }, mean: 1e9, sd: 0.01, trust: true,
		values: func(x []float64) []float64 { return []float64{1e9 + 0.01*x[0], x[1]} }, says: "Use these draws"},
}

// density returns the truth as a density.
func (k *knownTruth) density() *target.Func {
	score := k.score
	if score == nil {
		score = func(dst, x []float64) {
			for j, v := range x {
				h := 1e-5 * max(1, math.Abs(v))
				x[j] = v + h
				up := k.log(x)
				x[j] = v - h
				dst[j] = (up - k.log(x)) / (2 * h)
				x[j] = v
			}
		}
	}
	return target.NewFunc(k.d, k.log, score)
}

// judged runs the judge on a truth.
func (k *knownTruth) judged() (*Result, error) {
	o := hmc.Options{Names: []string{"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}, Seed: 1}
	if k.values == nil {
		o.Names = o.Names[:k.d]
	} else {
		o.Names = o.Names[:len(k.values(make([]float64, k.d)))]
		o.Values = func(dst, x []float64) { copy(dst, k.values(x)) }
	}
	return Run(context.Background(), k.density(), o)
}

// TestKnownTruths: no draws that are wrong are said to be to be taken, none that are right are withheld, and what is
// wrong is named, by the terminal and the page, which have the same notes, and by Summarize of a flow. A sample is
// right if the mean of the first value is within a fifth of its standard deviation and that within a fifth of itself.
func TestKnownTruths(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for name, k := range knownTruths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k.check(t)
		})
	}
}

// check checks what is said of the chains and of a flow.
func (k knownTruth) check(t *testing.T) {
	if k.d == 1 {
		k.mean, k.sd = quadrature(k.log)
	}
	s, err := k.judged()
	if err != nil {
		if k.score == nil || !strings.Contains(err.Error(), k.says) {
			t.Error(err)
		}
	} else {
		said, c := strings.Join(s.Reasons(), " "), s.Values[0]
		if s.Trusted() && !k.right(c.Mean, c.SD) && !strings.Contains(said, k.says) || s.Trusted() != k.trust &&
			!math.IsNaN(k.mean) || !strings.Contains(said, k.says) {
			t.Errorf("mean %.6g, sd %.4g, want %.6g and %.4g: %s", c.Mean, c.SD, k.mean, k.sd, said)
		}
		k.weighted(t, s)
	}
	k.summarized(t, k.density())
}

func (k *knownTruth) right(mean, sd float64) bool {
	return math.Abs(mean-k.mean) < k.sd/5 && math.Abs(sd/k.sd-1) < 0.2
}

// summarized checks what Summarize says of a flow from N(0, 9I) on the values' scale.
func (k *knownTruth) summarized(t *testing.T, p *target.Func) {
	if k.values != nil {
		return
	}
	c, err := sifg.Sample(context.Background(), sifg.Default("sifg", k.d, 500), p, sifg.Options{
		Particles: 500, Iterations: 600, Seed: 1, Init: func(dst sifg.Batch, r *rng.Stream) {
			r.Normal(dst.Data)
			for i := range dst.Data {
				dst.Data[i] *= 3
			}
		}})
	if err != nil {
		return // it says what went wrong
	}
	s := diagnose.Summarize(c)
	said := s.String()
	first := s.Coordinates[0]
	if len(s.Warnings) == 0 && !k.right(first.Mean, first.SD) && k.cloud == "" || !strings.Contains(said, k.cloud) ||
		!strings.Contains(said, "relative weights of separated modes") {
		t.Errorf("Summarize: mean %.3g, sd %.3g: %s", first.Mean, first.SD, said)
	}
}

// weighted checks that weights, where they are offered, mend what the shares of the chains spoil.
func (k *knownTruth) weighted(t *testing.T, s *Result) {
	if s.Weights == nil || k.values != nil {
		return
	}
	var first []float64
	for _, u := range s.U {
		first = append(first, u.Column(0)...)
	}
	if mean, sd := stat.MeanStdDev(first, s.Weights); !k.right(mean, sd) {
		t.Errorf("weighted: mean %.4g, sd %.4g, want %.4g and %.4g", mean, sd, k.mean, k.sd)
	}
}

// TestShorterSteps: chains that nearly agree on a banana, where moves diverge, run again with shorter steps; so do
// those on a funnel, where many diverge, though they disagree, and those on a smaller one that agree about the wrong
// width.
func TestShorterSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of chains")
	}
	for _, c := range []struct {
		seed uint64
		name string
		d    int
	}{
		{1, "banana", 2},
		{6, "funnel", 10}, // at first 30 % of its moves diverge
		{26, "funnel", 5},
	} {
		k := knownTruths[c.name]
		k.d = c.d
		s, err := Run(context.Background(), k.density(), hmc.Options{Seed: c.seed})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(s.Reasons(), " "); s.Accept != careful || s.Trusted() != k.trust ||
			k.trust && s.Divergent > mostDivergent || !strings.Contains(said, "adapted to an acceptance of 0.98") {
			t.Errorf("%s: acceptance %g, %g divergent: %s", c.name, s.Accept, s.Divergent, said)
		}
	}
}

// TestNothingOfTailsWhileChainsDisagree: R-hat above 1.1 presumes no one law, whose energy or tails could be told.
func TestNothingOfTailsWhileChainsDisagree(t *testing.T) {
	p := Report{Chains: 4, Moves: 4000, EBFMI: 0.1, Values: []hmc.Coordinate{{RHat: 1.2, BulkESS: 10, TailESS: 10}},
		Heavy: []int{0}, EnergyRank: 0.9, Names: []string{"f"}, AllNames: []string{"f"}, Divergent: 0.1, DivergedOff: 2}
	if said := strings.Join(p.Reasons(), " "); strings.Contains(said, "E-BFMI") || strings.Contains(said, "tails of") ||
		strings.Contains(said, "its mean") || !strings.Contains(said, "do not agree about f") {
		t.Error(said)
	}
	p.Values[0].RHat = 1.001
	if said := strings.Join(p.Reasons(), " "); !strings.Contains(said, "E-BFMI of 0.10") ||
		!strings.Contains(said, "tails of f are heavy") {
		t.Error(said)
	}
}

// TestRefusals: what is wrong with a call or a density is an error that says so.
func TestRefusals(t *testing.T) {
	of := func(log func(x []float64) float64, score func(dst, x []float64)) hmc.Density {
		return target.NewFunc(2, log, score)
	}
	normal := func(x []float64) float64 { return -square(x, 0) / 2 }
	slope := func(dst, x []float64) { dst[0], dst[1] = -x[0], -x[1] }
	var asked atomic.Uint64
	chance := func(x []float64) float64 { return normal(x) + rng.New(1, "noise", asked.Add(1)).Float64() }
	short := hmc.Options{Config: hmc.Config{Warmup: 60}, Draws: 60, Until: hmc.Until{Draws: 60}}
	started, gone := short, context.Background()
	started.Start = func(int) []float64 { return nil }
	gone, cancel := context.WithCancel(gone)
	cancel()
	for name, c := range map[string]struct {
		d    hmc.Density
		o    hmc.Options
		ctx  context.Context
		want string
	}{
		"flat": {of(func([]float64) float64 { return 0 }, func(dst, _ []float64) { clear(dst) }), short, nil,
			"does not fall off"},
		"rising": {of(func(x []float64) float64 { return math.Abs(x[0]) + math.Abs(x[1]) },
			func(dst, x []float64) { dst[0], dst[1] = math.Copysign(1, x[0]), math.Copysign(1, x[1]) }), short, nil,
			"does not fall off"},
		"halved": {of(normal, func(dst, x []float64) { dst[0], dst[1] = -x[0], -x[1]/2 }), short, nil,
			"coordinate x[2] of the gradient is"},
		"chance": {of(chance, slope), short, nil, "another when it is asked again"},
		"nowhere": {of(func([]float64) float64 { return math.Inf(-1) }, slope), short, nil,
			"not finite at any of 100 points"},
		"nil":   {nil, short, nil, "a density, and positive Chains"},
		"less":  {of(normal, slope), hmc.Options{Chains: -1}, nil, "not -1, 1000 and 1000"},
		"start": {of(normal, slope), started, nil, "Start, Folder and Leapfrog cannot be set"},
		"gone":  {of(normal, slope), short, gone, context.Canceled.Error()},
		"good":  {of(normal, slope), short, nil, ""},
	} {
		_, err := Run(cmp.Or(c.ctx, context.Background()), c.d, c.o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) ||
			c.ctx != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
