package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// BNN is the posterior of a regression network with one hidden layer of H ReLU units (paper, Section 5.4; the model of
// Liu and Wang, 2016). A particle is θ = (W1, b1, W2, b2, log γ, log λ), W1 being d×H and row-major: H weights a
// feature.
//
//	ŷ(x) = W2ᵀ relu(W1ᵀx + b1) + b2    y | x ~ N(ŷ(x), 1/γ)    K = (d+2)H + 1 weights and biases ~ N(0, 1/λ)
//
// with Gamma laws for γ and λ, of shape a and rate b. On a mini-batch of B rows that is given the weight κ,
//
//	log π = κ·(B/2·log γ − γ/2·Σ(ŷ−y)²) + a·log γ − b·γ + K/2·log λ − λ/2·‖weights‖² + a·log λ − b·λ + constant
//
// As in the released scripts, a precision above Clamp counts as Clamp wherever it is not a logarithm, in the score too,
// which is not the gradient there; and the derivative of ReLU at 0 is ½. Mini-batch k is the rows kB … kB+B−1 modulo N,
// in the order of the data.
type BNN struct {
	o    BNNOptions
	d, n int // features, rows
	// (N+B−1)×(d+1): rows end in a 1, for the biases; the first rows follow the last, so that batches have no seam
	x []float32
	y []float32 // N+B−1

	scratch scratch[bnnScratch]
}

// BNNOptions are the settings of the model and of its mini-batches. DefaultBNN has the paper's.
type BNNOptions struct {
	Hidden int     // H ≥ 1
	Batch  int     // B ≥ 1; 0 means all rows
	Scale  float64 // κ > 0; 0 means N/B, with which the mean over the mini-batches is the posterior
	Shape  float64 // a > 0
	Rate   float64 // b > 0
	Clamp  float64 // > 0; +Inf for none
}

// DefaultBNN returns the settings of the paper and of its scripts.
func DefaultBNN() BNNOptions {
	return BNNOptions{Hidden: 50, Batch: 100, Shape: 1, Rate: 0.1, Clamp: 50}
}

type bnnScratch struct {
	ws      simd.Workspace
	a       []float32 // rows×ld: what goes into the units, then its gradient
	rest    []float32 // rows: y − ŷ
	squares []float32 // H: sums of squares of weights
	x       []float32 // predictRows×(d+1)
}

// NewBNN returns the posterior given x (N×d, standardised features) and y (N standardised targets). It copies both.
func NewBNN(x blas32.General, y []float32, o BNNOptions) (*BNN, error) {
	n, d := x.Rows, x.Cols
	switch {
	case n < 1 || d < 1 || x.Stride < d || len(x.Data) < (n-1)*x.Stride+d:
		return nil, fmt.Errorf("target: bnn: x is %d×%d with stride %d and %d numbers; it needs at least one row and "+
			"one column", n, d, x.Stride, len(x.Data))
	case len(y) != n:
		return nil, fmt.Errorf("target: bnn: %d targets for %d rows of x", len(y), n)
	case o.Hidden < 1 || o.Batch < 0:
		return nil, fmt.Errorf("target: bnn: Hidden is %d and Batch %d; they must be ≥ 1 and ≥ 0", o.Hidden, o.Batch)
	case !(o.Scale >= 0) || math.IsInf(o.Scale, 0):
		return nil, fmt.Errorf("target: bnn: Scale is %g; it must be finite and ≥ 0", o.Scale)
	case !(o.Shape > 0 && o.Rate > 0 && o.Clamp > 0) || math.IsInf(o.Shape, 0) || math.IsInf(o.Rate, 0):
		return nil, fmt.Errorf("target: bnn: Shape is %g, Rate %g and Clamp %g; they must be positive, the first "+
			"two finite", o.Shape, o.Rate, o.Clamp)
	}
	if o.Batch == 0 {
		o.Batch = n
	}
	if o.Scale == 0 {
		o.Scale = float64(n) / float64(o.Batch)
	}
	t := &BNN{o: o, d: d, n: n}
	for i := range n + o.Batch - 1 {
		for c, v := range row(x, i%n) {
			if !finite(v) {
				return nil, fmt.Errorf("target: bnn: feature %d of row %d is %g; it must be finite (a constant "+
					"feature cannot be standardised)", c, i, v)
			}
			t.x = append(t.x, v)
		}
		if !finite(y[i%n]) {
			return nil, fmt.Errorf("target: bnn: target %d is %g; it must be finite", i, y[i%n])
		}
		t.x, t.y = append(t.x, 1), append(t.y, y[i%n])
	}
	rows := max(o.Batch, predictRows)
	t.scratch = newScratch(func() *bnnScratch {
		return &bnnScratch{
			a: make([]float32, rows*t.ld()), rest: make([]float32, rows), x: make([]float32, predictRows*(d+1)),
			squares: make([]float32, o.Hidden),
		}
	})
	return t, nil
}

