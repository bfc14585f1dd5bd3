// Package funnel samples from Neal's funnel, a density whose scale changes by orders of magnitude.
package funnel

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed funnel.yaml
var config []byte

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "funnel",
	Title: "Neal's funnel",
	Summary: "x₁ ~ N(0, 9), and the other coordinates N(0, exp x₁), in 2-D and 10-D; 500 particles. No single step size fits both the narrow " +
		"neck and the wide mouth. The paper does not report it, the authors' released code has it.",
	Settings:  config,
	Version:   density.Version,
	Problem:   density.Problem,
	Check:     density.Check,
	Reference: density.Reference,
	Samplers:  samplers.All,
	Metrics:   density.Metrics(),
	Scores:    []string{"energy", "knn-kl"},
	Figures:   []harness.Figure{curves("funnel-2d", "2-D"), curves("funnel-10d", "10-D")},
	Tables:    []harness.Table{summary("funnel-2d", "2-D"), summary("funnel-10d", "10-D")},
	Findings:  []harness.Finding{nearest},
}

func curves(problem, size string) harness.Figure {
	return study.Curves("curves-"+problem, "Neal's funnel, "+size,
		"Energy distance to exact draws, and the 3-nearest-neighbour estimate of KL: mean (line) and range (band) over seeds.", problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true})
}

func summary(problem, size string) harness.Table {
	return study.Summary("summary-"+problem, "Neal's funnel, "+size+", at the last iteration",
		"The mean of x₁² is 9 for exact draws.", problem,
		study.Column{Header: "energy distance", Metric: "energy"},
		study.Column{Header: "k-NN KL", Metric: "knn-kl"},
		study.Column{Header: "KSD", Metric: "ksd"},
		study.Column{Header: "mean x₁²", Metric: "mean-square"})
}

// nearest says which method ends nearest to exact draws.
func nearest(by map[string]*record.Set) *harness.Statement {
	s := by["matched"]
	if s == nil {
		return nil
	}
	t := &table.Table{Columns: table.Columns(2, "Problem", "Nearest", "energy distance", "HMC draws"),
		Notes: []string{"Medians over seeds at the last iteration, 500 points each."}}
	best := map[string]string{}
	for _, problem := range []string{"funnel-2d", "funnel-10d"} {
		e := claim.Series{Set: s, Problem: problem}
		least := math.Inf(1)
		for _, m := range s.Methods(problem) {
			if v := stats.Median(e.Final(m, "energy", 0)); v < least {
				best[problem], least = m, v
			}
		}
		hmc := stats.Median(e.Final(best[problem], "hmc-energy", 0))
		t.Rows = append(t.Rows, []table.Cell{table.Text(problem), table.Text(claim.Label(best[problem])), table.Number(least, 3), table.Number(hmc, 3)})
	}
	return &harness.Statement{
		Title: fmt.Sprintf("%s ends nearest to exact draws in 2-D, %s in 10-D", claim.Label(best["funnel-2d"]), claim.Label(best["funnel-10d"])),
		Text:  "By energy distance, which hardly weighs the narrow neck.",
		Table: t,
	}
}
