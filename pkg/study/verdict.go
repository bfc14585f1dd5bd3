package study

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Ours are the flows that the paper proposes, and the methods that a fair comparison sets beside them.
var Ours = Sides{
	Flows:  []string{"sifg", "ada-sifg"},
	Rivals: []string{"sgld", "psgld", "svgd", "ascent", "kde-flow", "l2-gf", "ada-gwg"},
}

// parts are what SIFG is compared with to see what its learned score is worth: the exact score of the cloud in its
// place, a network that has nothing to learn, and none.
var parts = Sides{[]string{"sifg"}, []string{"kde-flow", "sifg-blind", "ascent"}}

// Verdict is what is found on one problem.
type Verdict struct {
	Problem   string             // in words
	None      string             // why there is no verdict; "": there is one
	Use       []string           // the method with the lowest mean and those that are equal to it, the fastest first
	Apart     []string           // those that are not told apart from the lowest, the fastest first
	Decided   bool               // none of Apart is faster than all of Use
	Strongest string             // the rival of SIFG with the lowest mean, at equal scores
	Scores    []table.Comparison // SIFG and Ada-SIFG against each rival, at equal scores
	Seconds   []table.Comparison // SIFG against each rival at equal seconds; nil: not measured
	Parts     []table.Comparison // SIFG against its parts: the exact score, a blind network, none

	v                      Versus
	scores, seconds, parts []relation
	fastest                string // the rival with the lowest mean at equal seconds
}

// Comparing says which records verdicts are of.
type Comparing struct {
	Protocol string // each method with its own best settings and as many scores
	Seconds  string // the protocol in which rivals have SIFG's seconds in Protocol or more; "": none
	Times    string // the protocol whose times say which method is the fastest; "": Protocol
	Other    Criterion
	Where    string // in a title: "Networks after 2000 iterations"
	Lead     bool   // on the first screen of the page
	Problems []Versus
}

// Verdicts returns what is found on the problems that have trials of SIFG and of a rival. Their own Sides do not count.
func (c Comparing) Verdicts(by map[string]*record.Set) []Verdict {
	s := by[c.Protocol]
	if s == nil {
		return nil
	}
	var out []Verdict
	for _, v := range c.Problems {
		v.Sides = Ours
		x := Verdict{Problem: v.Title, v: v, scores: c.relations(v, by)}
		if len(x.scores) == 0 {
			continue
		}
		x.Strongest = v.lowest(s, Ours.Rivals)
		times := by[cmp.Or(c.Times, c.Protocol)]
		x.Use, x.Apart = v.use(s, times)
		x.Decided = x.Apart == nil || Seconds(times, v.Problem, x.Use[0]) <= Seconds(times, v.Problem, x.Apart[0])
		x.None = v.none(s)
		v.Sides = parts
		x.parts = c.relations(v, by)
		if clock := by[c.Seconds]; clock != nil {
			v.Sides = Sides{[]string{"sifg"}, Ours.Rivals}
			x.seconds, x.fastest = v.across(s, clock), v.lowest(clock, Ours.Rivals)
			x.Seconds = v.comparisons(clock, x.seconds)
		}
		x.Scores, x.Parts = v.comparisons(s, x.scores), v.comparisons(s, x.parts)
		out = append(out, x)
	}
	return out
}

// none says why a problem has no verdict, "" if it has one.
func (v Versus) none(s *record.Set) string {
	if v.Trivial == 0 || v.mean(s, v.lowest(s, s.Methods(v.Problem))) < v.Trivial {
		return ""
	}
	return "no method is nearer than one normal law (" + table.Num(v.Trivial) + ")"
}

// undecided takes the verdicts of comparisons away.
func undecided(all []relation) {
	for i := range all {
		all[i].verdict, all[i].none = open, true
	}
}

// mean is that of a method's tries by the first metric, +∞ if one was lost, NaN of none.
func (v Versus) mean(s *record.Set, method string) float64 {
	t := tries(s, v.Problem, v.Metrics[0].Metric, method)
	var values []float64
	for _, seed := range slices.Sorted(maps.Keys(t)) {
		values = append(values, t[seed])
	}
	return stats.Mean(values)
}

// lowest returns which of some methods has the lowest mean; "" if each of them lost a try or has none.
func (v Versus) lowest(s *record.Set, methods []string) string {
	best, least := "", math.Inf(1)
	for _, m := range methods {
		if mean := v.mean(s, m); mean < least {
			best, least = m, mean
		}
	}
	return best
}

// use returns the method with the lowest mean, but for controls, with those that are equal to it, and those that are
// not told apart from it; the fastest first, by the times of another set.
func (v Versus) use(s, times *record.Set) (use, apart []string) {
	all := slices.Concat(Ours.Flows, Ours.Rivals)
	best := v.lowest(s, all)
	use = []string{best}
	v.Sides = Sides{slices.DeleteFunc(all, func(m string) bool { return m == best }), []string{best}}
	for _, r := range v.relations(s) {
		switch r.verdict {
		case equal:
			use = append(use, r.flow)
		case open:
			apart = append(apart, r.flow)
		}
	}
	faster := func(a, b string) int {
		return cmp.Compare(Seconds(times, v.Problem, a), Seconds(times, v.Problem, b))
	}
	slices.SortStableFunc(use, faster)
	slices.SortStableFunc(apart, faster)
	return use, apart
}

