package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Compute runs one trial in this process and returns what it leaves behind: it runs the sampler, and judges it at
// iteration 0, at every Judge.Every-th and at the last. The result depends on t alone, not on threads;
// t.Reference must be set where the experiment has references. step may be nil. The error is ctx's, or that the trial
// cannot start; divergence is a status.
func Compute(ctx context.Context, e *harness.Experiment, t *harness.Trial, threads int,
	step func(iter int)) (*record.Result, error) {
	started := time.Now()
	flow, err := sifg.New(t.Config.Sampler)
	if err != nil {
		return nil, err
	}
	if id := t.Config.Program; id != nil { // the sampler, as it was planned
		if _, err := program.Find(id); err != nil {
			return nil, err
		}
	}
	uses := program.Begin(ctx)
	defer uses.End()
	t = with(uses, t, flow)
	p, err := e.Problem(t)
	if err != nil {
		return nil, err
	}
	// why the trial cannot go on
	stopped := func() error { return errors.Join(context.Cause(ctx), uses.Err()) }
	j := &judge{Trial: t, problem: p, arrays: map[string]*record.Array{}}
	flow.Threads = threads
	c, err := sifg.Run(ctx, flow, p.Target, sifg.Options{
		Particles:  t.Config.Particles,
		Iterations: t.Config.Iterations,
		Seed:       t.Seed,
		Init:       p.Init,
		Every:      1,
		Callback: func(c *sifg.Cloud, info sifg.Info) error {
			if err := stopped(); err != nil {
				return err
			}
			j.look(c, info)
			if step != nil && c.Iter > 0 {
				step(c.Iter)
			}
			return nil
		},
	})
	status, reason := record.StatusOK, ""
	switch failure := stopped(); {
	case failure != nil:
		return nil, failure
	case errors.As(err, new(*sifg.DivergedError)):
		status, reason = record.StatusDiverged, err.Error()
	case err != nil:
		return nil, err
	default:
		j.last(c)
	}
	if err := stopped(); err != nil { // also where what it was measured by failed
		return nil, err
	}
	r := ended(t, status, strings.Trim(reason+": "+uses.Remark(), ": "), c.Iter, started)
	r.Trial.Dim = p.Target.Dim()
	j.leave(r)
	return r, nil
}

// with returns the trial as it is computed: what it uses of programs is this session's.
func with(uses *program.Session, t *harness.Trial, flow *sifg.Flow) *harness.Trial {
	own := *t
	own.Programs = uses
	if s, ok := flow.Mover.(*program.Sampler); ok {
		s.Bind(uses, program.Job{
			Iterations:  t.Config.Iterations,
			Seed:        t.Seed,
			Checkpoints: checkpoints(t.Config),
			Settings:    t.Config.Sampler,
		})
	}
	return &own
}

// checkpoints are the iterations from 1 at which something is measured or kept.
func checkpoints(c *settings.Config) (at []int) {
	for k := 1; k <= c.Iterations; k++ {
		if due(c, k) || slices.Contains(c.Judge.Snapshots, k) {
			at = append(at, k)
		}
	}
	return at
}

// due reports whether the sample is measured at an iteration.
func due(c *settings.Config, k int) bool {
	return k == 0 || k == c.Iterations || c.Judge.Every > 0 && k%c.Judge.Every == 0
}

// ended is the result of a trial that leaves nothing but how it ended.
func ended(t *harness.Trial, status, reason string, iterations int, started time.Time) *record.Result {
	m, row := machine.This(), t.Row()
	row.Status, row.Reason, row.Iterations = status, strings.Join(strings.Fields(reason), " "), iterations
	return &record.Result{Trial: row, Timing: record.Timing{
		Key: t.Key, Seconds: time.Since(started).Seconds(), CPU: m.CPU, Kernel: m.Kernel, Commit: m.Commit,
		Started: started.UTC().Format(time.RFC3339),
	}}
}

// judge measures a run at its checkpoints and keeps what the configuration asks for.
type judge struct {
	*harness.Trial
	problem *harness.Problem
	traces  []record.Trace
	arrays  map[string]*record.Array
	track   []float32 // checkpoints×Track×d
}

// look does what is due at the cloud's iteration.
func (j *judge) look(c *sifg.Cloud, info sifg.Info) {
	if slices.Contains(j.Config.Judge.Snapshots, c.Iter) {
		j.snapshot(c)
	}
	if !due(j.Config, c.Iter) {
		return
	}
	j.track = append(j.track, c.Z.Data[:j.Config.Judge.Track*c.Z.Cols]...)
	put := func(metric string, index int, value float64) {
		row := record.Trace{Key: j.Key, Iteration: c.Iter, Metric: metric, Index: index, Value: value}
		j.traces = append(j.traces, row)
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
		j.problem.Measure(c, j.sample(c), put)
	}
}

// sample returns the sample that is judged: the particles; or the perturbed particles of this iteration, which were
// drawn before the move (the released scripts judge those); or particles perturbed anew by a stream that no sampler
// uses. All three are the particles where nothing is perturbed: at σ = 0, and "perturbed" before the first iteration.
func (j *judge) sample(c *sifg.Cloud) sifg.Batch {
	switch kind := j.Config.Judge.Sample; {
	case c.Sigma == 0 || kind == "particles" || kind == "perturbed" && c.Iter == 0:
		return c.Z
	case kind == "perturbed":
		return c.X
	}
	fresh := sifg.NewBatch(c.Z.Rows, c.Z.Cols)
	rng.New(c.Seed, "judge", uint64(c.Iter)).Normal(fresh.Data)
	for i, z := range c.Z.Data {
		fresh.Data[i] = z + float32(c.Sigma*fresh.Data[i])
	}
	return fresh
}

// snapshot keeps the particles and the judged sample of an iteration, each array once: see store.Entry.Array.
func (j *judge) snapshot(c *sifg.Cloud) {
	if c.Iter < j.Config.Iterations {
		j.keep(fmt.Sprintf("particles-%d", c.Iter), c.Z)
	}
	if sample := j.sample(c); &sample.Data[0] != &c.Z.Data[0] {
		j.keep(fmt.Sprintf("sample-%d", c.Iter), sample)
	}
}

// last keeps the arrays of the last iteration; the perturbed sample too, which nobody can draw again.
func (j *judge) last(c *sifg.Cloud) {
	j.keep("particles", c.Z)
	sample := j.sample(c)
	if j.Config.Judge.Sample == "perturbed" && c.Sigma > 0 {
		j.keep(fmt.Sprintf("sample-%d", c.Iter), sample)
	}
	if j.problem.Keep != nil {
		maps.Copy(j.arrays, j.problem.Keep(sample))
	}
}

// leave puts traces, in order, and arrays in the result of the trial.
func (j *judge) leave(r *record.Result) {
	slices.SortStableFunc(j.traces, func(a, b record.Trace) int {
		return cmp.Or(cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Metric, b.Metric),
			cmp.Compare(a.Index, b.Index))
	})
	if n, dim := j.Config.Judge.Track, r.Trial.Dim; n > 0 {
		j.arrays["track"] = &record.Array{Shape: []int{len(j.track) / n / dim, n, dim}, Data: j.track}
	}
	r.Traces, r.Arrays = j.traces, j.arrays
}

// keep adds a copy of a batch to the trial's arrays.
func (j *judge) keep(name string, b sifg.Batch) {
	j.arrays[name] = &record.Array{Shape: []int{b.Rows, b.Cols}, Data: slices.Clone(b.Data)}
}
