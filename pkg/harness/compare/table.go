package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Count says how many cells have which verdict, and why those that cannot be compared cannot.
func Count(rows []Row) string {
	n, why := map[string]int{}, []string(nil)
	for _, r := range rows {
		verdict := r.Verdict
		if r.Identical {
			verdict = "identical"
		}
		if n[verdict]++; r.Why != "" && !slices.Contains(why, r.Why) {
			why = append(why, r.Why)
		}
	}
	text := table.Counts(n, "identical", Agrees, Differs, NotComparable)
	if why != nil {
		text += ": " + strings.Join(why[:min(len(why), 3)], "; ")
	}
	return text
}

// Table returns rows of one protocol as a table. Identical cells are folded: one row for each problem and metric.
// Reasons and notes stand below.
func Table(title string, rows []Row) *table.Table {
	t := &table.Table{
		Title: title,
		Columns: append(table.Columns(3, "problem", "metric", "method", "ours", "theirs", "seeds", "difference",
			"in SE", "in %"), table.Column{Header: "verdict"}),
	}
	identical := map[[2]string]int{} // by problem and metric
	for _, r := range rows {
		if r.Identical {
			identical[[2]string{r.Problem, r.Metric}]++
		}
	}
	for _, r := range rows {
		at := [2]string{r.Problem, r.Metric}
		switch {
		case !r.Identical:
			t.Rows = append(t.Rows, r.cells(t))
		case identical[at] > 0:
			row := slices.Repeat([]table.Cell{table.Text("")}, len(t.Columns))
			row[0], row[1] = table.Text(r.Problem), table.Text(r.Metric)
			row[2] = table.Text(table.Count(identical[at], "cell"))
			row[len(row)-1] = table.Text("identical")
			t.Rows = append(t.Rows, row)
			delete(identical, at)
		}
	}
	for i := range t.Notes {
		t.Notes[i] = fmt.Sprintf("(%d) %s", i+1, t.Notes[i])
	}
	return t
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
		table.PlusMinus(r.Difference, r.Uncertainty), table.Fixed(r.Difference/r.Uncertainty, 1),
		table.Fixed(100*r.Difference/math.Abs(r.Theirs.Mean), 1), table.Text(verdict),
	}
}

func spread(s Summary) table.Cell {
	if s.N == 0 {
		return table.Text("–")
	}
	return table.PlusMinus(s.Mean, s.SD)
}
