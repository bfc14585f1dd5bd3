package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// planned is what a grid has of one method on one problem.
type planned struct {
	Protocol string  `json:"protocol"`
	Problem  string  `json:"problem"`
	Method   string  `json:"method"`
	Cells    int     `json:"cells"`
	Trials   int     `json:"trials"`
	There    int     `json:"there"`
	Excluded int     `json:"excluded,omitempty"`
	Same     int     `json:"same,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"` // predicted for all its trials, one after another
	Detail   []cell  `json:"detail"`
}

type cell struct {
	Label string   `json:"label"`
	Keys  []string `json:"keys"`
	There int      `json:"there"`
}

// showGrid prints what would run.
func (a *app) showGrid(g *gridRun, todo []harness.Trial) error {
	there := map[string]bool{}
	for _, f := range g.survey.Is(record.StatusOK, record.StatusDiverged) {
		there[f.Trial.Key] = true
	}
	var all []planned
	for _, p := range g.plans {
		for _, group := range p.Groups {
			l := planned{Protocol: p.Protocol, Problem: group.Problem, Method: group.Method, Cells: len(group.Cells),
				Excluded: group.Excluded, Same: group.Same}
			for i := range group.Cells {
				c := cell{Label: group.Cells[i].Label}
				for j := range group.Cells[i].Trials {
					t := &group.Cells[i].Trials[j]
					seconds, _ := g.costs.Seconds(t)
					l.Seconds += seconds
					l.Trials++
					c.Keys = append(c.Keys, t.Key)
					if there[t.Key] {
						c.There++
					}
				}
				l.There += c.There
				l.Detail = append(l.Detail, c)
			}
			all = append(all, l)
		}
	}
	if a.opt.json {
		return writeJSON(a.out, all)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "protocol\tproblem\tmethod\tcells\ttrials\tthere\tall\tfirst … last")
	for _, l := range all {
		all := "?"
		if l.Seconds > 0 {
			all = harness.Span(l.Seconds)
		}
		ends := "no cell: conditions leave none"
		if n := len(l.Detail); n > 0 {
			ends = l.Detail[0].Label
			if n > 1 {
				ends += " … " + l.Detail[n-1].Label
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", l.Protocol, l.Problem, l.Method, l.Cells, l.Trials, l.There, all, ends)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.out, g.foretell(todo, a.opt.jobs))
	return nil
}

// showBest prints the table of the best, and the cells that cannot win.
func (a *app) showBest(r *grid.Result) error {
	fmt.Fprintf(a.out, "protocol %s, %s\n", r.Protocol, r.Objective)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	best := r.BestTable()
	for i, c := range best.Columns {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, c.Header)
	}
	fmt.Fprintln(w)
	for _, row := range best.Rows {
		for i, c := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c.Text)
		}
		fmt.Fprintln(w)
	}
	if lost := r.Losers(5); lost != nil {
		fmt.Fprintln(w, "\ncannot win")
		for _, row := range lost.Rows {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row[0].Text, row[1].Text, row[2].Text, row[4].Text)
		}
		for _, n := range lost.Notes {
			fmt.Fprintln(w, n)
		}
	}
	return w.Flush()
}
