package sifg

import "math"

// Interpolated goes from SIFG (θ = 0) to Langevin dynamics (θ = 1). With f, the score of the perturbed cloud that another field learns,
//
//	v = s(x) − (1−θ)·f(x),   z ← z + hPv + √(2hθP)·ξ,
//
// the noise being that of a Diffuse with Theta: o.Temperature. In the limit σ → 0 every θ moves the law of the particles alike, because ξ
// spreads them as −θ∇log of their law would. For σ > 0 it spreads z, where f stands for the law of x: the particles' variance then
// falls short of the target's by (1−θ)σ², not σ², to first order. So x = z + σ√(1−θ)·w, which for θ = 1 is z itself.
//
// With Adapt θ follows how much of the score f explains on a draw w that it was not trained with,
//
//	θ = 1 − q,   q = (−2·mean⟨f(x), w⟩/σ − mean‖f(x)‖²) / mean‖s(x)‖²   (clipped to [0, 1], averaged over about 100 iterations):
//
// the numerator is the fall of the denoising loss below that of f = 0, d/σ², whose greatest value is E‖∇log μ̂‖², and in equilibrium, where
// μ̂ = π, that is E‖s‖². So a network that has learned nothing leaves Langevin dynamics, a perfect one SIFG.
type Interpolated struct {
	Field Field   // *Antithetic, *Denoise or *KDE: v = s − f; with Adapt an *Antithetic with Fresh set
	Theta float64 // θ in [0, 1]; 1 needs Noise.Sigma = 0. With Adapt the first value
	Adapt bool

	theta float64
	sigma float32 // σ of θ = 0
	f     Batch   // n×d
}

var _ Field = (*Interpolated)(nil)

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
		o.theta += 0.01 * (min(max(1-q, 0), 0.95) - o.theta)
		c.Sigma = o.sigma * float32(math.Sqrt(1-o.theta))
	}
	for i, s := range c.S.Data {
		c.V.Data[i] += float32(o.theta) * (s - c.V.Data[i])
	}
	return info
}

// interpolated has σ√(1−θ) as its noise. Setting theta to 0, its default, chooses θ.
func interpolated(c Config) (*Flow, error) {
	if c.Mover == "adam" {
		return nil, &ConfigError{"mover", "interpolated has euler, adagrad and rmsprop, whose noise is known, not adam"}
	}
	field := &Interpolated{Field: antithetic(c), Theta: c.Theta}
	if c.Theta == 0 {
		field.Theta, field.Adapt = 0.5, true
		field.Field.(*Antithetic).Fresh = true
	}
	sigma := float32(c.Sigma * math.Sqrt(1-field.Theta))
	return &Flow{Noise: Noise{Sigma: sigma}, Field: field, Mover: diffuse(c, field.Temperature)}, nil
}
