package posteriordb

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

// Data are the data of a posterior by posteriordb's names: numbers are arrays of one, matrices are row-major. They and
// draws are those that posteriordb published, whose digests were checked: arrays are there and have their lengths.
type Data map[string][]float64

// ReadData reads a file of data of posteriordb: a zip with one member, a JSON object of numbers, arrays and matrices.
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
			data[name] = slices.Concat(matrix...)
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
	d := len(values)
	for _, chain := range chains {
		flat := make([]float64, len(chain[values[0]])*d)
		for k, name := range values {
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
