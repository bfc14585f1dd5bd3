// Package nn holds the score network and the optimisers that train it.
package nn

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Activation is the nonlinearity after both hidden layers.
type Activation int

// The activations the paper uses.
const (
	Tanh      Activation = iota
	LeakyReLU            // slope 0.1 for negative inputs
)

const leakySlope = 0.1

const (
	badShape = "nn: input, output or gradient has the wrong shape"
	badOrder = "nn: Descend needs a Forward, DescendTangent a ForwardTangent, on the same batch before it"
)

// Net is the score network f_γ: R^d → R^d of three affine layers, d → H → H → d, with the activation after the first
// two. Its weights γ are one slice, its layers views of it, so that an optimiser sees flat memory.
//
// Letters: n points a batch, d dimensions, H hidden units. A layer stores its weights as a (fan-in × fan-out) matrix W
// followed by its bias b, and computes y = xW + b.
type Net struct {
	Params []float32 // weights γ: W1 (d×H), b1, W2 (H×H), b2, W3 (H×d), b3; row-major
	Grad   []float32 // gradient of the same layout, as the last backward pass left it

	act    Activation
	layers [3]layer
	ws     []simd.Workspace // one a goroutine

	// What a forward pass leaves for the backward pass. Rows 0..n−1 of each are the values; after ForwardTangent rows
	// n..2n−1 are the tangents (the same directions pushed through the layer).
	n       int
	tangent bool
	without bool              // the tangents of the output were left out
	in      blas32.General    // the input
	hid     [2]blas32.General // outputs of the hidden layers
	back    [2]blas32.General // gradients with respect to hid
}

// layer is one affine map: views into Params and Grad.
type layer struct {
	at    int            // where they begin
	w, gw blas32.General // fan-in × fan-out
	b, gb []float32      // fan-out
}

// New returns a network for points of dimension d with two hidden layers of h units and all weights zero.
func New(d, h int, act Activation) *Net {
	dims := [4]int{d, h, h, d}
	size := 0
	for l := range 3 {
		size += dims[l]*dims[l+1] + dims[l+1]
	}
	net := &Net{Params: simd.Zeros(size), Grad: simd.Zeros(size), act: act, ws: make([]simd.Workspace, 1)}
	at := 0
	for l := range net.layers {
		in, out := dims[l], dims[l+1]
		mid, end := at+in*out, at+in*out+out
		net.layers[l] = layer{
			at: at,
			w:  view(net.Params[at:mid], in, out), gw: view(net.Grad[at:mid], in, out),
			b: net.Params[mid:end], gb: net.Grad[mid:end],
		}
		at = end
	}
	return net
}

// SetThreads splits the passes of large batches over as many goroutines (1: none). The bits are the same.
func (net *Net) SetThreads(n int) { net.ws = make([]simd.Workspace, max(n, 1)) }

// splitUnits is what the ranges of units are a multiple of: the columns that a product does at once.
const splitUnits = 48

// split calls f for ranges of a layer's units. A range of weights then stays with one core, whose cache holds it: what
// cores exchange are activations, which are fewer.
func (net *Net) split(units int, f func(ws *simd.Workspace, lo, hi int)) {
	simd.Split(len(net.ws), units, splitUnits, func(part, lo, hi int) { f(&net.ws[part], lo, hi) })
}

// splits reports whether passes over the present batch are split.
func (net *Net) splits() bool {
	d, h := net.Dim(), net.layers[0].w.Cols
	return len(net.ws) > 1 && net.rows()*h*(2*d+h) >= simd.SplitWork
}

// Dim returns d.
func (net *Net) Dim() int { return net.layers[0].w.Rows }

// Init draws every weight and bias of a layer from U(−1/√fan-in, 1/√fan-in), PyTorch's default for an affine layer.
func (net *Net) Init(r *rng.Stream) {
	for _, l := range net.layers {
		bound := 1 / math.Sqrt(float64(l.w.Rows))
		for _, s := range [][]float32{l.w.Data, l.b} {
			for i := range s {
				s[i] = float32((2*r.Float64() - 1) * bound)
			}
		}
	}
}

// Forward sets dst = f(x). dst and x are n×d; x must stay unchanged until the backward pass.
func (net *Net) Forward(dst, x blas32.General) {
	net.check(x, dst)
	net.prepare(x.Rows, false)
	net.in = x
	net.forward(dst)
}

