// Package metric judges clouds of points in float64: divergences, discrepancies, coverage, moments.
//
// Inputs are Points, converted once from the samplers' float32 batches; len(Data) must be N·D. KNNKL and ExactKL answer
// a wrong shape, a NaN or an infinity with an error that names it. The other functions panic on a wrong shape and are
// plain sums, through which a NaN passes; Amari panics if the reference cannot be factorised.
package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// Points is an n×d matrix of n points in R^d, row-major without gaps: point i is Data[i·D : (i+1)·D].
type Points struct {
	N, D int
	Data []float64
}

// NewPoints returns n points at the origin of R^d.
func NewPoints(n, d int) Points { return Points{N: n, D: d, Data: make([]float64, n*d)} }

// FromBatch returns the rows of b in float64.
func FromBatch(b blas32.General) Points {
	p := NewPoints(b.Rows, b.Cols)
	for i := range b.Rows {
		r := p.Row(i)
		for c, v := range b.Data[i*b.Stride : i*b.Stride+b.Cols] {
			r[c] = float64(v)
		}
	}
	return p
}

// Batch returns the points in float32, the reverse of FromBatch.
func (p Points) Batch() blas32.General {
	b := blas32.General{Rows: p.N, Cols: p.D, Stride: p.D, Data: make([]float32, len(p.Data))}
	for i, v := range p.Data {
		b.Data[i] = float32(v)
	}
	return b
}

// Row returns point i; it shares memory with p.
func (p Points) Row(i int) []float64 { return p.Data[i*p.D : (i+1)*p.D : (i+1)*p.D] }

// Column returns a copy of coordinate c of all points.
func (p Points) Column(c int) []float64 {
	out := make([]float64, p.N)
	for i := range out {
		out[i] = p.Data[i*p.D+c]
	}
	return out
}

// Standard returns the points less a mean, in units of standard deviations; both have a value a coordinate.
func (p Points) Standard(mean, sd []float64) Points {
	out := NewPoints(p.N, p.D)
	for i, v := range p.Data {
		out.Data[i] = (v - mean[i%p.D]) / sd[i%p.D]
	}
	return out
}

// Finite reports whether no coordinate is NaN or infinite.
func (p Points) Finite() bool {
	return !slices.ContainsFunc(p.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

const badShape = "metric: points must have the same dimension, at least 1, and there must be enough of them"

func require(ok bool) {
	if !ok {
		panic(badShape)
	}
}
