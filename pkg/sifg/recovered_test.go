package sifg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
)

// moments returns the mean and covariance of the law that the sampler offers: of the perturbed particles where it
// smooths.
func moments(c *Cloud) (mean [2]float64, cov [3]float64) {
	if c.Sigma > 0 {
		c.Perturb()
	}
	n := float64(c.Z.Rows)
	for i := range c.Z.Rows {
		x, y := float64(c.X.Data[2*i]), float64(c.X.Data[2*i+1])
		mean[0] += x / n
		mean[1] += y / n
	}
	for i := range c.Z.Rows {
		x, y := float64(c.X.Data[2*i])-mean[0], float64(c.X.Data[2*i+1])-mean[1]
		cov[0] += x * x / n
		cov[1] += x * y / n
		cov[2] += y * y / n
	}
	return mean, cov
}

// recovered reports whether a run reaches the Gaussian. The tolerances are five standard errors of the moments of confN
// independent draws, 5·√(Σ_ii/n) and 5·√((Σ_ii Σ_jj + Σ_ij²)/n): particles that interact do better than independent
// draws unless they are biased, chains are independent draws.
func recovered(f *Flow, tgt Target) error {
	c, err := Run(context.Background(), f, tgt, Options{Particles: confN, Iterations: confIters, Seed: 11})
	if err != nil {
		return err
	}
	mean, cov := moments(c)
	m, s := [2]float64{1, -0.5}, [3]float64{1.5, 0.4, 0.6}
	vars := [2]float64{s[0], s[2]}
	for i := range 2 {
		if !(math.Abs(mean[i]-m[i]) < 5*math.Sqrt(vars[i]/confN)) {
			return errors.New("mean is off")
		}
	}
	for k, ij := range [3][2]int{{0, 0}, {0, 1}, {1, 1}} {
		if !(math.Abs(cov[k]-s[k]) < 5*math.Sqrt((vars[ij[0]]*vars[ij[1]]+s[k]*s[k])/confN)) {
			return errors.New("covariance is off")
		}
	}
	return nil
}

// flipped is a target whose score has the wrong sign.
type flipped struct{ Target }

func (f flipped) Score(dst, x Batch, iter int) {
	f.Target.Score(dst, x, iter)
	for i := range dst.Data {
		dst.Data[i] = -dst.Data[i]
	}
}

// silence is a stream of zeros.
type silence struct{}

func (silence) NormalSplit(dst []float32, _ int) { clear(dst) }

// silent drops the noise of a field.
type silent struct{ Field }

func (s silent) Velocity(c *Cloud, noise *Noise) Info {
	c.noise = silence{}
	return s.Field.Velocity(c, noise)
}

// still is Langevin without its noise.
type still struct{ Langevin }

func (s *still) Move(c *Cloud) { (&Euler{Step: s.Step / 2}).Move(c) }

// quiet drops all noise of f, that of its field and that of its mover, and reports whether there was any.
func quiet(f *Flow) bool {
	noisy := f.Noise.Sigma > 0
	if noisy {
		f.Field = silent{f.Field}
	}
	switch m := f.Mover.(type) {
	case *Langevin:
		f.Mover, noisy = &still{*m}, true
	case *Diffuse:
		f.Mover, noisy = m.Mover, true
	case *BAOAB:
		m.Friction, noisy = 0, true
	case *Euler, *Adam, *AdaGrad: // these draw nothing
	default:
		panic(fmt.Sprintf("quiet lacks %T", m))
	}
	return noisy
}

// confVariants are the samplers of the table that have the target as their fixed point.
func confVariants() []Config {
	var all []Config
	for _, s := range samplers {
		if s.Name != "ascent" {
			all = append(all, confConfig(s.Name))
		}
	}
	return all
}

func TestGaussianRecovered(t *testing.T) {
	for _, cfg := range confVariants() {
		t.Run(cfg.Sampler, func(t *testing.T) {
			t.Parallel()
			build := func() *Flow {
				f, err := New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			if err := recovered(build(), confTarget()); err != nil {
				t.Errorf("correct sampler: %v", err)
			}
			if testing.Short() {
				t.Skip("the broken samplers take three times as long")
			}
			if err := recovered(build(), flipped{confTarget()}); err == nil {
				t.Error("a score of the wrong sign goes unnoticed")
			}
			f := build()
			if _, ok := f.Field.(*KDE); ok {
				return // without noise it is the blob method (Carrillo et al., 2019), a valid sampler of its own
			}
			if quiet(f) && recovered(f, confTarget()) == nil {
				t.Error("dropped noise goes unnoticed")
			}
		})
	}
}

// TestAscent: without f and without noise every particle ends at the mode.
func TestAscent(t *testing.T) {
	f, err := New(confConfig("ascent"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Run(context.Background(), f, confTarget(), Options{Particles: confN, Iterations: confIters, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Z.Rows {
		if z := c.Z.Data[2*i:]; math.Abs(float64(z[0])-1) > 1e-3 || math.Abs(float64(z[1])+0.5) > 1e-3 {
			t.Fatalf("particle %d ends at %v, not at the mode", i, z[:2])
		}
	}
}
