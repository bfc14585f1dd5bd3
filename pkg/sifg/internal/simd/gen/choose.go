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
	tiles := func(chooser, name, params string, shapes func(m *machine) (rows []int, width int)) {
		names := kernel{name, params}.names()
		fmt.Fprintf(&b, "\n// %s runs the kernel of tiles of that many rows.\nfunc %[1]s(rows, width int, %s) {\n",
			chooser, params)
		byMachine(&b, func(m *machine) {
			rows, width := shapes(m)
			fmt.Fprintf(&b, "\t\tswitch %d*rows+width {\n", width+1)
			for _, r := range rows {
				for w := 1; w <= width; w++ {
					if _, most := m.widest(); name == "gemm" && w > 2 && (r < leastWide || r > most) {
						continue
					}
					fmt.Fprintf(&b, "\t\tcase %d:\n\t\t\t%s%dx%d%s(%s)\n", (width+1)*r+w, name, r, w, m.suffix,
						strings.Join(names, ", "))
				}
			}
			b.WriteString("\t\t}\n")
		})
	}
	products := func(m *machine) ([]int, int) { rows, _ := m.tile(); width, _ := m.widest(); return upTo(rows), width }
	squares := func(m *machine) ([]int, int) { _, rows := m.tile(); return upTo(rows), 2 }
	inner := func(m *machine) ([]int, int) { rows, cols := m.innerTile(); return []int{1, rows}, cols }
	tiles("gemmPanel", "gemm", panelParams, products)
	tiles("distPanel", "dist", panelParams, squares)
	tiles("innerTile", "inner", innerParams, inner)
	outer := func(name, params string) {
		args := strings.Join(kernel{name, params}.names(), ", ")
		whole, _, _ := strings.Cut(args, ", p,")
		const doc = "runs the kernel for q columns: all p of them, or those from the row `columns` of X on."
		fmt.Fprintf(&b, "\n// %s %s\nfunc %[1]s(q int, %[3]s) {\n", name, doc, params)
		byMachine(&b, func(m *machine) {
			fmt.Fprintf(&b, "\t\tswitch {\n\t\tcase p > q:\n\t\t\t%sPart%s(%s)\n", name, m.suffix, args)
			for q := 1; q <= outerColumns; q++ {
				fmt.Fprintf(&b, "\t\tcase q == %d:\n\t\t\t%[2]s%[1]d%[3]s(%[4]s)\n", q, name, m.suffix, whole)
			}
			b.WriteString("\t\t}\n")
		})
	}
	outer("tanhOuter", partParams)
	outer("logCoshOuter", strings.ReplaceAll(partParams, "float32", "float64"))
	return []byte(b.String())
}

// byMachine writes what chooses on each machine, and the end of the function.
func byMachine(b *strings.Builder, choose func(m *machine)) {
	b.WriteString("\tif path == avx512 {\n")
	choose(newAVX512())
	b.WriteString("\t\treturn\n\t}\n")
	choose(newAVX2())
	b.WriteString("}\n")
}

// upTo returns 1, …, n.
func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}

// noChooser returns the Go file of the processors that have portable kernels only.
func noChooser(kernels []kernel) []byte {
	var b strings.Builder
	b.WriteString(header + "//go:build !amd64 && !arm64 || purego\n\npackage simd\n")
	for _, k := range kernels {
		fmt.Fprintf(&b, "\nfunc %sVector(%s) bool { return false }\n", k.name, k.params)
	}
	return []byte(b.String())
}
