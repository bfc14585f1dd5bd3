package theory

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestRefusals: options that a computation cannot work with are refused by their key when a plan is made, and so are
// other methods.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ problem, set, want string }{
		{"rate", "variants=[svgd]", "rate measures learned, log-concave, mixture, not svgd"},
		{"rate", "options.sizes=[0]", "options.sizes: want whole numbers from 1 on"},
		{"helps", "options.sizes=[1]", "options.sizes: must be 2 particles or more"},
		{"same-x", "options.steps=0", "options.steps: want 1 or more"},
		{"steps", "options.time=0", "options.time: want a number above 0"},
		{"rest", "options.moves=[]", "options.moves: want numbers above 0"},
		{"variance", "options.draws=1", "options.draws: want 2 or more"},
		{"descent", "options.sigmas=[0.1,0]", "options.sigmas: want numbers above 0"},
		{"descent", "options.sigmas=[2]", "options.sigmas: want numbers from 0.01 to 1.8"},
		{"rate", "options.sigmas=[1e-9]", "options.sigmas: want numbers from 0.01 to 1.8"},
		{"variance", "options.taus=[]", "options.taus: want numbers above 0"},
		{"variance", "options.dims=[0]", "options.dims: want whole numbers"},
		{"network", "options.target=monomial-gamma", "options.target: must be a mixture"},
		{"growth-gmm-2d", "options.target=gmm-9d", "options.target"},
	} {
		set := settings.Override{Text: "problems." + c.problem + "." + c.set, From: "the test"}
		_, err := plan.New(plan.Request{
			Experiments: []*harness.Experiment{Experiment},
			Scale:       "smoke",
			Problems:    []string{c.problem},
			Overrides:   []settings.Override{set},
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error %v, want one with %q", c.set, c.problem, err, c.want)
		}
	}
}

// TestFewMoves: fewer moves than there are looks have all of them looked at.
func TestFewMoves(t *testing.T) {
	for _, c := range []struct{ problem, set, metric string }{
		{"rate", "sizes=[16]", "epsilon"},
		{"steps", "time=0.1", "energy-0.01"},
	} {
		s := measured(t, 1, c.problem, "problems."+c.problem+".options."+c.set)
		n := 0
		for _, rows := range s.Traces {
			for _, r := range rows {
				if r.Metric == c.metric {
					n++
					if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
						t.Errorf("%s with %s is %v", c.problem, c.set, r.Value)
					}
				}
			}
		}
		if n == 0 {
			t.Errorf("%s with %s has no %s", c.problem, c.set, c.metric)
		}
	}
}

// TestStopped: a computation whose context is done ends with its error.
func TestStopped(t *testing.T) {
	p, err := plan.New(plan.Request{
		Experiments: []*harness.Experiment{Experiment},
		Scale:       "smoke",
		Problems:    []string{"rate"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	err = Experiment.Computations["rate"].Run(ctx, &p.Trials[0], func(string, int, float64) {
		n++
		stop()
	})
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d values and %v", n, err)
	}
}
