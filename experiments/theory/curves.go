package theory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// recorded are the options of a problem, whose trials all have the same; zero where it has no trial.
func recorded[O options](t record.View) (o O) {
	for _, row := range t.Set.Trials {
		if row.Problem == t.Problem {
			if c, err := settings.Of(row); err == nil && settings.Decode(c.Options, &o) == nil {
				return o
			}
		}
	}
	return o
}

// byIndex returns a metric as one curve a seed, in which its indices take the place of iterations.
func byIndex(t record.View, method, metric string) (out []record.Curve) {
	for _, row := range t.Set.Trials {
		if row.Problem != t.Problem || row.Method != method || row.Status != record.StatusOK {
			continue
		}
		c := record.Curve{Seed: row.Seed}
		for _, r := range t.Set.Traces[row.Key] {
			if r.Metric == metric {
				c.Iteration, c.Value = append(c.Iteration, r.Index), append(c.Value, r.Value)
			}
		}
		if c.Value != nil {
			out = append(out, c)
		}
	}
	return out
}

// over are the quotients of two metrics that are measured together, for the seeds that have both.
func over(a, b []record.Curve) (out []record.Curve) {
	for _, x := range a {
		for _, y := range b {
			if x.Seed != y.Seed {
				continue
			}
			quotient := record.Curve{Seed: x.Seed, Iteration: x.Iteration}
			for i, v := range x.Value {
				quotient.Value = append(quotient.Value, v/y.At(x.Iteration[i]))
			}
			out = append(out, quotient)
		}
	}
	return out
}

// varianceRatios are denoising over Hutchinson's variance by position of σ, for the i-th τ.
func varianceRatios(t record.View, d, i int) []record.Curve {
	denoise, stein := fmt.Sprintf("denoise-%d", d), fmt.Sprintf("stein-%d", d)
	out := over(byIndex(t, "linear", denoise), byIndex(t, "linear", stein))
	n := len(recorded[varianceOptions](t).Sigmas)
	for k, c := range out {
		out[k].Iteration, out[k].Value = c.Iteration[:n], c.Value[i*n:(i+1)*n]
	}
	return out
}

// slope is a slope in logarithms with its 95 % interval over seeds (Student's t).
type slope struct {
	mean, low, high float64
	seeds           int
}

func (s slope) String() string {
	return fmt.Sprintf("%s [%s, %s]", fixed(s.mean), fixed(s.low), fixed(s.high))
}

func fixed(v float64) string { return table.Num(math.Round(v*1000) / 1000) }

// slopeOf fits one line a seed to log value against log index, over the indices above 0.
func slopeOf(curves []record.Curve) slope {
	var each []float64
	for _, c := range curves {
		var x, y []float64
		for i, at := range c.Iteration {
			if at > 0 {
				x, y = append(x, math.Log(float64(at))), append(y, math.Log(c.Value[i]))
			}
		}
		_, k := stat.LinearRegression(x, y, nil, false)
		each = append(each, k)
	}
	out := slope{mean: stats.Mean(each), seeds: len(each)}
	out.low, out.high = stats.OverlapInterval(each, 0, 0.95)
	return out
}
