package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Draw draws n of the trials of a report that this program can compute again: those to which its settings and versions lead, by key,
// which did not fail, and whose data are here.
func Draw(r *report.Report, all []*harness.Experiment, data *dataset.Library, n int) ([]harness.Trial, error) {
	var out []harness.Trial
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
					out = append(out, t)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))], nil
}

// trialsOf returns the trials of a part of a report that its settings lead to today.
func trialsOf(e *harness.Experiment, p *report.Protocol, data *dataset.Library) ([]harness.Trial, error) {
	if own := p.Selected("data"); own != nil {
		var err error
		if e, err = e.On(own, nil); err != nil {
			return nil, err
		}
	}
	r := plan.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{p.Name}, Scale: p.Scale, Data: data,
		Methods: p.Selected("methods")}
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

// Difference says where the values of a trial in a store differ first from those in a report that was read; "" for nowhere.
func Difference(r *report.Report, s *store.Store, t *harness.Trial) (string, error) {
	again, err := s.Get(store.ID{Experiment: t.Experiment, Key: t.Key})
	if err != nil || again == nil {
		return "it was not computed", err
	}
	got, err := again.Traces()
	if err != nil {
		return "", err
	}
	want := r.Experiment(t.Experiment).Protocols[0].Records.Traces[t.Key] // a report has one list for all protocols
	if len(got) != len(want) {
		return fmt.Sprintf("%d values, the report has %d", len(got), len(want)), nil
	}
	for i, w := range want {
		if g := got[i]; g.Iteration != w.Iteration || g.Metric != w.Metric || g.Index != w.Index || !same(g.Value, w.Value) {
			return fmt.Sprintf("%s[%d] at iteration %d is %v, the report has %s[%d] at iteration %d: %v",
				g.Metric, g.Index, g.Iteration, g.Value, w.Metric, w.Index, w.Iteration, w.Value), nil
		}
	}
	return "", nil
}

// same compares bits; where the portable kernels are in use, whose bits differ by design, it compares within rounding.
func same(a, b float64) bool {
	if math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return machine.This().Kernel == "portable" && math.Abs(a-b) <= 1e-3*max(1, math.Abs(a), math.Abs(b))
}
