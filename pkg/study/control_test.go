package study

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestControl: with eight seeds SIFG is 1 below blind SIFG, and its network predicts a quarter of the noise in the last
// quarter of the run, where the loss is 0.75·d/σ². With equal results it is equal. Without the control there is nothing
// to find.
func TestControl(t *testing.T) {
	for gap, want := range map[float64]string{1: "better", 0.01: "equal"} {
		s := made([]string{"sifg", "sifg-blind"}, 8, func(method string, seed int) float64 {
			return 0.01*float64(seed%3) + map[string]float64{"sifg-blind": gap}[method]
		})
		for i := range s.Trials {
			s.Trials[i].Iterations, s.Trials[i].Dim = 100, 3
		}
		for key := range s.Traces {
			// d/σ² = 12
			for _, at := range []record.Trace{
				{Iteration: 10, Metric: "loss", Value: 12},
				{Iteration: 90, Metric: "loss", Value: 9},
			} {
				s.Traces[key] = append(s.Traces[key], at,
					record.Trace{Iteration: at.Iteration, Metric: "sigma", Value: 0.5})
			}
		}
		c := Comparison{Protocol: "matched", Where: "Here", Problems: []Problem{energy()}}
		got := c.Control(map[string]*record.Set{"matched": s})
		if got == nil || !strings.HasSuffix(got.Title, " is "+want) || got.Table.Rows[0][4].Text != "25 % ± 0 %" {
			t.Errorf("gap %g: %+v", gap, got)
		}
	}
	alone := made([]string{"sifg"}, 8, func(string, int) float64 { return 1 })
	c := Comparison{Protocol: "matched", Problems: []Problem{energy()}}
	if c.Control(map[string]*record.Set{"matched": alone}) != nil {
		t.Error("a finding without the control")
	}
}
