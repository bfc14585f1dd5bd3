// Package target holds densities with known truth: log density, score and exact sampler; and two posteriors given data,
// BNN and ICA, which have a score and a log density up to a constant only, and so are no Density.
//
// One density a file; Table lists those with known truth under the names by which programs ask for them. All are
// immutable and safe for concurrent use, and its Score allocates nothing. Points are rows of row-major float32 batches
// (blas32.General) with Stride ≥ Cols; log densities and everything inside a sampler are float64.
package target

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Density is a density on R^d that knows the truth about itself. It satisfies the sampler library's Target.
type Density interface {
	// Dim returns d ≥ 1.
	Dim() int
	// Score sets dst[i] = ∇log π(x[i]) for every row. dst and x are n×d and do not alias; it panics on other shapes.
	// iter is for targets with mini-batches; the densities of this package ignore it.
	Score(dst, x blas32.General, iter int)
	// LogDensity returns log π(x), normalised unless the density's own comment says otherwise. len(x) must be d.
	LogDensity(x []float64) float64
	// Sample fills the rows of dst (n×d) with independent exact draws. What is drawn does not depend on dst.Stride.
	Sample(dst blas32.General, r *rng.Stream)
}

const (
	badScore  = "target: Score: dst and x must both be n×Dim with Stride ≥ Cols"
	badPoint  = "target: LogDensity: len(x) must be Dim"
	badSample = "target: Sample: dst must be n×Dim with Stride ≥ Cols"
)

func checkScore(dst, x blas32.General, d int) {
	if dst.Rows != x.Rows || dst.Cols != d || x.Cols != d || dst.Stride < d || x.Stride < d {
		panic(badScore)
	}
}

func checkPoint(d int, xs ...[]float64) {
	for _, x := range xs {
		if len(x) != d {
			panic(badPoint)
		}
	}
}

func checkSample(dst blas32.General, d int) {
	if dst.Cols != d || dst.Stride < d {
		panic(badSample)
	}
}

// finite reports whether a value is a number, and no infinity.
func finite(v float32) bool { return v-v == 0 }

// row returns row i of b.
func row(b blas32.General, i int) []float32 { return b.Data[i*b.Stride : i*b.Stride+b.Cols] }