// without is what SIFG is where no method has learned the target.
const without = "without a verdict"

// Findings are the verdicts, those at equal seconds and by another criterion, and the control.
func (c Comparing) Findings() []harness.Finding {
	return []harness.Finding{c.Finding, c.AtSeconds, c.ByOther, c.Control}
}

// Finding says the verdicts, problem by problem.
func (c Comparing) Finding(by map[string]*record.Set) *harness.Statement {
	verdicts := c.Verdicts(by)
	if verdicts == nil {
		return nil
	}
	t := table.Of(verdicts)
	t.Words("Problem", func(x Verdict) string { return x.Problem })
	t.Words("Use (fastest first)", func(x Verdict) string {
		if x.None != "" {
			return "no verdict: " + x.None
		}
		if x.Apart != nil {
			return labels(x.Use) + "; open: " + labels(x.Apart)
		}
		return labels(x.Use)
	})
	t.Words("Strongest rival", func(x Verdict) string { return figure.Label(x.Strongest) })
	against := func(flow string) func(x Verdict) string {
		return func(x Verdict) string { return told(x.scores, flow, x.Strongest) }
	}
	t.Words("SIFG against it", against("sifg"))
	t.Words("Ada-SIFG against it", against("ada-sifg"))
	if by[c.Seconds] != nil {
		t.Words("SIFG by the clock", func(x Verdict) string {
			if x.fastest == "" {
				return "–"
			}
			return told(x.seconds, "sifg", x.fastest) + " against " + figure.Label(x.fastest)
		})
	}
	for _, part := range []struct{ head, method string }{
		{"SIFG against the exact score", "kde-flow"},
		{"against a blind network", "sifg-blind"},
		{"against no score", "ascent"},
	} {
		t.Words(part.head, func(x Verdict) string { return told(x.parts, "sifg", part.method) })
	}
	for _, x := range verdicts {
		t.Comparisons = append(t.Comparisons, x.Scores...)
	}
	t.Notes = notes(verdicts)
	if by[c.Other.Protocol] != nil {
		t.Notes = append(t.Notes, "A comparison is open where methods that are tuned and judged by "+c.Other.Head+
			" compare the opposite way.")
	}
	return &harness.Statement{
		Table: &t.Table, Lead: c.Lead, Protocol: c.Protocol,
		Title: c.Where + ": against its strongest rival SIFG is " + c.title(verdicts, Verdict.againstStrongest),
		Text:  c.advice(verdicts) + " (" + by[c.Protocol].Title + ").",
	}
}

func labels(methods []string) string {
	var out []string
	for _, m := range methods {
		out = append(out, figure.Label(m))
	}
	return strings.Join(out, ", ")
}

// told says one comparison, "–" where it was not made.
func told(all []relation, flow, rival string) string {
	if i := indexOf(all, flow, rival); i >= 0 {
		return all[i].words()
	}
	return "–"
}

// againstStrongest returns the verdict on SIFG against the strongest rival at equal scores.
func (x Verdict) againstStrongest() string { return found(x.scores, x.Strongest) }

// againstFastest returns the verdict on SIFG against the rival with the lowest mean at equal seconds.
func (x Verdict) againstFastest() string { return found(x.seconds, x.fastest) }

func found(all []relation, rival string) string {
	if i := indexOf(all, "sifg", rival); i >= 0 {
		return all[i].verdict
	}
	return open
}

// title says on which problems SIFG is what.
func (c Comparing) title(verdicts []Verdict, of func(x Verdict) string) string {
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

// advice says what to use on each problem, without a name where there is but one.
func (c Comparing) advice(verdicts []Verdict) string {
	var use, undecided []string
	on := map[string][]string{}
	for _, x := range verdicts {
		switch {
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
			", where a faster method cannot be told apart from the lowest")
	}
	return cmp.Or(strings.Join(text, ". "), "No problem has a verdict")
}

// notes say the rules, once for problems that have the same.
func notes(verdicts []Verdict) []string {
	first := verdicts[0].v
	out := []string{
		"Mean difference of the " + first.Metrics[0].Head + " [95 % interval]; " +
			"below zero SIFG or Ada-SIFG is better. " +
			"Use: the method with the lowest mean and those equal to it; " +
			"open: those that cannot be told apart from it. " +
			"The strongest rival is that with the lowest mean of these results; " +
			"Holm's correction is over all rivals. " + first.rule(verdicts[0].scores),
	}
	var margins []string
	for _, x := range verdicts[1:] {
		if margin := x.v.margin(x.scores); !math.IsNaN(margin) {
			margins = append(margins, x.Problem+" "+table.Num(margin))
		}
	}
	if margins != nil {
		out = append(out, "The margins of the others: "+strings.Join(margins, ", ")+".")
	}
	return out
}

// Enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can
// reach the Level: its smallest p-value is 2¹⁻ⁿ.
func Enough(tests int) int { return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/rule.Level))) }
