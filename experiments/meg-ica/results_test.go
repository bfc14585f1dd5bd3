package megica

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// made returns records in which SIFG's particles have the Amari distances that value gives, L2-GF's twice those and SVGD's three times
// them; 4 particles a try, 12 tries with 10 particles and 5 with 100, of 20 iterations.
func made(value func(problem string, try, particle int) float64) *record.Set {
	s := &record.Set{Experiment: "meg-ica", Protocol: "released", Traces: map[string][]record.Trace{}}
	for _, problem := range []string{few, many} {
		for factor, method := range []string{"", "sifg", "l2-gf", "svgd"} {
			for try := range map[string]int{few: 12, many: 5}[problem] {
				t := record.Trial{
					Key: problem + method + string(rune('a'+try)), Problem: problem, Method: method, Seed: uint64(try), Status: record.StatusOK,
					Iterations: 20, Config: `{"data": "meg", "options": {"settled_from": 18}, "sampler": {"step": 0.01, "bandwidth": 0.1}}`,
				}
				if factor == 0 {
					break
				}
				s.Trials = append(s.Trials, t)
				put := func(iteration int, metric string, index int, v float64) {
					s.Traces[t.Key] = append(s.Traces[t.Key], record.Trace{Key: t.Key, Iteration: iteration, Metric: metric, Index: index, Value: v})
				}
				for name, v := range map[string]float64{"modes": 3840, "stable-step": 1e-3, "amari-halves": 0.5, "amari-chains": 0.6} {
					put(0, "reference-"+name, 0, v)
				}
				put(0, "rms", 0, 10)
				put(0, "floor-energy", 0, 0)
				put(0, "energy", 0, 9)
				put(20, "energy", 0, 5)
				put(0, "amari-median", 0, 1)
				put(20, "amari-median", 0, 0.5)
				for i := range 4 {
					put(0, "floor-amari", i, 0.8)
					put(0, "random-amari", i, 0.9)
					put(18, "amari", i, 1.01*value(problem, try, i)*float64(factor))
					put(20, "amari", i, value(problem, try, i)*float64(factor))
				}
			}
		}
	}
	return s
}

// scaleMethod multiplies the final distances of a method.
func scaleMethod(s *record.Set, problem, method string, by float64) *record.Set {
	for _, t := range s.Trials {
		for i, r := range s.Traces[t.Key] {
			if t.Problem == problem && t.Method == method && r.Metric == "amari" && r.Iteration == 20 {
				s.Traces[t.Key][i].Value *= by
			}
		}
	}
	return s
}

func verdict(t *testing.T, s *record.Set, id string, want claim.Verdict) claim.Outcome {
	t.Helper()
	i := slices.IndexFunc(claims, func(c claim.Claim) bool { return c.ID == id })
	out := claims[i].Check(s)
	if out.Verdict != want || strings.Contains(out.Evidence, "NaN") {
		t.Errorf("claim %s is %q, want %q: %s", id, out.Verdict, want, out.Evidence)
	}
	return out
}

func wiggle(try, i int) float64 { return 0.01 * math.Sin(float64(7*try+3*i)) }

func plain(_ string, try, i int) float64 { return 0.5 + wiggle(try, i) }

// TestClaims: clear differences are seen, equal methods are not told apart, and tries that differ as wholes make the interval wide.
func TestClaims(t *testing.T) {
	clear := made(plain)
	verdict(t, clear, "18", claim.Reproduced)
	verdict(t, clear, "20", claim.Reproduced)
	verdict(t, clear, "19", claim.NotTestable)   // no trial of Ada-GWG
	verdict(t, clear, "22", claim.Reproduced)    // equal with 10 and 100
	verdict(t, clear, "23", claim.NotReproduced) // SVGD is three times SIFG with either
	verdict(t, clear, "24", claim.Reproduced)    // a change of 1 %
	verdict(t, scaleMethod(made(plain), few, "sifg", 3), "18", claim.NotReproduced)
	verdict(t, scaleMethod(made(plain), few, "sifg", 1.4), "22", claim.NotReproduced)
	verdict(t, scaleMethod(made(plain), few, "svgd", 1.4), "23", claim.Reproduced)
	verdict(t, scaleMethod(made(plain), many, "l2-gf", 0.9), "24", claim.NotReproduced)

	// Equal with 10 and 100 particles, but by five tries that differ so much that it cannot be told.
	verdict(t, made(func(_ string, try, i int) float64 { return 0.5 + 0.1*math.Sin(float64(5*try)) + wiggle(try, i) }), "22", claim.NotDecided)

	lost := made(plain)
	for i, r := range lost.Trials {
		if r.Problem == few && r.Method == "l2-gf" && r.Seed == 3 {
			lost.Trials[i].Status = record.StatusDiverged
		}
	}
	out := verdict(t, lost, "18", claim.Reproduced)
	if !strings.Contains(out.Evidence, "tries 11,") || !strings.HasSuffix(out.Evidence, "Left out: 1 seed with which L2-GF did "+
		"not end well") {
		t.Errorf("eleven tries that both have: %s", out.Evidence)
	}
}

// TestStatements: findings say the numbers of the records and are silent without them; figures and tables are made.
func TestStatements(t *testing.T) {
	by := map[string]*record.Set{"released": made(plain)}
	for i, want := range []string{
		"exact draws score 0.8 and random matrices 0.9 (released)", "1 of 3 samples are nearer to W₀", "3 of 3 settings have a " +
			"step too large",
	} {
		st := findings[i](by)
		if st == nil || !strings.Contains(st.Title+" "+st.Text, want) {
			t.Errorf("finding %d: %+v, want %q", i, st, want)
		}
		if st := findings[i](map[string]*record.Set{"paper": {}}); st != nil {
			t.Errorf("of nothing: %s", st.Title)
		}
	}
	for _, f := range Experiment.Figures {
		drawn, err := f.Draw(by["released"])
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if _, _, err := drawn.Encode("svg"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if _, err := f.Draw(&record.Set{}); err == nil {
			t.Errorf("%s is drawn of nothing", f.Name)
		}
	}
	tab, err := summary(by["released"], few)
	if err != nil || len(tab.Rows) != 5 || !strings.HasPrefix(tab.Rows[0][1].Text, "0.5 [") || tab.Rows[3][1].Text != "0.8 [0.8, 0.8]" || tab.Rows[0][6].Text != "–" {
		t.Errorf("summary: %v, %v", tab, err)
	}
}
