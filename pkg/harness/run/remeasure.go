package run

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// source is a stored trial with the same draw as a trial that is measured otherwise. What the store has of its
// particles and values is all that the other one needs.
type source struct {
	*store.Entry
	trial harness.Trial          // with the settings that it was measured by
	rows  map[int][]record.Trace // by iteration
	steps []step                 // of the other trial, in order
}

// step is a checkpoint whose values are taken over, or measured of stored particles.
type step struct {
	iter     int
	measured bool
}

// Again reports whether a trial that the store lacks can be measured without its run: the store has the same draw.
func Again(s *store.Store, e *harness.Experiment, t *harness.Trial, data plan.Datasets) bool {
	return sourceOf(s, e, t, data) != nil
}

// sourceOf returns a stored trial of which another one can be measured; nil if there is none.
func sourceOf(s *store.Store, e *harness.Experiment, t *harness.Trial, data plan.Datasets) *source {
	if e.Measuring.At == nil || t.Config.Program != nil {
		return nil
	}
	for _, id := range s.Alike(store.ID{Experiment: t.Experiment, Key: t.Key}) {
		entry, err := s.Get(id)
		if err != nil || entry == nil || !entry.Trial.Final() {
			continue
		}
		config, err1 := settings.Of(*entry.Trial)
		traces, err2 := entry.Traces()
		if err1 != nil || err2 != nil {
			continue
		}
		x := &source{Entry: entry, trial: *t, rows: map[int][]record.Trace{}}
		x.trial.Key, x.trial.Config = id.Key, &config
		for _, row := range traces {
			x.rows[row.Iteration] = append(x.rows[row.Iteration], row)
		}
		was := x.trial
		err = plan.Revive(e, &was, data) // fails where other metrics measured it
		if x.follow(e, t.Config, err == nil) {
			return x
		}
	}
	return nil
}

// follow finds the steps to a configuration that is the same but for what is measured, if what is stored suffices.
// current: the stored values are those of this program's metrics.
func (x *source) follow(e *harness.Experiment, c *settings.Config, current bool) bool {
	before, err1 := e.Measuring.At(x.trial.Config)
	now, err2 := e.Measuring.At(c)
	if err1 != nil || err2 != nil {
		return false
	}
	old, measured := x.trial.Config, map[int]bool{}
	current = current && old.Judge.Sample == c.Judge.Sample && old.Judge.Track >= c.Judge.Track
	for _, k := range append([]int{0}, checkpoints(c)...) {
		if k >= x.Trial.Iterations && x.Trial.Status != record.StatusOK {
			break // it diverged there
		}
		was, _ := before(k)
		what, after := now(k)
		measured[k] = x.restores(c, k) && (after == 0 || measured[after] || !due(c, after))
		kept := !slices.Contains(c.Judge.Snapshots, k) || slices.Contains(old.Judge.Snapshots, k)
		alike := due(old, k) && reflect.DeepEqual(was, what) && due(old, after) == due(c, after)
		taken := current && kept && k < c.Iterations && (!due(c, k) || alike)
		if !measured[k] && !taken {
			return false
		}
		x.steps = append(x.steps, step{k, measured[k]})
	}
	return true
}

// restores reports whether cloud can tell what is judged at an iteration.
func (x *source) restores(c *settings.Config, k int) bool {
	sigma, _ := x.state(k)
	particles := x.Lists(fmt.Sprintf("particles-%d.npy", k)) || k == x.Trial.Iterations && x.Lists("particles.npy")
	sample := sigma == 0 || c.Judge.Sample != "perturbed" ||
		x.trial.Config.Judge.Sample == "perturbed" && x.Lists(fmt.Sprintf("sample-%d.npy", k))
	return k == 0 || due(x.trial.Config, k) && particles && sample
}

// state returns what the trace says of the sampler at a checkpoint.
func (x *source) state(k int) (sigma float32, info sifg.Info) {
	for _, row := range x.rows[k] {
		switch row.Metric {
		case "sigma":
			sigma = float32(row.Value)
		case "p":
			info.P = row.Value
		case "loss":
			info.Loss = row.Value
		}
	}
	return sigma, info
}

// cloud restores what can be measured of an iteration.
func (x *source) cloud(t *harness.Trial, p *harness.Problem, k int) (*sifg.Cloud, error) {
	if k == 0 {
		flow, err := sifg.New(t.Config.Sampler)
		if err != nil {
			return nil, err
		}
		return flow.Start(p.Target, t.Config.Particles, t.Seed, p.Init)
	}
	c := &sifg.Cloud{Iter: k, Target: p.Target, Seed: t.Seed}
	c.Sigma, _ = x.state(k)
	batch := func(name string) (b sifg.Batch, err error) {
		a, err := x.Array(fmt.Sprintf("%s-%d", name, k))
		if err != nil {
			return b, err
		}
		d := p.Target.Dim()
		return sifg.Batch{Rows: len(a.Data) / d, Cols: d, Stride: d, Data: a.Data}, nil
	}
	var err error
	if c.Z, err = batch("particles"); err == nil && c.Sigma > 0 && t.Config.Judge.Sample == "perturbed" {
		c.X, err = batch("sample")
	}
	return c, err
}

// measure is Compute without a run. Times and commit stay those of the draw.
func (x *source) measure(e *harness.Experiment, t *harness.Trial) (*record.Result, error) {
	p, err := e.Problem(t)
	if err != nil {
		return nil, err
	}
	j := &judge{Trial: t, problem: p, arrays: map[string]*record.Array{}}
	var c *sifg.Cloud
	for _, s := range x.steps {
		if !s.measured {
			if err := x.take(j, s.iter, p.Target.Dim()); err != nil {
				return nil, err
			}
			continue
		}
		if c, err = x.cloud(t, p, s.iter); err != nil {
			return nil, err
		}
		_, info := x.state(s.iter)
		j.look(c, info)
	}
	row := t.Row()
	row.Status, row.Reason, row.Iterations, row.Dim = x.Trial.Status, x.Trial.Reason, x.Trial.Iterations, x.Trial.Dim
	if row.Status == record.StatusOK {
		j.last(c)
	}
	timing := x.Timing
	timing.Key = t.Key
	return j.result(row, *timing), nil
}

// take takes over the values of a checkpoint, the snapshot and the tracked particles.
func (x *source) take(j *judge, k, dim int) (err error) {
	for _, name := range []string{fmt.Sprintf("particles-%d", k), fmt.Sprintf("sample-%d", k)} {
		if slices.Contains(j.Config.Judge.Snapshots, k) && x.Lists(name+".npy") {
			if j.arrays[name], err = x.Array(name); err != nil {
				return err
			}
		}
	}
	if !due(j.Config, k) {
		return nil
	}
	for _, row := range x.rows[k] {
		row.Key = j.Key
		j.traces = append(j.traces, row)
	}
	n, had := j.Config.Judge.Track, x.trial.Config.Judge.Track
	if n == 0 {
		return nil
	}
	a, err := x.Array("track")
	if err != nil {
		return err
	}
	at := 0
	for _, earlier := range checkpoints(x.trial.Config) {
		if earlier <= k && due(x.trial.Config, earlier) {
			at++
		}
	}
	j.track = append(j.track, a.Data[at*had*dim:][:n*dim]...)
	return nil
}
