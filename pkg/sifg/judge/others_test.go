package judge

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// other is a posterior of posteriordb besides the twelve: data, and means and standard deviations of its reference
// draws, as testdata/others.json has them (from commit 28f8d3d; datasets/files/posteriordb/LICENSE holds for it too).
type other struct{ X, Y, Mean, SD []float64 }

// normalLog is the log density of N(mean, sd²), without constants.
func normalLog(x, mean, sd float64) float64 { return -(x-mean)*(x-mean)/(2*sd*sd) - math.Log(sd) }

// arma is an ARMA(1, 1) of 200 values, on (μ, φ, θ, log σ).
func (o *other) arma(u []float64) float64 {
	sd := math.Exp(u[3])
	s := u[3] - math.Log1p(sd*sd/6.25) - u[0]*u[0]/200 - (u[1]*u[1]+u[2]*u[2])/8
	last, off := u[0], 0.0 // as if the value before the first were μ
	for _, y := range o.Y {
		off = y - u[0] - u[1]*last - u[2]*off
		s, last = s+normalLog(off, 0, sd), y
	}
	return s
}

// kilpisjarvi is a regression on years that are not centred, on (α, β, log σ).
func (o *other) kilpisjarvi(u []float64) float64 {
	s := u[2] + normalLog(u[0], 9.31290322580645, 100) + normalLog(u[1], 0, 1.0/30)
	squares := 0.0
	for i, y := range o.Y {
		off := y - u[0] - u[1]*o.X[i]
		squares += off * off
	}
	return s - float64(len(o.Y))*u[2] - squares*math.Exp(-2*u[2])/2
}

// hmm is a hidden Markov model of two states, on the logits of staying in the first and of leaving the second, log μ₁
// and log(μ₂ − μ₁).
func (o *other) hmm(u []float64) float64 {
	v := hmmValues(u)
	s := u[2] + u[3] + normalLog(v[4], 3, 1) + normalLog(v[5], 10, 1)
	for j := range 2 {
		s += math.Log(v[2*j]) + math.Log(v[2*j+1])
	}
	a, b := 1.0, 1.0 // weights of the states over e^s
	for i, y := range o.Y {
		if i > 0 {
			a, b = a*v[0]+b*v[2], a*v[1]+b*v[3]
		}
		first, second := normalLog(y, v[4], 1), normalLog(y, v[5], 1)
		top := max(first, second)
		a, b = a*math.Exp(first-top), b*math.Exp(second-top)
		s, a, b = s+top+math.Log(a+b), a/(a+b), b/(a+b)
	}
	return s
}

func hmmValues(u []float64) []float64 {
	a, b := 1/(1+math.Exp(-u[0])), 1/(1+math.Exp(-u[1]))
	return []float64{a, 1 - a, b, 1 - b, math.Exp(u[2]), math.Exp(u[2]) + math.Exp(u[3])}
}

// TestOthersWithoutAlarm: on others of posteriordb, of other kinds than the twelve, the chains are to be taken, and
// their means and standard deviations are those of the reference draws. The time series explodes at most wide starts.
func TestOthersWithoutAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds of chains")
	}
	b, err := os.ReadFile("testdata/others.json")
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]*other{}
	if err := json.Unmarshal(b, &others); err != nil {
		t.Fatal(err)
	}
	arma, years := others["arma-arma11"], others["kilpisjarvi_mod-kilpisjarvi"]
	hidden := others["hmm_example-hmm_example"]
	scale := func(u []float64) []float64 { // the last is a logarithm
		n := len(u) - 1
		return append(append([]float64{}, u[:n]...), math.Exp(u[n]))
	}
	for _, c := range []struct {
		*other
		knownTruth
	}{
		{arma, knownTruth{d: 4, log: arma.arma, values: scale}},
		{years, knownTruth{d: 3, log: years.kilpisjarvi, values: scale}},
		{hidden, knownTruth{d: 4, log: hidden.hmm, values: hmmValues}},
	} {
		s, err := c.judged()
		if err != nil {
			t.Fatal(err)
		}
		if said := s.Reasons(); !strings.HasPrefix(said[0], "Use these draws of NUTS.") {
			t.Errorf("%v: %s", c.Mean, strings.Join(said, " "))
		}
		for k, mean := range c.Mean {
			x, sd := s.Values[k], c.other.SD[k]
			if math.Abs(x.Mean-mean) > 5*math.Hypot(x.MCSE, sd/100) || math.Abs(x.SD/sd-1) > 0.15 {
				t.Errorf("value %d: mean %.4g, sd %.4g, want %.4g and %.4g", k, x.Mean, x.SD, mean, sd)
			}
		}
	}
}

// TestHeavyTails: of 4,000 draws laws without a mean, on either side, are told from those with a variance. The mean of
// exp(3z) is one that so many draws do not tell.
func TestHeavyTails(t *testing.T) {
	r := rng.New(1, "tails").Rand()
	for _, c := range []struct {
		name  string
		draw  func() float64
		heavy bool
	}{
		{"normal", r.NormFloat64, false},
		{"exponential", r.ExpFloat64, false},
		{"uniform", r.Float64, false},
		{"log-normal", func() float64 { return math.Exp(r.NormFloat64() / 2) }, false},
		{"fifth power", func() float64 { return math.Pow(r.Float64(), -0.2) }, false},
		{"Cauchy", func() float64 { return r.NormFloat64() / r.NormFloat64() }, true},
		{"exp(3z)", func() float64 { return math.Exp(3 * r.NormFloat64()) }, true},
		{"power, left side", func() float64 { return -1 / r.Float64() }, true},
	} {
		for range 20 {
			shape := paretoShape(drawn(4000, c.draw))
			if (shape > heavyTail) != c.heavy || (shape > heavyMean) != c.heavy {
				t.Errorf("%s: k̂ %.2f", c.name, shape)
			}
		}
	}
}

func drawn(n int, draw func() float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = draw()
	}
	return out
}

// TestShape: k̂ of 4,000 draws of u^(−k) is k within four standard errors, which for n = 400 exceedances are (1 + k)/√n
// each (Zhang and Stephens, 2009).
func TestShape(t *testing.T) {
	r := rng.New(2, "shapes").Rand()
	for _, k := range []float64{0.3, 0.5, 1, 1.5} {
		got := paretoShape(drawn(4000, func() float64 { return math.Pow(r.Float64(), -k) }))
		if math.Abs(got-k) > 4*(1+k)/20 {
			t.Errorf("shape %.2f, want %.2f", got, k)
		}
	}
	if k := paretoShape(slices.Repeat([]float64{1, 2}, 20)); k > heavyMean {
		t.Errorf("two values: %.2f", k)
	}
}
