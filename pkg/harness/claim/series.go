package claim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"gonum.org/v1/gonum/integrate"
)

// Series reads one problem's records for claims, figures and tables. Values are one a seed, in order of
// seed; Common matches those of several methods.
type Series struct {
	Set     *record.Set
	Problem string
	Names   func(method string) string // names of methods in words; nil: Label
}

// Keys returns the keys of the methods' trials.
func (e Series) Keys(methods ...string) []string {
	var keys []string
	for _, t := range e.Set.Trials {
		if t.Problem == e.Problem && slices.Contains(methods, t.Method) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Each reduces each seed's curve to a number.
func (e Series) Each(method, metric string, index int, f func(record.Curve) float64) []float64 {
	var out []float64
	for _, c := range e.Set.Curves(e.Problem, method, metric, index) {
		out = append(out, f(c))
	}
	return out
}

// At returns a metric at an iteration (the last checkpoint not after it), one value a seed.
func (e Series) At(method, metric string, index, iteration int) []float64 {
	return e.Each(method, metric, index, func(c record.Curve) float64 {
		if v, ok := c.At(iteration); ok {
			return v
		}
		return math.NaN()
	})
}

// Final returns a metric at the last checkpoint.
func (e Series) Final(method, metric string, index int) []float64 {
	return e.At(method, metric, index, math.MaxInt)
}

// Components returns all components of a metric at an iteration (math.MaxInt: the trial's last), a slice a seed.
func (e Series) Components(method, metric string, iteration int) [][]float64 {
	var out [][]float64
	for _, t := range e.Set.Trials {
		if t.Problem != e.Problem || t.Method != method || t.Status != record.StatusOK {
			continue
		}
		var values []float64
		for _, r := range e.Set.Traces[t.Key] {
			if r.Metric == metric && r.Iteration == min(iteration, t.Iterations) {
				values = append(values, r.Value)
			}
		}
		if values != nil {
			out = append(out, values)
		}
	}
	return out
}

// MeanHeight returns the mean height of the curves over all checkpoints from iteration 1 on: the area under one over its length.
func (e Series) MeanHeight(method, metric string) []float64 {
	return e.Each(method, metric, 0, func(c record.Curve) float64 {
		x, y := []float64{}, c.Value
		for _, k := range c.Iteration {
			x = append(x, float64(k))
		}
		if len(x) > 2 && x[0] == 0 {
			x, y = x[1:], y[1:]
		}
		if len(x) < 2 {
			return math.NaN()
		}
		return integrate.Trapezoidal(x, y) / (x[len(x)-1] - x[0])
	})
}

// Common returns the records of the seeds with which all of the methods ended well, so that their values stand side by side.
func (e Series) Common(methods ...string) Series {
	ended := map[uint64]int{}
	for _, t := range e.Set.Trials {
		if t.Problem == e.Problem && t.Status == record.StatusOK && slices.Contains(methods, t.Method) {
			ended[t.Seed]++
		}
	}
	s := *e.Set
	s.Trials = slices.DeleteFunc(slices.Clone(s.Trials), func(t record.Trial) bool {
		return t.Problem != e.Problem || ended[t.Seed] != len(methods)
	})
	e.Set = &s
	return e
}

// equal is the share of b's mean within which Less counts two methods as equal.
const equal = 0.05

// Less judges the claim that a is smaller than b, paired by seed: reproduced if a one-sided sign-flip test says so with p ≤ 0.05 (five
// seeds give 0.031 at best); not reproduced if the test says the opposite, or if the two are equal: two one-sided t-tests at 5 % place
// the mean difference within ±5 % of b's mean; otherwise not decided. Where a value is infinite, as the k-NN estimate of coincident
// points, a sign test takes the place of the sign-flip test, and nothing shows the two to be equal.
func (e Series) Less(what string, ma string, a []float64, mb string, b []float64) Outcome {
	out := Outcome{Keys: e.Keys(ma, mb)}
	label := e.Names
	if label == nil {
		label = Label
	}
	if len(a) == 0 || len(a) != len(b) {
		out.Verdict, out.Evidence = NotTestable, "trials of "+label(ma)+" or "+label(mb)+" are missing or failed"
		return out
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	mean, gap, test := stats.Mean(d), "mean paired difference ", stats.Paired
	alike, _ := Alike(d, equal*math.Abs(stats.Mean(b)))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		for i := range a {
			if d[i] = float64(cmp.Compare(a[i], b[i])); math.IsNaN(a[i]) || math.IsNaN(b[i]) { // two infinities are alike
				d[i] = math.NaN()
			}
		}
		gap, test = "with infinite values: mean of the signs ", stats.Sign
		mean = stats.Mean(d)
	}
	below, above := test(d, stats.Less), test(d, stats.Greater)
	out.Verdict = Decide(below <= Level, above <= Level || alike == Reproduced)
	out.Evidence = fmt.Sprintf("%s: %s %s, %s %s; %s%s over %d seeds, one-sided p = %.3f",
		what, label(ma), Spread(a), label(mb), Spread(b), gap, Num(mean), len(d), below)
	return out
}

// Alike judges the claim that two things differ by margin at most, given their differences, one a seed: reproduced if the 90 %
// interval of the mean difference (Student's t: two one-sided tests at 5 %) is within ±margin, not reproduced if it is outside,
// otherwise not decided. It returns the difference in words, too.
func Alike(d []float64, margin float64) (verdict Verdict, text string) {
	infinite := 0
	for _, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			infinite++
		}
	}
	lo, hi := stats.TInterval(d, 0.9)
	switch {
	case len(d) == 0:
		return NotTestable, "–"
	case infinite > 0:
		return NotDecided, fmt.Sprintf("infinite or undefined in %d of %d seeds", infinite, len(d))
	}
	verdict = Decide(lo >= -margin && hi <= margin, lo > margin || hi < -margin)
	if math.IsNaN(lo) {
		return verdict, Num(d[0])
	}
	return verdict, fmt.Sprintf("%s [%s, %s]", Num(stats.Mean(d)), Num(lo), Num(hi))
}

