package main

import (
	"fmt"
	"strings"
)

// kernel is a function that exists for both machines with these parameters.
type kernel struct{ name, params string }

// names returns the parameter names.
func (k kernel) names() []string {
	var names []string
	for _, p := range strings.Split(k.params, ",") {
		names = append(names, strings.Fields(p)[0])
	}
	return names
}

// chooser returns the Go file with a function per kernel that runs the path's version, or returns false if it has none.
func chooser(kernels []kernel) []byte {
	var b strings.Builder
	b.WriteString(header + "//go:build !purego\n\npackage simd\n")
	for _, k := range kernels {
		fmt.Fprintf(&b, `
func %[1]sVector(%[2]s) bool {
	switch path {
	case avx512:
		%[1]sAVX512(%[3]s)
	case avx2:
		%[1]sAVX2(%[3]s)
	default:
		return false
	}
	return true
}
`, k.name, k.params, strings.Join(k.names(), ", "))
	}
	for _, p := range []struct {
		name      string
		wide, low int
	}{{"gemm", 0, 0}, {"dist", 1, 1}} {
		fmt.Fprintf(&b, "\nfunc %sPanel(rows, width int, %s) {\n\tif path == avx512 {\n", p.name, panelParams)
		for _, m := range []*machine{{suffix: "AVX512", bytes: 64}, {suffix: "AVX2", bytes: 32}} {
			product, distance := m.tile()
			rows := []int{product, distance}[p.low]
			b.WriteString("\t\tswitch 2*rows+width {\n")
			for r := 1; r <= rows; r++ {
				for w := 1; w <= 2; w++ {
					fmt.Fprintf(&b, "\t\tcase %d:\n\t\t\t%s%dx%d%s(k, tiles, a, rs, ks, b, ldb, c, ldc, last, add)\n", 2*r+w, p.name, r, w, m.suffix)
				}
			}
			b.WriteString("\t\t}\n")
			if m.wide() {
				b.WriteString("\t\treturn\n\t}\n")
			}
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// noChooser returns the Go file of the processors that have portable kernels only.
func noChooser(kernels []kernel) []byte {
	var b strings.Builder
	b.WriteString(header + "//go:build !amd64 || purego\n\npackage simd\n")
	for _, k := range kernels {
		fmt.Fprintf(&b, "\nfunc %sVector(%s) bool { return false }\n", k.name, k.params)
	}
	return []byte(b.String())
}
