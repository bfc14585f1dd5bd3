package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// KDE is the network-free flow of the released "empirical" toy script: the score of the perturbed cloud in closed form,
// that of the mixture (1/n) Σ_j N(z_j, σ²I),
//
//	v(x_i) = ∇log π(x_i) + (1/σ²) Σ_j (x_i − z_j) κ_ij / Σ_j κ_ij,   κ_ij = exp(−‖x_i − z_j‖²/(2σ²)).
//
// It shows what SIFG gains or loses by learning that score with a network. It costs O(n²d) an iteration and at
// most 4 MB for κ.
type KDE struct {
	in    Batch // rows (z_j, 1), n×(d+1)
	out   Batch // Σ_j κ_ij (z_j, 1), n×(d+1)
	kappa strips
}

// Init implements Field.
func (o *KDE) Init(c *Cloud) {
	n, d := c.Z.Rows, c.Z.Cols
	o.in, o.out, o.kappa = NewBatch(n, d+1), NewBatch(n, d+1), newStrips(c, o.rows)
}

// Velocity implements Field.
func (o *KDE) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	n, d := c.Z.Rows, c.Z.Cols
	for j := range n {
		row := o.in.Data[j*(d+1) : (j+1)*(d+1)]
		copy(row, c.Z.Data[j*d:(j+1)*d])
		row[d] = 1
	}
	o.kappa.all(c)
	noise.adapt(c)
	return Info{}
}

// rows sets the velocities from lo to hi−1.
func (o *KDE) rows(c *Cloud, lo, hi int, kappa []float32, ws *simd.Workspace) {
	n, d := c.Z.Rows, c.Z.Cols
	simd.SqDist(kappa, n, c.X.Data[lo*d:], d, hi-lo, c.Z.Data, d, n, d)
	scale := -1 / (2 * c.Sigma * c.Sigma)
	for i := range hi - lo { // the nearest particle's term is exp(0), so that no row underflows to nothing
		row := kappa[i*n : (i+1)*n]
		simd.ExpScaled(row, row, simd.Min(row), scale)
	}
	ws.GemmNN(hi-lo, d+1, n, kappa, n, o.in.Data, d+1, o.out.Data[lo*(d+1):], d+1, false)
	inv := 1 / (c.Sigma * c.Sigma)
	for i := lo; i < hi; i++ {
		row := o.out.Data[i*(d+1) : (i+1)*(d+1)]
		for j := range d {
			pull := c.X.Data[i*d+j] - row[j]/row[d]
			c.V.Data[i*d+j] = c.S.Data[i*d+j] + float32(inv*pull)
		}
	}
}
