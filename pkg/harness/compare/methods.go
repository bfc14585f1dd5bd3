package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Verdicts on a pair of methods.
const (
	Lower     = "lower"  // the method's values are lower than the base's: better
	Higher    = "higher" // worse
	Same      = "not told apart"
	Few       = "too few seeds" // to be told apart in so many comparisons, whatever the values
	Undefined = "undefined"     // a value is not a number
)

// Level is the chance of a false alarm that is accepted over all comparisons that are corrected together.
const Level = 0.05

// Pair compares a method with another, the base, in one metric on one problem, seed by seed. Less is better.
type Pair struct {
	Name
	Base        string  `json:"base"`
	Pairs       int     `json:"pairs"` // seeds that both have
	Ours        Summary `json:"ours"`  // of the method, over the pairs
	Theirs      Summary `json:"theirs"`
	Difference  Number  `json:"difference"` // mean of method − base
	Low         Number  `json:"low"`        // its 95 % interval over seeds, stats.MeanInterval
	High        Number  `json:"high"`
	P           Number  `json:"p"`         // two-sided sign-flip permutation test; a sign test where a difference is infinite
	Corrected   Number  `json:"corrected"` // Holm's, over the comparisons given together
	Improvement Number  `json:"improvement"`
	Verdict     string  `json:"verdict"`
	Note        string  `json:"note,omitempty"`
	d           []float64
	seeds       string
	bad         int
}

// Methods compares every method with the base in each metric on each problem of a report. P-values are corrected over all
// of them.
func Methods(r harness.Report, base string, metrics []string) []Pair {
	cells := map[Name]*cell{}
	all := cellsOf(r)
	for _, c := range all {
		cells[c.Name] = c
	}
	var out []Pair
	for _, metric := range metrics {
		for _, c := range all {
			if c.Metric != metric || c.Index != 0 || c.Method == base {
				continue
			}
			n := c.Name
			n.Method = base
			if b := cells[n]; b != nil {
				out = append(out, newPair(c, b))
			}
		}
	}
	p := make([]float64, len(out))
	for i := range out {
		p[i] = float64(out[i].P)
	}
	for i, v := range stats.Holm(p) {
		x := &out[i]
		x.Corrected, x.Verdict = Number(v), Same
		switch {
		case v <= Level && x.direction() < 0:
			x.Verdict = Lower
		case v <= Level && x.direction() > 0:
			x.Verdict = Higher
		case math.IsNaN(v) && x.Pairs > 0:
			x.Verdict = Undefined
		}
		// the smallest p-value that so many pairs can give, times the number of comparisons
		if least := math.Ldexp(1, 1-x.Pairs) * float64(len(out)); x.Verdict == Same && least > Level {
			x.Verdict = Few
		}
	}
	return out
}

func newPair(a, b *cell) Pair {
	x := Pair{Name: a.Name, Base: b.Method, bad: a.Bad + b.Bad}
	var va, vb []float64
	var seeds []string
	infinite := false
	for _, seed := range slices.Sorted(maps.Keys(a.Values)) {
		w, ok := b.Values[seed]
		if !ok {
			continue
		}
		v := a.Values[seed]
		d := difference(v, w)
		va, vb, x.d = append(va, v), append(vb, w), append(x.d, d)
		seeds = append(seeds, fmt.Sprint(seed))
		infinite = infinite || math.IsInf(d, 0)
	}
	x.Pairs, x.seeds, x.Ours, x.Theirs = len(x.d), strings.Join(seeds, ","), summary(va), summary(vb)
	x.Difference = Number(stats.Mean(x.d))
	x.P = Number(stats.Paired(x.d, stats.TwoSided, 1))
	x.Low, x.High = Number(math.NaN()), Number(math.NaN())
	if infinite {
		x.P = Number(stats.Sign(x.d, stats.TwoSided))
		x.Note = "an infinite value: sign test"
	} else {
		lo, hi := stats.MeanInterval(x.d, 0.95, 1)
		x.Low, x.High = Number(lo), Number(hi)
	}
	if x.bad > 0 {
		x.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d trials did not end well", x.Note, x.bad), "; ")
	}
	x.Improvement = Number(improvement(x.d))
	return x
}

