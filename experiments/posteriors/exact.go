package posteriors

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// exactVersion is that of the draws: raise it when the same program may give others.
const exactVersion = 1

// exactDraws are asked of a program that gives exact draws, with one seed for all trials.
const exactDraws = 20_000

// exact returns exact draws of a program as one chain. Its error says what is wrong with the draws or the gradient.
func exact(t *program.Target) (*judge.Result, error) {
	u := metric.Points{N: exactDraws, D: t.Dim(), Data: t.Exact(exactDraws, 1)}
	if !u.Finite() {
		return nil, fmt.Errorf("the program's exact draws are not finite")
	}
	var some [][]float64
	for i := range 8 {
		some = append(some, u.Row(i))
	}
	if err := diagnose.Gradients(logDensity{remote{t}}, 1e-3, some...); err != nil {
		return nil, fmt.Errorf("the gradient is not that of the log density: %w", err)
	}
	scores := make([]float64, u.N*(1+u.D))
	t.Evaluate(scores, u.Data)
	if !(metric.Points{Data: scores}).Finite() {
		return nil, fmt.Errorf("log density or gradient is not finite at some of the program's exact draws")
	}
	if err := steins(u, scores, t.Names); err != nil {
		return nil, err
	}
	out := &judge.Result{U: []metric.Points{u}, Sample: &hmc.Result{}}
	values := metric.Points{N: u.N, D: len(t.Values), Data: t.Constrain(u.Data)}
	if out.AllNames = t.Values; t.Values == nil {
		values.D, out.AllNames = u.D, t.Names
	}
	out.Sample.Draws = []metric.Points{values}
	for j, name := range out.AllNames {
		column := values.Column(j)
		if !(metric.Points{Data: column}).Finite() || slices.Min(column) == slices.Max(column) {
			out.Constant = append(out.Constant, j)
			continue
		}
		out.Names, out.Values = append(out.Names, name), append(out.Values, hmc.Describe([][]float64{column}))
	}
	return out, nil
}

// logDensity is a program as diagnose.Gradients takes it.
type logDensity struct{ remote }

func (l logDensity) LogDensity(x []float64) float64 { return -l.Energy(x) }
func (l logDensity) Name(c int) string              { return l.Names[c] }

func (l logDensity) Gradient(dst, x []float64) {
	l.Grad(dst, x)
	floats.Scale(-1, dst)
}

// steins refuses draws that are not of a density: for those that are, the mean of each coordinate s of the score is 0,
// and that of x·s is −1 (by parts). scores are n×(1+d), the log density first. Six standard errors off is not chance.
func steins(u metric.Points, scores []float64, names []string) error {
	for j, name := range names {
		s, xs := make([]float64, u.N), make([]float64, u.N)
		for i := range s {
			s[i] = scores[i*(1+u.D)+1+j]
			xs[i] = s[i]*u.Row(i)[j] + 1
		}
		for k, v := range [][]float64{s, xs} {
			if mean, se := stats.Mean(v), stats.SE(v); !(math.Abs(mean) <= 6*se) {
				what := []string{"gradient along", "1 plus coordinate times gradient along"}[k]
				return fmt.Errorf("the program's exact draws are not of its log density: over them the mean of %s %s "+
					"is %.3g ± %.2g, and has to be 0", what, name, mean, se)
			}
		}
	}
	return nil
}
