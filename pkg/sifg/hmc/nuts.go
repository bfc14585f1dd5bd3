package hmc

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// deepest bounds how often a trajectory doubles, so an iteration computes at most 2^deepest − 1 gradients (the value is
// Stan's).
const deepest = 10

// state is a point of a trajectory: position x, momentum q in the coordinates in which M is the identity (p = F⁻ᵀq with
// M⁻¹ = FFᵀ), ∇U(x) and U(x).
type state struct {
	x, q, grad []float64
	energy     float64
}

// tree is a stretch of a trajectory: the momenta of its first and its last point, in the order in which they were made,
// the sum of all momenta, a point drawn from it by its weight exp(−H), and the log of the sum of the weights.
type tree struct {
	first, last, sum []float64
	draw             state
	log              float64
}

// nuts makes the iterations of the No-U-Turn sampler with multinomial weights (Hoffman and Gelman, 2014; Betancourt, "A
// conceptual introduction to Hamiltonian Monte Carlo", 2017, Appendix A). A trajectory doubles, forwards or backwards
// with equal chance, until it or a stretch of it turns: until ρ·q ≤ 0 for the sum ρ of its momenta and one of its ends.
// As in Stan, two stretches that are joined are also looked at across the joint: the first with the first momentum of
// the second, and the second with the last of the first.
//
// Within the new half a point is drawn by its weight; the new half takes the draw from the old one with the chance
// min(1, ratio of their weights), which favours far points and leaves the target invariant.
type nuts struct {
	c      *Chain
	whole  tree
	halves [deepest]tree // halves[k] has 2^k points
	end    [2]state      // of the whole trajectory; it grows at end[1]
	start  float64       // H there
	step   float64       // signed
	sum    float64       // of min(1, exp(H(start) − H))
	count  int           // of gradients
	far    bool          // the trajectory diverged

	pull, with []float64

	// What tests spoil. within says whether two stretches of a new half turn when they are joined, share the chance
	// that the draw is the second's, chance the acceptance of a point by its change of H, and across whether is looked
	// across the joint.
	within func(a, b *tree) bool
	share  func(a, b float64) float64
	chance func(change float64) float64
	across bool
}

func newNuts(c *Chain) *nuts {
	d := len(c.x)
	vector := func() []float64 { return make([]float64, d) }
	point := func() state { return state{x: vector(), q: vector(), grad: vector()} }
	n := &nuts{c: c, pull: vector(), with: vector(), end: [2]state{point(), point()}, across: true}
	n.within, n.share = n.turned, func(a, b float64) float64 { return math.Exp(b - logSum(a, b)) }
	n.chance = func(change float64) float64 { return math.Exp(-max(change, 0)) }
	for k := range n.halves {
		n.halves[k] = tree{vector(), vector(), vector(), point(), 0}
	}
	n.whole = tree{vector(), vector(), vector(), point(), 0}
	return n
}

// begin draws a momentum and sets both ends of the trajectory, and H, to where the chain is.
func (n *nuts) begin() {
	c := n.c
	for k := range c.p {
		c.p[k] = c.stream.NormFloat64()
	}
	for k := range n.end {
		copy(n.end[k].x, c.x)
		copy(n.end[k].q, c.p)
		copy(n.end[k].grad, c.grad)
		n.end[k].energy = c.energy
	}
	n.start = c.energy + floats.Dot(c.p, c.p)/2
	n.sum, n.count, n.far = 0, 0, false
}

// move does one iteration.
func (n *nuts) move() Info {
	c, w := n.c, &n.whole
	n.begin()
	copy(w.first, c.p)
	copy(w.last, c.p)
	copy(w.sum, c.p)
	w.draw.set(&n.end[0])
	w.log, n.step = 0, c.step
	moved, doublings := false, 0
	for depth := range deepest {
		if c.stream.Float64() < 0.5 { // turn round
			n.step = -n.step
			n.end[0], n.end[1] = n.end[1], n.end[0]
			w.first, w.last = w.last, w.first
		}
		half := &n.halves[depth]
		doublings++
		if !n.grow(half, depth) {
			break
		}
		if c.stream.Float64() < math.Exp(half.log-w.log) {
			w.draw.set(&half.draw)
			moved = true
		}
		turned := n.turned(w, half)
		if w.join(half); turned {
			break
		}
	}
	info := Info{Hamiltonian: n.start, Accepted: moved, AcceptChance: n.sum / float64(n.count), Divergent: n.far,
		Gradients: n.count, Depth: doublings, EnergyError: w.draw.energy + floats.Dot(w.draw.q, w.draw.q)/2 - n.start}
	copy(c.x, w.draw.x)
	copy(c.grad, w.draw.grad)
	c.energy = w.draw.energy
	return info
}

