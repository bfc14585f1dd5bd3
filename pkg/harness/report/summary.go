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

// Summary is the last values of each method on each problem by the experiment's scores, the first three; nil if there
// are none.
func (p *Protocol) Summary(e *harness.Experiment) *table.Table {
	scores := e.Scores[:min(len(e.Scores), 3)]
	t := &table.Table{Title: fmt.Sprintf("%s, protocol %s, scale %s", e.Title, p.Name, p.Scale),
		Columns: table.Columns(2, append([]string{"problem", "method", "trials"}, scores...)...)}
	if len(scores) > 0 {
		t.Spread = "standard deviation over seeds"
	}
	finals, last := record.ReadFinals(p.Records), [2]string{}
	for _, trial := range p.Records.Trials {
		if last == [2]string{trial.Problem, trial.Method} {
			continue
		}
		last = [2]string{trial.Problem, trial.Method}
		well, all := finals.Ended(trial.Problem, trial.Method)
		row := []table.Cell{
			table.Text(trial.Problem),
			table.Text(trial.Method),
			table.Text(fmt.Sprintf("%d of %d", well, all)),
		}
		for _, metric := range scores {
			row = append(row, table.MeanSD(finals.Values(trial.Problem, metric, trial.Method)))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
