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
		if p := recover(); p != nil { // npyio, over a forged header
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			shape, data, err = nil, nil, fmt.Errorf("not a whole NPY file: %w: %w", err, ErrDamaged)
		}
	}()
	if !bytes.HasPrefix(b, []byte("\x93NUMPY\x01\x00")) { // in later versions the length of the header has no bound
		return nil, nil, errors.New("want format 1.0")
	}
	r, err := npyio.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	n := 1
	for _, size := range r.Header.Descr.Shape {
		if size < 0 || size > 0 && n > len(b)/size {
			return nil, nil, fmt.Errorf("%d bytes are too short for the shape %v", len(b), r.Header.Descr.Shape)
		}
		n *= size
	}
	head := npy.Header(npy.Type[T](), r.Header.Descr.Shape...)
	if !bytes.HasPrefix(b, head) || len(b) != len(head)+n*binary.Size(T(0)) {
		return nil, nil, fmt.Errorf("want %d values of type %s, rows first", n, npy.Type[T]())
	}
	data = make([]T, n)
	_, err = binary.Decode(b[len(head):], binary.LittleEndian, data)
	return r.Header.Descr.Shape, data, err
}
