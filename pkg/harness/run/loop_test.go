package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	density "github.com/semi-implicit/sifg/pkg/sifg/target"
)

// judged runs one trial on N(0, I) and returns its result, the samples that Measure saw, and the clouds, by iteration.
func judged(t *testing.T, sampler, sample string) (*record.Result, map[int][]float32, map[int]*sifg.Cloud) {
	t.Helper()
	samples, clouds := map[int][]float32{}, map[int]*sifg.Cloud{}
	e := &harness.Experiment{Problem: func(*harness.Trial) (*harness.Problem, error) {
		return &harness.Problem{
			Target: target{},
			Measure: func(c *sifg.Cloud, s sifg.Batch, put func(string, int, float64)) {
				samples[c.Iter] = slices.Clone(s.Data)
				now := *c
				now.Z.Data, now.X.Data = slices.Clone(c.Z.Data), slices.Clone(c.X.Data)
				clouds[c.Iter] = &now
				put("a", 1, 1)
				put("a", 0, 0)
			},
		}, nil
	}}
	r, err := Compute(context.Background(), e, trialOf(sampler, sample), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, samples, clouds
}

func trialOf(sampler, sample string) *harness.Trial {
	return &harness.Trial{Key: "k", Seed: 3, Config: &settings.Config{Particles: 5, Iterations: 7,
		Sampler: must((sifg.Config{Sampler: sampler}).Resolve()),
		Judge:   settings.Judge{Every: 3, Sample: sample, Snapshots: []int{0, 5, 7}, Track: 2}}}
}

// A sampler that is a program and leaves most of its gradients is ok, with a remark.
func TestRemarkOnAnOkTrial(t *testing.T) {
	defer program.Close()
	p := must(program.Start(context.Background(), "", "/usr/bin/env RUN_TEST_AS=lazy "+os.Args[0]))
	must(0, program.Register("lazy", p))
	flat := density.NewFunc(2, func([]float64) float64 { return 0 }, func(_, _ []float64) {})
	e := &harness.Experiment{Problem: func(*harness.Trial) (*harness.Problem, error) {
		return &harness.Problem{Target: flat}, nil
	}}
	r, err := Compute(context.Background(), e, trialOf("lazy", "particles"), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Trial; x.Status != record.StatusOK || !strings.HasSuffix(x.Reason, "asked for 0 of its 35 gradients") {
		t.Errorf("%s: %q", x.Status, x.Reason)
	}
}

func TestCheckpoints(t *testing.T) {
	r, samples, clouds := judged(t, "ada-sifg", "particles")
	for k := range 8 {
		if _, judged := samples[k]; judged != slices.Contains([]int{0, 3, 6, 7}, k) {
			t.Errorf("iteration %d judged: %v", k, judged)
		}
	}
	for name, want := range map[string][]int{
		"particles": {5, 2}, "particles-0": {5, 2}, "particles-5": {5, 2}, "track": {4, 2, 2},
	} {
		if a := r.Arrays[name]; a == nil || !slices.Equal(a.Shape, want) {
			t.Errorf("array %s is %v, want shape %v", name, a, want)
		}
	}
	if len(r.Arrays) != 4 || !slices.Equal(r.Arrays["particles"].Data, clouds[7].Z.Data) {
		t.Errorf("%d arrays, want each once, 4; or the particles are not those after the last iteration", len(r.Arrays))
	}
	for i, k := range []int{0, 3, 6, 7} {
		if got := r.Arrays["track"].Data[4*i : 4*i+4]; !slices.Equal(got, clouds[k].Z.Data[:4]) {
			t.Errorf("track at iteration %d is %v, the first two particles are %v", k, got, clouds[k].Z.Data[:4])
		}
	}
	if x := r.Trial; x.Status != record.StatusOK || x.Iterations != 7 || x.Dim != 2 || x.Particles != 5 {
		t.Errorf("%+v", x)
	}
	for sampler, want := range map[string][]string{"sgld": nil, "sifg": {"loss", "sigma"}, "ada-gwg": {"loss", "p"}} {
		r, _, _ := judged(t, sampler, "particles")
		var got []string
		for _, x := range r.Traces {
			if x.Iteration == 7 && x.Metric != "a" && !math.IsNaN(x.Value) {
				got = append(got, x.Metric)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s left %v, want %v", sampler, got, want)
		}
	}
	var order []string
	for _, x := range r.Traces[:4] {
		order = append(order, fmt.Sprint(x.Key, x.Iteration, x.Metric, x.Index))
	}
	if !slices.Equal(order, []string{"k0a0", "k0a1", "k0sigma0", "k3a0"}) {
		t.Errorf("rows in the order %v", order)
	}
}

func TestSamples(t *testing.T) {
	_, particles, _ := judged(t, "sifg", "particles")
	_, perturbed, clouds := judged(t, "sifg", "perturbed")
	_, fresh, _ := judged(t, "sifg", "fresh")
	for _, k := range []int{3, 7} {
		c := clouds[k]
		if !slices.Equal(particles[k], c.Z.Data) {
			t.Errorf("particles at %d are not z: what is judged changes the run", k)
		}
		if !slices.Equal(perturbed[k], c.X.Data) {
			t.Errorf("perturbed at %d is not x", k)
		}
		w := make([]float32, len(c.Z.Data))
		rng.New(3, "judge", uint64(k)).Normal(w)
		for i, z := range c.Z.Data {
			if got := fresh[k][i]; got != z+c.Sigma*w[i] || got == c.X.Data[i] {
				t.Fatalf("fresh at %d, value %d: %v with z = %v, σ = %v, w = %v", k, i, got, z, c.Sigma, w[i])
			}
		}
	}
	if !slices.Equal(perturbed[0], clouds[0].Z.Data) {
		t.Error("before the first iteration the perturbed sample is the start")
	}
	for _, sample := range settings.Samples { // nothing is perturbed by SVGD
		_, s, c := judged(t, "svgd", sample)
		if !slices.Equal(s[7], c[7].Z.Data) {
			t.Errorf("%s of svgd are not the particles", sample)
		}
	}
}

// TestComputation: a problem on which no sampler moves is measured once, at iteration 0, and ends as its context does.
func TestComputation(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	e := &harness.Experiment{Name: "sums"}
	e.Problem = func(x *harness.Trial) (*harness.Problem, error) {
		measure := func(_ *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
			put("sum", 1, 3)
			put("sum", 0, 2)
			if x.Seed == 8 {
				end()
				<-x.Programs.Context().Done()
			}
		}
		return &harness.Problem{Target: target{}, Measure: measure}, nil
	}
	x := &harness.Trial{Key: "k", Seed: 7, Config: &settings.Config{
		Particles: 2, Sampler: sifg.Config{Sampler: harness.None.Name}, Judge: settings.Judge{Sample: "particles"},
	}}
	got, err := Compute(ctx, e, x, 1, nil)
	want := []record.Trace{{Key: "k", Metric: "sum", Value: 2}, {Key: "k", Metric: "sum", Index: 1, Value: 3}}
	if err != nil || !slices.Equal(got.Traces, want) || got.Trial.Status != record.StatusOK {
		t.Errorf("%+v, %v", got, err)
	}
	x.Seed = 8
	if _, err := Compute(ctx, e, x, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
