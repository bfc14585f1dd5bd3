package megica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// scalings are the values of options.scaling: the data as they are (the released scripts), or centred and multiplied by the inverse
// square root of the covariance matrix, so that all channels have variance 1 and no two are correlated. Of all whitening matrices
// that one is symmetric, hence unique.
var scalings = []string{"raw", "whitened"}

// channels returns a copy of the first p channels of the data, a row a channel.
func channels(d *dataset.Data, p int) (*mat.Dense, error) {
	switch {
	case p > d.Rows:
		return nil, usage.Errorf("options.channels: %d are asked for, data set %s has %d", p, d.Name, d.Rows)
	case d.Cols < d.Rows:
		return nil, usage.Errorf("data set %s has %d channels of %d samples, fewer than channels: a row must be a channel, a "+
			"column a sample", d.Name, d.Rows, d.Cols)
	}
	return mat.NewDense(p, d.Cols, slices.Clone(d.X[:p*d.Cols])), nil
}

// scale returns the channels (p×n), scaled. It changes w.
func scale(w *mat.Dense, scaling string) (blas32.General, error) {
	p, n := w.Dims()
	if scaling == "whitened" {
		for a := range p {
			row := w.RawRowView(a)
			var mean float64
			for _, v := range row {
				mean += v
			}
			mean /= float64(n)
			for t := range row {
				row[t] -= mean
			}
		}
		k, err := inverseRoot(w)
		if err != nil {
			return blas32.General{}, err
		}
		var white mat.Dense
		white.Mul(k, w)
		w = &white
	}
	out := blas32.General{Rows: p, Cols: n, Stride: n, Data: make([]float32, p*n)}
	for a := range p {
		for t, v := range w.RawRowView(a) {
			out.Data[a*n+t] = float32(v)
		}
	}
	return out, nil
}

// inverseRoot returns C^(−1/2) for the covariance C (divisor n) of centred rows.
func inverseRoot(w *mat.Dense) (*mat.Dense, error) {
	p, n := w.Dims()
	var c mat.Dense
	c.Mul(w, w.T())
	cov := mat.NewSymDense(p, nil)
	for a := range p {
		for b := a; b < p; b++ {
			cov.SetSym(a, b, c.At(a, b)/float64(n))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("the covariance of the data has no eigenvalues that can be found")
	}
	values := eigen.Values(nil) // ascending
	if !(values[0] > 1e-12*values[p-1]) {
		return nil, fmt.Errorf("the first %d channels of the data depend on each other (eigenvalues %.3g … %.3g of their "+
			"covariance): they cannot be whitened", p, values[0], values[p-1])
	}
	var v, scaled, root mat.Dense
	eigen.VectorsTo(&v)
	scaled.CloneFrom(&v)
	for b, l := range values {
		for a := range p {
			scaled.Set(a, b, v.At(a, b)/math.Sqrt(l))
		}
	}
	root.Mul(&scaled, v.T())
	return &root, nil
}
