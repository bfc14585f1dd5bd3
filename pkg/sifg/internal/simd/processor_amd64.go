//go:build !purego

package simd

import (
	"encoding/binary"
	"strings"
)

// ProcessorName returns the processor's brand string, "" if it has none.
func ProcessorName() string {
	const brand = 0x80000002 // the first of three leaves
	if last, _, _, _ := cpuid(0x80000000); last < brand+2 {
		return ""
	}
	var name []byte
	for leaf := range uint32(3) {
		a, b, c, d := cpuid(brand + leaf)
		for _, w := range []uint32{a, b, c, d} {
			name = binary.LittleEndian.AppendUint32(name, w)
		}
	}
	return strings.TrimRight(string(name), "\x00")
}