// direction is the sign of what the test was of: the mean difference, or more differences of one sign.
func (p Pair) direction() float64 {
	if d := float64(p.Difference); !math.IsNaN(d) && !math.IsInf(d, 0) {
		return d
	}
	return 0.5 - float64(p.Improvement)
}

// improvement is the share of pairs in which the method is lower, ties half: an estimate of the probability that it is. NaN with a
// NaN among them.
func improvement(d []float64) float64 {
	n := 0.0
	for _, v := range d {
		switch {
		case math.IsNaN(v):
			return v
		case v < 0:
			n++
		case v == 0:
			n += 0.5
		}
	}
	return n / float64(len(d))
}

// Average is the probability of improvement of a method over another, averaged over problems.
type Average struct {
	Name               // without a problem
	Base        string `json:"base"`
	Over        string `json:"over"` // what was averaged over, in words
	Improvement Number `json:"improvement"`
	Low         Number `json:"low"` // 95 % interval of the bootstrap within each problem
	High        Number `json:"high"`
	Refused     string `json:"refused,omitempty"` // why there is no average
}

// Averages returns an average over problems for each method, base and metric of the pairs that has more than one problem, or why
// there is none.
func Averages(pairs []Pair) []Average {
	type group struct{ method, base, metric string }
	of := map[group][]Pair{}
	var order []group
	problems := map[string]bool{}
	for _, p := range pairs {
		g := group{p.Method, p.Base, p.Metric}
		if of[g] == nil {
			order = append(order, g)
		}
		of[g] = append(of[g], p)
		problems[p.Problem] = true
	}
	var out []Average
	for _, g := range order {
		if len(problems) < 2 {
			continue
		}
		a, err := average(of[g])
		if err != nil {
			p := of[g][0]
			a = Average{Name: p.Name, Base: p.Base, Improvement: Number(math.NaN()), Low: Number(math.NaN()), High: Number(math.NaN()), Refused: err.Error()}
			a.Problem = ""
		}
		out = append(out, a)
	}
	return out
}

// average averages the probability of improvement over problems; differences and means have units of their own on each
// problem and are not averaged. It refuses pairs that are not of the same experiment, protocol, scale, methods and metric,
// that are of one problem twice, of different seeds, or that lack trials: their average would hide which they are.
func average(pairs []Pair) (Average, error) {
	if len(pairs) < 2 {
		return Average{}, fmt.Errorf("on one problem only")
	}
	first := pairs[0]
	a := Average{Name: first.Name, Base: first.Base}
	a.Problem = ""
	var names []string
	sum := 0.0
	for _, p := range pairs {
		n := p.Name
		n.Problem = ""
		switch {
		case n != a.Name || p.Base != a.Base:
			return Average{}, fmt.Errorf("mixed: %s and %s", describe(first), describe(p))
		case slices.Contains(names, p.Problem):
			return Average{}, fmt.Errorf("%s stands twice", p.Problem)
		case p.seeds != first.seeds:
			return Average{}, fmt.Errorf("mixed seeds: %s on %s, %s on %s", first.seeds, first.Problem, p.seeds, p.Problem)
		case p.bad > 0:
			return Average{}, fmt.Errorf("%d trials on %s did not end well", p.bad, p.Problem)
		}
		names = append(names, p.Problem)
		sum += float64(p.Improvement)
	}
	a.Improvement = Number(sum / float64(len(pairs)))
	a.Over = fmt.Sprintf("%d problems (%s), %d seeds each", len(names), strings.Join(names, ", "), first.Pairs)
	r := rng.New(1, "stratified-bootstrap").Rand()
	draws := make([]float64, stats.Resamples)
	for b := range draws {
		for _, p := range pairs {
			buf := make([]float64, len(p.d))
			for i := range buf {
				buf[i] = p.d[r.IntN(len(p.d))]
			}
			draws[b] += improvement(buf) / float64(len(pairs))
		}
	}
	a.Low, a.High = Number(stats.Quantile(draws, 0.025)), Number(stats.Quantile(draws, 0.975))
	return a, nil
}

func describe(p Pair) string {
	return strings.Join([]string{p.Experiment, p.Protocol, p.Scale, p.Metric, p.Method, "against " + p.Base}, " ")
}
