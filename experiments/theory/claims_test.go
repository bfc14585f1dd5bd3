package theory

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// measured computes a problem at smoke scale with other seeds than those that judge.
func measured(t *testing.T, seeds int, problem string, set ...string) *record.Set {
	t.Helper()
	r := plan.Request{Experiments: []*harness.Experiment{Experiment}, Scale: "smoke", Problems: []string{problem}}
	for k := range seeds {
		r.Seeds = append(r.Seeds, uint64(101+k))
	}
	for _, text := range set {
		r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "the test"})
	}
	p, err := plan.New(r)
	if err != nil {
		t.Fatal(err)
	}
	s := &record.Set{Experiment: "theory", Protocol: "paper", Scale: "smoke", Traces: map[string][]record.Trace{}}
	for _, trial := range p.Unique() {
		result, err := run.Compute(context.Background(), Experiment, &trial, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		config, err := json.Marshal(trial.Config)
		if err != nil {
			t.Fatal(err)
		}
		result.Trial.Config = string(config)
		s.Trials, s.Traces[trial.Key] = append(s.Trials, result.Trial), result.Traces
	}
	return s
}

// change returns the set with the values of some metrics changed.
func change(s *record.Set, f func(r *record.Trace)) *record.Set {
	out := *s
	out.Traces = map[string][]record.Trace{}
	for key, rows := range s.Traces {
		rows = append([]record.Trace{}, rows...)
		for i := range rows {
			f(&rows[i])
		}
		out.Traces[key] = rows
	}
	return &out
}

func verdict(t *testing.T, id string, s *record.Set) claim.Verdict {
	t.Helper()
	for _, c := range claims {
		if c.ID == id {
			out := c.Check(s)
			t.Logf("%s: %v (%s)", id, out.Verdict, out.Evidence)
			return out.Verdict
		}
	}
	t.Fatalf("no claim %s", id)
	return 0
}

// TestClaimsCanFail: what is measured at a small size is reproduced, and the same measurement of something wrong is
// not.
func TestClaimsCanFail(t *testing.T) {
	scale := func(metric string, factor float64) func(r *record.Trace) {
		return func(r *record.Trace) {
			if r.Metric == metric {
				r.Value *= factor
			}
		}
	}
	larger := func(metric string, rate func(index int) float64) func(r *record.Trace) {
		return func(r *record.Trace) {
			if r.Metric == metric && r.Index > 0 {
				r.Value *= rate(r.Index)
			}
		}
	}
	for _, x := range []struct {
		id, problem string
		seeds       int
		set         []string
		wrong       func(r *record.Trace)
	}{
		{"T2", "flow", 20, []string{"problems.flow.options.sizes=[32,128,512,2048,8192]"}, scale("rest-0.6", 1.01)},
		{"T6", "sigma", 5, nil, func(r *record.Trace) {
			scale("expected", -1)(r)
			scale("own-error", 1e12)(r)
		}},
		{"T7", "sigma", 5, []string{"problems.sigma.options.particles=1000", "problems.sigma.options.steps=200"},
			scale("library", -1)},
		{"T10", "rays", 5, nil, larger("score-0.5", func(i int) float64 { return float64(i) })},
		{"T14", "descent", 5, []string{"problems.descent.options.sizes=[10,100,1000]"},
			scale("remainder-1000-0.4", 100)},
		{"theory-temperature", "rest", 5, []string{"problems.rest.options.particles=50",
			"problems.rest.options={moves: [0.01], sigmas: [0.12], time: 20}"}, scale("variance-0.01", 1.2)},
		{"T15", "rate", 5, nil, larger("square", func(i int) float64 { return float64(i) })},
	} {
		right := measured(t, x.seeds, x.problem, x.set...)
		if v := verdict(t, x.id, right); v != claim.Reproduced && v != claim.NotContradicted {
			t.Errorf("%s is %v", x.id, v)
		}
		if v := verdict(t, x.id, change(right, x.wrong)); v != claim.NotReproduced {
			t.Errorf("%s of something wrong is %v", x.id, v)
		}
	}
}

// TestToyRulesDescendNothing: the rules of the toy scripts pass only where KL falls with σ.
func TestToyRulesDescendNothing(t *testing.T) {
	s := measured(
		t,
		2,
		"sigma",
		"problems.sigma.options.taus=[1.7]",
		"problems.sigma.options.particles=500",
		"problems.sigma.options.steps=200",
		"problems.sigma.options.sigmas=[0.5,0.7]",
	)
	if v := verdict(t, "theory-toy-rules", s); v != claim.NotReproduced {
		t.Errorf("theory-toy-rules is %v where every step should shrink σ", v)
	}
	if v := verdict(t, "T7", s); v != claim.Reproduced {
		t.Errorf("T7 is %v", v)
	}
}
