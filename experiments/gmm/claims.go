package gmm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/density"
	"github.com/semi-implicit/sifg/pkg/harness/evidence"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

const covered = 0.05 // a mode is covered if this share of the sample is within 3 sd of its mean; its weight is 0.2

// claims are rows 1–12 of the claims ledger.
var claims = []harness.Claim{
	{
		ID: "1", Statement: "2-D: SIFG has samples in all five modes at the end.",
		Rule: "every mode has at least 5 % of the sample within 3 sd of its mean, in every seed, for SIFG and Ada-SIFG",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			fixed, textF := coverage(e, "sifg")
			ada, textA := coverage(e, "ada-sifg")
			return harness.Outcome{
				Verdict:  evidence.All(append(fixed, ada...)),
				Evidence: textF + "; " + textA, Keys: e.Keys("sifg", "ada-sifg"),
			}
		},
	},
	misses("2", "l2-gf", "L2-GF"),
	misses("3", "ada-gwg", "Ada-GWG"),
	{
		ID: "4", Statement: "2-D: after iteration 1600 the particles of L2-GF and Ada-GWG barely move.",
		Rule: "median displacement of the particles from 1600 to 2000 at most 0.05 and at most a fifth of SIFG's, on its sample x, in every seed",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			ref := e.Final("sifg", "displacement-x", 1)
			var holds []bool
			var text []string
			for _, m := range []string{"l2-gf", "ada-gwg"} {
				v := e.Final(m, "displacement-z", 1)
				for i := range min(len(v), len(ref)) {
					holds = append(holds, v[i] <= 0.05 && v[i] <= ref[i]/5)
				}
				text = append(text, evidence.Label(m)+" "+evidence.Spread(v))
			}
			return harness.Outcome{
				Verdict:  evidence.All(holds),
				Evidence: "median displacement: " + strings.Join(text, ", ") + "; SIFG's sample " + evidence.Spread(ref),
				Keys:     e.Keys("l2-gf", "ada-gwg", "sifg"),
			}
		},
	},
	{
		ID: "5", Statement: "2-D: SIFG keeps producing different samples of the target after iteration 1600.",
		Rule: "median displacement of x from 1600 to 2000 at least 0.2 while the k-NN KL at both is at most 0.15, in every seed",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			from := comparison(s)
			moved := e.Final("sifg", "displacement-x", 1)
			before, after := e.At("sifg", "knn-kl", 0, from), e.Final("sifg", "knn-kl", 0)
			var holds []bool
			for i := range moved {
				holds = append(holds, moved[i] >= 0.2 && before[i] <= 0.15 && after[i] <= 0.15)
			}
			return harness.Outcome{
				Verdict: evidence.All(holds),
				Evidence: fmt.Sprintf("median displacement %s; k-NN KL %s then %s", evidence.Spread(moved), evidence.Spread(before),
					evidence.Spread(after)),
				Keys: e.Keys("sifg"),
			}
		},
	},
	{
		ID: "6", Statement: "2-D: every method has converged in distribution by iteration 1600.",
		Rule: "the k-NN KL at 1600 and at 2000 differ by at most 0.075 (two standard deviations of the estimator), in every seed and method",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			from := comparison(s)
			var holds []bool
			var text []string
			methods := []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg"}
			for _, m := range methods {
				before, after := e.At(m, "knn-kl", 0, from), e.Final(m, "knn-kl", 0)
				var change []float64
				for i := range before {
					change = append(change, after[i]-before[i])
					holds = append(holds, math.Abs(after[i]-before[i]) <= 0.075)
				}
				text = append(text, evidence.Label(m)+" "+evidence.Spread(change))
			}
			return harness.Outcome{
				Verdict: evidence.All(holds), Evidence: "change of the k-NN KL: " + strings.Join(text, ", "), Keys: e.Keys(methods...),
			}
		},
	},
	{
		ID: "7", Statement: "2-D: all methods start from the same particles.",
		Rule: "the initial particles of each seed are equal, bit for bit",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			first := map[uint64][]float32{}
			var holds []bool
			var keys []string
			for _, t := range s.Trials {
				if t.Problem != "gmm-2d" || t.Status != record.StatusOK {
					continue
				}
				a, err := s.Load(t.Key, "particles-0")
				if err != nil {
					return harness.Outcome{Verdict: harness.NotTestable, Evidence: "the initial particles are not at hand: " + err.Error()}
				}
				keys = append(keys, t.Key)
				if first[t.Seed] == nil {
					first[t.Seed] = a.Data
				} else {
					holds = append(holds, slices.Equal(first[t.Seed], a.Data))
				}
			}
			return harness.Outcome{
				Verdict:  evidence.All(holds),
				Evidence: fmt.Sprintf("%d methods, %d seeds compared", len(s.Methods(e.Problem)), len(first)), Keys: keys,
			}
		},
	},
	{
		ID: "8", Statement: "10-D: SIFG converges faster than L2-GF.",
		Rule: "mean height of the k-NN KL curve lower, paired by seed",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-10d"}
			out := e.Less("mean height of the curve", "sifg", e.MeanHeight("sifg", "knn-kl"), "l2-gf", e.MeanHeight("l2-gf", "knn-kl"), 0)
			out.Evidence += ". Final energy distance: " + both(e, "energy", "sifg", "l2-gf")
			return out
		},
	},
	{
		ID: "9", Statement: "10-D: SIFG and Ada-GWG end at about the same divergence.",
		Rule: "final k-NN KL: means over seeds within 0.3",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-10d"}
			a, b := e.Final("sifg", "knn-kl", 0), e.Final("ada-gwg", "knn-kl", 0)
			diff := stats.Mean(a) - stats.Mean(b)
			verdict := harness.NotReproduced
			if len(a) == 0 || len(b) == 0 {
				verdict = harness.NotTestable
			} else if math.Abs(diff) <= 0.3 {
				verdict = harness.Reproduced
			}
			return harness.Outcome{
				Verdict: verdict, Keys: e.Keys("sifg", "ada-gwg"),
				Evidence: fmt.Sprintf("SIFG %s, Ada-GWG %s, difference of means %s. Final energy distance: %s",
					evidence.Spread(a), evidence.Spread(b), evidence.Num(diff), both(e, "energy", "sifg", "ada-gwg")),
			}
		},
	},
	{
		ID: "10", Statement: "10-D: SIFG is faster than Ada-GWG at the start.",
		Rule: "k-NN KL lower at iterations 200 and 400, paired by seed (mean of the two)",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-10d"}
			step := e.Last() / 10
			early := func(m string) []float64 {
				a, b := e.At(m, "knn-kl", 0, step), e.At(m, "knn-kl", 0, 2*step)
				for i := range a {
					a[i] = (a[i] + b[i]) / 2
				}
				return a
			}
			return e.Less("early k-NN KL", "sifg", early("sifg"), "ada-gwg", early("ada-gwg"), 0)
		},
	},
	ends("11", "sifg", "SIFG"),
	ends("12", "ada-gwg", "Ada-GWG"),
}

