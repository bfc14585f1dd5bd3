package sifg

// Drift is the field of Langevin samplers: the velocity is the target score, v = ∇log π(z).
type Drift struct{}

var _ Field = (*Drift)(nil)

// Init implements Field.
func (*Drift) Init(*Cloud) {}

// Velocity implements Field.
func (*Drift) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	copy(c.V.Data, c.S.Data)
	return Info{}
}
