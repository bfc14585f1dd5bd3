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
// lower median of all n² squared distances, the zeros of the diagonal included; where that is 0 (two particles, or many
// that coincide) their mean, and 1 if all coincide. It costs O(n²d) an iteration and 6n² bytes.
type Kernel struct {
	Bandwidth float64

	dist   []float32 // n×n: squared distances, then kernel values
	in     Batch     // rows (s_j, x_j, 1), n×(2d+1)
	out    Batch     // Σ_j k_ij (s_j, x_j, 1), n×(2d+1)
	ws     simd.Workspace
	median selector
}

var _ Field = (*Kernel)(nil)

// Init implements Field.
func (o *Kernel) Init(c *Cloud) {
	n, d := c.Z.Rows, c.Z.Cols
	o.ws.Threads = c.threads
	o.dist, o.in, o.out = make([]float32, n*n), NewBatch(n, 2*d+1), NewBatch(n, 2*d+1)
	o.median = selector{near: make([]float32, n*(n-1)/2+1)}
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
	simd.ExpScaled(o.dist, o.dist, 0, float32(-gamma))
	for j := range n {
		row := o.in.Data[j*o.in.Stride : (j+1)*o.in.Stride]
		copy(row, c.S.Data[j*d:(j+1)*d])
		copy(row[d:], c.X.Data[j*d:(j+1)*d])
		row[2*d] = 1
	}
	o.ws.GemmNN(n, 2*d+1, n, o.dist, n, o.in.Data, o.in.Stride, o.out.Data, o.out.Stride, false)
	for i := range n {
		row := o.out.Data[i*o.out.Stride : (i+1)*o.out.Stride]
		sum := float64(row[2*d])
		for j := range d {
			repulse := float64(2 * gamma * (float64(sum*float64(c.X.Data[i*d+j])) - float64(row[d+j])))
			c.V.Data[i*d+j] = float32((float64(row[j]) + repulse) / float64(n))
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

// selector finds the median of a matrix of distances. Non-negative floats sort like their bit patterns. The median
// moves little from one iteration to the next, so one pass that counts what lies below a window around the last one,
// and keeps what lies in it, usually suffices; if the median is not in the window, the window is everything.
type selector struct {
	near  []float32 // room for all off-diagonal entries of a triangle, and one more
	last  float32
	count [2048]int
}

// lowerMedian returns the lower median of the n×n matrix of squared distances dist, symmetric with a zero diagonal,
// from its upper triangle.
func (o *selector) lowerMedian(dist []float32, n int) float32 {
	rank := (n*n-1)/2 - n // among the off-diagonal entries, each of which stands twice
	if rank < 0 {
		return 0
	}
	rank /= 2
	below, kept := o.window(dist, n, 0.9*o.last, 1.1*o.last)
	if rank < below || rank >= below+len(kept) {
		below, kept = o.window(dist, n, 0, float32(math.Inf(1)))
	}
	if rank-below >= len(kept) { // a NaN or an infinity: no median, and the run ends as diverged
		return float32(math.NaN())
	}
	o.last = o.nth(kept, rank-below)
	return o.last
}

// window counts the entries of the upper triangle below lo and returns those in [lo, hi). It has no branches in the
// loop, whose outcomes would be random.
func (o *selector) window(dist []float32, n int, lo, hi float32) (below int, kept []float32) {
	from, width := int32(math.Float32bits(lo)), int32(math.Float32bits(hi)-math.Float32bits(lo))
	k := 0
	for i := range n {
		for _, v := range dist[i*n+i+1 : (i+1)*n] {
			t := int32(math.Float32bits(v)) - from
			under := uint32(t) >> 31
			below += int(under)
			o.near[k] = v
			k += int(uint32(t-width) >> 31 &^ under)
		}
	}
	return below, o.near[:k]
}

// nth returns the value of the given rank, from 0, by three histogram passes over 11, 11 and 10 bits.
func (o *selector) nth(x []float32, rank int) float32 {
	var prefix uint32
	for _, pass := range [3]struct{ shift, bits uint }{{21, 11}, {10, 11}, {0, 10}} {
		clear(o.count[:])
		mask := uint32(1)<<pass.bits - 1
		above := pass.shift + pass.bits
		for _, v := range x {
			b := math.Float32bits(v)
			if uint64(b)>>above == uint64(prefix)>>above {
				o.count[b>>pass.shift&mask]++
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
