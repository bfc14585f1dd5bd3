package gmm

import (
	"fmt"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestOwnClaims: with 18 of 20 seeds covered and a ratio of 0.04 ± 0.01 both hold, with 17 and with 0.06 neither, and
// without trials nothing is said; the paper's claims are not checked.
func TestOwnClaims(t *testing.T) {
	for _, c := range []struct {
		covered int
		ratio   float64
		want    string
	}{{18, 0.04, "holds"}, {17, 0.06, "does not hold"}} {
		s := &record.Set{Protocol: "beyond", Traces: map[string][]record.Trace{}}
		for seed := range 20 {
			add := func(problem, method, metric string, values ...float64) {
				key := fmt.Sprint(problem, method, seed)
				s.Trials = append(s.Trials, record.Trial{
					Key:     key,
					Problem: problem,
					Method:  method,
					Seed:    uint64(seed),
					Status:  record.StatusOK,
				})
				for i, v := range values {
					s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Metric: metric, Index: i, Value: v})
				}
			}
			fourth := 0.2
			if seed >= c.covered {
				fourth = 0.01
			}
			add("gmm-2d", "interpolated", "coverage", 0.2, 0.2, 0.2, fourth, 0.2)
			add("gmm-10d", "sifg", "antithetic-variance", c.ratio+0.01*float64(seed%2*2-1))
		}
		tables := Experiment.Apart["beyond"].Tables
		own, err := tables[len(tables)-1].Make(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range own.Rows {
			if row[2].Text != c.want {
				t.Errorf("%s %s (%s), want it: %s", row[0].Text, row[2].Text, row[3].Text, c.want)
			}
		}
	}
	tables := Experiment.Apart["beyond"].Tables
	none, err := tables[len(tables)-1].Make(&record.Set{Protocol: "beyond"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range none.Rows {
		if row[2].Text != claim.NotTestable.String() {
			t.Errorf("without trials: %s %s", row[0].Text, row[2].Text)
		}
	}
	file, err := settings.Read(Experiment.Name, Experiment.Settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range file.Protocols {
		if c := Experiment.Under(file, name); (len(c.Claims) > 0) != file.Protocol(name).Claims {
			t.Errorf("%s checks %d claims", name, len(c.Claims))
		}
	}
}

// TestFewModes: there is no verdict where every method that moves by the score alone keeps two modes, whatever samplers
// that jump keep; there is one where a method keeps more, or nothing is measured.
func TestFewModes(t *testing.T) {
	set := func(distances map[string]float64) *record.Set {
		s := &record.Set{Traces: map[string][]record.Trace{}}
		for method, v := range distances {
			s.Trials = append(s.Trials, record.Trial{
				Key: method, Problem: "gmm-10d", Method: method, Seed: 1, Status: record.StatusOK,
			})
			s.Traces[method] = []record.Trace{{Key: method, Metric: "mode-weights", Value: v}}
		}
		return s
	}
	for _, c := range []struct {
		distances map[string]float64
		none      bool
	}{
		{map[string]float64{"sifg": 0.6, "sgld": 0.45}, true},
		{map[string]float64{"sifg": 0.6, "smc": 0.1, "tempering": 0.1}, true},
		{map[string]float64{"sifg": 0.6, "sgld": 0.44}, false},
		{map[string]float64{"sifg": math.NaN()}, false},
		{nil, false},
	} {
		if why := fewModes("gmm-10d")(set(c.distances)); (why != "") != c.none {
			t.Errorf("%v: %q", c.distances, why)
		}
	}
}
