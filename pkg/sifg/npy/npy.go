// Package npy writes arrays as NPY files (version 1.0, little-endian, rows first), which NumPy and others read.
package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Number is the type of an array's values.
type Number interface{ float32 | float64 }

// Type returns NumPy's name of the values: <f4 or <f8.
func Type[T Number]() string { return fmt.Sprintf("<f%d", binary.Size(T(0))) }

// Header returns what a file begins with. It is padded so that the values start at a multiple of 64 bytes, as memory maps and typed
// arrays want it.
func Header(descr string, shape ...int) []byte {
	dims := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(shape), "[]")), ", ")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	const prefix = 10 // magic (6), version (2), length of the text (2)
	text += strings.Repeat(" ", 63-(prefix+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text))), text...)
}

// Encode returns the file of an array of this shape; data are its values, those of the last dimension next to each other. It
// panics if shape and data disagree.
func Encode[T Number](shape []int, data []T) []byte {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(data) {
		panic("npy: the shape of an array does not fit its data")
	}
	b, err := binary.Append(Header(Type[T](), shape...), binary.LittleEndian, data)
	if err != nil {
		panic(err) // only of types that Number excludes
	}
	return b
}
