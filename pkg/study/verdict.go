package study

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// parts are what SIFG is compared with to see what its learned score is worth: the cloud's own kernel score in its
// place, a network that has nothing to learn, and none.
var parts = []struct{ head, method string }{
	{"SIFG against the cloud's own kernel score", "kde-flow"},
	{"against a blind network", "sifg-blind"},
	{"against no score", "ascent"},
}

// Verdict is what is found on one problem.
type Verdict struct {
	Problem   string             // in words
	None      string             // why there is no verdict; "": there is one
	Use       []string           // the method with the lowest mean and those that are equal to it, the fastest first
	Apart     []string           // those that are not told apart from the lowest, the fastest first
	Decided   bool               // none of Apart is faster than all of Use
	Strongest string             // of the methods that the paper compares with that with the lowest mean
	Further   string             // of the other methods that with the lowest mean
	Scores    []table.Comparison // SIFG and Ada-SIFG against each rival, at equal scores

	v                      Problem
	scores, seconds, parts []relation
	fastest                string // the rival with the lowest mean at equal seconds
}

// Verdicts returns what is found on the problems that have trials of SIFG and of a rival.
func (c Comparison) Verdicts(by map[string]*record.Set) []Verdict {
	s := by[c.Protocol]
	if s == nil {
		return nil
	}
	times := c.times(by)
	var out []Verdict
	for _, v := range c.Problems {
		x := Verdict{Problem: v.Title, v: v, scores: c.relations(v, by, proposed, rivals), None: v.none(s)}
		if len(x.scores) == 0 {
			continue
		}
		x.Strongest, x.Further = v.lowest(s, theirs), v.lowest(s, further)
		if v.lowest(s, slices.Concat(proposed, rivals)) == "" {
			x.None = cmp.Or(x.None, "every method lost a try")
		} else {
			x.Use, x.Apart = v.use(s, times)
			x.Decided = x.Apart == nil || Seconds(times, v.Name, x.Use[0]) <= Seconds(times, v.Name, x.Apart[0])
		}
		var controls []string
		for _, part := range parts {
			controls = append(controls, part.method)
		}
		x.parts = c.relations(v, by, proposed[:1], controls)
		if clock := by[c.Seconds]; clock != nil {
			x.seconds, x.fastest = v.relate(clock, proposed[:1], rivals), v.lowest(clock, rivals)
		}
		x.Scores = v.data(x.scores)
		out = append(out, x)
	}
	return out
}

// times are the records whose times are compared.
func (c Comparison) times(by map[string]*record.Set) *record.Set {
	if s := by[c.Times]; s != nil {
		return s
	}
	return by[c.Protocol]
}

// relations are those under the protocol. One of which the other criterion says the opposite is open
// (docs/compare.md, "Methods with each other").
func (c Comparison) relations(v Problem, by map[string]*record.Set, methods, rivals []string) []relation {
	s, other := by[c.Protocol], by[c.Other.Protocol]
	found := v.relate(s, methods, rivals)
	if other == nil {
		return found
	}
	opposite := map[string]string{better: worse, worse: better}
	for _, o := range c.Other.on(v).relate(other, methods, rivals) {
		i := indexOf(found, o.method, o.rival)
		if i >= 0 && opposite[found[i].verdict] == o.verdict {
			found[i].verdict, found[i].other = open, o.verdict+" by "+c.Other.Head
			if lost := o.Losses(); lost != "" {
				found[i].other += " (" + strings.TrimPrefix(lost, "; ") + ")"
			}
		}
	}
	return found
}

// on returns a problem judged by this criterion, whose margin is what exact draws vary by.
func (o Other) on(v Problem) Problem {
	v.Metrics, v.Margin, v.None = []Measure{o.Measure}, 0, nil
	return v
}

