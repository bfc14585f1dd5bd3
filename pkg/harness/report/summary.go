package report

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Summary is the last values of each baseline and method on each problem by the experiment's scores, the first three;
// nil if there are none.
func Summary(e *harness.Experiment, set *record.Set) *table.Table {
	scores := e.Scores[:min(len(e.Scores), 3)]
	t := &table.Table{Title: fmt.Sprintf("%s, protocol %s, scale %s", e.Title, set.Protocol, set.Scale),
		Columns: table.Columns(2, append([]string{"problem", "method", "trials"}, scores...)...)}
	if len(scores) > 0 {
		t.Spread = "standard deviation over seeds"
	}
	type leader struct {
		name string
		mean float64
	}
	lowest := map[string]leader{} // by score, on one problem
	row := func(problem, name, ended string, values func(i int) ([]float64, string)) {
		cells := []table.Cell{table.Text(problem), table.Text(name), table.Text(ended)}
		for i, score := range scores {
			v, why := values(i)
			if cells = append(cells, table.MeanSD(v)); len(v) == 0 && why != "" {
				cells[len(cells)-1] = table.Text(why)
			}
			if best, there := lowest[score]; len(v) > 0 && (!there || stats.Mean(v) < best.mean) {
				lowest[score] = leader{name, stats.Mean(v)}
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, problem := range set.Problems {
		clear(lowest)
		series := record.View{Set: set, Problem: problem}
		for _, b := range e.Baselines {
			row(problem, b.Name, "–", func(i int) ([]float64, string) { return series.Shared(b.Metrics[i]), "" })
		}
		for _, m := range set.Methods(problem) {
			well, all := series.Ended(m)
			row(problem, m, fmt.Sprintf("%d of %d", well, all), func(i int) ([]float64, string) {
				last := series.Last(m, scores[i], 0)
				return last.Numbers(), last.Why()
			})
		}
		for _, score := range scores {
			if best := lowest[score]; len(e.Baselines) > 0 && best.name != "" { // of errors the lowest is the best
				t.Above = append(t.Above, fmt.Sprintf("Lowest mean %s on %s: %s (%s).", score, problem, best.name,
					table.Significant(best.mean, 4)))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
