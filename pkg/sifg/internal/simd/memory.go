package simd

import "unsafe"

// hugeFrom is the size in bytes from which on the system is asked for huge pages.
const hugeFrom = 1 << 17

// Zeros returns n zeros. Where they are many, the system is asked for huge pages (Linux: 2 MB in place of 4 KB),
// because the rows of a score network's matrices lie up to a page apart and the processor keeps the addresses of few
// pages at hand. The system may decline; only the speed depends on it.
func Zeros(n int) []float32 {
	s := make([]float32, n)
	if size := 4 * uintptr(n); size >= hugeFrom {
		hugePages(unsafe.Pointer(&s[0]), size)
	}
	return s
}
