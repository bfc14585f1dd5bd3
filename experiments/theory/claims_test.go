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
	s := &record.Set{Experiment: "theory", Protocol: "computed", Scale: "smoke", Traces: map[string][]record.Trace{}}
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
	if testing.Short() {
		t.Skip("computes what each claim is about: a second")
	}
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

// TestOver: of two metrics a seed that lacks one is left out, and does not shift the others.
func TestOver(t *testing.T) {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for seed := range uint64(3) {
		key := string(rune('a' + seed))
		row := record.Trial{Key: key, Problem: "p", Method: "m", Seed: seed, Status: record.StatusOK}
		s.Trials = append(s.Trials, row)
		s.Traces[key] = []record.Trace{
			{Key: key, Metric: "x", Value: float64(seed * seed)},
			{Key: key, Metric: "y", Value: float64(seed)},
		}
	}
	s.Traces["a"] = s.Traces["a"][1:]
	p := record.Series{Set: s, Problem: "p"}
	got := over(byIndex(p, "m", "x"), byIndex(p, "m", "y"))
	if len(got) != 2 || got[0].Seed != 1 || got[0].Value[0] != 1 || got[1].Value[0] != 2 {
		t.Errorf("quotients %v", got)
	}
}
