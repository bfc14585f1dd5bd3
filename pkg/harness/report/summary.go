package report

import (
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Selected returns the names of a selection in Set: of data, problems or methods; nil: there is none.
func (p *Protocol) Selected(what string) []string {
	for _, s := range p.Set {
		if names, ok := strings.CutPrefix(s, "--"+what+" "); ok {
			return strings.Split(names, ",")
		}
	}
	return nil
}

// Summary is the last values of each baseline and method on each problem by the experiment's scores, the first three;
// nil if there are none.
func (p *Protocol) Summary(e *harness.Experiment) *table.Table {
	scores := e.Scores[:min(len(e.Scores), 3)]
	t := &table.Table{Title: fmt.Sprintf("%s, protocol %s, scale %s", e.Title, p.Name, p.Scale),
		Columns: table.Columns(2, append([]string{"problem", "method", "trials"}, scores...)...)}
	if len(scores) > 0 {
		t.Spread = "standard deviation over seeds"
	}
	finals := record.ReadFinals(p.Records)
	row := func(problem, name, ended string, values func(i int) []float64) {
		cells := []table.Cell{table.Text(problem), table.Text(name), table.Text(ended)}
		for i := range scores {
			cells = append(cells, table.MeanSD(values(i)))
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, problem := range p.Records.Problems {
		for _, b := range e.Baselines {
			row(problem, b.Name, "–", func(i int) []float64 { return finals.Longest(problem, b.Metrics[i]) })
		}
		for _, m := range p.Records.Methods(problem) {
			well, all := finals.Ended(problem, m)
			row(problem, m, fmt.Sprintf("%d of %d", well, all),
				func(i int) []float64 { return finals.Values(problem, scores[i], m) })
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
