package simd

import (
	"syscall"
	"testing"
	"unsafe"
)

// BenchmarkPages is the product of a score network's first layer on Boston, backward, in memory of huge and of small
// pages. What Zeros returns is either, as the system likes; here the small ones are asked for.
func BenchmarkPages(b *testing.B) {
	const m, n, k, noHuge = 753, 300, 100, 15 // MADV_NOHUGEPAGE
	for _, huge := range []bool{true, false} {
		name := "small"
		if huge {
			name = "huge"
		}
		b.Run(name, func(b *testing.B) {
			memory, err := syscall.Mmap(-1, 0, 4<<20, syscall.PROT_READ|syscall.PROT_WRITE,
				syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = syscall.Munmap(memory) }()
			if huge {
				hugePages(unsafe.Pointer(&memory[0]), uintptr(len(memory)))
			} else if err := syscall.Madvise(memory, noHuge); err != nil {
				b.Skip("no huge pages here: ", err)
			}
			numbers := unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), len(memory)/4)
			x, y, z := numbers[:m*k], numbers[m*k:][:k*n], numbers[(m+n)*k:][:m*n]
			var w Workspace
			for b.Loop() {
				w.GemmTN(m, n, k, x, m, y, n, z, n, false)
			}
			reportCall(b)
		})
	}
}
