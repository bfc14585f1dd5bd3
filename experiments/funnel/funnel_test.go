package funnel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// made has three seeds of three methods in 2-D and in 10-D.
func made() *record.Set {
	energies := map[string]map[string][3]float64{
		"funnel-2d":  {"sifg": {0.5, 0.6, 0.7}, "svgd": {0.2, 0.3, 0.4}, "sgld": {0.1, 0.35, 9}},
		"funnel-10d": {"sifg": {0.5, 0.6, 0.7}, "svgd": {0.5, 0.8, 0.9}, "sgld": {0.05, 0.1, 0.2}},
	}
	s := &record.Set{Protocol: "one-step", Traces: map[string][]record.Trace{}}
	for _, problem := range []string{"funnel-2d", "funnel-10d"} {
		for _, method := range []string{"sifg", "svgd", "sgld"} {
			for i, v := range energies[problem][method] {
				key := fmt.Sprint(problem, method, i)
				s.Trials = append(s.Trials, record.Trial{
					Key:        key,
					Problem:    problem,
					Method:     method,
					Seed:       uint64(i + 1),
					Status:     record.StatusOK,
					Iterations: 100,
				})
				for _, metric := range []string{"energy", "knn-kl", "ksd", "mean-square"} {
					s.Traces[key] = append(s.Traces[key],
						record.Trace{Key: key, Metric: metric, Value: 5},
						record.Trace{Key: key, Metric: metric, Value: v, Iteration: 100},
						record.Trace{Key: key, Metric: "floor-" + metric, Value: 0.01},
						record.Trace{Key: key, Metric: "hmc-" + metric, Value: 0.02})
				}
			}
		}
	}
	return s
}

// TestTablesAndFigures: each is made of the records of its problem, with rows for HMC and for exact draws; without them
// it says why not.
func TestTablesAndFigures(t *testing.T) {
	s := made()
	for _, x := range Experiment.Sections {
		if x.Table != nil {
			got, err := x.Table(s)
			if err != nil || len(got.Rows) != 5 {
				t.Fatalf("%s: %v, %v", x.ID, got, err)
			}
			labels := fmt.Sprint(got.Rows[3][0].Text, ", ", got.Rows[4][0].Text)
			if labels != "HMC draws, exact draws" || !strings.HasPrefix(got.Notes[0], "Median of 3 seeds") {
				t.Errorf("%s ends with %s, note %q", x.ID, labels, got.Notes[0])
			}
			one := *s
			one.Trials = slices.DeleteFunc(slices.Clone(s.Trials), func(t record.Trial) bool { return t.Seed != 1 })
			if got, err = x.Table(&one); err != nil || !strings.HasPrefix(got.Notes[0], "Median of 1 seed ±") {
				t.Errorf("%s of one seed: %v, note %q", x.ID, err, got.Notes)
			}
			continue
		}
		got, err := x.Draw(s)
		// a band and a line a method, and the floor
		if err != nil || len(got.Panels) != 2 || len(got.Panels[0].Layers) != 7 {
			t.Errorf("%s: %+v, %v", x.ID, got, err)
		}
		if _, err := x.Draw(&record.Set{}); err == nil {
			t.Errorf("%s of nothing is drawn", x.ID)
		}
	}
}
