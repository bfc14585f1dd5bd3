package gmm

import (
	"slices"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

type silent struct{}

func (silent) Note(string)                                       {}
func (silent) Start(*harness.Trial)                              {}
func (silent) Step(*harness.Trial, int)                          {}
func (silent) End(*harness.Trial, string, string, time.Duration) {}

// TestMetricAfterTrials: metrics that are added at the end after the trials were run need no trial again, and have the
// values of trials that were run with them.
func TestMetricAfterTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("runs everything of two protocols twice")
	}
	harness.Register(Experiment)
	all := []*harness.Experiment{Experiment}
	planned := func(set ...string) []harness.Trial {
		r := plan.Request{Experiments: all, Protocols: []string{"released", "tuned"}, Scale: "smoke"}
		for _, text := range set {
			r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "--set"})
		}
		p, err := plan.New(r)
		if err != nil {
			t.Fatal(err)
		}
		return p.Unique()
	}
	compute := func(todo []harness.Trial, stores ...*store.Store) {
		for _, s := range stores {
			o := run.Options{Jobs: 2, Threads: 1, Progress: silent{}}
			if _, err := run.Run(t.Context(), t.Context(), s, all, todo, o); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func() *store.Store {
		s, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	later, fresh := open(), open()
	compute(planned(), later)
	todo := planned("options.at_end=[blur-kl, coverage, mode-weights, moments]")
	for i := range todo {
		if ok, why := run.Again(later, Experiment, &todo[i], nil); !ok {
			t.Errorf("%s must run again: %s", todo[i].Name(), why)
		}
	}
	compute(todo, later, fresh)
	for _, x := range todo {
		id := store.ID{Experiment: x.Experiment, Key: x.Key}
		a, err1 := later.Get(id)
		b, err2 := fresh.Get(id)
		if err1 != nil || err2 != nil || a == nil || b == nil || a.Trial != b.Trial || !slices.Equal(a.Files, b.Files) {
			t.Errorf("%s: %+v and %+v, errors %v, %v", x.Name(), a, b, err1, err2)
		}
	}
}
