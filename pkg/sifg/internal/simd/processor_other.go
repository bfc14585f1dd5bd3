//go:build !amd64 || purego

package simd

// ProcessorName returns "": there is no portable way to ask.
func ProcessorName() string { return "" }
