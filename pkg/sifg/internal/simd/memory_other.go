//go:build !linux

package simd

import "unsafe"

// hugePages has nobody to ask.
func hugePages(unsafe.Pointer, uintptr) {}
