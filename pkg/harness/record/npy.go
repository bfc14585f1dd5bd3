package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

var npyShape = regexp.MustCompile(`'shape': \(([0-9, ]*)\)`)

// DecodeNPY parses the bytes of an .npy file that npy.Encode made. Its error wraps ErrDamaged.
func DecodeNPY[T npy.Number](b []byte) (shape []int, data []T, err error) {
	dims, n := "", 1
	if m := npyShape.FindSubmatch(b[:min(len(b), 256)]); m != nil {
		dims = string(m[1])
	}
	for _, text := range strings.Fields(strings.ReplaceAll(dims, ",", " ")) {
		size, err := strconv.Atoi(text)
		if err != nil || size > 0 && n > len(b)/size { // or the product could overflow
			return nil, nil, fmt.Errorf("not a whole NPY file: the shape (%s): %w", dims, ErrDamaged)
		}
		shape, n = append(shape, size), n*size
	}
	head := npy.Header(npy.Type[T](), shape...)
	if !bytes.HasPrefix(b, head) || len(b) != len(head)+n*binary.Size(T(0)) {
		return nil, nil, fmt.Errorf("not a whole NPY file: want %d values of type %s, rows first: %w", n, npy.Type[T](), ErrDamaged)
	}
	data = make([]T, n)
	_, err = binary.Decode(b[len(head):], binary.LittleEndian, data)
	return shape, data, err
}
