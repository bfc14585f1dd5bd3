package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Table returns the rows as a table. Identical cells are folded: one row for each problem and metric. Reasons and notes stand below.
func Table(title string, rows []Row) *table.Table {
	t := &table.Table{Title: title, Columns: []table.Column{{Header: "problem"}, {Header: "metric"}, {Header: "method"}}}
	for _, header := range []string{"ours", "theirs", "seeds", "difference", "in sd", "in %"} {
		t.Columns = append(t.Columns, table.Column{Header: header, Align: table.Right})
	}
	t.Columns = append(t.Columns, table.Column{Header: "verdict"})
	for i, r := range rows {
		if !r.Identical {
			t.Rows = append(t.Rows, r.cells(t))
			continue
		}
		if slices.ContainsFunc(rows[:i], r.folds) {
			continue
		}
		n := 0
		for _, other := range rows[i:] {
			if r.folds(other) {
				n++
			}
		}
		row := []table.Cell{table.Text(r.Problem), table.Text(r.Metric), table.Text(table.Count(n, "cell"))}
		for len(row) < len(t.Columns)-1 {
			row = append(row, table.Text(""))
		}
		t.Rows = append(t.Rows, append(row, table.Text("identical")))
	}
	for i := range t.Notes {
		t.Notes[i] = fmt.Sprintf("(%d) %s", i+1, t.Notes[i])
	}
	t.Notes = append([]string{count(rows) + ". " + Tolerance}, t.Notes...)
	return t
}

// folds reports whether another row stands in the same line when both are identical.
func (r *Row) folds(other Row) bool {
	return other.Identical && other.Protocol == r.Protocol && other.Problem == r.Problem && other.Metric == r.Metric
}

// cells returns the row's cells; what is to be said of it goes to the notes of the table.
func (r *Row) cells(t *table.Table) []table.Cell {
	metric, verdict := r.Metric, r.Verdict
	if r.Index > 0 {
		metric += fmt.Sprintf("[%d]", r.Index)
	}
	for _, text := range []string{r.Why, r.Note} {
		if text == "" {
			continue
		}
		i := slices.Index(t.Notes, text)
		if i < 0 {
			i = len(t.Notes)
			t.Notes = append(t.Notes, text)
		}
		verdict += fmt.Sprintf(" (%d)", i+1)
	}
	theirs := table.Text(r.Printed)
	if r.Printed == "" {
		theirs = spread(r.Theirs)
	}
	return []table.Cell{
		table.Text(r.Problem), table.Text(metric), table.Text(r.Method), spread(r.Ours), theirs, table.Int(r.Ours.N),
		table.PlusMinus(float64(r.Difference), float64(r.Uncertainty)), table.Fixed(float64(r.Units), 1),
		table.Fixed(100*float64(r.Share), 1), table.Text(verdict),
	}
}

func spread(s Summary) table.Cell {
	if s.N == 0 {
		return table.Text("–")
	}
	return table.PlusMinus(float64(s.Mean), float64(s.SD))
}

// count says how many rows have which verdict.
func count(rows []Row) string {
	var out []string
	for _, v := range []string{"identical", Agrees, Differs, NotComparable} {
		n := 0
		for _, r := range rows {
			if r.Identical && v == "identical" || !r.Identical && r.Verdict == v {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, v))
		}
	}
	return "Cells: " + strings.Join(out, ", ")
}
