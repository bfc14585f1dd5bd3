package target

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

const (
	badPredict = "target: Predict: particles must be n×Dim, x m×d and dst n×m"
	badInit    = "target: InitParticles: dst must be n×Dim with Stride ≥ Cols"
)

// predictRows is how many rows Predict takes at a time.
const predictRows = 128

// Predict sets dst[i, t] = ŷ of particle i at row t of x, in standardised units. particles is n×Dim, x is m×d and
// standardised as the training data, dst is n×m.
func (t *BNN) Predict(dst, particles, x blas32.General) {
	if particles.Cols != t.Dim() || particles.Stride < t.Dim() || x.Cols != t.d || x.Stride < t.d ||
		dst.Rows != particles.Rows || dst.Cols != x.Rows || dst.Stride < dst.Cols {
		panic(badPredict)
	}
	s := t.scratch.get()
	defer t.scratch.put(s)
	H, c, ld := t.o.Hidden, t.d+1, t.ld()
	for first := 0; first < x.Rows; first += predictRows {
		m := min(predictRows, x.Rows-first)
		for k := range m {
			copy(s.x[k*c:], row(x, first+k))
			s.x[k*c+t.d] = 1
		}
		for i := range particles.Rows {
			net := t.network(row(particles, i))
			s.ws.GemmNN(m, H, c, s.x, c, net.in, H, s.a, ld, false)
			clear(s.rest[:m])
			simd.ReLUHead(s.a, ld, m, H, net.out, net.rest[0], s.rest[:m], s.rest[:m])
			for k, r := range s.rest[:m] {
				dst.Data[i*dst.Stride+first+k] = -r
			}
		}
	}
}

// InitParticles draws particles as the released scripts do: W1 ~ N(0, 1/(d+1)), W2 ~ N(0, 1/(H+1)), biases 0; γ is the
// precision of the particle's residuals on up to 1000 training rows drawn for it without replacement; λ is one draw for
// all particles, of mean a·b, 0.1 with DefaultBNN. (The prior's mean is a/b = 10: the scripts take the rate b for a
// scale.)
func (t *BNN) InitParticles(dst blas32.General, r *rng.Stream) {
	if dst.Cols != t.Dim() || dst.Stride < t.Dim() {
		panic(badInit)
	}
	lambda := distuv.Gamma{Alpha: t.o.Shape, Beta: 1 / t.o.Rate, Src: r}.Rand()
	m := min(t.n, 1000)
	order, pick := make([]int, t.n), r.Rand()
	for i := range order {
		order[i] = i
	}
	x := blas32.General{Rows: m, Cols: t.d, Stride: t.d, Data: make([]float32, m*t.d)}
	yHat := blas32.General{Rows: 1, Cols: m, Stride: m, Data: make([]float32, m)}
	for i := range dst.Rows {
		theta := row(dst, i)
		net := t.network(theta)
		clear(theta)
		for k := range net.in[:t.d*t.o.Hidden] {
			net.in[k] = float32(r.NormFloat64() / math.Sqrt(float64(t.d+1)))
		}
		for j := range net.out {
			net.out[j] = float32(r.NormFloat64() / math.Sqrt(float64(t.o.Hidden+1)))
		}
		for k := range m {
			j := k + pick.IntN(t.n-k)
			order[k], order[j] = order[j], order[k]
			copy(row(x, k), t.x[order[k]*(t.d+1):][:t.d])
		}
		particle := dst
		particle.Rows, particle.Data = 1, dst.Data[i*dst.Stride:]
		t.Predict(yHat, particle, x)
		var squares float64
		for k, v := range yHat.Data {
			u := float64(v) - float64(t.y[order[k]])
			squares += float64(u * u)
		}
		net.rest[1] = float32(-math.Log(squares / float64(m)))
		net.rest[2] = float32(math.Log(lambda))
	}
}
