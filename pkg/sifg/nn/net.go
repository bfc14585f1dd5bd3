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
	badOrder = "nn: Backward needs a Forward, BackwardTangent a ForwardTangent, on the same batch before it"
)

// Net is the score network f_γ: R^d → R^d of three affine layers, d → H → H → d, with the activation after the first two.
// Its weights γ are one slice, its layers views of it, so that an optimiser sees flat memory.
//
// Letters: n points a batch, d dimensions, H hidden units. A layer stores its weights as a (fan-in × fan-out) matrix W
// followed by its bias b, and computes y = xW + b.
type Net struct {
	Params []float32 // weights γ: W1 (d×H), b1, W2 (H×H), b2, W3 (H×d), b3; row-major
	Grad   []float32 // gradient of the same layout, as the last backward pass left it

	act    Activation
	layers [3]layer
	ws     simd.Workspace

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
	net := &Net{Params: simd.Zeros[float32](size), Grad: simd.Zeros[float32](size), act: act}
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

// SetThreads splits the rows of large matrix products over as many goroutines (1: none). The bits are the same.
func (net *Net) SetThreads(n int) { net.ws.Threads = n }

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

// ForwardTangent is Forward for points and directions at once: x (2n×d) has n points x_i and below them a direction e_i for
// each, and dst (2n×d) gets f(x_i) and below them the Jacobian-vector products J_f(x_i)·e_i. Where dst has only n rows, the
// last are left out, which saves n·d·H multiply-adds: BackwardTangent needs them not, and returns their sum with its gradient.
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

// forward runs the layers on net.in, values and tangents at once: a tangent goes through the same matrix but meets no
// bias, and is scaled by the activation's derivative. The last layer runs for as many rows as dst has.
func (net *Net) forward(dst blas32.General) {
	rows := net.rows()
	x := net.in
	for l, lay := range net.layers {
		y := dst
		if l < 2 {
			y = net.hid[l]
		} else {
			rows = dst.Rows
		}
		out := lay.w.Cols
		net.ws.GemmNN(rows, out, lay.w.Rows, x.Data, x.Stride, lay.w.Data, lay.w.Stride, y.Data, y.Stride, false)
		switch {
		case l == 2:
			simd.AddBias(y.Data, y.Stride, net.n, out, lay.b)
		case net.act == Tanh:
			simd.BiasTanh(y.Data, y.Stride, net.n, out, lay.b)
		default:
			simd.BiasLeakyReLU(y.Data, y.Stride, net.n, out, lay.b, leakySlope)
		}
		if l < 2 && net.tangent {
			val, tan := y.Data[:net.n*out], y.Data[net.n*out:rows*out]
			if net.act == Tanh {
				simd.TanhGrad(tan, tan, val)
			} else {
				simd.LeakyReLUGrad(tan, tan, val, leakySlope)
			}
		}
		x = y
	}
}

// Backward sets Grad to the gradient of a loss whose derivative with respect to the last forward pass's f(x) is g (n×d).
func (net *Net) Backward(g blas32.General) {
	net.Descend(g, nil)
}

// Descend is Backward and then a step of o on the parameters. The step is made layer by layer, where gradient and weights
// are still at hand; the bits are the same. A nil o makes none.
func (net *Net) Descend(g blas32.General, o Optimizer) {
	net.check(g)
	if g.Rows != net.n {
		panic(badOrder)
	}
	net.backward(g, o)
}

// BackwardTangent sets Grad to the gradient of a loss of both f(x) and J_f(x)·e: g (2n×d) has the derivatives with respect
// to f(x) and, below them, those with respect to J_f(x)·e, both of the last ForwardTangent. It goes through the tangent
// pass, so it is second order in f. Where J_f(x)·e was left out, it returns Σ_i ⟨g_(n+i), J_f(x_i)·e_i⟩, otherwise 0.
func (net *Net) BackwardTangent(g blas32.General) float64 { return net.DescendTangent(g, nil) }

// DescendTangent is BackwardTangent and then a step of o, as Descend makes it.
func (net *Net) DescendTangent(g blas32.General, o Optimizer) float64 {
	net.check(g)
	if g.Rows != 2*net.n || !net.tangent {
		panic(badOrder)
	}
	return net.backward(g, o)
}

// backward pushes g, of n rows (values) or 2n (values, then tangents), back through the layers. Both kinds of rows share
// the affine maps; at an activation y = φ(a), ẏ = φ'(a)ȧ the values' gradient also gets φ″(a)·ȧ times the tangents'. It
// returns Σ ⟨gt, ẏW⟩ of the last layer, as Σ ⟨gtWᵀ, ẏ⟩, where its tangents were left out.
//
// The gradient for a layer's input comes before that for its weights: the weights are then still in the cache from the layer
// above or the forward pass, and the step of o, which changes them, can follow at once.
func (net *Net) backward(g blas32.General, o Optimizer) (along float64) {
	rows := g.Rows
	if o != nil {
		o.Begin(len(net.Params))
	}
	for l := 2; l >= 0; l-- {
		lay := net.layers[l]
		in, out := lay.w.Rows, lay.w.Cols
		x, gx := net.in, blas32.General{}
		if l > 0 {
			x, gx = net.hid[l-1], net.back[l-1]
			net.ws.GemmNT(rows, in, out, g.Data, g.Stride, lay.w.Data, lay.w.Stride, gx.Data, gx.Stride, false)
			if l == 2 && rows > net.n && net.without {
				along = dot(gx.Data[net.n*in:2*net.n*in], x.Data[net.n*in:2*net.n*in])
			}
		}
		net.ws.GemmTN(in, out, rows, x.Data, x.Stride, g.Data, g.Stride, lay.gw.Data, lay.gw.Stride, false)
		clear(lay.gb)
		simd.ColSums(lay.gb, g.Data, g.Stride, net.n, out)
		if o != nil {
			end := lay.at + (in+1)*out
			o.Update(net.Params[lay.at:end], net.Grad[lay.at:end], lay.at)
		}
		if l > 0 {
			net.activationGrad(x, gx, rows)
		}
		g = gx
	}
	return along
}

// activationGrad pulls the gradient gx for the output x of a hidden layer back through the activation, in place.
func (net *Net) activationGrad(x, gx blas32.General, rows int) {
	m := net.n * x.Cols
	val, gval := x.Data[:m], gx.Data[:m]
	switch {
	case net.act == LeakyReLU && rows == net.n:
		simd.LeakyReLUGrad(gval, gval, val, leakySlope)
	case net.act == LeakyReLU: // φ″ = 0
		simd.LeakyReLUGrad(gval, gval, val, leakySlope)
		simd.LeakyReLUGrad(gx.Data[m:2*m], gx.Data[m:2*m], val, leakySlope)
	case rows == net.n:
		simd.TanhGrad(gval, gval, val)
	default:
		simd.TanhTangentGrad(gval, gx.Data[m:2*m], val, x.Data[m:2*m])
	}
}

// dot returns Σ a_i·b_i, in four interleaved sums.
func dot(a, b []float32) float64 {
	var s [4]float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s[0] += float64(a[0]) * float64(b[0])
		s[1] += float64(a[1]) * float64(b[1])
		s[2] += float64(a[2]) * float64(b[2])
		s[3] += float64(a[3]) * float64(b[3])
	}
	for i, v := range a {
		s[i] += float64(v) * float64(b[i])
	}
	return s[0] + s[1] + (s[2] + s[3])
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
			net.hid[i].Data, net.back[i].Data = simd.Zeros[float32](need), simd.Zeros[float32](need)
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
