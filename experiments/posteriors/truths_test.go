package posteriors

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/sifg/target/posterior"
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
const unseen = "Not seen by this: modes without particles"

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
		"u0, u1",
		cloud: "separate lumps"},
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
		return -x[0]*x[0]/18 - square(x[1:], 0)*math.Exp(-x[0])/2 - 4.5*x[0]
	}, mean: 0, sd: 3, says: "do not agree about u"},
	"Cauchy": {d: 2, log: func(x []float64) float64 { return -1.5 * math.Log1p(square(x, 0)) }, mean: math.NaN(),
		sd: math.NaN(), says: "heavy", cloud: "heavy tails"},
	"wrong gradient": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 },
		score: func(dst, x []float64) { dst[0], dst[1] = -x[0]/2, -x[1] }, says: "coordinate 0 (u0) of the gradient is",
		cloud: "not the gradient of the target's log density: coordinate 0"},
	"wrong sign": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 },
		score: func(dst, x []float64) { dst[0], dst[1] = x[0], x[1] }, says: "it has the wrong sign everywhere",
		cloud: "wrong sign"},
	"constant value": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 }, mean: 0, sd: 1, trust: true,
		values: func(x []float64) []float64 { return []float64{x[0], 0, 1 + 1e-16*x[1]} }, says: "Take these draws"},
	"offset 1e9": {d: 2, log: func(x []float64) float64 { return -square(x, 0) / 2 }, mean: 1e9, sd: 0.01, trust: true,
		values: func(x []float64) []float64 { return []float64{1e9 + 0.01*x[0], x[1]} }, says: "Take these draws"},
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

// chainsOn runs the chains on a density, as on a program.
func chainsOn(p hmc.Density, values func(x []float64) []float64, names []string) (*long, *judged, error) {
	d := p.Dim()
	l := &long{names: names, same: values == nil}
	l.together = newTogether(context.Background(), d, func(dst, points []float64) {
		for i := range len(points) / d {
			row := dst[i*(1+d) : (i+1)*(1+d)]
			row[0] = -p.Grad(row[1:], points[i*d:(i+1)*d])
			for j := range d {
				row[1+j] = -row[1+j]
			}
		}
	})
	l.constrain = func(u []float64) []float64 {
		if values == nil {
			return u
		}
		var out []float64
		for i := 0; i < len(u); i += d {
			out = append(out, values(u[i:i+d])...)
		}
		return out
	}
	if err := l.run(func(int, int) {}); err != nil {
		return nil, nil, err
	}
	if _, err := l.files(); err != nil {
		return nil, nil, err
	}
	var kept []string
	for _, j := range l.kept {
		kept = append(kept, "u"+string(rune('0'+j)))
	}
	all := []string{"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}
	return l, &judged{values: kept, all: all, fact: func(name string, index int) float64 {
		if v := l.facts[name]; index < len(v) {
			return v[index]
		}
		return math.NaN()
	}}, nil
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
	p := k.density()
	names := []string{"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}[:k.d]
	l, j, err := chainsOn(negated{p}, k.values, names)
	if err != nil {
		if k.score == nil || !strings.Contains(err.Error(), k.says) {
			t.Error(err)
		}
	} else {
		said := strings.Join(j.say(), " ")
		v := len(l.values[0]) / (len(l.u[0]) / k.d)
		c := hmc.Describe(hmc.Column(l.values, v, 0))
		if j.trusted() && !k.right(c.Mean, c.SD) && !strings.Contains(said, k.says) || j.trusted() != k.trust &&
			!math.IsNaN(k.mean) || !strings.Contains(said, k.says) {
			t.Errorf("mean %.6g, sd %.4g, want %.6g and %.4g: %s", c.Mean, c.SD, k.mean, k.sd, said)
		}
	}
	k.summarized(t, p)
}

func (k *knownTruth) right(mean, sd float64) bool {
	return math.Abs(mean-k.mean) < k.sd/5 && math.Abs(sd/k.sd-1) < 0.2
}

// negated is a target.Func as a density with energies.
type negated struct{ *target.Func }

func (n negated) Energy(x []float64) float64 { return -n.LogDensity(x) }
func (n negated) Grad(dst, x []float64) float64 {
	n.Gradient(dst, x)
	for j := range dst {
		dst[j] = -dst[j]
	}
	return n.Energy(x)
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

// TestTwelveWithoutAlarm: on the twelve posteriors the chains are to be taken, on all but one at most, and their means
// and standard deviations are those of the reference draws.
func TestTwelveWithoutAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	library, err := dataset.Open(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := library.Load("posteriordb")
	if err != nil {
		t.Skip(err)
	}
	alarms := 0
	for _, row := range posterior.Table {
		tr, err := truthOf(data, row)
		if err != nil {
			t.Fatal(err)
		}
		p := tr.posterior
		l, j, err := chainsOn(p, func(u []float64) []float64 {
			out := make([]float64, tr.draws.D)
			p.Constrain(out, u)
			return out
		}, nil)
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		said := j.say()
		t.Logf("%s: %.0f gradients: %s", row.Name, j.fact("asked", 0), strings.Join(said, " "))
		if !strings.HasPrefix(said[0], "Take these draws of NUTS.") {
			alarms++
		}
		for c := range tr.draws.D {
			x := hmc.Describe(hmc.Column(l.values, tr.draws.D, c))
			// five standard errors of the draws and of the reference's, and what a tail that is not normal adds to the
			// sds'
			off, ratio := math.Abs(x.Mean-tr.mean[c]), x.SD/tr.sd[c]
			if !(off < 5*math.Hypot(x.MCSE, tr.sd[c]/100)) || math.Abs(ratio-1) > 0.15 {
				t.Errorf("%s, value %d: mean off by %.2g sds, ratio of sds %.3f", row.Name, c, off/tr.sd[c], ratio)
			}
		}
	}
	if alarms > 1 {
		t.Errorf("%d of %d are not to be taken", alarms, len(posterior.Table))
	}
}
