package sifg

import (
	"cmp"
	"errors"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// check says what cannot be in a flow that is a literal; New has checked what it makes.
func (f *Flow) check() error {
	if f == nil || f.Field == nil || f.Mover == nil {
		return errors.New("sifg: a flow needs a Field and a Mover: New makes one of a Config")
	}
	if f.Threads < 0 {
		return errors.New("sifg: Threads of a flow must not be negative")
	}
	return cmp.Or(f.Noise.check(), checkMover(f.Mover), checkField(f.Field, f.Noise.Sigma))
}

func (o *Noise) check() error {
	return cmp.Or(zeroOr("sigma", float64(o.Sigma), leastSigma, mostSigma),
		zeroOr("sigma_min", float64(o.Min), leastSigma, mostSigma),
		zeroOr("sigma_max", float64(o.Max), leastSigma, mostSigma), inRange("sigma_rate", o.Rate, 0, most))
}

func checkMover(m Mover) error {
	step := func(v float64) error { return inRange("step", v, least, most) }
	switch m := m.(type) {
	case *Euler:
		return step(m.Step)
	case *Adam:
		return step(m.Step)
	case *AdaGrad:
		if !(m.Decay >= 0 && m.Decay < 1) {
			return errors.New("sifg: Decay of AdaGrad must be in [0, 1)")
		}
		return step(m.Step)
	case *Langevin:
		return step(m.Step)
	case *BAOAB:
		return cmp.Or(step(m.Step), inRange("friction", m.Friction, least, most))
	case *Diffuse:
		if m.Mover == nil {
			return errors.New("sifg: Diffuse needs a Mover")
		}
		return checkMover(m.Mover)
	}
	return nil
}

// checkField says what cannot be in a field whose points have the smoothing sigma.
func checkField(f Field, sigma float32) error {
	smooth := func() error {
		if sigma > 0 {
			return nil
		}
		return wrong("sigma", "the Noise of this field must have one above 0")
	}
	switch f := f.(type) {
	case *Denoise:
		return cmp.Or(smooth(), f.Network.check())
	case *Antithetic:
		return cmp.Or(smooth(), f.Network.check())
	case *KDE:
		return smooth()
	case *Stein:
		if !(f.P > 1 && f.P < 100) {
			return wrong("p", "must be above 1 and below 100, got %v", f.P)
		}
		return f.Network.check()
	case *Kernel:
		return zeroOr("bandwidth", f.Bandwidth, least, most)
	case *Interpolated:
		if f.Field == nil || !(f.Theta >= 0 && f.Theta <= 1) {
			return errors.New("sifg: Interpolated needs a Field, and a Theta in [0, 1]")
		}
		if f.Theta < 1 {
			return checkField(f.Field, sigma)
		}
	}
	return nil
}

func (o *Network) check() error {
	if !slices.Contains(nn.Optimizers, o.Optimizer) {
		return wrong("optimizer", "%q is unknown: want one of %v", o.Optimizer, nn.Optimizers)
	}
	return cmp.Or(inRange("hidden", float64(o.Hidden), 1, mostHidden), inRange("inner", float64(o.Inner), 1, mostSteps),
		inRange("warmup", float64(o.Warmup), 0, mostSteps), inRange("lr", o.Rate.LR, least, most))
}
