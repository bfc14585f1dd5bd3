package sifg

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// conformance settings: a run long enough for every sampler of the table to reach a 2-D Gaussian from N(0, I).
const (
	confN     = 200
	confIters = 800
)

func confTarget() *target.Gaussian {
	g, err := target.NewGaussian([]float64{1, -0.5}, mat.NewSymDense(2, []float64{1.5, 0.4, 0.4, 0.6}))
	if err != nil {
		panic(err)
	}
	return g
}

// confConfig is the sampler's defaults but for a step that brings it to the target within confIters.
func confConfig(name string) Config {
	cfg := Config{Sampler: name, Step: 0.02}
	switch name {
	case "svgd":
		cfg.Step = 0.5
	case "sgld":
		cfg.Step = 0.05
	case "baoab":
		cfg.Step = 0.1
	}
	return cfg
}

// TestSameBits: a run is a function of its configuration and seed alone; two runs of one process, side by side, agree,
// and another seed differs. All samplers of a seed start from the same particles.
func TestSameBits(t *testing.T) {
	var start []float32
	for _, s := range samplers {
		run := func(seed uint64) (first, last []float32) {
			f, err := New(confConfig(s.Name))
			if err != nil {
				t.Fatal(err)
			}
			c, err := Run(context.Background(), f, confTarget(), Options{Particles: 33, Iterations: 7, Seed: seed,
				Callback: func(c *Cloud, _ Info) error {
					if c.Iter == 0 {
						first = slices.Clone(c.Z.Data)
					}
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			return first, c.Z.Data
		}
		type result struct{ first, last []float32 }
		other := make(chan result)
		go func() { a, b := run(5); other <- result{a, b} }()
		a, b := run(5)
		o := <-other
		if !slices.Equal(a, o.first) || !slices.Equal(b, o.last) {
			t.Errorf("%s: two runs of one seed differ", s.Name)
		}
		if _, c := run(6); slices.Equal(b, c) {
			t.Errorf("%s: the seed has no effect", s.Name)
		}
		if start == nil {
			start = a
		} else if !slices.Equal(start, a) {
			t.Errorf("%s starts from other particles", s.Name)
		}
	}
}

// TestThreads: splitting the rows of one run over cores changes no bit. 600 particles make the products of a width-128
// network's second layer large enough to be split.
func TestThreads(t *testing.T) {
	for _, s := range samplers {
		run := func(threads int) []float32 {
			cfg := confConfig(s.Name)
			if slices.Contains(s.Uses, "hidden") {
				cfg.Hidden = 128
			}
			f, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			f.Threads = threads
			c, err := Run(context.Background(), f, confTarget(), Options{Particles: 600, Iterations: 3, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			return c.Z.Data
		}
		one := run(1)
		for _, threads := range []int{2, 3} {
			if !slices.Equal(one, run(threads)) {
				t.Errorf("%s: %d threads give other bits", s.Name, threads)
			}
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, s := range samplers {
		f, err := New(confConfig(s.Name))
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Start(confTarget(), 50, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		step := func() {
			if _, err := f.Step(c); err != nil {
				t.Fatal(err)
			}
		}
		step()
		if got := testing.AllocsPerRun(20, step); got != 0 {
			t.Errorf("%s: %v allocations a step", s.Name, got)
		}
	}
}

// TestShapes: any n ≥ 2 and d ≥ 1 run, and every buffer keeps its shape.
func TestShapes(t *testing.T) {
	for _, s := range samplers {
		for _, nd := range [][2]int{{2, 1}, {3, 1}, {17, 5}, {65, 33}} {
			n, d := nd[0], nd[1]
			g, err := target.NewGaussian(make([]float64, d), identity(d))
			if err != nil {
				t.Fatal(err)
			}
			cfg := confConfig(s.Name)
			f, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Run(context.Background(), f, g, Options{Particles: n, Iterations: 3, Seed: 2})
			if err != nil {
				t.Errorf("%s with n = %d, d = %d: %v", s.Name, n, d, err)
				continue
			}
			for _, b := range []Batch{c.Z, c.X, c.S, c.V} {
				if b.Rows != n || b.Cols != d || b.Stride != d || len(b.Data) != n*d {
					t.Errorf("%s: a buffer of n = %d, d = %d has shape %d×%d", s.Name, n, d, b.Rows, b.Cols)
				}
			}
		}
	}
}

func identity(d int) *mat.SymDense {
	m := mat.NewSymDense(d, nil)
	for i := range d {
		m.SetSym(i, i, 1)
	}
	return m
}

// nan is a target whose score turns into NaN at iteration 3.
type nan struct{ Target }

func (s nan) Score(dst, x Batch, iter int) {
	s.Target.Score(dst, x, iter)
	if iter == 3 {
		dst.Data[len(dst.Data)-1] = float32(math.NaN())
	}
}

func TestDivergenceIsNamed(t *testing.T) {
	for _, s := range samplers {
		f, err := New(confConfig(s.Name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(context.Background(), f, nan{confTarget()}, Options{Particles: 10, Iterations: 20})
		var d *DivergedError
		if !errors.As(err, &d) || d.Iter != 4 {
			t.Errorf("%s: error %v, want divergence at iteration 4", s.Name, err)
		}
	}
}
