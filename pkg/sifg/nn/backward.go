package nn

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Descend sets Grad to the gradient of a loss whose derivative with respect to the last forward pass's f(x) is g (n×d),
// and makes a step of o on the parameters. The step is made layer by layer, where gradient and weights are still at
// hand; the bits are the same. A nil o makes none.
func (net *Net) Descend(g blas32.General, o Optimizer) {
	net.check(g)
	if g.Rows != net.n {
		panic(badOrder)
	}
	net.backward(g, o, false)
}

// DescendTangent is Descend for a loss of both f(x) and J_f(x)·e: g (2n×d) has the derivatives with respect to f(x)
// and, below them, those with respect to J_f(x)·e, both of the last ForwardTangent. It goes through the tangent pass,
// so it is second order in f. Where J_f(x)·e was left out and the sum is wanted, it returns
// Σ_i ⟨g_(n+i), J_f(x_i)·e_i⟩, otherwise 0.
func (net *Net) DescendTangent(g blas32.General, o Optimizer, sum bool) float64 {
	net.check(g)
	if g.Rows != 2*net.n || !net.tangent {
		panic(badOrder)
	}
	return net.backward(g, o, sum)
}

// backward pushes g, of n rows (values) or 2n (values, then tangents), back through the layers: first to the hidden
// layers, then to the weights. The step of o changes weights right after their gradient, which is then in the cache. It
// returns Σ ⟨gt, ẏW⟩ of the last layer, as Σ ⟨gtWᵀ, ẏ⟩, where that is wanted and its tangents were left out.
func (net *Net) backward(g blas32.General, o Optimizer, wanted bool) (along float64) {
	if o != nil {
		o.Begin(len(net.Params))
	}
	for l := 2; l > 0; l-- {
		sum := wanted && l == 2 && net.without
		net.inputGrads(l, g, !sum)
		if sum {
			m := net.n * net.back[1].Cols
			along = dot(net.back[1].Data[m:2*m], net.hid[1].Data[m:2*m])
			net.activationGrad(1, true, 0, net.back[1].Cols)
		}
	}
	for l := 2; l >= 0; l-- {
		net.weightGrads(l, g, o)
	}
	return along
}

// output returns the gradient for the output of layer l, given that for the network's.
func (net *Net) output(l int, g blas32.General) blas32.General {
	if l == 2 {
		return g
	}
	return net.back[l]
}

func (net *Net) inputGrads(l int, g blas32.General, activation bool) {
	in := net.layers[l].w.Rows
	if net.splits() {
		net.split(in,
			func(ws *simd.Workspace, lo, hi int) { net.inputGrad(ws, l, net.output(l, g), activation, lo, hi) })
		return
	}
	net.inputGrad(&net.ws[0], l, net.output(l, g), activation, 0, in)
}

func (net *Net) weightGrads(l int, g blas32.General, o Optimizer) {
	in := net.layers[l].w.Rows
	if net.splits() {
		net.split(in, func(ws *simd.Workspace, lo, hi int) { net.weightGrad(ws, l, net.output(l, g), o, lo, hi) })
		return
	}
	net.weightGrad(&net.ws[0], l, net.output(l, g), o, 0, in)
}

// inputGrad sets the gradient for inputs lo…hi−1 of layer l, from that for its output, g; and with activation that
// before the activation which made them.
func (net *Net) inputGrad(ws *simd.Workspace, l int, g blas32.General, activation bool, lo, hi int) {
	w, gx := net.layers[l].w, net.back[l-1]
	if activation && net.act == Tanh && g.Rows == net.n {
		ws.GemmNTSlope(g.Rows, hi-lo, w.Cols, g.Data, g.Stride, w.Data[lo*w.Stride:], w.Stride, gx.Data[lo:], gx.Stride,
			net.hid[l-1].Data[lo:])
		return
	}
	ws.GemmNT(g.Rows, hi-lo, w.Cols, g.Data, g.Stride, w.Data[lo*w.Stride:], w.Stride, gx.Data[lo:], gx.Stride, false)
	if activation {
		net.activationGrad(l-1, g.Rows > net.n, lo, hi)
	}
}

// activationGrad pulls the gradient for units lo…hi−1 of the output y = φ(a) of hidden layer l back through the
// activation, in place. Where there are tangents, ẏ = φ'(a)ȧ, the values' gradient also gets φ″(a)·ȧ times the
// tangents'.
func (net *Net) activationGrad(l int, tangent bool, lo, hi int) {
	x, g := net.hid[l].Data, net.back[l].Data
	ld := net.hid[l].Stride
	m := net.n * ld
	strips(net.n, ld, lo, hi, func(from, to int) {
		val, gval := x[from:to], g[from:to]
		switch {
		case net.act == LeakyReLU: // φ″ = 0
			simd.LeakyReLUGrad(gval, gval, val, leakySlope)
			if tangent {
				simd.LeakyReLUGrad(g[m+from:m+to], g[m+from:m+to], val, leakySlope)
			}
		case tangent:
			simd.TanhTangentGrad(gval, g[m+from:m+to], val, x[m+from:m+to])
		default:
			simd.TanhGrad(gval, gval, val)
		}
	})
}

// weightGrad sets the gradient for rows lo…hi−1 of the weights of layer l, from that for its output, g, and makes the
// step of o on them; the bias belongs to the last row.
func (net *Net) weightGrad(ws *simd.Workspace, l int, g blas32.General, o Optimizer, lo, hi int) {
	lay, x := net.layers[l], net.in
	if l > 0 {
		x = net.hid[l-1]
	}
	in, out := lay.w.Rows, lay.w.Cols
	from, to := lay.at+lo*out, lay.at+hi*out
	if hi == in && g.Rows == net.n {
		ws.GemmTNSums(hi-lo, out, g.Rows, x.Data[lo:], x.Stride, g.Data, g.Stride, lay.gw.Data[lo*out:], out, lay.gb)
		to += out
	} else {
		ws.GemmTN(hi-lo, out, g.Rows, x.Data[lo:], x.Stride, g.Data, g.Stride, lay.gw.Data[lo*out:], out, false)
	}
	if hi == in && g.Rows > net.n {
		clear(lay.gb)
		simd.ColSums(lay.gb, g.Data, g.Stride, net.n, out)
		to += out
	}
	if o != nil {
		o.Update(net.Params[from:to], net.Grad[from:to], from)
	}
}

// dot returns Σ a_i·b_i, in four interleaved sums.
func dot(a, b []float32) float64 {
	var s [4]float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s[0] += float64(float64(a[0]) * float64(b[0]))
		s[1] += float64(float64(a[1]) * float64(b[1]))
		s[2] += float64(float64(a[2]) * float64(b[2]))
		s[3] += float64(float64(a[3]) * float64(b[3]))
	}
	for i, v := range a {
		s[i] += float64(float64(v) * float64(b[i]))
	}
	return s[0] + s[1] + (s[2] + s[3])
}
