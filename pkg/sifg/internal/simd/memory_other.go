//go:build !linux

package simd

import "unsafe"

// hugePages does nothing: only Linux is asked for huge pages.
func hugePages(unsafe.Pointer, uintptr) {}
