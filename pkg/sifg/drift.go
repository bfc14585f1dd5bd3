package sifg

// Still is the field of samplers that are all mover: it sets no velocity.
type Still struct{}

// Init implements Field.
func (Still) Init(*Cloud) {}

// Velocity implements Field.
func (Still) Velocity(c *Cloud, _ *Noise) Info {
	c.Perturb()
	return Info{}
}

// Drift is the field of Langevin samplers: the velocity is the target score, v = ∇log π(z).
type Drift struct{}

// Init implements Field.
func (*Drift) Init(*Cloud) {}

// Velocity implements Field.
func (*Drift) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	copy(c.V.Data, c.S.Data)
	return Info{}
}
