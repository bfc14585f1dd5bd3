package sifg

// Drift is the field of Langevin samplers: the velocity is the target score, v = ∇log π(z).
type Drift struct{}

var _ Field = (*Drift)(nil)

// Init implements Field.
func (*Drift) Init(*Cloud) {}

// Velocity implements Field.
func (*Drift) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Target.Score(c.V, c.X, c.Iter)
	copy(c.S.Data, c.V.Data)
	return Info{}
}
