package ucibnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// present returns the methods with at least four fifths of the trials of the one with most. The others take no part in
// comparisons: a seed may be a split of the data, and an easy one.
func (r results) present(problem, metric string, methods []string) []string {
	most := 0
	for _, m := range methods {
		most = max(most, len(r.values(problem, metric, m)))
	}
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		n := len(r.values(problem, metric, m))
		return n == 0 || 5*n < 4*most
	})
}

// has reports whether all of the methods have results.
func (r results) has(problem, metric string, methods ...string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return r.values(problem, metric, m) == nil })
}

// means returns the methods' means over the seeds that all have.
func (r results) means(problem, metric string, methods []string) map[string]float64 {
	out := map[string]float64{}
	for i, values := range r.beside(problem, metric, methods...) {
		out[methods[i]] = stats.Mean(values)
	}
	return out
}

// leaders returns the method with the lowest mean over common seeds, of those present ("" if no mean is finite), and
// the methods whose paired differences from it are not told from zero by a two-sided test with Holm's correction.
// Methods with too few trials to tell are not among them.
func (r results) leaders(problem, metric string, methods []string) (best string, tied []string) {
	methods = r.present(problem, metric, methods)
	means, lowest := r.means(problem, metric, methods), math.Inf(1)
	for _, m := range methods {
		if v := means[m]; v < lowest {
			best, lowest = m, v
		}
	}
	if best == "" {
		return "", nil
	}
	var others []string
	var p []float64
	for _, m := range methods {
		if d := r.pair(problem, metric, m, best); m != best && d.Pairs() >= stats.Enough(len(methods)-1) {
			others, p = append(others, m), append(p, d.P(stats.TwoSided))
		}
	}
	for i, p := range stats.Holm(p) {
		if p > stats.Level {
			tied = append(tied, others[i])
		}
	}
	return best, tied
}

// few reports whether some method has too few trials in common with the first to be told apart from it.
func (r results) few(problem, metric, first string, methods []string) bool {
	return slices.ContainsFunc(methods, func(m string) bool {
		return m != first && r.pair(problem, metric, m, first).Pairs() < stats.Enough(len(methods)-1)
	})
}

// ranking is how methods rank over the cells, of problem and metric, in which all have results.
type ranking struct {
	Cells int
	Told  int            // cells with trials enough to tell the methods apart
	Best  map[string]int // cells in which a method has the lowest mean over common seeds
	Near  map[string]int // told cells in which it is lowest, or tied with the lowest
}

// rank ranks the methods.
func (r results) rank(methods []string) ranking {
	out := ranking{Best: map[string]int{}, Near: map[string]int{}}
	for problem, metric := range cells {
		if !r.has(problem, metric, methods...) {
			continue
		}
		out.Cells++
		means := r.means(problem, metric, methods)
		best := slices.MinFunc(methods, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
		out.Best[best]++
		if r.few(problem, metric, best, methods) {
			continue
		}
		out.Told++
		_, tied := r.leaders(problem, metric, methods)
		for _, m := range append(tied, best) {
			out.Near[m]++
		}
	}
	return out
}

// leads judges the claim that a method is best on a problem by all metrics: reproduced if its means are the lowest, not
// decided if another's is lower but not told apart, or if trials are too few to tell, otherwise not reproduced.
func (r results) leads(problem string, metrics, methods []string, method string) claim.Outcome {
	keys := r.on(problem).Keys(methods...)
	var verdicts []claim.Verdict
	var text []string
	needed := ""
	for _, metric := range metrics {
		if !r.has(problem, metric, methods...) {
			gone, _ := r.missing([]string{problem}, methods...)
			gone = cmp.Or(gone, r.names(metric)+" is not measured")
			return claim.Outcome{Verdict: claim.NotTestable, Evidence: gone, Keys: keys}
		}
		verdict, more := r.leadsBy(problem, metric, methods, method)
		verdicts = append(verdicts, verdict)
		needed += more
		var each []string
		for _, m := range methods {
			each = append(each, r.names(m)+" "+table.MeanSD(r.values(problem, metric, m)).Text)
		}
		text = append(text, r.names(metric)+" "+strings.Join(each, ", "))
	}
	return claim.Outcome{
		Verdict:  claim.Worst(verdicts...),
		Number:   claim.CountReproduced(verdicts),
		Evidence: strings.Join(text, "; ") + needed,
		Keys:     keys,
	}
}

// leadsBy judges it by one metric. Where it is not decided, sees says the lead that these trials would have told.
func (r results) leadsBy(problem, metric string, methods []string, method string) (v claim.Verdict, sees string) {
	first, tied := r.leaders(problem, metric, methods)
	d := r.pair(problem, metric, method, first)
	few := r.few(problem, metric, first, methods)
	if first != method {
		few = d.Pairs() < stats.Enough(len(methods)-1)
	}
	switch {
	case first == "":
		return claim.NotDecided, "; no mean is finite"
	case first == method && few:
		return claim.NotDecided, ""
	case few || slices.Contains(tied, method):
		return claim.NotDecided, fmt.Sprintf("; of %s against %s the design %s", r.names(method), r.names(first),
			rule.Sees(d, stats.Level/2/float64(len(methods)-1), 0))
	case first != method:
		return claim.NotReproduced, ""
	}
	return claim.Reproduced, ""
}

// missing says of which methods not all trials on the problems ended well, "" for none; whole reports that of one none
// did.
func (r results) missing(problems []string, methods ...string) (text string, whole bool) {
	var parts []string
	for _, p := range problems {
		var gone []string
		for _, m := range methods {
			if well, all := r.on(p).Ended(m); well < max(all, 1) {
				gone, whole = append(gone, fmt.Sprintf("%s %d of %d", r.names(m), well, all)), whole || well == 0
			}
		}
		if gone != nil {
			parts = append(parts, r.names(p)+" "+strings.Join(gone, ", "))
		}
	}
	if parts == nil {
		return "", false
	}
	return "trials that ended well: " + strings.Join(parts, "; "), whole
}

// lacking adds to an outcome which results are missing. Where a method has none on a problem, what holds for the rest
// is not decided.
func (r results) lacking(out claim.Outcome, problems []string, methods ...string) claim.Outcome {
	gone, whole := r.missing(problems, methods...)
	if whole && out.Verdict == claim.Reproduced {
		out.Verdict = claim.NotDecided
	}
	if gone != "" && out.Evidence != "" {
		gone = "; " + gone
	}
	out.Evidence += gone
	return out
}
