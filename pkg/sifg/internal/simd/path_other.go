//go:build !amd64 || purego

package simd

func detect() kind { return portable }
