package hmc

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// microcanonical makes the iterations of microcanonical Langevin dynamics with a Metropolis test (Robnik, De Luca,
// Silverstein and Seljak, "Microcanonical Hamiltonian Monte Carlo", 2023; adjusted as in Robnik, Cohn-Gordon and
// Seljak, 2025). In the coordinates in which M is the identity a unit velocity u moves along
//
//	dx/dt = u, du/dt = −(I − uuᵀ)∇U/(d − 1),
//
// which keeps H = U + K, where dK = −u·∇U dt. A step is half a turn of u, a move, and half a turn. An iteration draws u
// uniformly, moves for a time uniform in (0, 2√d), √d being the decoherence length where all variances are 1, and
// accepts the end with probability min(1, exp(−change of H)). The warm-up tunes the step to TargetAccept.
type microcanonical struct {
	c    *Chain
	at   state // q is u
	pull []float64

	weight float64 // of K in H: 1; tests spoil it
}

func newMicrocanonical(c *Chain) *microcanonical {
	d := len(c.x)
	at := state{x: make([]float64, d), q: make([]float64, d), grad: make([]float64, d)}
	return &microcanonical{c, at, make([]float64, d), 1}
}

// move does one iteration.
func (m *microcanonical) move() Info {
	c := m.c
	m.begin()
	time := 2 * math.Sqrt(float64(len(c.x))) * c.stream.Float64()
	steps := int(min(max(math.Ceil(time/c.step), 1), 1<<deepest))
	uniform := c.stream.Float64()
	var kinetic float64
	for range steps {
		kinetic += m.leap()
	}
	change := m.at.energy - c.energy + float64(m.weight*kinetic)
	info := Info{Hamiltonian: c.energy, EnergyError: change, Gradients: steps}
	info.Divergent = !finite(change) || change > divergent
	if finite(change) {
		info.AcceptChance = math.Exp(-max(change, 0))
	}
	if info.Accepted = uniform < info.AcceptChance; info.Accepted {
		copy(c.x, m.at.x)
		copy(c.grad, m.at.grad)
		c.energy = m.at.energy
	}
	return info
}

// begin puts the trajectory where the chain is, with a velocity that is uniform on the sphere.
func (m *microcanonical) begin() {
	c := m.c
	for k := range m.at.q {
		m.at.q[k] = c.stream.NormFloat64()
	}
	floats.Scale(1/floats.Norm(m.at.q, 2), m.at.q)
	copy(m.at.x, c.x)
	copy(m.at.grad, c.grad)
	m.at.energy = c.energy
}

// try returns the change of H over one step from where the chain is.
func (m *microcanonical) try() float64 {
	m.begin()
	kinetic := m.leap()
	return m.at.energy - m.c.energy + kinetic
}

// leap does a step and returns the change of K.
func (m *microcanonical) leap() (kinetic float64) {
	c, s := m.c, &m.at
	kinetic = m.turn(c.step / 2)
	floats.AddScaled(s.x, c.step, c.forward(m.pull, s.q))
	s.energy = c.density.Grad(s.grad, s.x)
	return kinetic + m.turn(c.step/2)
}

// turn turns u for a time h while x stands still, and returns the change of K: with e = −∇U/|∇U| and
// δ = h·|∇U|/(d − 1), u becomes (u + e·(sinh δ + e·u·(cosh δ − 1)))/(cosh δ + e·u·sinh δ), and K gains d − 1 times the
// log of that denominator.
func (m *microcanonical) turn(h float64) float64 {
	g := m.c.back(m.pull, m.at.grad)
	norm, u := floats.Norm(g, 2), m.at.q
	if norm == 0 {
		return 0
	}
	d := float64(len(u) - 1)
	delta, along := h*norm/d, -floats.Dot(g, u)/norm
	far := math.Exp(-delta) // all over e^δ/2
	toward := (1 - far) * (1 + far + float64(along*(1-far)))
	floats.Scale(2*far, u)
	floats.AddScaled(u, -toward/norm, g)
	floats.Scale(1/floats.Norm(u, 2), u)
	return d * (delta - math.Ln2 + math.Log(1+along+float64((1-along)*far*far)))
}
