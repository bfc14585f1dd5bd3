package claim

import (
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

// Common returns the records of the seeds with which all of the methods ended well, so that their values stand side
// by side.
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

// Label is a sampler's name in words.
func Label(method string) string { return figure.Method(method).Label }

// Num prints a number with three significant digits, or as many as its whole part has; from 1e5 and below 0.001 as
// 1.5e−4.
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

// Flatten returns the values of a configuration in JSON by dotted key, text without its quotes; nothing of what is no
// object.
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

// Layers are a method's curves as a line, their mean, and a band from the smallest to the largest seed, over the
// checkpoints that all seeds have; nil of no curves. across turns iterations into what stands on the x axis; nil:
// iterations.
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
