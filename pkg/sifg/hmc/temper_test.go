package hmc

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// twoModes are in the plane, of shares 0.7 and 0.3 and widths 1 and ½, eight apart.
type twoModes struct{ *target.Mixture }

func (m twoModes) Energy(x []float64) float64 { return -m.LogDensity(x) }

func (m twoModes) Grad(dst, x []float64) float64 {
	centres, widths, shares := [2]float64{-4, 4}, [2]float64{1, 0.5}, [2]float64{0.7, 0.3}
	var logs [2]float64
	for k, c := range centres {
		logs[k] = math.Log(shares[k]) - 2*math.Log(widths[k]) -
			((x[0]-c)*(x[0]-c)+x[1]*x[1])/(2*widths[k]*widths[k])
	}
	first := 1 / (1 + math.Exp(logs[1]-logs[0]))
	dst[0] = first*(x[0]+4) + (1-first)*(x[0]-4)/0.25
	dst[1] = first*x[1] + (1-first)*x[1]/0.25
	return m.Energy(x)
}

func newTwoModes() twoModes {
	return twoModes{must(target.NewMixture([]float64{0.7, 0.3}, [][]float64{{-4, 0}, {4, 0}}, []float64{1, 0.5}))}
}

// scalars are what a sample is compared by: the share of the second mode, and moments in it and in the first.
func scalars(x metric.Points) [4]float64 {
	var share, square, second, narrow float64
	for i := range x.N {
		if r := x.Row(i); r[0] > 0 {
			share++
			narrow += r[1] * r[1]
		} else {
			square += (r[0] + 4) * (r[0] + 4)
			second += r[1] * r[1]
		}
	}
	n := float64(x.N)
	return [4]float64{share / n, square / (n - share), second / (n - share), narrow / share}
}

// temperOff is by how many standard errors the means of 20 runs differ from those of exact draws, and from a density
// that is normalised, at most.
func temperOff(t *testing.T, spoil func(s *tempering)) (worst float64) {
	d, o := newTwoModes(), TemperOptions{Particles: 400}
	const runs = 20
	var found [5][]float64
	for seed := range runs {
		o.Seed = uint64(seed)
		s := must(newTempering(d, o))
		spoil(s)
		for s.beta < 1 {
			if err := s.next(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for k, v := range scalars(s.x) {
			found[k] = append(found[k], v)
		}
		found[4] = append(found[4], math.Exp(s.out.LogEvidence))
	}
	exact := metric.NewPoints(200_000, 2)
	r := rng.New(5, "exact")
	for i := range exact.N {
		x, centre, width := exact.Row(i), -4.0, 1.0
		if r.Float64() < 0.3 {
			centre, width = 4, 0.5
		}
		x[0], x[1] = centre+width*r.NormFloat64(), width*r.NormFloat64()
	}
	truth := scalars(exact)
	for k, want := range append(truth[:], 1) {
		mean, sd := stat.MeanStdDev(found[k], nil)
		worst = max(worst, math.Abs(mean-want)/(sd/math.Sqrt(runs)))
	}
	return worst
}

// TestTemperExact: the distribution is that of exact draws: of five values of Student's t with 19 degrees of freedom
// one is beyond 5 with a chance of 4e-4. Weights of another temperature, weights without q and moves on another density
// are seen.
func TestTemperExact(t *testing.T) {
	if z := temperOff(t, func(*tempering) {}); !(z < 5) {
		t.Errorf("a value is %.1f standard errors off", z)
	}
	for name, spoil := range map[string]func(s *tempering){
		"weights of 0.7 of the change": func(s *tempering) {
			s.weigh = func(change, energy, wide float64) float64 { return 0.7 * change * (wide - energy) }
		},
		"weights without q": func(s *tempering) {
			s.weigh = func(change, energy, _ float64) float64 { return -change * energy }
		},
		"moves on another density": func(s *tempering) { s.Density = warm{s.Density} },
	} {
		if z := temperOff(t, spoil); !(z > 6) {
			t.Errorf("%s: no value is more than %.1f standard errors off", name, z)
		}
	}
}

// warm is a density whose gradient comes with the energy of another temperature.
type warm struct{ Density }

func (w warm) Grad(dst, x []float64) float64 { return 0.8 * w.Density.Grad(dst, x) }

// TestTemper: the same bits however many processors there are; what cannot be is an error, as is a stop.
func TestTemper(t *testing.T) {
	o := TemperOptions{Particles: 50, Seed: 3}
	a, b := must(Temper(context.Background(), newTwoModes(), o)), must(Temper(context.Background(), newTwoModes(), o))
	last := len(a.Temperatures) - 1
	if !slices.Equal(a.Draws.Data, b.Draws.Data) || !slices.IsSorted(a.Temperatures) || a.Temperatures[last] != 1 ||
		len(a.Acceptance) != last || a.Gradients != last*50*(3*8+2) {
		t.Errorf("temperatures %.3g, acceptance %.2f, %d gradients", a.Temperatures, a.Acceptance, a.Gradients)
	}
	for want, o := range map[string]TemperOptions{
		"Particles is 1":  {Particles: 1},
		"are more than":   {Particles: 1 << 60},
		"2 positive ones": {SD: []float64{1, 0}},
		"Mean must be":    {Mean: []float64{1}},
	} {
		if _, err := Temper(context.Background(), newTwoModes(), o); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	if _, err := Temper(context.Background(), nil, o); err == nil {
		t.Error("no density is tempered")
	}
	if _, err := Temper(context.Background(), nowhere{}, o); err == nil || !strings.Contains(err.Error(),
		"start them") {
		t.Errorf("a density without particles: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Temper(ctx, newTwoModes(), o); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("a stop: %v", err)
	}
}
