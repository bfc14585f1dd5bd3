package main

import (
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

var (
	problems = []string{"a", "b", "c", "d", "e"}
	methods  = []string{"svgd", "sgld", "svgd-slow", "sgld-slow"}
)

const particles, iterations, every = 20, 8, 2

// settings are those of every method on every problem.
func settings() []byte {
	var b strings.Builder
	b.WriteString("base:\n  seeds: [1]\n  methods:\n")
	for i, m := range methods {
		sampler, _, _ := strings.Cut(m, "-")
		fmt.Fprintf(&b, "    %s: {sampler: %s, step: %g}\n", m, sampler, 0.1/float64(i+1))
	}
	b.WriteString("  problems:\n")
	for _, p := range problems {
		fmt.Fprintf(&b, "    %s:\n      particles: %d\n      iterations: %d\n", p, particles, iterations)
		fmt.Fprintf(&b, "      judge: {every: %d, snapshots: [%d]}\n", every, iterations)
	}
	b.WriteString("protocols:\n  paper:\n")
	return []byte(b.String())
}

// normal is N(0, I) in two dimensions.
type normal struct{}

func (normal) Dim() int { return 2 }

func (normal) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

// tiny is an experiment whose trials take far less than a millisecond, with a figure, a table and a claim over all of
// them.
func tiny() *harness.Experiment {
	return &harness.Experiment{
		Name: "tiny", Title: "Tiny", Summary: "Many small trials.", Settings: settings(), Version: "1",
		Problem: func(*harness.Trial) (*harness.Problem, error) {
			return &harness.Problem{
				Target:  normal{},
				Init:    func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: moments,
			}, nil
		},
		Figures: []harness.Figure{{Name: "curves", Title: "Curves", Draw: curves}},
		Tables:  []harness.Table{{Name: "last", Title: "Last values", Make: last}},
		Claims: []claim.Claim{{ID: "1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{Verdict: claim.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}},
	}
}

// moments measures the means of both coordinates and of the squared norm.
func moments(_ *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64)) {
	var mean [2]float64
	square := 0.0
	for i, v := range sample.Data {
		mean[i%2] += float64(v) / float64(sample.Rows)
		square += float64(v) * float64(v) / float64(sample.Rows)
	}
	put("mean", 0, mean[0])
	put("mean", 1, mean[1])
	put("square", 0, square)
}

// curves draws the median over the seeds of the mean squared norm, of every method on the first problem.
func curves(s *record.Set) (*figure.Figure, error) {
	p := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "mean squared norm"}}
	for _, m := range methods {
		line := figure.Line{Style: figure.Method(m)}
		for it := 0; it <= iterations; it += every {
			line.X = append(line.X, float64(it))
			line.Y = append(line.Y, stats.Median(values(s, problems[0], m, it)))
		}
		p.Layers = append(p.Layers, line)
	}
	return &figure.Figure{Panels: []figure.Panel{p}}, nil
}

// last is the median over the seeds of the last mean squared norm.
func last(s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(3, append([]string{"problem"}, methods...)...)}
	for _, p := range problems {
		row := []table.Cell{table.Text(p)}
		for _, m := range methods {
			row = append(row, table.Number(stats.Median(values(s, p, m, iterations)), 3))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// values are the mean squared norms of a method on a problem at an iteration, one a seed.
func values(s *record.Set, problem, method string, iteration int) (out []float64) {
	for _, c := range s.Curves(problem, method, "square", 0) {
		if v, ok := c.At(iteration); ok {
			out = append(out, v)
		}
	}
	return out
}
