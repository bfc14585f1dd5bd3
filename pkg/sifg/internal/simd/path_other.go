//go:build (!amd64 && !arm64) || purego

package simd

var kindNames = []string{"portable"}

func detect() kind { return portable }