// ForwardTangent is Forward for points and directions at once: x (2n×d) has n points x_i and below them a direction e_i
// for each, and dst (2n×d) gets f(x_i) and below them the Jacobian-vector products J_f(x_i)·e_i. Where dst has only n
// rows, the last are left out, which saves n·d·H multiply-adds: DescendTangent needs them not, and returns their sum
// with its gradient.
func (net *Net) ForwardTangent(dst, x blas32.General) {
	net.check(x)
	net.check(dst)
	if x.Rows%2 != 0 || dst.Rows != x.Rows && dst.Rows != x.Rows/2 {
		panic(badShape)
	}
	net.prepare(x.Rows/2, true)
	net.without = dst.Rows < x.Rows
	net.in = x
	net.forward(dst)
}

// forward runs the layers on net.in. The last one runs for as many rows as dst has.
func (net *Net) forward(dst blas32.General) {
	x := net.in
	for l := range net.layers {
		y := dst
		if l < 2 {
			y = net.hid[l]
		}
		net.forwardLayer(l, x, y)
		x = y
	}
}

func (net *Net) forwardLayer(l int, x, y blas32.General) {
	out := net.layers[l].w.Cols
	if net.splits() {
		net.split(out, func(ws *simd.Workspace, lo, hi int) { net.forwardUnits(ws, l, x, y, lo, hi) })
		return
	}
	net.forwardUnits(&net.ws[0], l, x, y, 0, out)
}

// forwardUnits sets units lo…hi−1 of layer l, values and tangents at once: a tangent goes through the same matrix but
// meets no bias, and is scaled by the activation's derivative.
func (net *Net) forwardUnits(ws *simd.Workspace, l int, x, y blas32.General, lo, hi int) {
	lay, n, ld := net.layers[l], net.n, y.Stride
	ws.GemmNN(y.Rows, hi-lo, lay.w.Rows, x.Data, x.Stride, lay.w.Data[lo:], lay.w.Stride, y.Data[lo:], ld, false)
	val, b := y.Data[lo:], lay.b[lo:hi]
	switch {
	case l == 2:
		simd.AddBias(val, ld, n, hi-lo, b)
	case net.act == Tanh && net.tangent:
		simd.BiasTanhTangent(val, y.Data[n*ld+lo:], ld, n, hi-lo, b)
	case net.act == Tanh:
		simd.BiasTanh(val, ld, n, hi-lo, b)
	default:
		simd.BiasLeakyReLU(val, ld, n, hi-lo, b, leakySlope)
		if net.tangent {
			strips(n, ld, lo, hi, func(from, to int) {
				tan := y.Data[n*ld+from : n*ld+to]
				simd.LeakyReLUGrad(tan, tan, y.Data[from:to], leakySlope)
			})
		}
	}
}

// strips calls f for what columns lo…hi−1 are in the data of an n×ld matrix: one piece a row, or all at once.
func strips(n, ld, lo, hi int, f func(from, to int)) {
	if hi-lo == ld {
		f(0, n*ld)
		return
	}
	for i := range n {
		f(i*ld+lo, i*ld+hi)
	}
}

func (net *Net) rows() int {
	if net.tangent {
		return 2 * net.n
	}
	return net.n
}

// prepare makes room for n points; it allocates only when a batch is larger than all before.
func (net *Net) prepare(n int, tangent bool) {
	net.n, net.tangent = n, tangent
	h := net.layers[0].w.Cols
	if need := net.rows() * h; cap(net.hid[0].Data) < need {
		for i := range net.hid {
			net.hid[i].Data, net.back[i].Data = simd.Zeros(need), simd.Zeros(need)
		}
	}
	for i := range net.hid {
		net.hid[i] = view(net.hid[i].Data, net.rows(), h)
		net.back[i] = view(net.back[i].Data, net.rows(), h)
	}
}

func (net *Net) check(bs ...blas32.General) {
	for _, b := range bs {
		if b.Rows != bs[0].Rows || b.Cols != net.Dim() || b.Stride != b.Cols {
			panic(badShape)
		}
	}
}

func view(data []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data[:rows*cols]}
}
