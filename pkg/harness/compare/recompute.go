package compare

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Recorded is a trial that this program can compute again, with what a report has of it.
type Recorded struct {
	Trial  harness.Trial
	Traces []record.Trace
}

// Draw draws n of the trials of a report that this program can compute again: those to which its settings and versions lead, by key,
// which did not fail, and whose data are here.
func Draw(r *report.Report, all []*harness.Experiment, data Datasets, n int, seed uint64) ([]Recorded, error) {
	var out []Recorded
	seen := map[string]bool{} // protocols may share a trial
	for _, e := range all {
		x := r.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, p := range x.Protocols {
			trials, err := trialsOf(e, p, data)
			if err != nil {
				return nil, err
			}
			for _, t := range trials {
				if name := t.Config.Data; !seen[t.Key] && (name == "" || data.Absent(name) == nil) {
					seen[t.Key] = true
					out = append(out, Recorded{t, p.Records.Traces[t.Key]})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))], nil
}

// Datasets also says which data are not here; *dataset.Library does.
type Datasets interface {
	plan.Datasets
	Absent(name string) error
}

// trialsOf returns the trials of a part of a report that its settings lead to today.
func trialsOf(e *harness.Experiment, p *report.Protocol, data Datasets) ([]harness.Trial, error) {
	if own := p.Own(); own != nil {
		var err error
		if e, err = e.On(own); err != nil {
			return nil, err
		}
	}
	r := plan.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{p.Name}, Scale: p.Scale, Data: data}
	final := map[string]bool{}
	for _, t := range p.Records.Trials {
		final[t.Key] = t.Final()
		if !slices.Contains(r.Seeds, t.Seed) {
			r.Seeds = append(r.Seeds, t.Seed)
		}
	}
	for _, text := range p.Set {
		if !strings.HasPrefix(text, "--") { // a selection of trials
			r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "the report"})
		}
	}
	planned, err := plan.New(r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(planned.Unique(), func(t harness.Trial) bool { return !final[t.Key] }), nil
}

// Recompute computes trials again, in a store of its own, and says of each how its values differ from the recorded ones: "" for not at
// all. It stops with soft's error where that ends.
func Recompute(soft, hard context.Context, e []*harness.Experiment, all []Recorded, o run.Options) ([]string, error) {
	dir, err := os.MkdirTemp("", "sifg-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	trials := make([]harness.Trial, len(all))
	for i, r := range all {
		trials[i] = r.Trial
	}
	if _, err := run.Run(soft, hard, st, e, trials, o); err != nil || soft.Err() != nil {
		return nil, err
	}
	out := make([]string, len(all))
	for i, r := range all {
		again, err := st.Get(store.ID{Experiment: r.Trial.Experiment, Key: r.Trial.Key})
		if err != nil {
			return nil, err
		}
		got, err := again.Traces()
		if err != nil {
			return nil, err
		}
		out[i] = difference(got, r.Traces)
	}
	return out, nil
}

// difference says where two lists of values differ first; "" for nowhere.
func difference(got, want []record.Trace) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d values, the report has %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.Iteration != w.Iteration || g.Metric != w.Metric || g.Index != w.Index || !same(g.Value, w.Value) {
			return fmt.Sprintf("%s[%d] at iteration %d is %v, the report has %s[%d] at iteration %d: %v",
				g.Metric, g.Index, g.Iteration, g.Value, w.Metric, w.Index, w.Iteration, w.Value)
		}
	}
	return ""
}

// same compares bits; where the portable kernels are in use, whose bits differ by design, it compares within rounding.
func same(a, b float64) bool {
	if math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return record.ThisMachine().Kernel == "portable" && math.Abs(a-b) <= 1e-3*max(1, math.Abs(a), math.Abs(b))
}
