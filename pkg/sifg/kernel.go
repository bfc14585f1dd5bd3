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
// that coincide) their mean, and 1 if all coincide. It costs O(n²d) an iteration, and where Bandwidth is 0 the median
// takes 2n² bytes.
type Kernel struct {
	Bandwidth float64

	in     Batch   // rows (s_j, x_j, 1), n×(2d+1)
	out    Batch   // Σ_j k_ij (s_j, x_j, 1), n×(2d+1)
	gamma  float64 // k = exp(−gamma·‖x−y‖²), ∇_{z_j} k = 2·gamma·(z_i − z_j)·k
	kernel strips
	median selector
}

// Init implements Field.
func (o *Kernel) Init(c *Cloud) {
	n, d := c.Z.Rows, c.Z.Cols
	o.in, o.out, o.kernel = NewBatch(n, 2*d+1), NewBatch(n, 2*d+1), newStrips(c, o.rows)
	if o.Bandwidth == 0 {
		o.median = selector{triangle: o.triangle, near: make([]float32, n*(n-1)/2+1)}
	}
}

// Velocity implements Field.
func (o *Kernel) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	n, d := c.Z.Rows, c.Z.Cols
	if o.gamma = 1 / (2 * o.Bandwidth); o.Bandwidth == 0 {
		o.gamma = math.Log(float64(n)+1) / o.scale(c)
	}
	for j := range n {
		row := o.in.Data[j*o.in.Stride : (j+1)*o.in.Stride]
		copy(row, c.S.Data[j*d:(j+1)*d])
		copy(row[d:], c.X.Data[j*d:(j+1)*d])
		row[2*d] = 1
	}
	o.kernel.all(c)
	return Info{}
}

// rows sets the velocities from lo to hi−1.
func (o *Kernel) rows(c *Cloud, lo, hi int, k []float32, ws *simd.Workspace) {
	n, d := c.Z.Rows, c.Z.Cols
	if o.Bandwidth > 0 || o.kernel.rows < n { // else they are there, from the median
		o.distances(c, lo, hi, 0, k)
	}
	simd.ExpScaled(k[:(hi-lo)*n], k[:(hi-lo)*n], 0, float32(-o.gamma))
	ws.GemmNN(hi-lo, 2*d+1, n, k, n, o.in.Data, o.in.Stride, o.out.Data[lo*o.out.Stride:], o.out.Stride, false)
	for i := lo; i < hi; i++ {
		row := o.out.Data[i*o.out.Stride : (i+1)*o.out.Stride]
		sum := float64(row[2*d])
		for j := range d {
			repulse := float64(2 * o.gamma * (float64(sum*float64(c.X.Data[i*d+j])) - float64(row[d+j])))
			c.V.Data[i*d+j] = float32((float64(row[j]) + repulse) / float64(n))
		}
	}
}

// distances sets k to the squared distances between particles lo to hi−1 and those from `from` on.
func (o *Kernel) distances(c *Cloud, lo, hi, from int, k []float32) {
	n, d := c.X.Rows, c.X.Cols
	simd.SqDist(k, n-from, c.X.Data[lo*d:], d, hi-lo, c.X.Data[from*d:], d, n-from, d)
}

