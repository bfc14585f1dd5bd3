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
)

// Draws says which trials to compute again.
type Draws struct {
	Trials int
	Within time.Duration // leave out those that took longer; 0: none
	Seed   uint64        // of the stream that draws them
}

// Draw draws of the trials of a report that this program can compute again: those that did not fail, whose data are
// here, and to which the settings that are stored with them give their key.
func Draw(r *report.Results, all []*harness.Experiment, data *dataset.Library, d Draws) []harness.Trial {
	var rows []record.Trial
	seen := map[string]bool{} // protocols may share a trial
	for _, e := range all {
		x := r.Experiment(e.Name)
		for i := 0; x != nil && i < len(x.Sets); i++ {
			set := x.Sets[i]
			for _, t := range set.Trials {
				long := d.Within > 0 && set.Timings[t.Key].Seconds > d.Within.Seconds()
				if t.Final() && !long && !seen[t.Key] {
					seen[t.Key] = true
					rows = append(rows, t)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(d.Seed, 0))
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	var out []harness.Trial
	for _, row := range rows {
		if len(out) == d.Trials {
			break
		}
		if t, ok := again(row, all, data); ok {
			out = append(out, t)
		}
	}
	return out
}

// again returns the trial of a row of a report, as far as this program would compute the same.
func again(row record.Trial, all []*harness.Experiment, data *dataset.Library) (t harness.Trial, ok bool) {
	config, err := settings.Of(row)
	if err != nil || config.Data != "" && data.Absent(config.Data) != nil {
		return t, false
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
	_, err = plan.Revive(&t, all, data)
	return t, err == nil
}

// ErrNotComputed is why a trial cannot be compared: here it failed, or ran out of time or memory.
var ErrNotComputed = errors.New("it could not be computed here")

// Difference says where the values of a trial in a store differ first from those in a report that was read; "" for
// nowhere.
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