// Dim returns (d+2)·H + 3.
func (t *BNN) Dim() int { return (t.d+2)*t.o.Hidden + 3 }

// ld is H rounded up, so that no vector reaches into the next row.
func (t *BNN) ld() int { return (t.o.Hidden + 15) / 16 * 16 }

// first is the row with which mini-batch iter begins.
func (t *BNN) first(iter int) int { return iter * t.o.Batch % t.n }

// network has views of a particle or of a gradient: in is W1 and, below it, b1 as the weights of a feature that is 1
// ((d+1)×H); out is W2 (H); rest is b2, log γ, log λ.
type network struct{ in, out, rest []float32 }

func (t *BNN) network(theta []float32) network {
	in, out := (t.d+1)*t.o.Hidden, (t.d+2)*t.o.Hidden
	return network{theta[:in], theta[in:out], theta[out:]}
}

// Score sets dst[i] to the score of x[i] on mini-batch iter ≥ 0.
func (t *BNN) Score(dst, x blas32.General, iter int) {
	checkScore(dst, x, t.Dim())
	s := t.scratch.get()
	defer t.scratch.put(s)
	for i := range x.Rows {
		t.scoreRow(s, row(dst, i), row(x, i), t.first(iter))
	}
}

// scoreRow gets the gradients of both layers from one product. With G_ij = (y−ŷ)_i·relu′(a_ij) and Q = XᵀG ((d+1)×H,
// the last row for the biases), that of W1 is κγ·W2∘Q, and that of W2 is κγ times the column sums of W1∘Q, as relu(a) =
// a·relu′(a).
func (t *BNN) scoreRow(s *bnnScratch, dst, theta []float32, first int) {
	B, H, c, ld := t.o.Batch, t.o.Hidden, t.d+1, t.ld()
	x, y, rest := t.x[first*c:], t.y[first:first+B], s.rest[:B]
	net, g := t.network(theta), t.network(dst)
	s.ws.GemmNN(B, H, c, x, c, net.in, H, s.a, ld, false)
	simd.ReLUHead(s.a, ld, B, H, net.out, net.rest[0], y, rest)
	s.ws.GemmTN(c, H, B, x, c, s.a, ld, g.in, H, false)

	gamma := min(math.Exp(float64(net.rest[1])), t.o.Clamp)
	lambda := min(math.Exp(float64(net.rest[2])), t.o.Clamp)
	var sum, squares float64
	for _, r := range rest {
		sum += float64(r)
		squares += float64(float64(r) * float64(r))
	}
	b2 := float64(net.rest[0])
	norm := b2 * b2 // of the weights and biases, squared
	simd.ReLUGrad(g.in, c, H, net.in, net.out, g.out, s.squares, float32(t.o.Scale*gamma), float32(lambda))
	for _, v := range s.squares {
		norm += float64(v)
	}
	a, b := t.o.Shape, t.o.Rate
	g.rest[0] = float32(float64(t.o.Scale*gamma*sum) - float64(lambda*b2))
	g.rest[1] = float32(float64(t.o.Scale*0.5*(float64(B)-float64(gamma*squares))) + a - float64(b*gamma))
	g.rest[2] = float32(float64(0.5*(float64(t.Dim()-2)-float64(lambda*norm))) + a - float64(b*lambda))
}

// LogDensity returns log π(θ) given all rows, each with the weight κB/N that it has on average (1 unless Scale is set).
// It holds the constants of the normal laws, not those of the Gamma laws. len(theta) must be Dim.
func (t *BNN) LogDensity(theta []float64) float64 { return -t.Grad(make([]float64, len(theta)), theta) }
