package run

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// counted counts the evaluations of a target.
type counted struct {
	target
	calls *atomic.Int64
}

func (c counted) Score(dst, x sifg.Batch, iter int) {
	c.calls.Add(1)
	c.target.Score(dst, x, iter)
}

// measuring is an experiment that can measure several things of its sample.
func measuring(calls *atomic.Int64) *harness.Experiment {
	type options struct {
		Metrics []string `mapstructure:"metrics"`
		AtEnd   []string `mapstructure:"at_end"`
		Since   int      `mapstructure:"since"` // the iteration from which moves are measured
	}
	decode := func(c *settings.Config) (o options, err error) { return o, settings.Decode(c.Options, &o) }
	return &harness.Experiment{
		Name: "toy", Version: "1",
		Settings: []byte(`
base:
  seeds: [1]
  methods: {ada-sifg: {sigma_rule: kl-w, sigma_rate: 0.01, hidden: 4, step: 0.05, sigma: 0.2}, svgd: {step: 0.05}}
  problems:
    any: {particles: 6, iterations: 20, judge: {every: 5, snapshots: [10, 20], track: 2}, options: {metrics: [first]}}
protocols: {paper: }
`),
		Measuring: harness.Measuring{
			Options: []string{"metrics", "at_end", "since"},
			At: func(c *settings.Config) (func(iter int) (any, int), error) {
				o, err := decode(c)
				return func(iter int) (any, int) {
					at := options{Metrics: o.Metrics}
					if iter == c.Iterations {
						at.AtEnd = o.AtEnd
					}
					if o.Since > 0 && iter > o.Since {
						at.Since = o.Since
					}
					return at, at.Since
				}, err
			},
		},
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			o, err := decode(t.Config)
			var from float32
			measure := func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
				names := o.Metrics
				if c.Iter == t.Config.Iterations {
					names = append(names[:len(names):len(names)], o.AtEnd...)
				}
				for _, name := range names {
					put(name, 0, float64(sample.Data[len(name)])+float64(c.Sigma))
				}
				if o.Since > 0 && o.Since == c.Iter {
					from = c.Z.Data[0]
				} else if from != 0 {
					put("moved", 0, float64(c.Z.Data[0]-from))
				}
			}
			keep := func(sample sifg.Batch) map[string]*record.Array {
				return map[string]*record.Array{"kept": {Shape: []int{1}, Data: sample.Data[:1]}}
			}
			return &harness.Problem{Target: counted{target{}, calls}, Measure: measure, Keep: keep}, err
		},
	}
}

// TestAgain: a trial that differs from a stored one in what is measured is measured without a run where the stored
// particles suffice, and has the values and arrays of a run; where they do not, it runs.
func TestAgain(t *testing.T) {
	var calls atomic.Int64
	e := measuring(&calls)
	planned := func(set ...string) []harness.Trial {
		r := plan.Request{Experiments: []*harness.Experiment{e}, Scale: "full"}
		for _, text := range set {
			for text := range strings.SplitSeq(text, "|") {
				if text != "" {
					r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "--set"})
				}
			}
		}
		return must(plan.New(r)).Trials
	}
	do := func(s *store.Store, todo []harness.Trial) {
		must(Run(t.Context(), t.Context(), s, []*harness.Experiment{e}, todo, options()))
	}
	for _, sample := range settings.Samples {
		if testing.Short() && sample != "fresh" { // a second each
			continue
		}
		for _, c := range []struct {
			had, want string // overrides, with | between
			again     bool   // it needs no run
		}{
			{"", "options.at_end=[second]", true},
			{"options.at_end=[second]", "", true},
			{"", "judge.every=10", true},
			{"", "judge.every=10|judge.track=1|judge.snapshots=[]", true},
			{"judge.every=10", "judge.every=10|options.metrics=[first, third]", true},
			{"options.since=10", "options.since=10|options.at_end=[second]", true},
			{"", "options.since=10|options.at_end=[second]", false},
			{"options.since=5", "options.since=5|judge.every=10", true}, // of which 5 is no checkpoint any more
			{"judge.snapshots=[8, 10]", "judge.snapshots=[8]|options.at_end=[second]", true},
			{"", "options.metrics=[first, third]", false},
			{"", "judge.every=4", false},
			{"", "judge.snapshots=[5]", false},
			{"", "judge.track=3", false},
		} {
			name := sample + ", " + c.had + ", then " + c.want
			s, fresh := must(store.Open(t.TempDir())), must(store.Open(t.TempDir()))
			do(s, planned("judge.sample="+sample, c.had))
			todo := planned("judge.sample="+sample, c.want)
			for i := range todo {
				if again := Again(s, e, &todo[i], nil); again != c.again {
					t.Errorf("%s: %v", name, again)
				}
			}
			calls.Store(0)
			if do(s, todo); (calls.Load() == 0) != c.again {
				t.Errorf("%s: the target was evaluated %d times", name, calls.Load())
			}
			do(fresh, todo)
			for _, x := range todo {
				same(t, name+": "+x.Method, must(s.Get(id(x))), must(fresh.Get(id(x))))
			}
		}
	}
}

// TestAgainByOtherMetrics: values that other code measured are not taken over, and times are those of the draw.
func TestAgainByOtherMetrics(t *testing.T) {
	e := measuring(new(atomic.Int64))
	planned := func(every string) harness.Trial {
		over := []settings.Override{{Text: "judge.every=" + every, From: "--set"}}
		r := plan.Request{Experiments: []*harness.Experiment{e}, Scale: "full", Overrides: over}
		return must(plan.New(r)).Trials[0]
	}
	s, first := must(store.Open(t.TempDir())), planned("5")
	drawn := must(Compute(t.Context(), e, &first, 1, nil))
	drawn.Timing.Commit = "older"
	must(s.Put(t.Context(), drawn))
	every10 := planned("10")
	must(Run(t.Context(), t.Context(), s, []*harness.Experiment{e}, []harness.Trial{every10}, options()))
	if again := must(s.Get(id(every10))).Timing; again.Commit != "older" || again.Seconds != drawn.Timing.Seconds {
		t.Errorf("%+v, want the times of the draw", again)
	}
	e.Measuring.Version = "2"
	for every, want := range map[string]bool{"5": false, "10": true} {
		x := planned(every)
		if again := Again(s, e, &x, nil); again != want {
			t.Errorf("every %s: %v", every, again)
		}
	}
}

// same compares all that two entries hold but for the times.
func same(t *testing.T, name string, a, b *store.Entry) {
	t.Helper()
	if *a.Trial != *b.Trial || !slices.Equal(a.Files, b.Files) {
		t.Errorf("%s:\n%v\n%v", name, a.Files, b.Files)
	}
}
