package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// made returns records in which SIFG's particles have the Amari distances that value gives, L2-GF's twice those and
// SVGD's three times them; 4 particles a try, 12 tries with 10 particles and 5 with 100, of 20 iterations. The last
// distances of a method are multiplied.
func made(value func(try, particle int) float64, problem, method string, by float64) *record.Set {
	s := &record.Set{Experiment: "meg-ica", Protocol: "released", Traces: map[string][]record.Trace{}}
	for k := range 3 * (12 + 5) {
		t := record.Trial{
			Key: fmt.Sprint(k), Problem: few, Method: []string{"sifg", "l2-gf", "svgd"}[k%3], Seed: uint64(k / 3),
			Status: record.StatusOK, Iterations: 20,
			Config: `{"data": "meg", "iterations": 20, "options": {"settled_from": 18}, "sampler": {"step": 0.01}}`,
		}
		if t.Seed >= 12 {
			t.Problem, t.Seed = many, t.Seed-12
		}
		put := func(iteration int, metric string, values ...float64) {
			for i, v := range values {
				row := record.Trace{Key: t.Key, Iteration: iteration, Metric: metric, Index: i, Value: v}
				s.Traces[t.Key] = append(s.Traces[t.Key], row)
			}
		}
		for name, v := range map[string]float64{"reference-modes": 3840, "reference-amari-halves": 0.5,
			"rms": 10, "floor-energy": 0, "energy": 9, "floor-amari-median": 0.8} {
			put(0, name, v)
		}
		put(0, "floor-amari", 0.8, 0.8, 0.8, 0.8)
		put(0, "random-amari", 0.9, 0.9, 0.9, 0.9)
		put(20, "energy", 5)
		for _, at := range []int{18, 20} {
			var v []float64
			for i := range 4 {
				d := float64(k%3+1) * value(int(t.Seed), i)
				if at == 18 {
					d *= 1.01
				} else if t.Problem == problem && t.Method == method {
					d *= by
				}
				v = append(v, d)
			}
			put(at, "amari", v...)
			put(at, "amari-median", stats.Median(v))
		}
		s.Trials = append(s.Trials, t)
	}
	slices.SortStableFunc(s.Trials, func(a, b record.Trial) int {
		return strings.Compare(a.Problem+a.Method, b.Problem+b.Method)
	})
	return s
}

func plain(try, i int) float64 { return 0.5 + 0.01*math.Sin(float64(7*try+3*i)) }

// TestClaims: clear differences are seen, equal methods are not told apart, and tries that differ make the interval
// wide.
func TestClaims(t *testing.T) {
	clear := made(plain, "", "", 1)
	wide := made(func(try, i int) float64 { return plain(try, i) + 0.1*math.Sin(float64(5*try)) }, "", "", 1)
	lost := made(plain, "", "", 1)
	i := slices.IndexFunc(lost.Trials, func(r record.Trial) bool {
		return r.Problem == few && r.Method == "l2-gf" && r.Seed == 3
	})
	lost.Trials[i].Status = record.StatusDiverged
	away, tuned, rises := made(plain, "", "", 1), made(plain, "", "", 1), made(plain, "", "", 1)
	for i, r := range away.Trials {
		if r.Problem == few && r.Method == "l2-gf" {
			away.Trials[i].Status = record.StatusDiverged
		}
	}
	tuned.Protocol = "tuned" // the energy distances are equal
	for _, r := range rises.Trials {
		early := record.Trace{Key: r.Key, Iteration: 5, Metric: "energy", Value: 3 + 0.01*float64(r.Seed)}
		rises.Traces[r.Key] = slices.Insert(rises.Traces[r.Key], len(rises.Traces[r.Key])-11, early)
	}
	for _, c := range []struct {
		id   string
		set  *record.Set
		want claim.Verdict
		says string
	}{
		{"18", clear, claim.Reproduced, "over 12 seeds"},
		{"20", clear, claim.Reproduced, "over 5 seeds"},
		{"19", clear, claim.NotTestable, "not computed"}, // no trial of Ada-GWG
		{"22", clear, claim.Reproduced, ""},              // equal with 10 and 100
		{"23", clear, claim.NotReproduced, ""},           // SVGD is three times SIFG with either
		{"24", clear, claim.Reproduced, "−0.0099"},       // a change of 1 %
		{"18", made(plain, few, "sifg", 3), claim.NotReproduced, ""},
		{"22", made(plain, few, "sifg", 1.4), claim.NotReproduced, ""},
		{"23", made(plain, few, "svgd", 1.4), claim.Reproduced, ""},
		{"24", made(plain, many, "l2-gf", 0.9), claim.NotReproduced, ""},
		{"22", wide, claim.NotDecided, ""},
		{"18", lost, claim.Reproduced, "diverged in 1 of 12 seeds"},
		{"18", away, claim.Reproduced, "over 12 seeds"}, // SIFG wins every try
		{"18", tuned, claim.NotReproduced, "energy distance"},
		{"22", tuned, claim.Reproduced, "energy distance"},
		{"23", tuned, claim.NotReproduced, "energy distance"},
		{"24", rises, claim.Reproduced, "Rise of the energy distance"},
	} {
		k := slices.IndexFunc(claims, func(x claim.Claim) bool { return x.ID == c.id })
		out := claims[k].Check(c.set)
		if out.Verdict != c.want || strings.Contains(out.Evidence, "NaN") || !strings.Contains(out.Evidence, c.says) {
			t.Errorf("claim %s is %q, want %q with %q: %s", c.id, out.Verdict, c.want, c.says, out.Evidence)
		}
	}
}

// TestEstimated: of tries with medians 2 and 1 the ratio is 2, its interval that of resampled tries; one try has none.
func TestEstimated(t *testing.T) {
	ratio := func(m []float64) float64 { return m[0] / m[1] }
	e := estimated(ratio, []float64{1.8, 2, 2.2, 1.9, 2.1}, []float64{1, 1, 1, 1, 1})
	if e.mid != 2 || e.lo != 1.8 || e.hi != 2.2 { // with five tries the interval is expanded to nearly the range
		t.Errorf("%v, want 2 [1.8, 2.2]", e)
	}
	if e := estimated(ratio, []float64{1, 2}, []float64{1}); e.mid != 1.5 || !math.IsNaN(e.lo) {
		t.Errorf("of a single try: %v", e)
	}
}
