package megica

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// made returns records in which SIFG's particles have the Amari distances that value gives, L2-GF's twice those; 4 particles a
// try, 12 tries with 10 particles and 5 with 100, of 20 iterations.
func made(value func(problem string, try, particle int) float64) *record.Set {
	s := &record.Set{Experiment: "meg-ica", Protocol: "paper"}
	for _, problem := range []string{few, many} {
		for k, method := range []string{"l2-gf", "sifg"} {
			n := 12
			if problem == many {
				n = 5
			}
			for try := range n {
				key := problem + method + string(rune('a'+try))
				s.Trials = append(s.Trials, record.Trial{Key: key, Problem: problem, Method: method, Seed: uint64(try), Status: record.StatusOK, Iterations: 20})
				for _, iteration := range []int{0, 18, 20} {
					for i := range 4 {
						v := value(problem, try, i) * float64(2-k)
						metric := "amari"
						if iteration == 0 {
							metric = "floor-amari"
						}
						if iteration == 18 {
							v *= 1.01
						}
						s.Traces = append(s.Traces, record.Trace{Key: key, Problem: problem, Method: method, Seed: uint64(try), Iteration: iteration,
							Metric: metric, Index: i, Value: v})
					}
				}
			}
		}
	}
	return s
}

func verdict(t *testing.T, s *record.Set, id, want string) {
	t.Helper()
	for _, c := range claims {
		if c.ID == id {
			if out := c.Check(s); out.Verdict != want {
				t.Errorf("claim %s is %q, want %q: %s", id, out.Verdict, want, out.Evidence)
			}
		}
	}
}

// TestClaims: clear differences are seen, equal methods are not told apart, and tries that differ as wholes make the interval wide.
func TestClaims(t *testing.T) {
	wiggle := func(try, i int) float64 { return 0.01 * math.Sin(float64(7*try+3*i)) }
	clear := made(func(_ string, try, i int) float64 { return 0.5 + wiggle(try, i) })
	verdict(t, clear, "18", harness.Reproduced)
	verdict(t, clear, "20", harness.Reproduced)
	verdict(t, clear, "19", harness.NotTestable) // no trial of Ada-GWG
	verdict(t, clear, "22", harness.Reproduced)  // equal with 10 and 100
	verdict(t, clear, "24", harness.Reproduced)  // a change of 1 %
	apart := made(func(problem string, try, i int) float64 {
		if problem == few {
			return 0.7 + wiggle(try, i)
		}
		return 0.5 + wiggle(try, i)
	})
	verdict(t, apart, "22", harness.NotReproduced)
	for i := range clear.Traces { // SIFG becomes the worse one
		if clear.Traces[i].Method == "sifg" {
			clear.Traces[i].Value *= 3
		}
	}
	verdict(t, clear, "18", harness.NotReproduced)

	lost := made(func(_ string, try, i int) float64 { return 0.5 + wiggle(try, i) })
	lost.Trials[0].Status = record.StatusDiverged // one of L2-GF's twelve
	verdict(t, lost, "18", harness.Reproduced)
	a, b, note := both(lost, few, "sifg", "l2-gf")
	if len(a) != 11 || len(b) != 11 || note != ". Tries left out: 1; L2-GF did not end well in 1, which are not held against it" {
		t.Errorf("%d and %d tries of eleven that both have (%s)", len(a), len(b), note)
	}
	// Equal with 10 and 100 particles, but by five tries that differ so much that it cannot be told.
	wide := made(func(_ string, try, i int) float64 { return 0.5 + 0.1*math.Sin(float64(5*try)) + wiggle(try, i) })
	verdict(t, wide, "22", harness.NotDecided)

	// Four particles of a try that agree are one observation: the interval is √4 times as wide as that of independent ones.
	same := made(func(_ string, try, _ int) float64 { return 0.5 + 0.1*math.Sin(float64(5*try)) })
	free := made(func(_ string, try, i int) float64 { return 0.5 + 0.1*math.Sin(float64(5*(4*try+i))) })
	width := func(s *record.Set) float64 {
		_, lo, hi := triesOf(s, few, "sifg", "amari", atEnd).medianInterval()
		return hi - lo
	}
	if r := width(same) / width(free); r < 1.4 {
		t.Errorf("the interval of tries that agree within is %g times that of tries that do not", r)
	}
}

// TestInterval: that of a mean of five is as wide as Student's, within what 2000 resamples of five values leave.
func TestInterval(t *testing.T) {
	five := tries{{1}, {2}, {4}, {5}, {8}}
	lo, hi := interval([]tries{five}, []int{0}, func(d []tries) float64 { return stats.Mean(d[0].pooled()) })
	tlo, thi := stats.TInterval(five.pooled(), 0.95)
	if r := (hi - lo) / (thi - tlo); r < 0.8 || r > 1.05 { // the means of five end at 1 and 8
		t.Errorf("%g to %g, Student's %g to %g", lo, hi, tlo, thi)
	}
	if lo, _ := interval([]tries{five, five[:1]}, []int{0, 1}, func([]tries) float64 { return 0 }); !math.IsNaN(lo) {
		t.Errorf("of a single try: %g", lo)
	}
}

func TestTries(t *testing.T) {
	s := made(func(_ string, try, i int) float64 { return float64(10*try + i) })
	got := triesOf(s, many, "sifg", "amari", atEnd)
	if len(got) != 5 || len(got[3]) != 4 || got[3][2] != 32 {
		t.Errorf("tries at the end: %v", got)
	}
	if v := triesOf(s, many, "sifg", "amari", settled)[3][2]; math.Abs(v-1.01*32) > 1e-12 {
		t.Errorf("before the end: %g", v)
	}
	if m := got.median(); m != stats.Median(got.pooled()) || m != 21.5 {
		t.Errorf("median %g", m)
	}
	s.Trials[len(s.Trials)-1].Status = record.StatusDiverged
	if got := triesOf(s, many, "sifg", "amari", atEnd); len(got) != 4 {
		t.Errorf("%d tries, one of five diverged", len(got))
	}
	if f := floorOf(s, few, "floor-amari"); len(f) != 12 {
		t.Errorf("%d tries of draws", len(f))
	}
}
