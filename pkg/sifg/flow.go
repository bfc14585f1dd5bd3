package sifg

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Batch is an n×d matrix of n points in R^d: row-major, Stride == Cols, row i is point i.
type Batch = blas32.General

// NewBatch returns a zero n×d batch.
func NewBatch(n, d int) Batch {
	return Batch{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
}

// Target is an unnormalised log density on R^d. It must be immutable and safe for concurrent use.
type Target interface {
	// Dim returns d ≥ 1.
	Dim() int
	// Score sets dst[i] = ∇log π(x[i]) for every row. dst and x are n×d and do not alias. iter is the outer iteration and
	// selects the mini-batch of a target that has them; others ignore it.
	Score(dst, x Batch, iter int)
}

// Cloud is all that changes in a run, except what a Field has learned.
type Cloud struct {
	Z, W, X Batch   // particles; this iteration's N(0, I) draws; perturbed particles X = Z + Sigma·W (all n×d)
	S, V    Batch   // S = ∇log π(X); V = velocity, the direction in which Z moves (both n×d)
	Sigma   float32 // smoothing σ; 0 when the flow is not smoothed, and then X is Z
	Iter    int     // outer iterations done

	target Target
	noise  *rng.Stream
}
