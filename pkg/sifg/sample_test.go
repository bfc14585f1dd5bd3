package sifg

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Sample is New and Run: the same bits, the same callbacks.
func TestSample(t *testing.T) {
	cfg, o := Default("sifg", 2, 50), Options{Particles: 50, Iterations: 20, Seed: 3, Every: 10}
	var calls []int
	o.Callback = func(c *Cloud, _ Info) error {
		calls = append(calls, c.Iter)
		return nil
	}
	a, err := Sample(context.Background(), cfg, confTarget(), o)
	if err != nil || !slices.Equal(calls, []int{0, 10, 20}) {
		t.Fatalf("callbacks at %v, %v", calls, err)
	}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	o.Callback = nil
	b, err := Run(context.Background(), f, confTarget(), o)
	if err != nil || !slices.Equal(a.X.Data, b.X.Data) {
		t.Errorf("other particles than Run's, %v", err)
	}
	stop := errors.New("enough")
	o.Callback = func(*Cloud, Info) error { return stop }
	if _, err := Sample(context.Background(), cfg, confTarget(), o); !errors.Is(err, stop) {
		t.Errorf("the callback's error is lost: %v", err)
	}
}

// What cannot be sampled as it is: a sentence that says what to do.
func TestSampleErrors(t *testing.T) {
	logarithm := target.NewFunc(2, func(x []float64) float64 { return math.Log(x[0]) - x[0] - x[1]*x[1]/2 },
		func(dst, x []float64) { dst[0], dst[1] = 1/math.Sqrt(x[0])-1, -x[1] })
	narrow, err := target.NewGaussian([]float64{0, 0}, mat.NewSymDense(2, []float64{1, 0, 0, 1e-16}))
	if err != nil {
		t.Fatal(err)
	}
	half := target.NewFunc(1, func(x []float64) float64 { return math.Log(max(0, math.Copysign(1, x[0]))) - x[0] },
		func(dst, x []float64) { dst[0] = -1 })
	runaway := target.NewFunc(1, func(x []float64) float64 { return x[0] * x[0] * x[0] * x[0] },
		func(dst, x []float64) { dst[0] = 4 * x[0] * x[0] * x[0] })
	cfg := Default("sifg", 2, 100)
	for _, name := range []string{"svgd", "l2-gf", "sifg", "sgld"} { // the last two part
		o := Options{Particles: 10, Iterations: 1, Init: func(Batch, *rng.Stream) {}}
		_, err := Sample(context.Background(), Default(name, 2, 10), confTarget(), o)
		if apart := name == "sifg" || name == "sgld"; (err == nil) != apart {
			t.Errorf("%s from one point: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		target Target
		cfg    Config
		want   []string
	}{
		"setting": {narrow, Config{Sampler: "sifg", Step: -1}, []string{"Step: must be"}},
		"NaN":     {logarithm, cfg, []string{"of 100 starting particles, such as x = [-", "u = log x", "Options.Init"}},
		"1e-8":    {narrow, cfg, []string{"1e-08 wide along coordinate 1", "a step below 2e-16", "divided by"}},
		"half":    {half, cfg, []string{"the log density is -Inf at a starting particle", "u = log x"}},
		"late":    {runaway, cfg, []string{"diverged at iteration", "take a smaller step", "diagnose.Check"}},
	} {
		_, err := Sample(context.Background(), c.cfg, c.target, Options{Particles: 100, Iterations: 50, Seed: 1})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
		var diverged *DivergedError
		if name == "late" && !errors.As(err, &diverged) {
			t.Errorf("the error is no *DivergedError: %v", err)
		}
	}
}

// TestRefusals: calls that cannot be are errors, which name what is wrong; none panics or asks for all memory.
func TestRefusals(t *testing.T) {
	net := Network{Hidden: 4, Optimizer: "sgd", Inner: 1, Rate: nn.Rate{LR: 1}}
	flat := Network{Optimizer: "sgd"}
	euler, noise, nan := &Euler{Step: 1}, Noise{Sigma: 1}, math.NaN()
	infinite := func(dst Batch, _ *rng.Stream) { dst.Data[3] = float32(math.Inf(1)) }
	good := Options{Particles: 20, Iterations: 1}
	for want, c := range map[string]struct {
		flow *Flow
		o    Options
	}{
		"-3 particles":           {o: Options{Particles: -3}},
		"1 particles":            {o: Options{Particles: 1}},
		"are more than the":      {o: Options{Particles: 1 << 40}},
		"4611686018427387904":    {o: Options{Particles: 1 << 62}},
		"-1 iterations":          {o: Options{Particles: 20, Iterations: -1}},
		"every -2":               {o: Options{Particles: 20, Every: -2}},
		"particles are not fini": {o: Options{Particles: 20, Init: infinite}},

		"needs a Field and a Mover":  {&Flow{}, good},
		"Threads of a flow":          {&Flow{Field: Still{}, Mover: euler, Threads: -5}, good},
		"Step: must be at least":     {&Flow{Field: Still{}, Mover: &Euler{}}, good},
		"at most 1e+20, got NaN":     {&Flow{Field: Still{}, Mover: &Langevin{Step: nan}}, good},
		"at most 1e+20, got -1":      {&Flow{Field: Still{}, Mover: &Adam{Step: -1}}, good},
		"Friction: must":             {&Flow{Field: Still{}, Mover: &BAOAB{Step: 1}}, good},
		"Decay of AdaGrad":           {&Flow{Field: Still{}, Mover: &AdaGrad{Step: 1, Decay: 1}}, good},
		"Diffuse needs a Mover":      {&Flow{Field: Still{}, Mover: &Diffuse{}}, good},
		"1e-18 and at most 1e+06, g": {&Flow{Noise: Noise{Sigma: float32(nan)}, Field: Still{}, Mover: euler}, good},
		"SigmaMin: must":             {&Flow{Noise: Noise{Min: -1}, Field: Still{}, Mover: euler}, good},
		"SigmaRate: must":            {&Flow{Noise: Noise{Rate: nan}, Field: Still{}, Mover: euler}, good},
		"Sigma: the Noise of this":   {&Flow{Field: &KDE{}, Mover: euler}, good},
		`Optimizer: "" is unknown`:   {&Flow{Noise: noise, Field: &Denoise{}, Mover: euler}, good},
		"Hidden: must be":            {&Flow{Noise: noise, Field: &Antithetic{Network: flat}, Mover: euler}, good},
		"P: must be above 1":         {&Flow{Field: &Stein{Network: net}, Mover: euler}, good},
		"Bandwidth: must be":         {&Flow{Field: &Kernel{Bandwidth: -1}, Mover: euler}, good},
		"Interpolated needs":         {&Flow{Field: &Interpolated{}, Mover: euler}, good},
	} {
		if c.flow == nil {
			c.flow = must(New(Default("svgd", 2, 20)))
		}
		_, err := Run(context.Background(), c.flow, confTarget(), c.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	flow := must(New(Default("sifg", -1, -3)))
	for want, target := range map[string]Target{"the target is nil": nil, "dimension 0": fixedScore{}} {
		if _, err := Run(context.Background(), flow, target, good); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Run(context.Background(), nil, confTarget(), good); err == nil {
		t.Error("no flow is no error")
	}
	if _, err := New(Default("nuts", 2, 20)); err == nil || !strings.Contains(err.Error(), "package hmc") {
		t.Errorf("nuts: %v", err)
	}
}