// use returns the method with the lowest mean, but for controls, with those that are equal to it, and those that are
// not told apart from it; the fastest first, by the times of another set. One must have a value in every try.
func (v Problem) use(s, times *record.Set) (use, apart []string) {
	all := slices.Concat(proposed, rivals)
	best := v.lowest(s, all)
	use = []string{best}
	others := slices.DeleteFunc(all, func(m string) bool { return m == best })
	for _, r := range v.relate(s, others, use) {
		switch r.verdict {
		case equal:
			use = append(use, r.method)
		case open:
			apart = append(apart, r.method)
		}
	}
	faster := func(a, b string) int { return cmp.Compare(Seconds(times, v.Name, a), Seconds(times, v.Name, b)) }
	slices.SortStableFunc(use, faster)
	slices.SortStableFunc(apart, faster)
	return use, apart
}

// Seconds returns the median time of a method's trials on a problem, NaN of none.
func Seconds(s *record.Set, problem, method string) float64 {
	var out []float64
	for _, key := range (record.Series{Set: s, Problem: problem}).Keys(method) {
		out = append(out, s.Timings[key].Seconds)
	}
	return stats.Median(out)
}

// without is what SIFG is where there is no verdict.
const without = "without a verdict"

// Findings are the verdicts, those at equal seconds and by another criterion, and the control.
func (c Comparison) Findings() []harness.Find {
	return []harness.Find{c.Finding, c.AtSeconds, c.ByOther, c.Control}
}

// Finding says the verdicts, problem by problem.
func (c Comparison) Finding(by map[string]*record.Set) *harness.Finding {
	verdicts := c.Verdicts(by)
	if verdicts == nil {
		return nil
	}
	t := table.Of(verdicts)
	t.Words("Problem", func(x Verdict) string { return x.Problem })
	t.Words("Use (fastest first)", func(x Verdict) string {
		switch {
		case x.None != "":
			return "no verdict: " + x.None
		case x.Apart != nil:
			return labels(x.Use) + "; open: " + labels(x.Apart)
		}
		return labels(x.Use)
	})
	against := func(method string, rival func(x Verdict) string) func(x Verdict) string {
		return func(x Verdict) string { return told(x.scores, method, rival(x)) }
	}
	strongest := func(x Verdict) string { return x.Strongest }
	other := func(x Verdict) string { return x.Further }
	t.Words("Strongest of the paper's rivals", func(x Verdict) string { return named(x.Strongest) })
	t.Words("SIFG against it", against("sifg", strongest))
	t.Words("Ada-SIFG against it", against("ada-sifg", strongest))
	t.Words("Strongest of other methods", func(x Verdict) string { return named(x.Further) })
	t.Words("SIFG against it", against("sifg", other))
	t.Words("Ada-SIFG against it", against("ada-sifg", other))
	if by[c.Seconds] != nil {
		t.Words("SIFG by the clock", func(x Verdict) string {
			if x.fastest == "" {
				return "–"
			}
			return told(x.seconds, "sifg", x.fastest) + " against " + figure.Label(x.fastest)
		})
	}
	for _, part := range parts {
		t.Words(part.head, func(x Verdict) string { return told(x.parts, "sifg", part.method) })
	}
	for _, x := range verdicts {
		t.Comparisons = append(t.Comparisons, x.Scores...)
	}
	t.Notes = c.notes(by, verdicts)
	of := func(rival func(x Verdict) string) string {
		return c.title(verdicts, func(x Verdict) string { return found(x.scores, rival(x)) })
	}
	return &harness.Finding{
		Table: &t.Table, Lead: c.Lead, Protocol: c.Protocol,
		Title: c.Where + ": against the strongest method that the paper compares with SIFG is " + of(strongest),
		Text: "Against the strongest of the others (" + labels(further) + ") it is " + of(other) + ". " +
			c.advice(verdicts) + " (" + by[c.Protocol].Title + ").",
	}
}

// named is the name of a method, or that none has a value in every try.
func named(method string) string {
	if method == "" {
		return "none: each lost a try or did not run"
	}
	return figure.Label(method)
}

// told says one comparison, "–" where it was not made.
func told(all []relation, method, rival string) string {
	if i := indexOf(all, method, rival); i >= 0 {
		return all[i].words()
	}
	return "–"
}

