package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sbinet/npyio"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// DecodeNPY parses the bytes of an .npy file that npy.Encode made. Its error wraps ErrDamaged.
func DecodeNPY[T npy.Number](b []byte) (shape []int, data []T, err error) {
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
	r, err := npyio.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	shape = r.Header.Descr.Shape
	head, n := npy.Header(npy.Type[T](), shape...), 1
	if !bytes.HasPrefix(b, head) {
		return nil, nil, fmt.Errorf("values of type %s, want %s, rows first", r.Header.Descr.Type, npy.Type[T]())
	}
	for _, d := range shape {
		if d < 0 || d > 0 && n > len(b)/d { // or the product could overflow
			return nil, nil, fmt.Errorf("the shape %v", shape)
		}
		n *= d
	}
	values := b[len(head):]
	if data = make([]T, n); len(values) != binary.Size(data) { // npyio would read a file that was cut without an error
		return nil, nil, fmt.Errorf("%d bytes of values, and shape %v", len(values), shape)
	}
	_, err = binary.Decode(values, binary.LittleEndian, data)
	return shape, data, err
}