// scale returns the median of the squared distances; their mean where the median is zero (two particles, or many that
// coincide), and 1 where all particles coincide and nothing repels.
func (o *Kernel) scale(c *Cloud) float64 {
	n := c.X.Rows
	if med := o.median.lowerMedian(c); med > 0 {
		return float64(med)
	}
	var sum float64
	for lo := 0; lo < n; lo += o.kernel.rows {
		hi := min(lo+o.kernel.rows, n)
		o.distances(c, lo, hi, 0, o.kernel.data)
		for _, v := range o.kernel.data[:(hi-lo)*n] {
			sum += float64(v)
		}
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(n*n)
}

// triangle shows the median the distances above the diagonal.
func (o *Kernel) triangle(c *Cloud) {
	n, k := c.X.Rows, o.kernel.data
	for lo := 0; lo < n; lo += o.kernel.rows {
		hi := min(lo+o.kernel.rows, n)
		o.distances(c, lo, hi, lo, k)
		for i := range hi - lo {
			o.median.take(k[i*(n-lo)+i+1 : (i+1)*(n-lo)])
		}
	}
}

// selector finds the median of a matrix of distances. Non-negative floats sort like their bit patterns. The median
// moves little from one iteration to the next, so one pass that counts what lies below a window around the last one,
// and keeps what lies in it, usually suffices; if the median is not in the window, the window is everything.
type selector struct {
	triangle func(c *Cloud) // calls take for each row of the entries above the diagonal
	near     []float32      // room for all of those, and one more
	last     float32
	count    [2048]int

	// of the pass: the window as bit patterns, how many entries lay below it and in it
	from, width int32
	below, kept int
}

// lowerMedian returns the lower median of the n×n matrix of squared distances, symmetric with a zero diagonal, of n
// particles.
func (o *selector) lowerMedian(c *Cloud) float32 {
	n := c.X.Rows
	rank := (n*n-1)/2 - n // among the off-diagonal entries, each of which stands twice
	if rank < 0 {
		return 0
	}
	rank /= 2
	o.window(c, 0.9*o.last, 1.1*o.last)
	if rank < o.below || rank >= o.below+o.kept {
		o.window(c, 0, float32(math.Inf(1)))
	}
	if rank-o.below >= o.kept { // a NaN or an infinity: no median, and the run ends as diverged
		return float32(math.NaN())
	}
	o.last = o.nth(o.near[:o.kept], rank-o.below)
	return o.last
}

// window counts the entries below lo and keeps those in [lo, hi).
func (o *selector) window(c *Cloud, lo, hi float32) {
	o.from, o.width = int32(math.Float32bits(lo)), int32(math.Float32bits(hi)-math.Float32bits(lo))
	o.below, o.kept = 0, 0
	o.triangle(c)
}

// take goes through a row. It has no branches in the loop, whose outcomes would be random.
func (o *selector) take(row []float32) {
	from, width, near, below, k := o.from, o.width, o.near, 0, o.kept
	for _, v := range row {
		t := int32(math.Float32bits(v)) - from
		under := uint32(t) >> 31
		below += int(under)
		near[k] = v
		k += int(uint32(t-width) >> 31 &^ under)
	}
	o.below, o.kept = o.below+below, k
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

// strips is an n×n kernel matrix of which only some rows are there at a time, so that caches hold them. The elements do
// not depend on how many rows that are.
type strips struct {
	n, rows int
	data    []float32        // rows×n
	ws      []simd.Workspace // of the threads
	// use computes and uses the rows from lo to hi−1 of the matrix, for which k is the room.
	use func(c *Cloud, lo, hi int, k []float32, ws *simd.Workspace)
}

// stripSize is how many entries a strip has: 4 MB, a part of any level-3 cache.
const stripSize = 1 << 20

func newStrips(c *Cloud, use func(c *Cloud, lo, hi int, k []float32, ws *simd.Workspace)) strips {
	n, threads := c.Z.Rows, max(1, c.threads)
	rows := min(n, max(threads, stripSize/n))
	return strips{n, rows, simd.Zeros(rows * n), make([]simd.Workspace, threads), use}
}

// all runs use on all rows.
func (s *strips) all(c *Cloud) {
	for lo := 0; lo < s.n; lo += s.rows {
		hi := min(lo+s.rows, s.n)
		if len(s.ws) == 1 {
			s.use(c, lo, hi, s.data, &s.ws[0])
		} else {
			s.split(c, lo, hi)
		}
	}
}

// split divides a strip among the threads.
func (s *strips) split(c *Cloud, first, end int) {
	simd.Split(len(s.ws), end-first, 1, func(part, lo, hi int) {
		s.use(c, first+lo, first+hi, s.data[lo*s.n:hi*s.n], &s.ws[part])
	})
}
