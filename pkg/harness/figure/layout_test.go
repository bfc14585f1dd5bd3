package figure

import (
	"math"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a    axis
		n    int
		want string
	}{
		{axis{scale: linear, min: -4.6, max: 4.6}, 5, "−4 −2 0 2 4 "},
		{axis{scale: linear, min: -4.6, max: 4.6}, 2, "−4 −2 0 2 4 "},
		{axis{scale: linear, min: 0, max: 1}, 5, "0 0.2 0.4 0.6 0.8 1.0 "},
		{axis{scale: linear, min: -0.3, max: 0.1}, 4, "−0.3 −0.2 −0.1 0 0.1 "},
		{axis{scale: linear, min: 0, max: 3e6}, 3, "0 1e6 2e6 3e6 "},
		{axis{scale: linear, min: 0, max: 3e-5}, 3, "0 1e−5 2e−5 3e−5 "},
		{axis{scale: logarithm, min: 0.003, max: 30}, 6, "0.01 0.1 1 10 "},
		{axis{scale: logarithm, min: 0.001, max: 1}, 6, "0.001 0.01 0.1 1 "},
		{axis{scale: logarithm, min: 0.3, max: 6}, 6, "0.5 1 2 5 "},
		{axis{scale: logarithm, min: 1.2e-6, max: 9e-6}, 6, "2e−6 5e−6 "},
		{axis{scale: logarithm, min: 1e-12, max: 1e12}, 6, "1e−10 1e−5 1 1e5 1e10 "},
		{axis{scale: around(0.1), min: -0.2, max: 3e4}, 6, "0 −0.1 0.1 1 10 100 1000 10000 "},
		{axis{scale: logarithm, min: 2, max: 4}, 3, "2 3 4 "},
		{axis{Axis: Axis{Categories: []string{"a", "b"}}, scale: linear, min: -0.6, max: 1.6}, 5, "a b "},
	} {
		got := ""
		c.a.setTicks(c.n)
		for _, t := range c.a.ticks {
			if t.label != "" {
				got += t.label + " "
			}
		}
		if got != c.want {
			t.Errorf("%g to %g: ticks %q, want %q", c.a.min, c.a.max, got, c.want)
		}
	}
}

func TestScaleFollowsTheData(t *testing.T) {
	auto, near := Axis{Scale: AutoLog}, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
	for _, c := range []struct {
		what           string
		a              Axis
		values, soft   []float64
		to             scale
		lowest, higest float64
	}{
		{"a factor of 100", auto, []float64{0.1, 10}, nil, logarithm, 0.1, 10},
		{"a factor of 10", auto, []float64{1, 10}, nil, linear, 1, 10},
		{"a value below zero", auto, []float64{-4, 100}, nil, linear, -4, 100},
		{"noise around zero, far from the largest", auto, []float64{-0.2, 0, 1, 100}, nil, around(0.1), -0.2, 100},
		{"half far from zero", auto, []float64{-0.2, 70, 100}, nil, linear, -0.2, 100},
		{"limits decide", Axis{Scale: AutoLog, Min: -0.2, Max: 100}, []float64{0.3, 0.4}, nil, around(0.1), -0.2, 100},
		{"a band widens it by a decade below", auto, []float64{0.1, 10}, []float64{-1, 1e-9, 20}, logarithm, 0.01, 20},
		{"a reference below zero decides nothing", auto, []float64{0.1, 10}, []float64{-1}, logarithm, 0.1, 10},
		{"a linear axis holds the band", Axis{}, []float64{0, 1}, []float64{-1, 2}, linear, -1, 2},
		{"an axis from zero is linear", Axis{Scale: AutoLog, Min: 0, Max: nan}, []float64{0.1, 10}, nil, linear, 0, 10},
	} {
		r, err := c.a.resolve(c.values, c.soft, 0)
		if err != nil || !near(r.to(7), c.to.to(7)) || !near(r.min, c.lowest) || !near(r.max, c.higest) {
			t.Errorf("%s: 7 lies at %g, %g to %g (%v)", c.what, r.to(7), r.min, r.max, err)
		}
	}
	r, err := Axis{Max: nan}.resolve([]float64{0.99, 1}, nil, 0.04)
	if err != nil || r.max < 1.03 {
		t.Errorf("near-constant values on an axis from 0: it ends at %g, on the line (%v)", r.max, err)
	}
	if u := (&axis{scale: logarithm, min: 0.01, max: 100}).unit(1); math.Abs(u-0.5) > 1e-15 {
		t.Errorf("1 lies at %g between 0.01 and 100", u)
	}
}

func TestPlaneHasEqualUnits(t *testing.T) {
	f := planeFigure(toyMethods[:3]...)
	f.Panels[0].Y.Max = 2 // 10 wide, 7 high
	l, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range l.panels {
		ux, uy := float64(p.Max.X-p.Min.X)/(p.x.max-p.x.min), float64(p.Max.Y-p.Min.Y)/(p.y.max-p.y.min)
		if math.Abs(ux/uy-1) > 1e-12 || p.y.max != 2 {
			t.Errorf("panel %d: a unit is %g points along x, %g along y", i, ux, uy)
		}
	}
}

// TestSaidOnce: panels that share a label of an axis have it once in a row, and once in a column.
func TestSaidOnce(t *testing.T) {
	p := Panel{X: Axis{Label: "iteration"}, Y: Axis{Label: "error"}}
	q := Panel{X: Axis{Label: "iteration"}, Y: Axis{Label: "σ"}}
	l, err := (&Figure{Panels: []Panel{p, p, q, p, p}, Cols: 3}).layout()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range l.panels {
		got += p.x.Label + "," + p.y.Label + " "
	}
	if want := ",error , iteration,σ iteration,error iteration, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
