package diagnose

import (
	"errors"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Whitened is a target in coordinates u in which it is about as wide in every direction, z = m + L·u: the
// preconditioner P = LLᵀ of every flow, for particles, noise, kernels and network alike. A flow runs on it as on any
// target; Init maps the start, ToTarget the sample:
//
//	w, err := diagnose.Whiten(target, mean, cov)
//	cloud, err := sifg.Run(ctx, flow, w, sifg.Options{Init: w.Init(init), …})
//	w.ToTarget(sample, cloud.X)
type Whitened struct {
	target sifg.Target
	center []float32  // m (d)
	scale  []float32  // diagonal of L (d)
	inv    sifg.Batch // L⁻¹ (d×d); empty where L is diagonal
	l      sifg.Batch // L (d×d), lower triangular; empty where it is diagonal
	spare  sync.Pool  // of *whitenScratch
}

type whitenScratch struct {
	z, s []float32
	ws   simd.Workspace
}

var _ sifg.Target = (*Whitened)(nil)

// Whiten returns target in coordinates in which a law of this mean and covariance, such as metric.Mean and
// metric.Covariance of a pilot run's particles, is N(0, I). A diagonal cov (*mat.DiagDense) costs O(d) a particle and
// score, another one O(d²). It returns an error when a shape is wrong or cov is not positive definite.
func Whiten(target sifg.Target, mean []float64, cov mat.Symmetric) (*Whitened, error) {
	if target == nil || cov == nil {
		return nil, errors.New("diagnose: Whiten: a target and a covariance are needed, not nil")
	}
	d := target.Dim()
	if len(mean) != d || cov.SymmetricDim() != d {
		return nil, fmt.Errorf("diagnose: Whiten: mean of %d, covariance of %d and target of %d dimensions", len(mean),
			cov.SymmetricDim(), d)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return nil, errors.New("diagnose: Whiten: the covariance is not positive definite")
	}
	var l, inv mat.TriDense
	chol.LTo(&l)
	if err := inv.InverseTri(&l); err != nil {
		return nil, fmt.Errorf("diagnose: Whiten: %w", err)
	}
	w := &Whitened{target: target, center: make([]float32, d), scale: make([]float32, d)}
	w.spare.New = func() any { return new(whitenScratch) }
	for i, m := range mean {
		w.center[i], w.scale[i] = float32(m), float32(l.At(i, i))
		for _, v := range []float32{w.center[i], w.scale[i], 1 / w.scale[i]} {
			if v-v != 0 {
				return nil, fmt.Errorf("diagnose: Whiten: coordinate %d has mean %g and variance %g: the mean and "+
					"the width must be finite in float32, the width above 0", i, m, cov.At(i, i))
			}
		}
	}
	if _, diagonal := cov.(*mat.DiagDense); !diagonal {
		w.l, w.inv = sifg.NewBatch(d, d), sifg.NewBatch(d, d)
		for i := range d {
			for j := range i + 1 {
				w.l.Data[i*d+j], w.inv.Data[i*d+j] = float32(l.At(i, j)), float32(inv.At(i, j))
			}
		}
	}
	return w, nil
}

// Dim implements Target.
func (w *Whitened) Dim() int { return len(w.center) }

// Score implements Target: ∇_u log π(m + Lu) = Lᵀ·∇ log π(z).
func (w *Whitened) Score(dst, u sifg.Batch, iter int) {
	k := w.spare.Get().(*whitenScratch)
	defer w.spare.Put(k)
	if len(k.z) < len(u.Data) {
		k.z, k.s = make([]float32, len(u.Data)), make([]float32, len(u.Data))
	}
	z, s := u, u
	z.Data, s.Data = k.z[:len(u.Data)], k.s[:len(u.Data)]
	w.toTarget(k, z, u)
	w.target.Score(s, z, iter)
	if d := u.Cols; w.l.Data != nil {
		k.ws.GemmNN(u.Rows, d, d, s.Data, d, w.l.Data, d, dst.Data, d, false)
		return
	}
	for i, v := range s.Data {
		dst.Data[i] = v * w.scale[i%u.Cols]
	}
}

// ToTarget sets z = m + L·u for every row; both are n×d and do not alias.
func (w *Whitened) ToTarget(z, u sifg.Batch) {
	k := w.spare.Get().(*whitenScratch)
	defer w.spare.Put(k)
	w.toTarget(k, z, u)
}

func (w *Whitened) toTarget(k *whitenScratch, z, u sifg.Batch) {
	d := u.Cols
	if w.l.Data != nil {
		k.ws.GemmNT(u.Rows, d, d, u.Data, d, w.l.Data, d, z.Data, d, false)
		for i := range z.Data {
			z.Data[i] += w.center[i%d]
		}
		return
	}
	for i, v := range u.Data {
		z.Data[i] = w.center[i%d] + float32(w.scale[i%d]*v)
	}
}

// Init returns an Options.Init that draws the particles z as init does (nil: N(0, I) in the coordinates u) and maps
// them.
func (w *Whitened) Init(init func(dst sifg.Batch, r *rng.Stream)) func(dst sifg.Batch, r *rng.Stream) {
	if init == nil {
		return nil
	}
	return func(dst sifg.Batch, r *rng.Stream) {
		init(dst, r)
		d := dst.Cols
		for i := range dst.Data {
			dst.Data[i] -= w.center[i%d]
		}
		if w.l.Data == nil {
			for i := range dst.Data {
				dst.Data[i] /= w.scale[i%d]
			}
			return
		}
		z := append([]float32(nil), dst.Data...)
		new(simd.Workspace).GemmNT(dst.Rows, d, d, z, d, w.inv.Data, d, dst.Data, d, false)
	}
}
