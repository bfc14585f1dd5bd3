package claim

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Paired is how comparisons of two methods are decided, for rules.
const Paired = "paired by seed (one-sided sign-flip test, 5 %); not reproduced if higher by the same test, or equal: the 90 % interval " +
	"(Student's t) of the mean difference within ±5 % of the other's mean; otherwise not decided"

// Lower is the claim that method a ends with a lower metric than b.
func Lower(id, statement, problem, metric, a, b string) Claim {
	return lower(id, statement, problem, "final "+metric, a, b,
		func(e Series, method string) []float64 { return e.Final(method, metric, 0) })
}

// LowerCurve is the claim that the curve of a metric is lower for method a than for b: that a converges faster.
func LowerCurve(id, statement, problem, metric, a, b string) Claim {
	return lower(id, statement, problem, "mean height of the "+metric+" curve", a, b,
		func(e Series, method string) []float64 { return e.MeanHeight(method, metric) })
}

func lower(id, statement, problem, what, a, b string, of func(e Series, method string) []float64) Claim {
	return Claim{
		ID: id, Statement: statement, Rule: what + " lower, " + Paired,
		Check: func(s *record.Set) Outcome {
			e := Series{Set: s, Problem: problem}.Common(a, b)
			return e.Less(what, a, of(e, a), b, of(e, b))
		},
	}
}

// Close is the claim that methods a and b end with the same metric, give or take margin.
func Close(id, statement, problem, metric, a, b string, margin float64) Claim {
	return Claim{
		ID: id, Statement: statement,
		Rule: fmt.Sprintf("final %s within %s of each other: the 90 %% interval (Student's t over seeds) of the mean paired difference is "+
			"within ±%s; not reproduced if it is outside, otherwise not decided", metric, Num(margin), Num(margin)),
		Check: func(s *record.Set) Outcome {
			e := Series{Set: s, Problem: problem}.Common(a, b)
			x, y := e.Final(a, metric, 0), e.Final(b, metric, 0)
			d := make([]float64, len(x))
			for i := range d {
				d[i] = x[i] - y[i]
			}
			verdict, difference := Alike(d, margin)
			return Outcome{Verdict: verdict, Keys: e.Keys(a, b), Evidence: fmt.Sprintf(
				"%s %s, %s %s; mean difference [90 %% interval] %s", Label(a), Spread(x), Label(b), Spread(y), difference)}
		},
	}
}

// AtMost is the claim that what of measures, a value a seed, is at most bound in the mean.
func AtMost(statement, problem, what string, bound float64, of func(e Series) []float64) Claim {
	return Claim{
		Statement: statement,
		Rule: fmt.Sprintf("the 95 %% interval (Student's t over seeds) of the mean %s ends at %s or below; refuted if it begins above, otherwise "+
			"not decided", what, Num(bound)),
		Check: func(s *record.Set) Outcome {
			x := of(Series{Set: s, Problem: problem})
			lo, hi := stats.TInterval(x, 1-Level)
			if math.IsNaN(lo) {
				return Outcome{Verdict: NotTestable, Evidence: "fewer than two trials with finite values"}
			}
			return Outcome{Verdict: Decide(hi <= bound, lo > bound),
				Evidence: fmt.Sprintf("%s [%s, %s], %d seeds", Num(stats.Mean(x)), Num(lo), Num(hi), len(x))}
		},
	}
}

// And returns the claim with a sentence added to its evidence: what other metrics say, for example. more returns "" for nothing.
func (c Claim) And(more func(s *record.Set) string) Claim {
	check := c.Check
	c.Check = func(s *record.Set) Outcome {
		out := check(s)
		if text := more(s); text != "" {
			out.Evidence += ". " + text
		}
		return out
	}
	return c
}

// Unless returns the claims, which are not testable where why gives a reason.
func Unless(why func(s *record.Set) string, claims ...Claim) []Claim {
	for i, c := range claims {
		claims[i].Check = func(s *record.Set) Outcome {
			if reason := why(s); reason != "" {
				return Outcome{Verdict: NotTestable, Evidence: reason}
			}
			return c.Check(s)
		}
	}
	return claims
}