// grow makes t the next 2^depth points of the trajectory; false if they turn or diverge, and t is then of no use.
func (n *nuts) grow(t *tree, depth int) bool {
	if depth == 0 {
		at := &n.end[1]
		n.leap(at)
		change := at.energy + floats.Dot(at.q, at.q)/2 - n.start
		if !finite(change) || change > divergent {
			n.far = true
			return false
		}
		n.sum += n.chance(change)
		copy(t.first, at.q)
		copy(t.last, at.q)
		copy(t.sum, at.q)
		t.draw.set(at)
		t.log = -change
		return true
	}
	second := &n.halves[depth-1]
	if !n.grow(t, depth-1) || !n.grow(second, depth-1) {
		return false
	}
	if n.c.stream.Float64() < n.share(t.log, second.log) {
		t.draw.set(&second.draw)
	}
	turned := n.within(t, second)
	t.join(second)
	return !turned
}

// turned reports whether b, which follows a, turns against it.
func (n *nuts) turned(a, b *tree) bool {
	turns := func(first, last, x, y []float64) bool { // the sum of momenta is x + y
		floats.AddTo(n.with, x, y)
		return floats.Dot(n.with, first) <= 0 || floats.Dot(n.with, last) <= 0
	}
	return turns(a.first, b.last, a.sum, b.sum) || n.across &&
		(turns(a.first, b.first, a.sum, b.first) || turns(a.last, b.last, a.last, b.sum))
}

// join appends b, but for the draw.
func (t *tree) join(b *tree) {
	floats.Add(t.sum, b.sum)
	copy(t.last, b.last)
	t.log = logSum(t.log, b.log)
}

// leap does one leapfrog step of n.step.
func (n *nuts) leap(s *state) {
	n.count++
	n.kick(s)
	floats.AddScaled(s.x, n.step, n.c.forward(n.pull, s.q))
	s.energy = n.c.density.Grad(s.grad, s.x)
	n.kick(s)
}

func (n *nuts) kick(s *state) {
	floats.AddScaled(s.q, -n.step/2, n.c.back(n.pull, s.grad))
}

// try returns the change of H over one step from where the chain is.
func (n *nuts) try() float64 {
	n.begin()
	n.step = n.c.step
	s := &n.end[1]
	n.leap(s)
	return s.energy + floats.Dot(s.q, s.q)/2 - n.start
}

func (s *state) set(from *state) {
	copy(s.x, from.x)
	copy(s.q, from.q)
	copy(s.grad, from.grad)
	s.energy = from.energy
}

// forward sets dst = F·q, with M⁻¹ = FFᵀ, and returns it.
func (c *Chain) forward(dst, q []float64) []float64 { return c.scale(dst, q, blas.NoTrans) }

// back sets dst = Fᵀ·g and returns it.
func (c *Chain) back(dst, g []float64) []float64 { return c.scale(dst, g, blas.Trans) }

func (c *Chain) scale(dst, v []float64, t blas.Transpose) []float64 {
	d := len(v)
	if c.factor == nil {
		for k, r := range c.root {
			dst[k] = v[k] / r
		}
		return dst
	}
	copy(dst, v)
	l := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: d, Data: c.factor, Stride: d}
	blas64.Trmv(t, l, blas64.Vector{N: d, Inc: 1, Data: dst})
	return dst
}

// logSum returns log(exp(a) + exp(b)).
func logSum(a, b float64) float64 {
	top := max(a, b)
	return top + math.Log1p(math.Exp(min(a, b)-top))
}
