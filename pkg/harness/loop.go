package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// result is what a trial leaves behind. Trace rows have no labels here: they get them where records are merged.
type result struct {
	status, reason string
	iterations     int // outer iterations done
	dim            int
	trace          []record.Trace
	arrays         map[string]*record.Array // by file name without extension
}

// compute runs a trial: it starts the sampler, steps it, and judges it at iteration 0, at every Judge.Every-th and at the
// last. Its result depends on nothing but t and p, not on the threads that a trial may use. It returns an error only if ctx ends first or the trial cannot start.
func compute(ctx context.Context, t *Trial, p *Problem, threads int, step func(iter int)) (*result, error) {
	flow, err := sifg.New(t.Config.Sampler)
	if err != nil {
		return nil, err
	}
	flow.Threads = threads
	c, err := flow.Start(p.Target, t.Config.Particles, t.Seed, p.Init)
	if err != nil {
		return nil, err
	}
	j := &judge{config: t.Config.Judge, last: t.Config.Iterations, problem: p}
	j.result = &result{status: record.StatusOK, dim: p.Target.Dim(), arrays: map[string]*record.Array{}}
	j.look(c, sifg.Info{})
	for c.Iter < t.Config.Iterations {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		info, err := flow.Step(c)
		var diverged *sifg.DivergedError
		if errors.As(err, &diverged) {
			j.result.status, j.result.reason = record.StatusDiverged, err.Error()
			break
		} else if err != nil {
			return nil, err
		}
		j.look(c, info)
		step(c.Iter)
	}
	j.result.iterations = c.Iter
	if j.result.status == record.StatusOK {
		j.keep("particles", c.Z)
	}
	if j.config.Track > 0 {
		j.result.arrays["track"] = &record.Array{Shape: []int{j.looks, j.config.Track, c.Z.Cols}, Data: j.track}
	}
	return j.result, nil
}

// judge measures a run at its checkpoints and keeps what the configuration asks for.
type judge struct {
	config  JudgeConfig
	last    int
	problem *Problem
	result  *result
	looks   int        // checkpoints so far
	track   []float32  // looks×Track×d
	fresh   sifg.Batch // n×d, for Sample "fresh"
}

// look does what is due at the cloud's iteration.
func (j *judge) look(c *sifg.Cloud, info sifg.Info) {
	measured := c.Iter == 0 || c.Iter == j.last || j.config.Every > 0 && c.Iter%j.config.Every == 0
	kept := slices.Contains(j.config.Snapshots, c.Iter)
	if !measured && !kept {
		return
	}
	sample := j.sample(c)
	if kept {
		j.keep(fmt.Sprintf("sample-%d", c.Iter), sample)
		j.keep(fmt.Sprintf("particles-%d", c.Iter), c.Z)
	}
	if !measured {
		return
	}
	j.looks++
	j.track = append(j.track, c.Z.Data[:j.config.Track*c.Z.Cols]...)
	put := func(metric string, index int, value float64) {
		j.result.trace = append(j.result.trace, record.Trace{Iteration: c.Iter, Metric: metric, Index: index, Value: value})
	}
	if c.Sigma > 0 {
		put("sigma", 0, float64(c.Sigma))
	}
	if info.P > 0 {
		put("p", 0, info.P)
	}
	if info.Loss != 0 {
		put("loss", 0, info.Loss)
	}
	if j.problem.Measure != nil {
		j.problem.Measure(c, sample, put)
	}
}

// sample returns the sample that is judged: the particles; or the perturbed particles of this iteration, which were drawn
// before the move (the released scripts judge those); or particles perturbed anew by a stream that no sampler uses. All
// three are the particles where nothing is perturbed: at σ = 0, and "perturbed" before the first iteration.
func (j *judge) sample(c *sifg.Cloud) sifg.Batch {
	switch {
	case c.Sigma == 0 || j.config.Sample == "particles" || j.config.Sample == "perturbed" && c.Iter == 0:
		return c.Z
	case j.config.Sample == "perturbed":
		return c.X
	}
	if j.fresh.Data == nil {
		j.fresh = sifg.NewBatch(c.Z.Rows, c.Z.Cols)
	}
	rng.New(c.Seed, "judge", uint64(c.Iter)).Normal(j.fresh.Data)
	for i, z := range c.Z.Data {
		j.fresh.Data[i] = z + c.Sigma*j.fresh.Data[i]
	}
	return j.fresh
}

// keep stores a copy of a batch among the trial's arrays.
func (j *judge) keep(name string, b sifg.Batch) {
	j.result.arrays[name] = &record.Array{Shape: []int{b.Rows, b.Cols}, Data: slices.Clone(b.Data)}
}
