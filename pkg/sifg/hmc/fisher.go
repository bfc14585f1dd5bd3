package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// scales are running moments of N positions x and of the gradients g of U at them. The Gaussian whose covariance Σ
// solves Σ·cov(g)·Σ = cov(x) is the nearest to the density in Fisher divergence, as far as these points tell, and M⁻¹
// is that Σ, or its diagonal solution (Seyboldt, Carlson and Carpenter, "Preconditioning Hamiltonian Monte Carlo by
// minimizing Fisher divergence", 2026). Of a Gaussian it is the covariance itself as soon as there are more points than
// dimensions, where the covariance of the points is a guess.
type scales struct {
	N    int
	X, G moments
}

// moments are means and sums of squares about them (Welford), or d×d sums of products, the lower triangle, if all of M
// is adapted.
type moments struct{ Mean, Sum []float64 }

func newMoments(d int, dense bool) moments {
	size := d
	if dense {
		size = d * d
	}
	return moments{make([]float64, d), make([]float64, size)}
}

func newScales(d int, dense bool) *scales {
	return &scales{X: newMoments(d, dense), G: newMoments(d, dense)}
}

func (m moments) clone() moments { return moments{slices.Clone(m.Mean), slices.Clone(m.Sum)} }

func (s *scales) clone() *scales { return &scales{s.N, s.X.clone(), s.G.clone()} }

// fits reports whether the moments have the sizes of d dimensions.
func (m moments) fits(d int, dense bool) bool {
	return len(m.Mean) == d && len(m.Sum) == len(newMoments(d, dense).Sum)
}

func (s *scales) fits(d int, dense bool) bool {
	return s != nil && s.X.fits(d, dense) && s.G.fits(d, dense)
}

// add adds x, the n-th; delta is room for d values.
func (m *moments) add(x []float64, n int, delta []float64) {
	d := len(x)
	for k, v := range x {
		delta[k] = v - m.Mean[k]
		m.Mean[k] += delta[k] / float64(n)
		if len(m.Sum) == d {
			m.Sum[k] += float64(delta[k] * (v - m.Mean[k]))
			continue
		}
		for j := range k + 1 {
			m.Sum[k*d+j] += float64(delta[j] * (v - m.Mean[k]))
		}
	}
}

// square returns the sum of squares of coordinate k.
func (m *moments) square(k int) float64 {
	if d := len(m.Mean); len(m.Sum) > d {
		return m.Sum[k*d+k]
	}
	return m.Sum[k]
}

// startMass sets M to the sizes of the gradient: where the start is about 1 from the middle of a coordinate, those are
// its inverse variances.
func (c *Chain) startMass() {
	for k, g := range c.grad {
		if g != 0 {
			c.mass[k] = bounded(math.Abs(g))
		}
	}
	c.setMass()
}

func bounded(mass float64) float64 { return min(max(mass, 1e-20), 1e20) }

// learnScales adapts M after done iterations. Two windows run, the nearer of which is begun when the other has 10
// positions in the first three tenths of the warm-up, and 160 later; M follows the older, whenever that has grown by a
// quarter. In the last 15 % M stays.
func (c *Chain) learnScales(done int) {
	a, d := c.adapt, len(c.x)
	warmup := c.cfg.Warmup
	last, size := warmup-warmup*15/100, 10
	if done > last {
		return
	}
	if done >= warmup*3/10 {
		size = 160
	}
	for _, s := range []*scales{a.Old, a.New} {
		s.N++
		s.X.add(c.x, s.N, c.y)
		s.G.add(c.grad, s.N, c.y)
	}
	if a.New.N >= size && done+size <= last {
		a.Old, a.New, a.Used = a.New, newScales(d, c.cfg.Dense), 0
	}
	if n := a.Old.N; n < 3 || 4*n < 5*a.Used {
		return
	}
	first := a.Used == 0 && a.Old.N == 3
	a.Used = a.Old.N
	for k := range c.mass {
		if m := math.Sqrt(a.Old.G.square(k) / a.Old.X.square(k)); positive(m) {
			c.mass[k] = bounded(m)
		}
	}
	c.setMass()
	if c.cfg.Dense && a.Old.N >= 10 {
		c.renewFactor(a.Old)
	}
	if first {
		c.restart()
	}
}

// renewFactor sets F to a factor of Σ. In units in which the diagonal solution is 1, both covariances are drawn to the
// identity with the weight of one position, so that they are positive definite. With cov(g) = LLᵀ and LᵀCL = QΛQᵀ for
// C = cov(x), Σ = BBᵀ for B = L⁻ᵀQΛ^¼.
func (c *Chain) renewFactor(s *scales) {
	d, n := len(c.x), float64(s.N)
	x, g := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for k := range d {
		for j := range k + 1 {
			unit := c.root[k] * c.root[j]
			x.SetSym(k, j, s.X.Sum[k*d+j]*unit/(n+1))
			g.SetSym(k, j, s.G.Sum[k*d+j]/unit/(n+1))
		}
		x.SetSym(k, k, x.At(k, k)+1/(n+1))
		g.SetSym(k, k, g.At(k, k)+1/(n+1))
	}
	var chol mat.Cholesky
	var l, inverse, f mat.TriDense
	var b, q mat.Dense
	var eigen mat.EigenSym
	if !chol.Factorize(g) {
		return
	}
	chol.LTo(&l)
	b.Mul(l.T(), x)
	q.Mul(&b, &l)
	for k := range d {
		for j := range k + 1 {
			x.SetSym(k, j, q.At(k, j))
		}
	}
	if inverse.InverseTri(&l) != nil || !eigen.Factorize(x, true) {
		return
	}
	eigen.VectorsTo(&q)
	for j, v := range eigen.Values(nil) {
		root := math.Sqrt(math.Sqrt(max(v, 1e-20)))
		for k := range d {
			q.Set(k, j, q.At(k, j)*root)
		}
	}
	b.Mul(inverse.T(), &q)
	for k := range d {
		for j := range k + 1 {
			x.SetSym(k, j, mat.Dot(b.RowView(k), b.RowView(j))/(c.root[k]*c.root[j]))
		}
	}
	if chol.Factorize(x) {
		chol.LTo(&f)
		c.factor = slices.Clone(f.RawTriangular().Data)
	}
}
