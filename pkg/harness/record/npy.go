package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sbinet/npyio"
)

// Number is what an .npy file of ours holds.
type Number interface{ float32 | float64 }

// EncodeNPY writes data, C-ordered, in NPY format 1.0, little-endian, with the header padded so that the values start
// at a multiple of 64 bytes, as memory maps and typed arrays want it. It panics if shape and data disagree.
func EncodeNPY[T Number](w io.Writer, shape []int, data []T) error {
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
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(b, head...)
	const chunk = 1 << 13 // values converted at a time
	for {
		n := min(len(data), chunk)
		for _, v := range data[:n] {
			switch v := any(v).(type) {
			case float32:
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			case float64:
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		if data = data[n:]; len(data) == 0 {
			return nil
		}
		b = make([]byte, 0, chunk*size)
	}
}

// DecodeNPY parses the bytes of an .npy file of C-ordered, little-endian values of type T, also one that NumPy wrote.
// npyio reads a file that was cut without an error, so the size is checked here against the header first.
func DecodeNPY[T Number](b []byte) (shape []int, data []T, err error) {
	damaged := func(format string, args ...any) ([]int, []T, error) {
		return nil, nil, fmt.Errorf("not a whole NPY file: %s: %w", fmt.Sprintf(format, args...), ErrDamaged)
	}
	if len(b) < 12 || string(b[:6]) != "\x93NUMPY" {
		return damaged("%d bytes, or the magic string is missing at the start", len(b))
	}
	var offset int64 // of the first value
	switch b[6] {
	case 1:
		offset = 10 + int64(binary.LittleEndian.Uint16(b[8:]))
	case 2:
		offset = 12 + int64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return damaged("format version %d, want 1 or 2", b[6])
	}
	if offset > int64(len(b)) {
		return damaged("a header of %d bytes in a file of %d", offset, len(b))
	}
	defer func() {
		if p := recover(); p != nil {
			shape, data, err = damaged("%v", p)
		}
	}()
	r, err := npyio.NewReader(bytes.NewReader(b))
	if err != nil {
		return damaged("%v", err)
	}
	descr, size := kind[T]()
	if d := r.Header.Descr; d.Type != descr {
		return nil, nil, fmt.Errorf("values of type %q, want %q", d.Type, descr)
	} else if d.Fortran {
		return nil, nil, fmt.Errorf("values in Fortran order, want C order")
	}
	shape = r.Header.Descr.Shape
	n, ok := elements(shape)
	if want := offset + int64(n)*int64(size); !ok || want != int64(len(b)) {
		return damaged("%d bytes, and shape %v does not say so", len(b), shape)
	}
	data = make([]T, n)
	if n == 0 {
		return shape, data, nil
	}
	if err := r.Read(&data); err != nil {
		return damaged("%v", err)
	}
	return shape, data, nil
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
