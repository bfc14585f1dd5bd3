// Package compare sets the numbers of a report beside those that a paper prints. A cell is one metric of one method on
// one problem under one protocol: a value per seed, at the last checkpoint.
package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Verdicts on a cell.
const (
	Agrees        = "agrees"
	Differs       = "differs"
	NotComparable = "not comparable"
)

// Tolerance is the rule in words. Claims have rules of their own.
const Tolerance = "Two means agree if they differ by at most 3.3 standard errors of their difference: " +
	"of equal means one pair in a thousand differs by more, and more pairs where seeds are few. " +
	"Pairs more than two apart are marked; chance alone marks one pair in 22."

// Row is a published number beside ours.
type Row struct {
	claim.Published
	Ours              []float64
	Difference, Error float64 // ours − published, and its standard error; NaN: it is not known
	Verdict           string
	Marked            bool   // it agrees, and differs by more than two standard errors
	Why               string // it cannot be compared, or ours are no numbers
}

// Published compares a protocol with the numbers that a paper prints of its experiment, in their order.
func Published(numbers []claim.Published, p *record.Set) []Row {
	var out []Row
	for _, printed := range numbers {
		metric, index, _ := record.Component(printed.Metric)
		sample := record.View{Set: p, Problem: printed.Problem}.Last(printed.Method, metric, index)
		r := Row{Published: printed, Ours: sample.Numbers()}
		r.Difference, r.Error = printed.Gap(r.Ours)
		why := p.Incomparable
		switch {
		case why != "":
		case !p.Complete():
			why = "trials are missing"
		case printed.Excluded:
			why = "the number is excluded"
		case nothing(sample):
			r.Why = "ours " + sample.Why()
		default:
			why = sample.Why()
		}
		switch {
		case why != "":
			r.Verdict, r.Why = NotComparable, why
		case math.Abs(r.Difference) <= claim.Errors*r.Error:
			r.Verdict, r.Marked = Agrees, math.Abs(r.Difference) > claim.Marked*r.Error
		default:
			r.Verdict = Differs
		}
		out = append(out, r)
	}
	return out
}

// Mark stands behind a number that differs from the published one, or that agrees and is marked; "" behind others.
func (r Row) Mark() string {
	switch {
	case r.Verdict == Differs:
		return " ✗"
	case r.Marked:
		return " ~"
	}
	return ""
}

// nothing reports whether there are trials that measured it, and none gave a number: beside numbers a difference.
func nothing(s record.Sample) bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(v record.Value) bool {
		return v.Why == "" || strings.HasPrefix(string(v.Why), string(record.NotMeasured))
	})
}

// Count says how many of the numbers that can be compared agree, and why others cannot be or are none.
func Count(rows []Row) string {
	n, marked, why := map[string]int{}, 0, []string(nil)
	for _, r := range rows {
		if r.Marked {
			marked++
		}
		if n[r.Verdict]++; r.Why != "" && !slices.Contains(why, r.Why) {
			why = append(why, r.Why)
		}
	}
	text := fmt.Sprintf("%d not comparable", n[NotComparable])
	if all := n[Agrees] + n[Differs]; all > 0 {
		text = fmt.Sprintf("%d of %d agree (%d marked, by chance alone %.0f), %s", n[Agrees], all, marked,
			claim.Chance*float64(all), text)
	}
	if why != nil {
		text += ": " + strings.Join(why[:min(len(why), 3)], "; ")
	}
	return text
}

// Table returns rows of one protocol as a table. What is known of the published numbers stands below.
func Table(rows []Row) *table.Table {
	t := table.Of(rows)
	t.Words("problem", func(r Row) string { return r.Problem })
	t.Words("metric", func(r Row) string { return r.Metric })
	t.Words("method", func(r Row) string { return r.Method })
	t.Column("ours", func(r Row) table.Cell { return table.MeanSD(r.Ours) })
	t.Column("published", func(r Row) table.Cell { return table.Text(r.Text) })
	t.Column("difference", func(r Row) table.Cell { return table.PlusMinus(r.Difference, r.Error) })
	t.Column("in SE", func(r Row) table.Cell { return table.Fixed(r.Difference/r.Error, 1) })
	t.Words("verdict", func(r Row) string { return strings.TrimSuffix(r.Verdict+r.Mark()+": "+r.Why, ": ") })
	for _, r := range rows {
		if note := r.Method + ": " + r.Note; r.Note != "" && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	return &t.Table
}
