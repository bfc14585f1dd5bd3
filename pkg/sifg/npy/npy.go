// Package npy writes and reads arrays as NPY files (format 1.0, little-endian, rows first), as NumPy does.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// Number is the type of an array's values.
type Number interface{ float32 | float64 }

const magic = "\x93NUMPY\x01\x00" // and the version, 1.0

// header returns what a file begins with. It is padded so that the values start at a multiple of 64 bytes, as memory
// maps and typed arrays want it; npyio does not pad.
func header(descr string, shape []int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, tuple(shape))
	const prefix = len(magic) + 2 // the length of the text
	text += strings.Repeat(" ", 63-(prefix+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(text))), text...)
}

// tuple writes a shape as Python does: (2, 3), (5,).
func tuple(shape []int) string {
	dims := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(shape), "[]")), ", ")
	if len(shape) == 1 {
		dims += ","
	}
	return "(" + dims + ")"
}

// Encode returns the file of an array of this shape; data are its values, those of the last dimension next to each
// other. It panics if shape and data disagree.
func Encode[T Number](shape []int, data []T) []byte {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(data) {
		panic("npy: the shape of an array does not fit its data")
	}
	descr := fmt.Sprintf("<f%d", binary.Size(T(0)))
	b, err := binary.Append(header(descr, shape), binary.LittleEndian, data)
	if err != nil {
		panic(err) // only of types that Number excludes
	}
	return b
}

// Decode parses a whole file of float32 or float64 values, such as Encode and numpy.save write. Values are converted to
// T: float64 is rounded to float32. A file of another kind, cut short or too long is an error.
func Decode[T Number](b []byte) (shape []int, data []T, err error) {
	descr, columnsFirst, shape, err := Header(b)
	if err != nil {
		return nil, nil, err
	}
	width := map[string]int{"<f4": 4, "<f8": 8}[descr]
	if width == 0 || columnsFirst {
		order := "rows first"
		if columnsFirst {
			order = "columns first"
		}
		return nil, nil, fmt.Errorf("npy: the values are '%s', %s: want '<f4' or '<f8', rows first", descr, order)
	}
	n := 1
	for _, size := range shape {
		if size < 0 || size > 0 && n > math.MaxInt/8/size {
			return nil, nil, fmt.Errorf("npy: the shape is %s", tuple(shape))
		}
		n *= size
	}
	values := b[len(magic)+2+int(binary.LittleEndian.Uint16(b[len(magic):])):]
	if len(values) != n*width {
		return nil, nil, fmt.Errorf("npy: the shape %s needs %d bytes, and there are %d", tuple(shape), n*width,
			len(values))
	}
	data = make([]T, n)
	for i := range data {
		if v := values[i*width:]; width == 4 {
			data[i] = T(math.Float32frombits(binary.LittleEndian.Uint32(v)))
		} else {
			data[i] = T(math.Float64frombits(binary.LittleEndian.Uint64(v)))
		}
	}
	return shape, data, nil
}

// Header parses what a file of format 1.0 begins with: the type of its values as NumPy writes it, such as <f8, whether
// columns come first, and the shape.
func Header(b []byte) (descr string, columnsFirst bool, shape []int, err error) {
	defer func() {
		if recover() != nil { // npyio, over a forged header
			err = errors.New("npy: the header is not that of an NPY file")
		}
	}()
	switch start := len(magic) + 2; {
	case !bytes.HasPrefix(b, []byte(magic[:6])):
		return "", false, nil, errors.New("npy: not an NPY file")
	case !bytes.HasPrefix(b, []byte(magic)): // in later versions the length of the header has no bound
		return "", false, nil, errors.New("npy: only format 1.0 is read")
	case len(b) < start || len(b) < start+int(binary.LittleEndian.Uint16(b[len(magic):])):
		return "", false, nil, errors.New("npy: the header is cut short")
	}
	r, err := npy.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", false, nil, fmt.Errorf("npy: the header: %w", err)
	}
	h := r.Header.Descr
	return h.Type, h.Fortran, h.Shape, nil
}
