// Package compare sets the numbers of a report beside those that a paper prints, or beside another report's. A cell
// is one metric of one method on one problem under one protocol: a value per seed, at the last checkpoint.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
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

// Row is a cell beside another's numbers, theirs.
type Row struct {
	Experiment, Protocol string
	record.Cell
	Ours      []float64 // of the seeds that both have, if there are any
	Theirs    []float64 // likewise; of printed numbers the mean
	Seeds     string    // of how many seeds they are: 5; 2 of 5, which both have; 5 and 6 others
	Printed   string    // theirs, as the paper prints them
	claim.Gap           // ours − theirs; Error NaN: it is not known
	Identical bool
	Verdict   string
	Marked    bool   // it agrees, and differs by more than two standard errors
	Why       string // it cannot be compared
	Note      string // settings that differ; what is known of a printed number
}

// Published compares a protocol with the numbers that a paper prints of its experiment, in their order.
func Published(numbers []claim.Published, p *record.Set) []Row {
	var out []Row
	for _, printed := range numbers {
		metric, index, _ := record.Component(printed.Metric)
		sample := record.View{Set: p, Problem: printed.Problem}.Last(printed.Method, metric, index)
		v := sample.Numbers()
		r := Row{
			Experiment: p.Experiment,
			Protocol:   p.Protocol,
			Cell:       record.Cell{Problem: printed.Problem, Metric: metric, Method: printed.Method, Index: index},
			Ours:       v,
			Seeds:      strconv.Itoa(len(v)),
			Theirs:     []float64{printed.Mean},
			Printed:    printed.Text,
			Note:       printed.Note,
		}
		why := p.Incomparable
		switch {
		case why != "":
		case !p.Complete():
			why = "trials are missing"
		case printed.Excluded:
			why = "the number is excluded"
		case nothing(sample):
			r.Note = strings.TrimSuffix(sided("ours", sample)+"; "+r.Note, "; ")
		case len(v) == 0:
			why = lacking(p, r.Cell)
		default:
			why = sample.Why()
		}
		r.Gap = printed.Gap(v)
		r.decide(why)
		out = append(out, r)
	}
	return out
}

// Reports compares the cells of two reports of the same experiment and protocol: ours in their order, then those that
// only theirs has.
func Reports(ours, theirs *record.Set) []Row {
	mine, a := ours.Cells()
	others, b := theirs.Cells()
	cells := slices.Concat(mine, slices.DeleteFunc(others, func(c record.Cell) bool { return a[c] != nil }))
	var out []Row
	for _, c := range cells {
		r := Row{Experiment: ours.Experiment, Protocol: ours.Protocol, Cell: c}
		why, x, y := "", a[c], b[c]
		if y == nil { // no trial ended well
			y = record.View{Set: theirs, Problem: c.Problem}.Last(c.Method, c.Metric, c.Index)
		}
		if x == nil {
			x = record.View{Set: ours, Problem: c.Problem}.Last(c.Method, c.Metric, c.Index)
		}
		switch {
		case b[c] == nil && !nothing(y):
			why = "theirs: " + lacking(theirs, c)
		case a[c] == nil && !nothing(x):
			why = "ours: " + lacking(ours, c)
		case ours.Scale != theirs.Scale:
			why = fmt.Sprintf("ours is of %s scale, theirs of %s", ours.Scale, theirs.Scale)
		}
		if mine, ok := record.First(ours, c.Problem, c.Method); ok {
			if other, ok := record.First(theirs, c.Problem, c.Method); ok {
				r.Note = changed(mine.Config, other.Config)
			}
		}
		r.match(x, y, why)
		out = append(out, r)
	}
	return out
}

// Comparable reports whether the cell's numbers can be compared.
func (r Row) Comparable() bool { return r.Verdict != NotComparable }

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

// nothing reports whether there are trials, and none gave a number. Beside numbers that is a difference; what was not
// measured is none.
func nothing(s record.Sample) bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(v record.Value) bool {
		return v.Why == "" || strings.HasPrefix(string(v.Why), string(record.NotMeasured))
	})
}

// decide gives the verdict. why says that the numbers cannot be compared.
func (r *Row) decide(why string) {
	switch {
	case why != "":
		r.Verdict, r.Why = NotComparable, why
	case r.Identical || r.Agrees():
		r.Verdict, r.Marked = Agrees, !r.Identical && r.Far()
	default:
		r.Verdict = Differs
	}
}

