package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
)

// tol is the agreement asked of float32 against float64 golden vectors, relative to the largest magnitude of an array.
const tol = 2e-4

// goldenNet loads a case's weights, whose layers are x·Wᵀ + b: a Net stores W transposed.
func goldenNet(t *testing.T, name string, act Activation) *Net {
	_, shape := golden.Read(t, name, "W1")
	h, d := shape[0], shape[1]
	net := New(d, h, act)
	for l, lay := range net.layers {
		w, s := golden.Read(t, name, fmt.Sprintf("W%d", l+1))
		b, _ := golden.Read(t, name, fmt.Sprintf("b%d", l+1))
		for o := range s[0] {
			lay.b[o] = float32(b[o])
			for i := range s[1] {
				lay.w.Data[i*lay.w.Stride+o] = float32(w[o*s[1]+i])
			}
		}
	}
	return net
}

// compareGradients checks net.Grad against the case's gW1 … gb3.
func compareGradients(t *testing.T, name string, net *Net) {
	t.Helper()
	for l, lay := range net.layers {
		w, s := golden.Read(t, name, fmt.Sprintf("gW%d", l+1))
		b, _ := golden.Read(t, name, fmt.Sprintf("gb%d", l+1))
		got := make([]float32, len(w))
		for o := range s[0] {
			for i := range s[1] {
				got[o*s[1]+i] = lay.gw.Data[i*lay.gw.Stride+o]
			}
		}
		golden.Compare(t, fmt.Sprintf("gW%d", l+1), got, w, tol)
		golden.Compare(t, fmt.Sprintf("gb%d", l+1), lay.gb, b, tol)
	}
}

// TestGoldenDenoising: the denoising loss mean‖f(x) + w/σ‖² and its weight gradients.
func TestGoldenDenoising(t *testing.T) {
	for name, act := range map[string]Activation{"score_net_tanh_dsm": Tanh, "score_net_leaky_dsm": LeakyReLU} {
		t.Run(name, func(t *testing.T) {
			net := goldenNet(t, name, act)
			z, w := golden.Batch(t, name, "z"), golden.Batch(t, name, "noise")
			sigma := golden.Scalar(t, name, "sigma")
			n, d := z.Rows, z.Cols
			x, f, g := batch(n, d), batch(n, d), batch(n, d)
			for i := range x.Data {
				x.Data[i] = z.Data[i] + float32(sigma)*w.Data[i]
			}
			net.Forward(f, x)
			wantF, _ := golden.Read(t, name, "f")
			golden.Compare(t, "f", f.Data, wantF, tol)
			var loss float64
			for i, v := range f.Data {
				r := float64(v) + float64(w.Data[i])/sigma
				loss += r * r / float64(n)
				g.Data[i] = float32(2 * r / float64(n))
			}
			golden.Compare(t, "loss", []float32{float32(loss)}, []float64{golden.Scalar(t, name, "loss")}, tol)
			net.Descend(g, nil)
			compareGradients(t, name, net)
		})
	}
}

// TestGoldenStein: the Stein loss [−Σ⟨s,f⟩ − Σ eᵀJe + Σ|f|ᵖ/p]/n; its gradients go through the divergence.
func TestGoldenStein(t *testing.T) {
	for name, act := range map[string]Activation{"score_net_tanh_gwg": Tanh, "score_net_leaky_gwg": LeakyReLU} {
		t.Run(name, func(t *testing.T) {
			net := goldenNet(t, name, act)
			z, e, s := golden.Batch(t, name, "z"), golden.Batch(t, name, "probe"), golden.Batch(t, name, "target_score")
			p := golden.Scalar(t, name, "p")
			n, d := z.Rows, z.Cols
			out, gout := batch(2*n, d), batch(2*n, d)
			f, je := halves(out)
			g, gt := halves(gout)
			net.ForwardTangent(out, below(z, e))
			wantF, _ := golden.Read(t, name, "f")
			golden.Compare(t, "f", f.Data, wantF, tol)
			div := make([]float32, n)
			var loss float64
			for i, v := range f.Data {
				div[i/d] += e.Data[i] * je.Data[i]
				a := math.Abs(float64(v))
				loss += (math.Pow(a,
					p)/p - float64(s.Data[i])*float64(v) - float64(e.Data[i])*float64(je.Data[i])) / float64(n)
				g.Data[i] = (float32(math.Copysign(math.Pow(a, p-1), float64(v))) - s.Data[i]) / float32(n)
				gt.Data[i] = -e.Data[i] / float32(n)
			}
			wantDiv, _ := golden.Read(t, name, "divergence")
			golden.Compare(t, "divergence", div, wantDiv, tol)
			golden.Compare(t, "loss", []float32{float32(loss)}, []float64{golden.Scalar(t, name, "loss")}, tol)
			net.DescendTangent(gout, nil, true)
			compareGradients(t, name, net)
		})
	}
}
