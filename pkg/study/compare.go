// Package study is what experiments share: the comparison of methods pair by pair, with its rules, the control by a
// network that has nothing to learn, curves, and summaries.
package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Measure is a metric and its head in a table.
type Measure struct {
	Head, Metric string
	Index        int
}

// Problem is a problem on which methods are compared.
type Problem struct {
	Name    string
	Title   string
	Apart   string    // follows the title where other comparisons of the problem are beside: " (own start)"
	Metrics []Measure // less is better in all; the first decides, by its last value

	// Margin is of the first metric: smaller differences count as equal; 0: the standard deviation over seeds of what
	// exact draws score.
	Margin  float64
	Overlap float64                    // that of record.Difference
	None    func(s *record.Set) string // why the problem has no verdict, "" if it has one; nil: it has
}

// Comparison compares methods with rivals, problem by problem, on the records of one protocol.
type Comparison struct {
	Protocol string
	About    string   // what its tables show; "": the flows that the paper does not have
	Methods  []string // the zero value: the flows that the paper does not have,
	Rivals   []string // and what they have to beat
	Problems []Problem

	Figures []harness.Figure // of the protocol, in place of the paper's
	Claims  []claim.Claim    // of this project's own, shown as a table

	// of a verdict
	Where   string // in a title: "Networks after 2000 iterations"
	Lead    bool   // on the first screen of the page
	Seconds string // the protocol in which rivals have SIFG's seconds; "": none
	Times   string // the protocol whose times say which method is the fastest; "", or without results: Protocol
	Other   Other
}

// Other is a protocol in which methods are tuned and judged by another metric; the zero value: none.
type Other struct {
	Protocol string
	Measure
}

// ByKL is the second criterion of the densities.
var ByKL = Other{"matched-kl", Measure{Head: "k-NN KL", Metric: "knn-kl"}}

// The flows that the paper proposes; the methods that it compares them with; and those that it does not.
var (
	proposed = []string{"sifg", "ada-sifg"}
	theirs   = []string{"sgld", "svgd", "l2-gf", "ada-gwg"}
	further  = []string{"psgld", "ascent", "kde-flow"}
	rivals   = slices.Concat(theirs, further)
)

// Flows that the paper does not have, and what they have to beat. sgld-long is SGLD with more iterations, in no more
// seconds than SIFG-A takes.
var (
	newFlows  = []string{"sifg-a", "interpolated", "baoab"}
	newRivals = []string{"sgld", "sgld-long", "psgld", "l2-gf", "sifg", "kde-flow", "smc", "tempering"}
)

// Losses is SIFG by denoising against SIFG with other losses and all else the same, by samples.
func Losses(problem Problem) Comparison {
	problem.Metrics = []Measure{{Head: "energy distance", Metric: "energy"}, {Head: "k-NN KL", Metric: "knn-kl"}}
	return Comparison{
		Protocol: "loss",
		About: "SIFG's network learns by denoising, by antithetic denoising or by Hutchinson's estimate; network, " +
			"step, σ and start are the same.",
		Methods:  []string{"sifg"},
		Rivals:   []string{"sifg-a", "sifg-hutchinson"},
		Problems: []Problem{problem},
	}
}

// What a comparison may come to, for the first of two methods.
const better, equal, worse, open = "better", "equal", "worse", table.Open

// relation of a method to a rival on one problem, paired by seed (docs/compare.md, "Methods with each other").
type relation struct {
	record.Difference
	method, rival string
	verdict       string
	strict        string  // the verdict at margin 0
	p             float64 // after Holm's correction
	tests         int     // the number of comparisons that it is corrected for
	margin        float64 // smaller differences count as equal
	own           bool    // the margin is the problem's, not what exact draws vary by
	none          bool    // the problem has no verdict
	other         string  // what another criterion says, where that is the opposite; "": it does not
}

// indexOf returns where a method is compared with a rival, −1 if it is not.
func indexOf(all []relation, method, rival string) int {
	return slices.IndexFunc(all, func(r relation) bool { return r.method == method && r.rival == rival })
}

// last are the last values of the first metric.
func (v Problem) last(s *record.Set, method string) record.Sample {
	return record.Series{Set: s, Problem: v.Name}.Last(method, v.Metrics[0].Metric, 0)
}

// relate compares methods with rivals, as far as both have trials.
func (v Problem) relate(s *record.Set, methods, rivals []string) []relation {
	var out []relation
	var p []float64
	margin := v.Margin
	if margin == 0 {
		margin = v.floor(s)
	}
	for _, method := range methods {
		mine := v.last(s, method)
		for _, rival := range rivals {
			r := relation{Difference: record.Pair(mine, v.last(s, rival), v.Overlap), method: method, rival: rival}
			if r.Pairs()+r.BothLost == 0 {
				continue
			}
			r.margin, r.own = margin, v.Margin > 0
			out, p = append(out, r), append(p, r.P(stats.TwoSided))
		}
	}
	none := v.none(s) != ""
	for i, p := range stats.Holm(p) {
		r := &out[i]
		r.p, r.tests, r.none = p, len(out), none
		if r.verdict, r.strict = r.judge(r.margin), r.judge(0); none {
			r.verdict, r.strict = open, open
		}
	}
	return out
}

