package theory

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// planned plans a problem at smoke scale, with other seeds than those that judge.
func planned(seeds int, problem string, set ...string) (*plan.Plan, error) {
	r := plan.Request{Experiments: []*harness.Experiment{Experiment}, Scale: "smoke", Problems: []string{problem}}
	for k := range seeds {
		r.Seeds = append(r.Seeds, uint64(101+k))
	}
	for _, text := range set {
		text = "problems." + problem + "." + text
		r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "the test"})
	}
	return plan.New(r)
}

// measured computes what is planned.
func measured(t *testing.T, seeds int, problem string, set ...string) *record.Set {
	t.Helper()
	s := &record.Set{Experiment: "theory", Protocol: "computed", Scale: "smoke", Traces: map[string][]record.Trace{}}
	for _, trial := range must(planned(seeds, problem, set...)).Unique() {
		result, err := run.Compute(context.Background(), Experiment, &trial, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		result.Trial.Config = string(must(json.Marshal(trial.Config)))
		s.Trials, s.Traces[trial.Key] = append(s.Trials, result.Trial), result.Traces
	}
	return s
}

// changed returns the set with the values of a metric changed.
func changed(s *record.Set, metric string, f func(index int, value float64) float64) *record.Set {
	out := *s
	out.Traces = map[string][]record.Trace{}
	for key, rows := range s.Traces {
		rows = slices.Clone(rows)
		for i, r := range rows {
			if r.Metric == metric {
				rows[i].Value = f(r.Index, r.Value)
			}
		}
		out.Traces[key] = rows
	}
	return &out
}

// TestClaimsCanFail: what is measured at a small size is reproduced, and the same measurement of something wrong is
// not.
func TestClaimsCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("computes what each claim is about: a second")
	}
	for _, x := range []struct {
		id, problem, set, metric string
		wrong                    func(index int, value float64) float64
	}{
		{"T15", "rate", "options.sizes=[64, 128]", "square", func(i int, v float64) float64 { return v * float64(i) }},
		{"T16", "rate", "options.sizes=[64, 2048]", "epsilon", func(_ int, v float64) float64 { return v / 1000 }},
		{"theory-temperature", "rest", "options={particles: 50, moves: [0.01], sigmas: [0.12], time: 20}",
			"variance-0.01", func(_ int, v float64) float64 { return 1.2 * v }},
	} {
		i := slices.IndexFunc(claims, func(c claim.Claim) bool { return c.ID == x.id })
		right := measured(t, 5, x.problem, x.set)
		if out := claims[i].Check(right); out.Verdict != claim.Reproduced && out.Verdict != claim.NotContradicted {
			t.Errorf("%s is %v: %s", x.id, out.Verdict, out.Evidence)
		}
		if out := claims[i].Check(changed(right, x.metric, x.wrong)); out.Verdict != claim.NotReproduced {
			t.Errorf("%s of something wrong is %v: %s", x.id, out.Verdict, out.Evidence)
		}
	}
}

// TestVarianceClaim: denoising has the larger variance, and is not found to where it has the smaller one.
func TestVarianceClaim(t *testing.T) {
	s := measured(t, 3, "variance")
	if out := checkVariance(record.View{Set: s, Problem: "variance"}); out.Verdict != claim.NotReproduced {
		t.Errorf("%v: %s", out.Verdict, out.Evidence)
	}
	for _, d := range []string{"2", "10"} {
		s = changed(s, "denoise-"+d, func(_ int, v float64) float64 { return v / 1e4 })
	}
	if out := checkVariance(record.View{Set: s, Problem: "variance"}); out.Verdict != claim.Reproduced {
		t.Errorf("a quiet loss is %v: %s", out.Verdict, out.Evidence)
	}
}

// TestRefusals: options that a computation cannot work with are refused by their key when a plan is made, and so are
// other methods.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ problem, set, want string }{
		{"rate", "include=[linear]", "rate measures log-concave, mixture, learned, not linear"},
		{"rate", "options.sizes=[0]", "options.sizes: want whole numbers from 1 on"},
		{"rate", "options.sigmas=[2]", "options.sigmas: want numbers from 0.01 to 1.8"},
		{"rate", "options.sigmas=[1e-9]", "options.sigmas: want numbers from 0.01 to 1.8"},
		{"rate", "options.time=1", "time"},
		{"helps", "options.sizes=[1]", "options.sizes: want whole numbers from 2 on"},
		{"helps", "options.sigmas=[0.1, 0]", "options.sigmas: want numbers above 0"},
		{"steps", "options.time=0", "options.time: want numbers above 0"},
		{"variance", "options.draws=1", "options.draws: want whole numbers from 2 on"},
		{"variance", "options.taus=[]", "options.taus: want numbers above 0"},
		{"variance", "options.dims=[0]", "options.dims: want whole numbers from 1 on"},
		{"rest", "options.moves=[]", "options.moves: want numbers above 0"},
		{"rest", "options.particles=1", "options.particles: want whole numbers from 2 on"},
	} {
		if _, err := planned(1, c.problem, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error %v, want one with %q", c.set, c.problem, err, c.want)
		}
	}
}

// TestStopped: a computation whose context is done ends with its error.
func TestStopped(t *testing.T) {
	trials := must(planned(1, "rate", "options.sizes=[16, 32, 64]")).Trials
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	counting := *Experiment
	counting.Problem = func(t *harness.Trial) (*harness.Problem, error) {
		p, err := problem(t)
		measure := p.Measure
		p.Measure = func(c *sifg.Cloud, sample sifg.Batch, _ func(string, int, float64)) {
			measure(c, sample, func(string, int, float64) {
				n++
				stop()
			})
		}
		return p, err
	}
	_, err := run.Compute(ctx, &counting, &trials[0], 1, nil)
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d values and %v", n, err)
	}
}
