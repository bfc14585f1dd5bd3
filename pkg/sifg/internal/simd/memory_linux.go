package simd

import (
	"syscall"
	"unsafe"
)

// hugePages advises the system to use huge pages for size bytes at p and for the heap around them, up to whole huge
// pages: for what is not there yet and, since Linux 6.1, for what is. An error means that it has none.
func hugePages(p unsafe.Pointer, size uintptr) {
	const (
		page     = 2 << 20
		hugepage = 14 // MADV_HUGEPAGE
		collapse = 25 // MADV_COLLAPSE
	)
	from, to := uintptr(p)&^(page-1), (uintptr(p)+size+page-1)&^(page-1)
	for _, advice := range []uintptr{hugepage, collapse} {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice)
	}
}
