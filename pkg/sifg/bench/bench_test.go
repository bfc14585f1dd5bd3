package bench

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// The rows of a small measurement are sound, and the same in the same order every time.
func TestRows(t *testing.T) {
	collect := func() (rows []Row) {
		for _, f := range []func(context.Context, Options, func(Row)) error{Kernels, Flows} {
			if err := f(t.Context(), Options{Small: true}, func(r Row) { rows = append(rows, r) }); err != nil {
				t.Fatal(err)
			}
		}
		return rows
	}
	rows, again := collect(), collect()
	if len(rows) != len(again) {
		t.Fatalf("%d rows, then %d", len(rows), len(again))
	}
	seen := map[[2]string]bool{}
	for i, r := range rows {
		if r.Name != again[i].Name || r.Group != again[i].Group {
			t.Errorf("row %d is %s %s, then %s %s", i, r.Group, r.Name, again[i].Group, again[i].Name)
		}
		if id := [2]string{r.Group, r.Name}; seen[id] {
			t.Errorf("%v is there twice", id)
		} else {
			seen[id] = true
		}
		if !(r.Lo > 0 && r.Lo <= r.Value && r.Value <= r.Hi) || r.Path != simd.Path() || r.Threads < 1 || r.Unit == "" {
			t.Errorf("%+v", r)
		}
		if (r.Target == "") != (r.Met == "") {
			t.Errorf("%s: target %q, met %q", r.Name, r.Target, r.Met)
		}
		if r.Group == "iteration" && r.Allocs != 0 {
			t.Errorf("%s: %v allocations a step", r.Name, r.Allocs)
		}
	}
	for name, bound := range map[string]float64{"tanh": 2, "exp": 1, "log cosh": 2} {
		for _, r := range rows {
			if r.Name == name && !(r.MaxULP > 0 && r.MaxULP <= bound) {
				t.Errorf("%s is off by %v ulp", name, r.MaxULP)
			}
		}
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, f := range []func(context.Context, Options, func(Row)) error{Kernels, Flows} {
		if err := f(ctx, Options{}, func(Row) { n++ }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
	if n > 2 {
		t.Errorf("%d rows after the end", n)
	}
}

// The floating-point operations are those of the paper's cost model: 10⁶ multiply-adds of an outer iteration by denoising
// and by Hutchinson's estimate, without the score; but in 16 dimensions or more the latter leaves out a product of n×d×H in
// each of its steps.
func TestProducts(t *testing.T) {
	for _, p := range problems(false) {
		want, ok := map[string][2]float64{
			"gmm-2d": {18.1, 35.1}, "gmm-10d": {25.0, 48.4}, "monomial-gamma": {18.1, 35.1}, "ica-10": {11.8, 23.5},
			"ica-100": {118.4, 234.8}, "bnn-boston": {1454, 2853}, "bnn-concrete": {1064, 2088}, "bnn-power": {752, 1476},
			"bnn-protein": {1142, 2241}, "bnn-wine": {1298, 2547},
		}[p.name]
		if !ok {
			t.Errorf("no cost of %s", p.name)
		}
		for _, cfg := range p.methods {
			i := map[string]int{"sifg": 1, "l2-gf": 2, "ada-gwg": 2}[cfg.Sampler]
			if i == 0 {
				continue
			}
			got := (p.products(cfg)/2 - p.score) / 1e6
			if d := p.target.Dim(); i == 2 && d >= 16 {
				got += float64(p.particles*d*cfg.Hidden*cfg.Inner) / 1e6
			}
			if math.Abs(got-want[i-1]) > 6e-3*want[i-1] {
				t.Errorf("%s %s: %.1f·10⁶ multiply-adds, want %v", p.name, cfg.Sampler, got, want[i-1])
			}
		}
	}
}

// Every sampler of the paper's trials is measured, with settings that are valid.
func TestPaperTrials(t *testing.T) {
	measured := map[string]bool{}
	for _, p := range problems(true) {
		for _, cfg := range p.methods {
			if _, err := sifg.New(cfg); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
			measured[p.name+" "+cfg.Sampler] = true
		}
	}
	for _, c := range paperTrials {
		for _, s := range c.samplers {
			if !measured[c.problem+" "+s] {
				t.Errorf("%s %s is not measured", c.problem, s)
			}
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct{ xs, want []float64 }{{[]float64{3, 1, 2}, []float64{2}}, {[]float64{4, 1, 3, 2}, []float64{2.5}}} {
		if got := median(c.xs); got != c.want[0] {
			t.Errorf("median(%v) = %v", c.xs, got)
		}
	}
}