// match compares samples: by seed where both have some of the same, otherwise as independent means, as with a single
// pair among several trials. A try that only one of them lost is a difference, and so is that one has no number at all.
func (r *Row) match(a, b record.Sample, why string) {
	x, y := shared(a, b), shared(b, a)
	r.Ours, r.Theirs, r.Identical = a.Numbers(), b.Numbers(), len(x) > 0 && record.Same(x, y)
	d := record.Pair(a, b, 0)
	r.Gap = claim.Gap{Difference: d.Mean(), Error: stats.SE(d.Gaps)}
	single := len(x) == 1 && len(d.Gaps) == 1 && len(a) > 1 && len(b) > 1 && !r.Identical
	switch {
	case len(x) == 0 || single:
		r.Difference = stats.Mean(r.Ours) - stats.Mean(r.Theirs)
		r.Error = math.Hypot(stats.SE(r.Ours), stats.SE(r.Theirs))
		r.Seeds = fmt.Sprintf("%d and %d others", len(r.Ours), len(r.Theirs))
	case len(x) < len(a):
		r.Seeds = fmt.Sprintf("%d of %d", len(x), len(a))
	case len(x) < len(b):
		r.Seeds = fmt.Sprintf("%d of %d", len(x), len(b))
	default:
		r.Seeds = strconv.Itoa(len(x))
	}
	if both := record.Beside(a, b); both[0] != nil && !single {
		r.Ours, r.Theirs = both[0], both[1]
	}
	lost := strings.Trim(sided("ours", a)+"; "+sided("theirs", b), "; ")
	switch {
	case why != "" || r.Identical:
	case len(a) > 0 && len(b) > 0 && nothing(a) != nothing(b), !single && !d.Whole() && d.Pairs() > 0:
		r.Verdict, r.Note = Differs, strings.TrimPrefix(r.Note+"; "+lost, "; ")
		return
	case math.IsNaN(r.Error):
		why = cmp.Or(lost, "one pair of trials has no standard error")
	}
	r.decide(why)
}

// shared are the values of a for the seeds that b has too.
func shared(a, b record.Sample) record.Sample {
	lacks := func(v record.Value) bool { return b.Of(v.Seed).Why == record.NotComputed }
	return slices.DeleteFunc(slices.Clone(a), lacks)
}

// sided says which values of a side are no numbers, "" if all are.
func sided(side string, s record.Sample) string {
	if why := s.Why(); why != "" {
		return side + " " + why
	}
	return ""
}

// lacking says why a protocol has no values of a cell.
func lacking(p *record.Set, c record.Cell) string {
	bad, all := map[string]int{}, 0
	for _, t := range p.Trials {
		if t.Problem == c.Problem && t.Method == c.Method {
			all++
			if t.Status != record.StatusOK {
				bad[t.Status]++
			}
		}
	}
	switch {
	case all == 0:
		return "no trial of it"
	case len(bad) > 0:
		return fmt.Sprintf("of %d trials %s", all, table.Counts(bad))
	}
	if c.Index > 0 {
		return fmt.Sprintf("its trials do not measure %s[%d]", c.Metric, c.Index)
	}
	return "its trials do not measure " + c.Metric
}

// changed says which settings differ between two resolved configurations; "" if none does.
func changed(ours, theirs string) string {
	a, b := settings.Flatten([]byte(ours)), settings.Flatten([]byte(theirs))
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a[key] != b[key] {
			out = append(out,
				fmt.Sprintf("%s %s, theirs %s", key, cmp.Or(a[key], "not set"), cmp.Or(b[key], "not set")))
		}
	}
	return strings.Join(out, "; ")
}

// Count says how many cells have which verdict, and why those that cannot be compared cannot.
func Count(rows []Row) string {
	n, why, marked := map[string]int{}, []string(nil), 0
	for _, r := range rows {
		verdict := r.Verdict
		if r.Identical {
			verdict = "identical"
		}
		if r.Marked {
			marked++
		}
		if n[verdict]++; r.Why != "" && !slices.Contains(why, r.Why) {
			why = append(why, r.Why)
		}
	}
	chance := claim.Chance * float64(n[Agrees]+n[Differs])
	for _, verb := range []string{Agrees, Differs} { // 1 agrees, 57 agree
		if n[verb] > 1 {
			n[strings.TrimSuffix(verb, "s")], n[verb] = n[verb], 0
		}
	}
	text := table.Counts(n, "identical", "agree", Agrees, "differ", Differs, NotComparable)
	switch {
	case chance >= 0.5:
		text += fmt.Sprintf(" (%d marked, by chance alone %.0f)", marked, chance)
	case marked > 0:
		text += fmt.Sprintf(" (%d marked)", marked)
	}
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
	identical := map[[3]string]int{} // by problem, metric and seeds
	several := map[string]bool{}     // metrics with components
	for _, r := range rows {
		several[r.Metric] = several[r.Metric] || r.Index > 0
		if r.Identical {
			identical[[3]string{r.Problem, r.Metric, r.Seeds}]++
		}
	}
	for _, r := range rows {
		at := [3]string{r.Problem, r.Metric, r.Seeds}
		switch {
		case !r.Identical:
			t.Rows = append(t.Rows, r.cells(t, several[r.Metric]))
		case identical[at] > 0:
			row := make([]table.Cell, len(t.Columns))
			row[0], row[1] = table.Text(r.Problem), table.Text(r.Metric)
			row[2], row[5] = table.Text(table.Count(identical[at], "cell")), table.Text(r.Seeds)
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

// cells returns the row's cells; what is to be said of it goes to the notes of the table. several: the metric has more
// than one component.
func (r *Row) cells(t *table.Table, several bool) []table.Cell {
	metric, verdict := r.Metric, r.Verdict
	if r.Marked {
		verdict += ", marked"
	}
	if several {
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
		theirs = table.MeanSD(r.Theirs)
	}
	return []table.Cell{
		table.Text(r.Problem), table.Text(metric), table.Text(r.Method), table.MeanSD(r.Ours), theirs,
		table.Text(r.Seeds),
		table.PlusMinus(r.Difference, r.Error), table.Fixed(r.Difference/r.Error, 1),
		table.Fixed(100*r.Difference/math.Abs(stats.Mean(r.Theirs)), 1), table.Text(verdict),
	}
}
