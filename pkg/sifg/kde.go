package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// KDE is the network-free flow of the released "empirical" toy script: the score of the perturbed cloud in closed form,
// that of the mixture (1/n) Σ_j N(z_j, σ²I),
//
//	v(x_i) = ∇log π(x_i) + (1/σ²) Σ_j (x_i − z_j) κ_ij / Σ_j κ_ij,   κ_ij = exp(−‖x_i − z_j‖²/(2σ²)).
//
// It shows what SIFG gains or loses by learning that score with a network. It costs O(n²d) an iteration.
type KDE struct {
	kappa []float32 // n×n
	kz    Batch     // Σ_j κ_ij z_j (n×d)
	ws    simd.Workspace
}

var _ Field = (*KDE)(nil)

// Init implements Field.
func (o *KDE) Init(c *Cloud) {
	n := c.Z.Rows
	o.kappa, o.kz = make([]float32, n*n), NewBatch(n, c.Z.Cols)
}

// Velocity implements Field.
func (o *KDE) Velocity(c *Cloud, noise *Noise) Info {
	if c.Sigma == 0 {
		panic("sifg: KDE needs Noise.Sigma > 0")
	}
	c.Perturb()
	c.Score()
	n, d := c.Z.Rows, c.Z.Cols
	simd.SqDist(o.kappa, n, c.X.Data, d, n, c.Z.Data, d, n, d)
	scale := -1 / (2 * c.Sigma * c.Sigma)
	for i := range n { // the nearest particle's term is exp(0), so that no row underflows to nothing
		row := o.kappa[i*n : (i+1)*n]
		low := row[0]
		for _, v := range row[1:] {
			low = min(low, v)
		}
		for j, v := range row {
			row[j] = scale * (v - low)
		}
	}
	simd.Exp(o.kappa, o.kappa)
	o.ws.GemmNN(n, d, n, o.kappa, n, c.Z.Data, d, o.kz.Data, d, false)
	inv := 1 / (float64(c.Sigma) * float64(c.Sigma))
	for i := range n {
		var sum float64
		for _, k := range o.kappa[i*n : (i+1)*n] {
			sum += float64(k)
		}
		for j := i * d; j < (i+1)*d; j++ {
			pull := float64(c.X.Data[j]) - float64(o.kz.Data[j])/sum
			c.V.Data[j] = c.S.Data[j] + float32(inv*pull)
		}
	}
	noise.adapt(c)
	return Info{}
}
