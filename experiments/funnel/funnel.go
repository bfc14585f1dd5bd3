// Package funnel samples from Neal's funnel, a density whose scale changes by orders of magnitude.
package funnel

import (
	"embed"
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed funnel.yaml words.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "funnel",
	Title: "Neal's funnel",
	Summary: "x₁ ~ N(0, 9), and the other coordinates N(0, exp x₁), in 2-D and 10-D; 500 particles. No single step " +
		"size fits both the narrow neck and the wide mouth. The paper does not report it, the authors' released code " +
		"has it.",
	Settings:  study.Read(files, "funnel.yaml"),
	Version:   density.Version,
	Measuring: density.Measuring,
	Problem:   density.Problem,
	Check:     density.Check,
	Reference: density.Reference,
	Samplers:  samplers.All,
	Metrics:   density.Metrics(),
	Scores:    []string{"energy", "knn-kl"},
	Figures:   []harness.Figure{curves("funnel-2d"), curves("funnel-10d")},
	Tables:    []harness.Table{summary("funnel-2d"), summary("funnel-10d")},
	Findings:  []harness.Find{study.Under("one-step", nearest)},
}

func curves(problem string) harness.Figure {
	return words.Curves("curves-"+problem, problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true})
}

func summary(problem string) harness.Table {
	return words.Summary("summary-"+problem, problem,
		study.Measure{Head: "energy distance", Metric: "energy"},
		study.Measure{Head: "k-NN KL", Metric: "knn-kl"},
		study.Measure{Head: "KSD", Metric: "ksd"},
		study.Measure{Head: "mean x₁²", Metric: "mean-square"})
}

// nearest says which of the methods that lost no try ends nearest to exact draws.
func nearest(s *record.Set) *harness.Finding {
	problems, best, least := []string{"funnel-2d", "funnel-10d"}, map[string]string{}, map[string]float64{}
	sample := func(problem, method, metric string) record.Sample {
		return record.Series{Set: s, Problem: problem}.Last(method, metric, 0)
	}
	for _, problem := range problems {
		least[problem] = math.Inf(1)
		for _, m := range s.Methods(problem) {
			energy := sample(problem, m, "energy")
			if v := stats.Median(energy.Numbers()); energy.Lost() == 0 && v < least[problem] {
				best[problem], least[problem] = m, v
			}
		}
	}
	if best["funnel-2d"] == "" || best["funnel-10d"] == "" {
		return nil
	}
	t := table.Of(problems)
	t.Words("Problem", func(problem string) string { return problem })
	t.Words("Nearest", func(problem string) string { return figure.Label(best[problem]) })
	t.Column("energy distance", func(problem string) table.Cell { return table.Number(least[problem], 3) })
	t.Column("HMC draws", func(problem string) table.Cell {
		return table.Number(stats.Median(sample(problem, best[problem], "hmc-energy").Numbers()), 3)
	})
	t.Notes = []string{"Medians over seeds at the last iteration, 500 points each."}
	first, second := figure.Label(best["funnel-2d"]), figure.Label(best["funnel-10d"])
	return &harness.Finding{
		Title: fmt.Sprintf("The lowest median energy distance is that of %s in 2-D, of %s in 10-D", first, second),
		Text: "With one step for all, which nobody tuned, and few seeds, this is no verdict. " +
			"The energy distance hardly weighs the narrow neck.",
		Table: &t.Table,
	}
}
