// Command machines is sifg with an experiment of its own:
//
//	go mod tidy
//	go run . run --scale smoke --protocol tuned
package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

//go:embed machines.yaml
var yaml []byte

//go:embed published.csv
var published []byte // what sifg compare sets the report beside

// options are the keys of problems.NAME.options.
type options struct {
	Failures []float64 `mapstructure:"failures"`
	Hours    []float64 `mapstructure:"hours"`
}

// problem is the posterior of the machines' failure rates, whose priors are Exp(1). The particles are logarithms of
// rates.
func problem(t *harness.Trial) (*harness.Problem, error) {
	var o options
	if err := settings.Decode(t.Config.Options, &o); err != nil {
		return nil, err
	}
	if len(o.Failures) == 0 || len(o.Failures) != len(o.Hours) {
		return nil, fmt.Errorf("options: want as many failures as hours, got %d and %d", len(o.Failures), len(o.Hours))
	}
	post := target.NewFunc(len(o.Hours), func(u []float64) (sum float64) {
		for i, v := range u {
			sum += (1+o.Failures[i])*v - (1+o.Hours[i])*math.Exp(v)
		}
		return sum
	}, func(dst, u []float64) {
		for i, v := range u {
			dst[i] = 1 + o.Failures[i] - (1+o.Hours[i])*math.Exp(v)
		}
	})
	return &harness.Problem{
		Target: post,
		Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
		Measure: func(_ *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
			worst := 0.0
			for i := range o.Hours { // the mean rate is (1 + failures) / (1 + hours)
				sum := 0.0
				for row := range sample.Rows {
					sum += math.Exp(float64(sample.Data[row*sample.Cols+i]))
				}
				exact := (1 + o.Failures[i]) / (1 + o.Hours[i])
				worst = max(worst, math.Abs(sum/float64(sample.Rows)/exact-1))
			}
			put("error", 0, worst)
		},
	}, nil
}

func errors(s *record.Set) (*figure.Figure, error) {
	panel := figure.Panel{
		X: figure.Axis{Label: "iteration"},
		Y: figure.Axis{Label: "relative error", Scale: figure.Log},
	}
	for _, m := range s.Methods("two-machines") {
		curves := s.Curves("two-machines", m, "error", 0)
		panel.Layers = append(panel.Layers, study.MeanAndRange(curves, figure.Method(m), nil)...)
	}
	if panel.Layers == nil {
		return nil, fmt.Errorf("no trial ended well")
	}
	return &figure.Figure{Panels: []figure.Panel{panel}}, nil
}

// claims are what a paper says. A protocol checks them that has claims: true.
var claims = []claim.Claim{
	rule.Lower("1", "SVGD's mean rates have a smaller error than SIFG's.", "two-machines", "error", "svgd", "sifg"),
}

var machines = &harness.Experiment{
	Name:     "machines",
	Title:    "Failure rates of machines",
	Summary:  "How fast machines fail, from failures in some hours each.",
	Settings: yaml,
	Version:  "1", // part of the key of its trials: raise it when the same settings give other numbers
	Problem:  problem,
	Metrics:  []harness.Metric{{Name: "error", Meaning: "Largest relative error of a mean rate."}},
	Scores:   []string{"error"},
	Sections: append([]harness.Section{{ID: "errors", Title: "Error of the mean rates",
		Text: "Largest relative error: mean (line) and range (band) over seeds.", Draw: errors}},
		harness.Claims(claims)...),
	Published: claim.MustPublished(published),
}

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, machines)) }
