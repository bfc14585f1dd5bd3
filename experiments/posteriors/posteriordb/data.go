package posteriordb

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
)

// Data are the data of a posterior by posteriordb's names: numbers are arrays of one, matrices are row-major.
type Data map[string][]float64

// array returns the values of one name, of which there must be n (-1: any number above 0).
func (d Data) array(name string, n int) ([]float64, error) {
	x, ok := d[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("the data have no %q", name)
	case n >= 0 && len(x) != n || len(x) == 0:
		return nil, fmt.Errorf("%q of the data has %d values, want %d", name, len(x), n)
	}
	return x, nil
}

// columns returns arrays of equal length.
func (d Data) columns(names ...string) ([][]float64, error) {
	var out [][]float64
	n := -1
	for _, name := range names {
		x, err := d.array(name, n)
		if err != nil {
			return nil, err
		}
		out, n = append(out, x), len(x)
	}
	return out, nil
}

// ReadData reads a file of data as posteriordb publishes it: a zip with one member, a JSON object of numbers, arrays
// and matrices.
func ReadData(zipped []byte) (Data, error) {
	var object map[string]json.RawMessage
	if err := decode(zipped, &object); err != nil {
		return nil, err
	}
	data := Data{}
	for name, raw := range object {
		var number float64
		var array []float64
		var matrix [][]float64
		switch {
		case json.Unmarshal(raw, &number) == nil:
			data[name] = []float64{number}
		case json.Unmarshal(raw, &array) == nil:
			data[name] = array
		case json.Unmarshal(raw, &matrix) == nil:
			for i, row := range matrix {
				if len(row) != len(matrix[0]) {
					return nil, fmt.Errorf("posterior: %q has %d values in row 1 and %d in row %d",
						name, len(matrix[0]), len(row), i+1)
				}
				data[name] = append(data[name], row...)
			}
		default:
			return nil, fmt.Errorf("posterior: %q is no number, array or matrix of numbers", name)
		}
	}
	return data, nil
}

// ReadDraws reads a file of reference draws as posteriordb publishes it: a zip with one member, a JSON array of chains,
// each an object of arrays of equal length. It returns draws[chain], each an n×d array, row by row, with the d values
// in the order given.
func ReadDraws(zipped []byte, values []string) (draws [][]float64, err error) {
	var chains []map[string][]float64
	if err := decode(zipped, &chains); err != nil {
		return nil, err
	}
	if len(chains) == 0 {
		return nil, fmt.Errorf("posterior: there are no chains of reference draws")
	}
	d := len(values)
	for i, chain := range chains {
		flat := make([]float64, len(chain[values[0]])*d)
		for k, name := range values {
			if len(chain[name])*d != len(flat) || len(flat) == 0 {
				return nil, fmt.Errorf("posterior: chain %d of the reference draws has %d of %q and %d of %q",
					i+1, len(flat)/d, values[0], len(chain[name]), name)
			}
			for j, v := range chain[name] {
				flat[j*d+k] = v
			}
		}
		draws = append(draws, flat)
	}
	return draws, nil
}

// decode reads the one member of a zip as JSON.
func decode(zipped []byte, into any) error {
	archive, err := zip.NewReader(bytes.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		return fmt.Errorf("posterior: %w", err)
	}
	if len(archive.File) != 1 {
		return fmt.Errorf("posterior: the archive has %d members, want 1", len(archive.File))
	}
	b, err := fs.ReadFile(archive, archive.File[0].Name)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("posterior: %s: %w", archive.File[0].Name, err)
	}
	return nil
}
