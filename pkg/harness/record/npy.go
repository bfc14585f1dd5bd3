package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sbinet/npyio"
)

// Number is what an .npy file of ours holds.
type Number interface{ float32 | float64 }

// EncodeNPY returns data, C-ordered, in NPY format 1.0, little-endian, with the header padded so that the values start at a
// multiple of 64 bytes, as memory maps and typed arrays want it. It panics if shape and data disagree.
func EncodeNPY[T Number](shape []int, data []T) []byte {
	if n, ok := elements(shape); !ok || n != len(data) {
		panic("record: the shape of an array does not fit its data")
	}
	descr, size := kind[T]()
	dims := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	const fixed = 10                 // magic (6), version (2), length of the header (2)
	pad := 63 - (fixed+len(head))%64 // so that fixed + len(head) + pad + newline is a multiple of 64
	head += strings.Repeat(" ", pad) + "\n"
	b := make([]byte, 0, fixed+len(head)+size*len(data))
	b = append(b, "\x93NUMPY\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(head)))
	b = append(b, head...)
	b, err := binary.Append(b, binary.LittleEndian, data)
	if err != nil {
		panic(err) // only of types that Number excludes
	}
	return b
}

// DecodeNPY parses the bytes of an .npy file of C-ordered, little-endian values of type T. Its error wraps ErrDamaged.
func DecodeNPY[T Number](b []byte) (shape []int, data []T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			shape, data, err = nil, nil, fmt.Errorf("not a whole NPY file: %w: %w", err, ErrDamaged)
		}
	}()
	if len(b) < 7 || b[6] != 1 { // of another version, the length of the header has no bound
		return nil, nil, errors.New("want format 1.0")
	}
	file := bytes.NewReader(b)
	r, err := npyio.NewReader(file)
	if err != nil {
		return nil, nil, err
	}
	shape = r.Header.Descr.Shape
	descr, size := kind[T]()
	n, ok := elements(shape)
	switch d := r.Header.Descr; {
	case d.Type != descr:
		return nil, nil, fmt.Errorf("values of type %q, want %q", d.Type, descr)
	case d.Fortran:
		return nil, nil, errors.New("values in Fortran order, want C order")
	case !ok || n*size != file.Len(): // npyio reads a file that was cut without an error
		return nil, nil, fmt.Errorf("%d bytes of values, and shape %v", file.Len(), shape)
	}
	if data = make([]T, n); n > 0 {
		err = r.Read(&data)
	}
	return shape, data, err
}

// kind returns the type string of NumPy and the size of a value in bytes.
func kind[T Number]() (descr string, size int) {
	if _, ok := any(T(0)).(float32); ok {
		return "<f4", 4
	}
	return "<f8", 8
}

// elements returns the product of the shape, and false if a length is negative or the product is beyond any file.
func elements(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d > 0 && n > math.MaxInt/8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}
