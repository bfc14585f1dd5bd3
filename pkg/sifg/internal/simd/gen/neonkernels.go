package main

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
)

// arm64Files returns the files of arm64: the assembly, its declarations, and the functions that choose, with those of
// the kernels that it has not.
func arm64Files(kernels []kernel) []file {
	a := &arm64{has: map[string]bool{}}
	expScaled(a)
	elementwise(a)
	a.rowKernels()
	optimisers(a)
	a.normals()
	for rows := 1; rows <= neonRows; rows++ {
		a.panel(rows)
	}
	a.panels()
	var data strings.Builder
	for i, c := range a.constants {
		for lane := range 4 {
			fmt.Fprintf(&data, "DATA constants<>+%d(SB)/4, $0x%08X\n", 16*i+4*lane, c)
		}
	}
	fmt.Fprintf(&data, "GLOBL constants<>(SB), RODATA|NOPTR, $%d\n", 16*len(a.constants))
	head := header + "//go:build !purego\n\n"
	choosers := head + "package simd\n" + a.choosers.String()
	for _, k := range kernels {
		if !a.has[k.name] && !slices.Contains(byRows, k.name) {
			choosers += fmt.Sprintf("\nfunc %sVector(%s) bool { return false }\n", k.name, k.params)
		}
	}
	return []file{
		{"neon_arm64.s", []byte(head + "#include \"textflag.h\"\n\n" + data.String() + a.text.String())},
		{"neon_arm64.go", []byte(head + "package simd\n" + a.stubs.String())},
		{"choose_arm64.go", []byte(choosers)},
	}
}

// byRows are the kernels over matrices that rows_arm64.go makes of kernels over rows.
var byRows = []string{"addBias", "biasTanh", "biasLeakyReLU", "colSums", "normalGroups"}

// rowKernels emits what rows_arm64.go needs.
func (a *arm64) rowKernels() {
	a.pointwise("addRow", "", "y, b []float32", func(l vectors) { l.put(l.add(l.get("y"), l.get("b")), "y") })
	a.pointwise("tanhRow", "", "y, b []float32", func(l vectors) { l.put(tanh(l, l.add(l.get("y"), l.get("b"))), "y") })
	a.pointwise("leakyReLURow", "", "y, b []float32, slope float32", func(l vectors) {
		x := l.add(l.get("y"), l.get("b"))
		l.put(leaky(l, x, x), "y")
	})
}

// normals emits normalWords, which makes 4 groups of words of normals from the low and high halves of counters: element
// i of cos0, sin0, cos1, sin1 are the words of block i, with the identity of the stream in h0, h1, k0, k1, vectors like
// the others.
func (a *arm64) normals() {
	a.pointwise("normalWords", "", "cos0, sin0, cos1, sin1, c0, c1, h0, h1, k0, k1 []float32", func(l vectors) {
		b := l.(*body)
		c := [4]Op{b.get("c0"), b.get("c1"), b.get("h0"), b.get("h1")}
		k0, k1 := b.get("k0"), b.get("k1")
		product := func(x, y Op) (low, high Op) {
			p, q := b.op("umull", 0x2EA0C000, x, y), b.op("umull2", 0x6EA0C000, x, y)
			return b.op("uzp1", 0x4E801800, p, q), b.op("uzp2", 0x4E805800, p, q)
		}
		for round := range 10 {
			if round > 0 {
				k0, k1 = b.addw(k0, b.words(0x9E3779B9)), b.addw(k1, b.words(0xBB67AE85))
			}
			low0, high0 := product(c[0], b.load(b.words(0xD2511F53)))
			low1, high1 := product(c[2], b.load(b.words(0xCD9E8D57)))
			c = [4]Op{b.xor(b.xor(high1, c[1]), k0), low1, b.xor(b.xor(high0, c[3]), k1), low0}
		}
		for pair := range 2 {
			cos, sin := boxMuller(b, c[2*pair], c[2*pair+1])
			b.put(cos, fmt.Sprint("cos", pair))
			b.put(sin, fmt.Sprint("sin", pair))
		}
	})
}

