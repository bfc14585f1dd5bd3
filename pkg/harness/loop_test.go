package harness

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// trial runs one trial on N(0, I) and returns its result and the samples that Measure saw, by iteration.
func trial(t *testing.T, sampler string, c TrialConfig) (*result, map[int][]float32, map[int]*sifg.Cloud) {
	t.Helper()
	var err error
	if c.Sampler, err = (sifg.Config{Sampler: sampler}).Resolve(); err != nil {
		t.Fatal(err)
	}
	samples, clouds := map[int][]float32{}, map[int]*sifg.Cloud{}
	p := &Problem{Target: normal(2), Measure: func(c *sifg.Cloud, s sifg.Batch, put func(string, int, float64)) {
		samples[c.Iter] = slices.Clone(s.Data)
		now := *c
		now.Z.Data, now.X.Data = slices.Clone(c.Z.Data), slices.Clone(c.X.Data)
		clouds[c.Iter] = &now
	}}
	r, err := compute(context.Background(), &Trial{Seed: 3, Config: c}, p, 1, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return r, samples, clouds
}

func config(sample string) TrialConfig {
	return TrialConfig{Particles: 5, Iterations: 7, Judge: JudgeConfig{Every: 3, Sample: sample, Snapshots: []int{0, 5}, Track: 2}}
}

func TestCheckpoints(t *testing.T) {
	r, samples, clouds := trial(t, "ada-sifg", config("particles"))
	for k := range 8 {
		if _, judged := samples[k]; judged != slices.Contains([]int{0, 3, 6, 7}, k) {
			t.Errorf("iteration %d judged: %v", k, judged)
		}
	}
	for name, want := range map[string][]int{
		"particles": {5, 2}, "sample-0": {5, 2}, "particles-0": {5, 2}, "sample-5": {5, 2}, "particles-5": {5, 2}, "track": {4, 2, 2},
	} {
		if a := r.arrays[name]; a == nil || !slices.Equal(a.Shape, want) {
			t.Errorf("array %s is %v, want shape %v", name, a, want)
		}
	}
	if len(r.arrays) != 6 {
		t.Errorf("%d arrays, want 6", len(r.arrays))
	}
	if !slices.Equal(r.arrays["particles"].Data, clouds[7].Z.Data) {
		t.Error("particles are not those after the last iteration")
	}
	for i, k := range []int{0, 3, 6, 7} {
		if got := r.arrays["track"].Data[4*i : 4*i+4]; !slices.Equal(got, clouds[k].Z.Data[:4]) {
			t.Errorf("track at iteration %d is %v, the first two particles are %v", k, got, clouds[k].Z.Data[:4])
		}
	}
	if r.status != record.StatusOK || r.iterations != 7 || r.dim != 2 {
		t.Errorf("status %s after %d iterations in %d dimensions", r.status, r.iterations, r.dim)
	}
}

func TestSamples(t *testing.T) {
	_, particles, _ := trial(t, "sifg", config("particles"))
	_, perturbed, clouds := trial(t, "sifg", config("perturbed"))
	_, fresh, _ := trial(t, "sifg", config("fresh"))
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
	for _, sample := range Samples { // nothing is perturbed by SVGD
		_, s, c := trial(t, "svgd", config(sample))
		if !slices.Equal(s[7], c[7].Z.Data) {
			t.Errorf("%s of svgd are not the particles", sample)
		}
	}
}

func TestGenericTraces(t *testing.T) {
	for sampler, want := range map[string][]string{
		"sgld": nil, "sifg": {"loss", "sigma"}, "ada-gwg": {"loss", "p"},
	} {
		r, _, _ := trial(t, sampler, config("particles"))
		var got []string
		for _, x := range r.trace {
			if x.Iteration == 7 {
				got = append(got, x.Metric)
			}
			if math.IsNaN(x.Value) {
				t.Errorf("%s: %s is NaN", sampler, x.Metric)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s left %v, want %v", sampler, got, want)
		}
	}
}

func TestComputeStops(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	c := config("particles")
	c.Sampler.Sampler = "sgld"
	last := 0
	_, err := compute(ctx, &Trial{Config: c}, &Problem{Target: normal(2)}, 1, func(k int) {
		if last = k; k == 2 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || last != 2 {
		t.Errorf("stopped at iteration 2, it went to %d and said %v", last, err)
	}
}

func TestSourceIsInTheKey(t *testing.T) {
	key := func(src string) string {
		e := toy(toyConfig)
		e.Source = fstest.MapFS{"toy.go": {Data: []byte(src)}, "toy_test.go": {Data: []byte("package toy // " + src)}}
		return plan(t, e, "paper", "full").Trials[0].Key
	}
	a := key("package toy\nvar x = 1\n")
	if a != key("package toy\n\n// A comment.\nvar x = 1 // another\n") {
		t.Error("a comment changed the key")
	}
	if a == key("package toy\nvar x = 2\n") {
		t.Error("changed code did not change the key")
	}
}