// judge gives the verdict at a margin by the corrected p-value.
func (r *relation) judge(margin float64) string {
	within, _ := r.Equal(margin)
	told := r.p <= stats.Level && r.Pairs() >= stats.Enough(1)
	lower, higher := r.Mean() < -margin, r.Mean() > margin
	if !r.Whole() {
		lower, higher = r.Lost == 0 && r.MeanSign() < 0, r.LostByB == 0 && r.MeanSign() > 0
	}
	switch {
	case within:
		return equal
	case told && lower:
		return better
	case told && higher:
		return worse
	}
	return open
}

// level is that of each side with Holm's correction at its strictest.
func (r relation) level() float64 { return stats.Level / 2 / float64(r.tests) }

// words say the verdict, the mean difference with its interval, the lead that would have been seen where none is told,
// the verdict at margin 0 where the margin was chosen, and the tries that were lost.
func (r relation) words() string {
	text := r.verdict
	if r.none {
		text = "no verdict"
	}
	if len(r.Gaps) > 0 {
		text += " " + table.Num(r.Mean())
	}
	if lo, hi := r.Interval(1 - stats.Level); !math.IsNaN(lo) {
		text += fmt.Sprintf(" [%s, %s]", table.Num(lo), table.Num(hi))
	}
	if !r.none && (r.verdict == open || r.verdict == equal) {
		text += ", " + rule.Sees(r.Difference, r.level(), r.margin)
	}
	if !r.none && r.own && r.strict != r.verdict {
		text += ", at margin 0 " + r.strict
	}
	text += r.Losses()
	if r.other != "" {
		text += "; " + r.other
	}
	return text
}

// floor is the standard deviation over seeds of what as many exact draws score, which does not depend on the method.
func (v Problem) floor(s *record.Set) float64 {
	bySeed := map[uint64]float64{}
	for _, m := range s.Methods(v.Name) {
		floors := record.Series{Set: s, Problem: v.Name}.Last(m, "floor-"+v.Metrics[0].Metric, 0)
		for _, f := range floors {
			if f.Measured() && !f.Lost() {
				bySeed[f.Seed] = f.Number
			}
		}
	}
	return stats.SD(inOrder(bySeed))
}

// data are relations as data, without those that have no difference or no margin, and those of a problem that has no
// verdict.
func (v Problem) data(found []relation) []table.Comparison {
	var out []table.Comparison
	for _, r := range found {
		if len(r.Gaps) == 0 || math.IsNaN(r.margin) || r.none {
			continue
		}
		c := table.Comparison{
			Problem:    v.Title + v.Apart,
			Method:     r.method,
			Rival:      r.rival,
			Difference: r.Mean(),
			Margin:     r.margin,
			Verdict:    r.verdict,
			Lost:       r.Lost,
			RivalLost:  r.LostByB,
		}
		if lead, why := r.Seen(r.level(), r.margin); why == "" {
			c.Seen = lead
		}
		if r.own {
			c.Strict = r.strict
		}
		if lo, hi := r.Interval(1 - stats.Level); !math.IsNaN(lo) {
			c.Interval = []float64{lo, hi}
		}
		out = append(out, c)
	}
	return out
}

// none says why a problem has no verdict, "" if it has one.
func (v Problem) none(s *record.Set) string {
	if v.None != nil {
		return v.None(s)
	}
	return ""
}

// lowest returns which of some methods has the lowest mean, of those that lost no try; "" if there is none.
func (v Problem) lowest(s *record.Set, methods []string) string {
	best, least := "", math.Inf(1)
	for _, m := range methods {
		sample := v.last(s, m)
		if mean := stats.Mean(sample.Numbers()); sample.Lost() == 0 && mean < least {
			best, least = m, mean
		}
	}
	return best
}

// order names methods from the lowest mean of a measure to the highest, without those that lost a try.
func (v Problem) order(s *record.Set, x Measure, methods []string) string {
	v.Metrics = []Measure{x}
	mean := func(m string) float64 { return stats.Mean(v.last(s, m).Numbers()) }
	ranked := slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		return v.last(s, m).Lost() > 0 || math.IsNaN(mean(m))
	})
	slices.SortStableFunc(ranked, func(a, b string) int { return cmp.Compare(mean(a), mean(b)) })
	return labels(ranked)
}

func labels(methods []string) string {
	var out []string
	for _, m := range methods {
		out = append(out, figure.Label(m))
	}
	return strings.Join(out, ", ")
}

// rule says how two methods are compared, of all comparisons of a table.
func (v Problem) rule(found []relation) string {
	test := "a two-sided sign-flip test"
	if v.Overlap > 0 {
		test = "a two-sided t-test, with Nadeau and Bengio's variance for overlapping splits,"
	}
	margin := v.Margin
	if len(found) > 0 {
		margin = found[0].margin
	}
	if math.IsNaN(margin) { // of too few exact draws
		return "There are too few seeds to compare."
	}
	return fmt.Sprintf("Comparisons are of the %s, paired by seed. "+
		"A method is better or worse than a rival if %s tells the difference from zero "+
		"(5 %%, Holm's correction over the %s of this problem), and its mean exceeds %s. "+
		"It is equal if the 90 %% interval of the mean difference is within ±%[4]s. "+
		"A lost try rules out both and a sign test decides. "+
		"Otherwise, and with fewer than %d pairs, the comparison is open. %s",
		v.Metrics[0].Head, test, table.Count(len(found), "comparison"), table.Num(margin), stats.Enough(1),
		rule.SeesText)
}
