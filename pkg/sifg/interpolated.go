package sifg

import "math"

// Interpolated goes from SIFG (θ = 0) to Langevin dynamics (θ = 1). With f, the score of the perturbed cloud as another
// field learns it,
//
//	v = s(x) − (1−θ)·f(x),   z ← z + hPv + √(2hθP)·ξ,   x = z + σ√(1−θ)·w,
//
// where Diffuse, with Theta: o.Temperature, makes the noise ξ. As σ → 0 every θ moves the law of the particles alike,
// because ξ spreads them as −θ times the score of their law would. For σ > 0 it is the law of z that ξ spreads and that
// of x that f belongs to: were σ not reduced, the law of x would be wider than the target by θσ² to first order. With
// σ√(1−θ) it is θ(1−θ)σ², and θ = 1 is Langevin.
//
// With Adapt θ follows how much of the score f explains, on a draw w that it was not trained with:
//
//	θ = 1 − q,   q = (−2·mean⟨f(x), w⟩/σ − mean‖f(x)‖²) / mean‖s(x)‖²,   θ in [0, 0.95],
//
// averaged over about 100 iterations.
//
// The numerator is how far the denoising loss falls below that of f = 0. Its greatest value is E‖∇log μ̂‖², and in
// equilibrium, where μ̂ is the target, that is E‖s‖². So a network that has learned nothing leaves Langevin dynamics, a
// perfect one SIFG.
type Interpolated struct {
	Field Field   // *Antithetic, *Denoise or *KDE: v = s − f; with Adapt an *Antithetic with Fresh set
	Theta float64 // θ in [0, 1], 1 with Noise.Sigma = 0; with Adapt its first value, below 1. Noise.Sigma is σ√(1−θ)
	Adapt bool

	theta float64
	sigma float32 // σ of θ = 0
	f     Batch   // n×d
}

// Init implements Field.
func (o *Interpolated) Init(c *Cloud) {
	o.Field.Init(c)
	o.theta, o.f = o.Theta, NewBatch(c.Z.Rows, c.Z.Cols)
	o.sigma = c.Sigma / float32(math.Sqrt(1-o.theta))
}

// Temperature returns the present θ.
func (o *Interpolated) Temperature() float64 { return o.theta }

// Velocity implements Field.
func (o *Interpolated) Velocity(c *Cloud, noise *Noise) Info {
	if o.theta == 1 {
		return (&Drift{}).Velocity(c, noise)
	}
	info := o.Field.Velocity(c, noise)
	if o.Adapt {
		difference(o.f, c.S, c.V)
		fall := -2*meanDot(o.f, c.W)/float64(c.Sigma) - meanDot(o.f, o.f)
		q := fall / meanDot(c.S, c.S)
		o.theta += float64(0.01 * (min(max(1-q, 0), 0.95) - o.theta))
		c.Sigma = o.sigma * float32(math.Sqrt(1-o.theta))
	}
	for i, s := range c.S.Data {
		c.V.Data[i] += float32(float32(o.theta) * (s - c.V.Data[i]))
	}
	return info
}

// interpolated makes the flow that chooses its θ.
func interpolated(c Config) (*Flow, error) {
	if c.Mover == "adam" {
		return nil, &ConfigError{"Mover", "interpolated has euler, adagrad and rmsprop, whose noise is known, not adam"}
	}
	pair := antithetic(c).(*Antithetic)
	pair.Fresh = true
	field := &Interpolated{Field: pair, Theta: 0.5, Adapt: true}
	sigma := float32(c.Sigma * math.Sqrt(1-field.Theta))
	return &Flow{Noise: Noise{Sigma: sigma}, Field: field, Mover: diffuse(c, field.Temperature)}, nil
}