// found is the verdict on SIFG against a rival; open where it was not compared.
func found(all []relation, rival string) string {
	if i := indexOf(all, "sifg", rival); i >= 0 {
		return all[i].verdict
	}
	return open
}

// title says on which problems SIFG is what.
func (c Comparison) title(verdicts []Verdict, of func(x Verdict) string) string {
	on := map[string][]string{}
	for _, x := range verdicts {
		verdict := without
		if x.None == "" {
			verdict = of(x)
		}
		on[verdict] = append(on[verdict], x.Problem)
	}
	return c.listed(on)
}

// listed says on which problems each verdict was found, without a name where there is but one.
func (c Comparison) listed(on map[string][]string) string {
	var parts []string
	for _, verdict := range []string{better, equal, worse, open, without} {
		switch {
		case on[verdict] == nil:
		case len(c.Problems) == 1:
			return verdict
		case verdict == without && parts != nil:
			parts = append(parts, "no verdict on "+strings.Join(on[verdict], ", "))
		default:
			parts = append(parts, verdict+" on "+strings.Join(on[verdict], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// advice says what to use on each problem, without a name where there is but one.
func (c Comparison) advice(verdicts []Verdict) string {
	var use, undecided, lost []string
	on := map[string][]string{}
	for _, x := range verdicts {
		switch {
		case x.Use == nil:
			lost = append(lost, x.Problem)
		case x.None != "":
		case !x.Decided:
			undecided = append(undecided, x.Problem)
		default:
			method := figure.Label(x.Use[0])
			if on[method] == nil {
				use = append(use, method)
			}
			on[method] = append(on[method], x.Problem)
		}
	}
	if len(c.Problems) > 1 {
		for i, method := range use {
			use[i] += " on " + strings.Join(on[method], " and ")
		}
	}
	var text []string
	if use != nil {
		text = append(text, "Use "+strings.Join(use, ", ")+", by "+verdicts[0].v.Metrics[0].Head)
	}
	if undecided != nil {
		text = append(text, "No advice on "+strings.Join(undecided, ", ")+
			", where the data do not separate a faster method from the lowest")
	}
	if lost != nil {
		text = append(text, "No advice on "+strings.Join(lost, ", ")+", where every method lost a try")
	}
	return cmp.Or(strings.Join(text, ". "), "No problem has a verdict")
}

// notes say the rules, once for problems that have the same, and how methods without a verdict are ordered.
func (c Comparison) notes(by map[string]*record.Set, verdicts []Verdict) []string {
	first := verdicts[0].v
	out := []string{
		"Mean difference of the " + first.Metrics[0].Head + " [95 % interval]; " +
			"below zero SIFG or Ada-SIFG is better. " +
			"Use: the method with the lowest mean and those equal to it; " +
			"open: those that the data do not separate from it. " +
			"The strongest rivals are those with the lowest mean of these results; " +
			"Holm's correction is over all rivals. " + first.rule(verdicts[0].scores),
	}
	var margins []string
	for _, x := range verdicts[1:] {
		if !x.scores[0].own && !math.IsNaN(x.scores[0].margin) {
			margins = append(margins, x.Problem+" "+table.Num(x.scores[0].margin))
		}
	}
	if margins != nil {
		out = append(out, "The margins of the others: "+strings.Join(margins, ", ")+".")
	}
	for _, x := range verdicts {
		if x.None == "" {
			continue
		}
		var orders []string
		for _, m := range x.v.Metrics {
			if order := x.v.order(by[c.Protocol], m, slices.Concat(proposed, rivals)); order != "" {
				orders = append(orders, "by "+m.Head+" "+order)
			}
		}
		out = append(out, x.Problem+", from the lowest mean on: "+strings.Join(orders, "; ")+".")
	}
	if by[c.Other.Protocol] != nil {
		out = append(out, "A comparison is open where methods that are tuned and judged by "+c.Other.Head+
			" compare the opposite way.")
	}
	return out
}