// misses is the claim that a method leaves a mode out.
func misses(id, method, name string) harness.Claim {
	return harness.Claim{
		ID: id, Statement: "2-D: " + name + " stays at modes near the start and leaves others out.",
		Rule: "at least one mode has less than 5 % of the particles within 3 sd of its mean, in every seed",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-2d"}
			all, text := coverage(e, method)
			for i := range all {
				all[i] = !all[i]
			}
			return harness.Outcome{Verdict: evidence.All(all), Evidence: text, Keys: e.Keys(method)}
		},
	}
}

// ends is the claim that Ada-SIFG ends below another method in 10-D, with what the exact-density KL and the energy
// distance say of it.
func ends(id, other, name string) harness.Claim {
	return harness.Claim{
		ID: id, Statement: "10-D: Ada-SIFG ends below " + name + ".",
		Rule: "final k-NN KL lower, paired by seed; evidence also by exact-density KL and energy distance",
		Check: func(s *record.Set) harness.Outcome {
			e := evidence.Records{Set: s, Problem: "gmm-10d"}
			out := e.Less("final k-NN KL", "ada-sifg", e.Final("ada-sifg", "knn-kl", 0), other, e.Final(other, "knn-kl", 0), 0)
			if other == "sifg" {
				out.Evidence += ". Exact-density KL: " + both(e, "exact-kl", "ada-sifg", other)
			}
			out.Evidence += ". Energy distance: " + both(e, "energy", "ada-sifg", other)
			return out
		},
	}
}

// coverage tells for each seed whether all five modes are covered.
func coverage(e evidence.Records, method string) (all []bool, text string) {
	var least []float64
	for k := range 5 {
		for i, v := range e.Final(method, "coverage", k) {
			if i == len(all) {
				all, least = append(all, true), append(least, math.Inf(1))
			}
			all[i] = all[i] && v >= covered
			least[i] = min(least[i], v)
		}
	}
	n := 0
	for _, a := range all {
		if a {
			n++
		}
	}
	return all, fmt.Sprintf("%s: all modes covered in %d of %d seeds, share of the least covered mode %s",
		evidence.Label(method), n, len(all), evidence.Spread(least))
}

func both(e evidence.Records, metric, a, b string) string {
	return fmt.Sprintf("%s %s, %s %s", evidence.Label(a), evidence.Spread(e.Final(a, metric, 0)),
		evidence.Label(b), evidence.Spread(e.Final(b, metric, 0)))
}

// comparison is the iteration that the paper compares with the end: 1600 of 2000.
func comparison(s *record.Set) int {
	if t, ok := evidence.First(s, "gmm-2d", "sifg"); ok {
		if _, o, err := density.Config(t); err == nil {
			return o.DisplacementFrom
		}
	}
	return 0
}
