package sifg

import (
	"fmt"
	"io"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// WriteNPY writes b as an n×d NPY file (version 1.0) of little-endian float32, which NumPy and others read.
func WriteNPY(w io.Writer, b Batch) error {
	var values []float32
	for i := range b.Rows {
		values = append(values, b.Data[i*b.Stride:i*b.Stride+b.Cols]...)
	}
	_, err := w.Write(npy.Encode([]int{b.Rows, b.Cols}, values))
	return err
}

// ReadNPY reads an n×d NPY file of little-endian float32 or float64, rows first, as WriteNPY and numpy.save write it;
// float64 is rounded. It reads to the end. A file of another kind, cut short or too long is an error, as are fewer than
// one row or column.
func ReadNPY(r io.Reader) (Batch, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return Batch{}, fmt.Errorf("sifg: the NPY file: %w", err)
	}
	shape, data, err := npy.Decode[float32](file)
	if err != nil {
		return Batch{}, fmt.Errorf("sifg: %w", err)
	}
	if len(shape) != 2 || len(data) == 0 {
		return Batch{}, fmt.Errorf("sifg: the NPY file has the shape %v: want two dimensions, with a row and a "+
			"column at least", shape)
	}
	return Batch{Rows: shape[0], Cols: shape[1], Stride: shape[1], Data: data}, nil
}