// neonRows and neonCols are the largest tile of the products: 8 rows × 3 vectors of accumulators, 3 vectors of B and
// one broadcast of A are 28 of 32 registers.
const (
	neonRows = 8
	neonCols = 12
)

const neonPanelParams = "k, tiles int, a *float32, rs, ks int, b, c *float32, ldc int, add bool"

// panels writes the function that runs the kernel of tiles of that many rows.
func (a *arm64) panels() {
	args := strings.Join(kernel{params: neonPanelParams}.names(), ", ")
	fmt.Fprintf(&a.choosers, "\nfunc gemmNEON(rows, %s) {\n\tswitch rows {\n", neonPanelParams)
	for rows := 1; rows <= neonRows; rows++ {
		fmt.Fprintf(&a.choosers, "\tcase %d:\n\t\tgemm%[1]dx3NEON(%s)\n", rows, args)
	}
	a.choosers.WriteString("\t}\n}\n")
}

// panel emits C = A·B, or C += A·B if add, for `tiles` tiles of that many rows and neonCols columns below each other.
// Element (i, p) of A is at a + i·rs + p·ks, row p of B at b + 48·p, row i of C at c + i·ldc; strides count bytes. An
// element of C is one chain of fused multiply-adds.
func (a *arm64) panel(rows int) {
	const params = neonPanelParams
	name := fmt.Sprintf("gemm%dx3NEON", rows)
	fmt.Fprintf(&a.stubs, "\n//go:noescape\nfunc %s(%s)\n", name, params)
	t := &a.text
	fmt.Fprintf(t, "\n// func %s(%s)\nTEXT ·%s(SB), NOSPLIT, $0-65\n", name, params, name)
	t.WriteString("\tMOVD tiles+8(FP), R10\n\tMOVD a+16(FP), R11\n\tMOVD rs+24(FP), R12\n\tMOVD ks+32(FP), R13\n" +
		"\tMOVD c+48(FP), R14\n\tMOVD ldc+56(FP), R15\n\tMOVBU add+64(FP), R19\n" +
		"tile:\n\tMOVD k+0(FP), R9\n\tMOVD b+40(FP), R20\n")
	acc := func(r, v int) uint32 { return uint32(3*r + v) }
	const b0, broadcast = 24, 27
	t.WriteString("\tMOVD R11, R0\n")
	for r := 1; r < rows; r++ {
		fmt.Fprintf(t, "\tADD R12, R%d, R%d\n", r-1, r)
	}
	t.WriteString("\tMOVD R14, R21\n\tCBNZ R19, continue\n")
	for i := range uint32(3 * rows) {
		a.line(0x6E201C00|i<<16|i<<5|i, "eor v%d, v%[1]d, v%[1]d", i)
	}
	t.WriteString("\tB step\ncontinue:\n")
	rowsOfC := func(code uint32, name string) {
		for r := range rows {
			for v := range 3 {
				a.line(code|uint32(v)<<10|21<<5|acc(r, v), "%s q%d, [x21, #%d]", name, acc(r, v), 16*v)
			}
			t.WriteString("\tADD R15, R21\n")
		}
	}
	rowsOfC(0x3DC00000, "ldr")
	t.WriteString("step:\n")
	for v := range uint32(3) {
		a.line(0x3DC00000|v<<10|20<<5|(b0+v), "ldr q%d, [x20, #%d]", b0+v, 16*v)
	}
	for r := range uint32(rows) {
		x := uint32(broadcast) + r%4
		a.line(0x4DC0C800|13<<16|r<<5|x, "ld1r {v%d.4s}, [x%d], x13", x, r)
		for v := range uint32(3) {
			a.line(0x4E20CC00|x<<16|(b0+v)<<5|acc(int(r), int(v)), "fmla v%d.4s, v%d.4s, v%d.4s", acc(int(r), int(v)),
				b0+v, x)
		}
	}
	t.WriteString("\tADD $48, R20\n\tSUBS $1, R9\n\tBNE step\n\tMOVD R14, R21\n")
	rowsOfC(0x3D800000, "str")
	t.WriteString("\tMOVD R21, R14\n")
	for range rows {
		t.WriteString("\tADD R12, R11\n")
	}
	t.WriteString("\tSUBS $1, R10\n\tBNE tile\n\tRET\n")
}