// AllRule is how All decides, to be said by the rules of claims.
const AllRule = "; not reproduced if that holds in half of them or fewer, otherwise not decided"

// All judges a claim that must hold for every seed of every item: reproduced if it holds for all, not reproduced if for at
// most half, otherwise not decided.
func All(holds []bool) Verdict {
	n := 0
	for _, h := range holds {
		if h {
			n++
		}
	}
	if len(holds) == 0 {
		return NotTestable
	}
	return Decide(n == len(holds), 2*n <= len(holds))
}

// Label is a method's name in words.
func Label(method string) string { return figure.Method(method).Label }

// Num prints a number with three significant digits, or as many as its whole part has; from 1e5 and below 0.001 as 1.5e−4.
func Num(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v != 0 && (math.Abs(v) < 0.001 || math.Abs(v) >= 1e5):
		mantissa, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		return strings.ReplaceAll(mantissa+"e"+strings.TrimPrefix(e[:1], "+")+strings.TrimLeft(e[1:], "0"), "-", "−")
	}
	format := "%.3g"
	if math.Abs(v) >= 999.5 {
		format = "%.0f"
	}
	return strings.Replace(fmt.Sprintf(format, v), "-", "−", 1)
}

// Spread prints the median of values and their range.
func Spread(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	switch lo, hi := slices.Min(v), slices.Max(v); {
	case math.IsNaN(lo): // differences of infinite values
		return "undefined"
	case Num(lo) == Num(hi):
		return Num(stats.Median(v))
	}
	return fmt.Sprintf("%s (%s … %s)", Num(stats.Median(v)), Num(slices.Min(v)), Num(slices.Max(v)))
}

// First returns the trial of a method with the smallest seed that ended well.
func First(s *record.Set, problem, method string) (record.Trial, bool) {
	for _, t := range s.Trials {
		if t.Problem == problem && t.Method == method && t.Status == record.StatusOK {
			return t, true
		}
	}
	return record.Trial{}, false
}

// Config returns the resolved configuration of a trial.
func Config(t record.Trial) (settings.Config, error) {
	var c settings.Config
	if err := json.Unmarshal([]byte(t.Config), &c); err != nil {
		return c, fmt.Errorf("the configuration of trial %s: %w", t.Key, err)
	}
	return c, nil
}

// Flatten returns the values of a configuration in JSON by dotted key, text without its quotes; nothing of what is no object.
func Flatten(config []byte) map[string]string {
	out := map[string]string{}
	var walk func(at string, v json.RawMessage)
	walk = func(at string, v json.RawMessage) {
		var members map[string]json.RawMessage
		var text string
		switch {
		case json.Unmarshal(v, &members) == nil && members != nil:
			for key, member := range members {
				walk(strings.TrimPrefix(at+"."+key, "."), member)
			}
		case json.Unmarshal(v, &text) == nil && string(v) != "null":
			out[at] = text
		case at != "" && string(v) != "null":
			out[at] = string(v)
		}
	}
	walk("", config)
	return out
}

// MeanSD is the cell of mean ± standard deviation, "–" of no values.
func MeanSD(v []float64) table.Cell {
	if len(v) == 0 {
		return table.Text("–")
	}
	return table.PlusMinus(stats.Mean(v), stats.SD(v))
}

// Layers are a method's curves as a line, their mean, and a band from the smallest to the largest seed, over the checkpoints that all
// seeds have; nil of no curves. across turns iterations into what stands on the x axis; nil: iterations.
func Layers(curves []record.Curve, style figure.Style, across func(iteration int) float64) []figure.Layer {
	var line figure.Line
	var band figure.Band
	for i := 0; len(curves) > 0; i++ {
		var v []float64
		for _, c := range curves {
			if i < len(c.Value) {
				v = append(v, c.Value[i])
			}
		}
		if len(v) < len(curves) {
			break
		}
		x := float64(curves[0].Iteration[i])
		if across != nil {
			x = across(curves[0].Iteration[i])
		}
		line.X, line.Y = append(line.X, x), append(line.Y, stats.Mean(v))
		band.Lo, band.Hi = append(band.Lo, slices.Min(v)), append(band.Hi, slices.Max(v))
	}
	line.Style, band.Style, band.X = style, style, line.X
	switch len(curves) {
	case 0:
		return nil
	case 1:
		return []figure.Layer{line}
	}
	return []figure.Layer{band, line}
}
