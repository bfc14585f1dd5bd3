package sifg

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Kernel is the field of SVGD (Liu and Wang, 2016):
//
//	v(z_i) = (1/n) Σ_j [ k(z_j, z_i) s(z_j) + ∇_{z_j} k(z_j, z_i) ].
//
// With Bandwidth > 0 the kernel is exp(−‖x−y‖²/(2·Bandwidth)); with 0 it is exp(−‖x−y‖²/b²), b² = med/ln(n+1), med the
// lower median of all n² squared distances, the zeros of the diagonal included.
type Kernel struct {
	Bandwidth float64

	dist   []float32 // n×n: squared distances, then kernel values
	kx     Batch     // Σ_j k_ij z_j (n×d)
	ws     simd.Workspace
	median selector
}

var _ Field = (*Kernel)(nil)

// Init implements Field.
func (o *Kernel) Init(c *Cloud) {
	n := c.Z.Rows
	o.dist, o.kx = make([]float32, n*n), NewBatch(n, c.Z.Cols)
}

// Velocity implements Field.
func (o *Kernel) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	n, d := c.Z.Rows, c.Z.Cols
	simd.SqDist(o.dist, n, c.X.Data, d, n, c.X.Data, d, n, d)
	gamma := 1 / (2 * o.Bandwidth) // k = exp(−gamma·‖x−y‖²), ∇_{z_j} k = 2·gamma·(z_i − z_j)·k
	if o.Bandwidth == 0 {
		gamma = math.Log(float64(n)+1) / o.scale(n)
	}
	for i := range o.dist {
		o.dist[i] *= float32(-gamma)
	}
	simd.Exp(o.dist, o.dist)
	o.ws.GemmNN(n, d, n, o.dist, n, c.S.Data, d, c.V.Data, d, false)
	o.ws.GemmNN(n, d, n, o.dist, n, c.X.Data, d, o.kx.Data, d, false)
	for i := range n {
		var sum float64
		for _, k := range o.dist[i*n : (i+1)*n] {
			sum += float64(k)
		}
		for j := i * d; j < (i+1)*d; j++ {
			repulse := 2 * gamma * (sum*float64(c.X.Data[j]) - float64(o.kx.Data[j]))
			c.V.Data[j] = float32((float64(c.V.Data[j]) + repulse) / float64(n))
		}
	}
	return Info{}
}

// scale returns the median of the squared distances; their mean where the median is zero (two particles, or many that
// coincide), and 1 where all particles coincide and nothing repels.
func (o *Kernel) scale(n int) float64 {
	if med := o.median.lowerMedian(o.dist, n); med > 0 {
		return float64(med)
	}
	var sum float64
	for _, v := range o.dist {
		sum += float64(v)
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(n*n)
}

// selector finds order statistics of non-negative floats, whose bit patterns sort like the numbers, by three histogram
// passes over 11, 11 and 10 bits.
type selector struct{ count [2048]int }

// lowerMedian returns the lower median of the n×n matrix of squared distances dist, symmetric with a zero diagonal, from
// its upper triangle.
func (o *selector) lowerMedian(dist []float32, n int) float32 {
	rank := (n*n-1)/2 - n // among the off-diagonal entries, each of which stands twice
	if rank < 0 {
		return 0
	}
	rank /= 2
	var prefix uint32
	for _, pass := range [3]struct{ shift, bits uint }{{21, 11}, {10, 11}, {0, 10}} {
		clear(o.count[:])
		mask := uint32(1)<<pass.bits - 1
		above := pass.shift + pass.bits
		for i := range n {
			for _, v := range dist[i*n+i+1 : (i+1)*n] {
				b := math.Float32bits(v)
				if uint64(b)>>above == uint64(prefix)>>above {
					o.count[b>>pass.shift&mask]++
				}
			}
		}
		for k, m := range o.count {
			if rank < m {
				prefix |= uint32(k) << pass.shift
				break
			}
			rank -= m
		}
	}
	return math.Float32frombits(prefix)
}
