package compare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// OtherKey is why a trial is not drawn that this program would give another key.
const OtherKey = "have another key here"

// Draw draws n of the trials of a report that this program can compute again: that ended, within a time if that is not
// 0, whose data are here, and whose stored settings give their key. It counts the others by reason.
func Draw(r *report.Results, all []*harness.Experiment, data *dataset.Library, n int, within time.Duration) (
	out []harness.Trial, left map[string]int,
) {
	seen := map[string]bool{} // protocols may share a trial
	left = map[string]int{}
	for _, x := range r.Experiments {
		e := harness.ByName(all, x.Name)
		for _, set := range x.Sets {
			for _, row := range set.Trials {
				if e == nil || !row.Final() || seen[row.Key] {
					continue
				}
				seen[row.Key] = true
				if within > 0 && set.Timings[row.Key].Seconds > within.Seconds() {
					left["took longer than --within"]++
				} else if t, why := again(e, row, data); why != "" {
					left[why]++
				} else {
					out = append(out, t)
				}
			}
		}
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), n)], left
}

// again returns the trial of a row of a report, or why this program would not compute the same.
func again(e *harness.Experiment, row record.Trial, data *dataset.Library) (t harness.Trial, why string) {
	config, err := settings.Of(row)
	if err != nil {
		return t, OtherKey
	}
	if _, err := sifg.ByName(config.Sampler.Sampler); err != nil {
		return t, "have no program here (--sampler)"
	}
	if config.Data != "" && data.Absent(config.Data) != nil {
		return t, "have no data here"
	}
	t = harness.Trial{
		Key:        row.Key,
		Experiment: row.Experiment,
		Protocol:   row.Protocol,
		Scale:      row.Scale,
		Problem:    row.Problem,
		Method:     row.Method,
		Seed:       row.Seed,
		Config:     &config,
	}
	if !plan.Revive(e, &t, data) {
		why = OtherKey
	}
	return t, why
}

// ErrNotComputed is why a trial cannot be compared: here it failed, or ran out of time.
var ErrNotComputed = errors.New("it could not be computed here")

// Difference says where the values of a trial in a store first differ from those in a report; "" for nowhere.
func Difference(r *report.Results, s *store.Store, t *harness.Trial) (string, error) {
	again, err := s.Result(store.ID{Experiment: t.Experiment, Key: t.Key})
	switch {
	case err != nil:
		return "", err
	case again == nil:
		return "", ErrNotComputed
	case !again.Trial.Final():
		return "", fmt.Errorf("%w: %s", ErrNotComputed, again.Trial.Reason)
	}
	got := again.Traces
	want := r.Experiment(t.Experiment).Sets[0].Traces[t.Key] // one list for all protocols
	if len(got) != len(want) {
		return fmt.Sprintf("%d values, the report has %d", len(got), len(want)), nil
	}
	for i, w := range want {
		if g := got[i]; g.Iteration != w.Iteration || g.Metric != w.Metric || g.Index != w.Index ||
			math.Float64bits(g.Value) != math.Float64bits(w.Value) && !(math.IsNaN(g.Value) && math.IsNaN(w.Value)) {
			return fmt.Sprintf("%s[%d] at iteration %d is %v, the report has %s[%d] at iteration %d: %v",
				g.Metric, g.Index, g.Iteration, g.Value, w.Metric, w.Index, w.Iteration, w.Value), nil
		}
	}
	return "", nil
}
