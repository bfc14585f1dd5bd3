package beyond

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestBlind: on N(0, I) in 2-D with σ = 1 the score of the perturbed particles predicts half of the noise, so the denoising loss can fall
// from d/σ² = 2 to 1. Each is a mean over 4000 particles with a standard error of about 0.03. SIFG's network gets there, blind SIFG's cannot.
func TestBlind(t *testing.T) {
	normal, err := target.NewGaussian([]float64{0, 0}, mat.NewDiagDense(2, []float64{1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for sampler, want := range map[string]float64{"sifg": 1, "sifg-blind": 2} {
		flow, err := sifg.New(sifg.Config{Sampler: sampler, Sigma: 1, LR: 0.01, Step: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		loss := 0.0
		_, err = sifg.Run(context.Background(), flow, normal, sifg.Options{Particles: 4000, Iterations: 200, Seed: 1,
			Callback: func(_ *sifg.Cloud, info sifg.Info) error { loss = info.Loss; return nil }})
		if err != nil || math.Abs(loss-want) > 0.15 {
			t.Errorf("%s: the loss ends at %.3f, want %g (%v)", sampler, loss, want, err)
		}
	}
}

// TestControl: with eight seeds SIFG is 1 below blind SIFG, and its network predicts a quarter of the noise in the last quarter of the run,
// where the loss is 0.75·d/σ². With equal results it is equal. Without the control there is nothing to find.
func TestControl(t *testing.T) {
	v := Versus{Problem: "p", Title: "A problem", Metrics: []Measure{{"energy", "m"}}, Margin: 0.1}
	for gap, want := range map[float64]string{1: "better on A problem", 0.01: "equal on A problem"} {
		s := made([]string{"sifg", "sifg-blind"}, 8, func(method string, seed int) float64 {
			return 0.01*float64(seed%3) + map[string]float64{"sifg-blind": gap}[method]
		})
		for i := range s.Trials {
			s.Trials[i].Iterations, s.Trials[i].Dim = 100, 3
		}
		for key := range s.Traces {
			for _, at := range []record.Trace{{Iteration: 10, Metric: "loss", Value: 12}, {Iteration: 90, Metric: "loss", Value: 9}} { // d/σ² = 12
				s.Traces[key] = append(s.Traces[key], at, record.Trace{Iteration: at.Iteration, Metric: "sigma", Value: 0.5})
			}
		}
		got := Control("matched", v)(map[string]*record.Set{"matched": s})
		if got == nil || !strings.HasSuffix(got.Title, ": "+want) || got.Table.Rows[0][4].Text != "25 % ± 0 %" {
			t.Errorf("gap %g: %+v", gap, got)
		}
	}
	if s := made([]string{"sifg"}, 8, func(string, int) float64 { return 1 }); Control("matched", v)(map[string]*record.Set{"matched": s}) != nil {
		t.Error("a finding without the control")
	}
}
