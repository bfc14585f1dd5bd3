package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// arm64Files returns the files of arm64: the assembly, its declarations, and the functions that choose, with those of
// the kernels that it has not.
func arm64Files(kernels []kernel) []file {
	a := &arm64{has: map[string]bool{}}
	a.functions()
	a.optimisers()
	a.normals()
	for rows := 1; rows <= neonRows; rows++ {
		a.panel(rows)
	}
	a.panels()
	a.peak()
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

func (a *arm64) functions() {
	a.pointwise("expScaled", "dst, x []float32, low, scale float32", func(b *body) {
		b.store(b.expFrom(b.mul(b.sub(b.get("x"), b.param("low")), b.param("scale")), leastNormal), "dst")
	})
	a.pointwise("absPow", "pow, log, x []float32, q float32", func(b *body) {
		y := b.log(b.max(b.abs(b.get("x")), b.w(minNormal)))
		b.store(y, "log")
		b.store(b.exp(b.mul(y, b.param("q"))), "pow")
	})
	a.pointwise("tanhGrad", "dst, g, y []float32", func(b *body) {
		b.store(b.mul(b.tanhSlope(b.get("y")), b.get("g")), "dst")
	})
	a.pointwise("tanhTangentGrad", "g, gd, y, dy []float32", func(b *body) {
		y := b.get("y")
		s, gd := b.tanhSlope(y), b.get("gd")
		b.store(b.subFrom(b.mul(s, b.get("g")), gd, b.mul(b.add(y, y), b.get("dy"))), "g")
		b.store(b.mul(s, gd), "gd")
	})
	leaky := func(b *body, g, y value) value { return b.pick(b.positive(y), g, b.mul(g, b.param("slope"))) }
	a.pointwise("leakyReLUGrad", "dst, g, y []float32, slope float32", func(b *body) {
		b.store(leaky(b, b.get("g"), b.get("y")), "dst")
	})
	a.pointwise("addRow", "y, b []float32", func(b *body) { b.store(b.add(b.get("y"), b.get("b")), "y") })
	a.pointwise("tanhRow", "y, b []float32", func(b *body) { b.store(b.tanh(b.add(b.get("y"), b.get("b"))), "y") })
	a.pointwise("leakyReLURow", "y, b []float32, slope float32", func(b *body) {
		x := b.add(b.get("y"), b.get("b"))
		b.store(leaky(b, x, x), "y")
	})
}

func (b *body) tanhSlope(y value) value { return b.subFrom(b.c(1), y, y) }

func (b *body) nearest(x value, scale float64) (j, n value) {
	j = b.addTo(b.c(magic32), x, b.c(scale))
	return j, b.sub(j, b.c(magic32))
}

func (b *body) pow2(j value) value { return b.addw(b.shl(j, 23), b.w(math.Float32bits(1))) }

func (b *body) tanh(x value) value {
	sign := b.and(x, b.w(signBit))
	t := b.min(b.c(10), b.abs(x))
	t2 := b.mul(t, t)
	small := b.fma(b.mul(t2, b.horner(t2, tanhSmall[:]...)), t, t)
	j, n := b.nearest(t, 2*math.Log2E)
	r := b.subFrom(b.subFrom(t, n, b.c(halfLn2Hi)), n, b.c(halfLn2Lo))
	p := b.fma(b.horner(r, expm1Twice[:]...), b.mul(r, r), b.add(r, r))
	s := b.pow2(j)
	u := b.fma(p, s, b.sub(s, b.c(1)))
	y := b.div(u, b.add(u, b.c(2)))
	return b.or(b.pick(b.greater(b.c(0.35), t), small, y), sign)
}

func (b *body) expCore(x value) (j, p value) {
	j, n := b.nearest(x, math.Log2E)
	r := b.subFrom(b.subFrom(x, n, b.c(ln2Hi)), n, b.c(ln2Lo))
	return j, b.add(b.fma(b.horner(r, expPoly[:]...), b.mul(r, r), r), b.c(1))
}

func (b *body) exp(x value) value { return b.expFrom(x, -103.98) }

func (b *body) expFrom(x value, low float64) value {
	zero := b.w(0)
	under := b.greater(b.c(low), x)
	j, p := b.expCore(b.pick(under, zero, b.min(b.c(89), x)))
	n := b.subw(j, b.w(math.Float32bits(magic32)))
	half := b.sar(n, 1)
	return b.pick(under, zero, b.mul(b.mul(p, b.pow2(half)), b.pow2(b.subw(n, half))))
}

func (b *body) log(x value) value {
	n := b.sar(b.subw(x, b.w(math.Float32bits(math.Sqrt2/2))), 23)
	f := b.sub(b.subw(x, b.shl(n, 23)), b.c(1))
	k, f2 := b.toFloat(n), b.mul(f, f)
	y := b.mul(b.mul(b.horner(f, logPoly[:]...), f), f2)
	y = b.subFrom(b.addTo(y, k, b.c(ln2Lo)), f2, b.c(0.5))
	return b.addTo(b.add(y, f), k, b.c(ln2Hi))
}

func (a *arm64) optimisers() {
	a.pointwise("addScaled", "dst, x []float32, alpha float32, w []float32", func(b *body) {
		b.store(b.addTo(b.get("x"), b.param("alpha"), b.get("w")), "dst")
	})
	descend := func(b *body, direction value, lr string) {
		b.store(b.subFrom(b.get("theta"), b.param(lr), direction), "theta")
	}
	buffer := func(b *body, g value) value {
		v := b.fma(b.get("buf"), b.param("momentum"), g)
		b.store(v, "buf")
		return v
	}
	a.pointwise("sgd", "theta, g []float32, lr float32", func(b *body) { descend(b, b.get("g"), "lr") })
	a.pointwise("sgdMomentum", "theta, g, buf []float32, lr, momentum float32", func(b *body) {
		descend(b, buffer(b, b.get("g")), "lr")
	})
	a.pointwise("sgdNesterov", "theta, g, buf []float32, lr, momentum float32", func(b *body) {
		g := b.get("g")
		descend(b, b.fma(buffer(b, g), b.param("momentum"), g), "lr")
	})
	a.pointwise("adam", "theta, g, m, v []float32, step, rcorr, beta1, beta2, eps, keep1, keep2 float32",
		func(b *body) {
			g := b.get("g")
			mi := b.fma(b.get("m"), b.param("beta1"), b.mul(g, b.param("keep1")))
			vi := b.fma(b.get("v"), b.param("beta2"), b.mul(b.mul(g, g), b.param("keep2")))
			b.store(mi, "m")
			b.store(vi, "v")
			descend(b, b.div(mi, b.fma(b.sqrt(vi), b.param("rcorr"), b.param("eps"))), "step")
		})
	a.pointwise("rmsProp", "theta, g, v []float32, lr, alpha, eps, keep float32", func(b *body) {
		g := b.get("g")
		vi := b.fma(b.get("v"), b.param("alpha"), b.mul(b.mul(g, g), b.param("keep")))
		b.store(vi, "v")
		descend(b, b.div(g, b.add(b.sqrt(vi), b.param("eps"))), "lr")
	})
	a.pointwise("adaGrad", "theta, g, v []float32, keep, add, step, eps float32", func(b *body) {
		v := b.get("v")
		g := b.add(b.mul(b.get("g"), b.param("keep")), b.mul(b.mul(v, b.param("add")), v))
		b.store(g, "g")
		b.store(b.add(b.get("theta"), b.div(b.mul(v, b.param("step")), b.add(b.sqrt(g), b.param("eps")))), "theta")
	})
	a.pointwise("residual", "g, square, f, w []float32, scale, gscale float32", func(b *body) {
		r := b.add(b.get("f"), b.mul(b.get("w"), b.param("scale")))
		b.store(b.mul(r, b.param("gscale")), "g")
		b.store(b.mul(r, r), "square")
	})
	a.stein("stein", "g, gt, along, power, f, s, e, pow []float32, inv float32")
	a.stein("steinTangent", "g, gt, along, power, f, s, e, pow, je []float32, inv float32")
}

func (a *arm64) stein(name, params string) {
	a.pointwise(name, params, func(b *body) {
		f, s, e := b.get("f"), b.get("s"), b.get("e")
		signed := b.or(b.abs(b.get("pow")), b.and(f, b.w(signBit)))
		along := b.mul(f, s)
		if name == "steinTangent" {
			along = b.add(along, b.mul(e, b.get("je")))
		}
		b.store(along, "along")
		b.store(b.mul(signed, f), "power")
		b.store(b.mul(b.sub(signed, s), b.param("inv")), "g")
		b.store(b.mul(e, b.neg(b.param("inv"))), "gt")
	})
}

// normals emits normalWords, which makes 4 groups of words of normals from the low and high halves of counters: element
// i of cos0, sin0, cos1, sin1 are the words of block i, with the identity of the stream in h0, h1, k0, k1, vectors like
// the others.
func (a *arm64) normals() {
	a.pointwise("normalWords", "cos0, sin0, cos1, sin1, c0, c1, h0, h1, k0, k1 []float32", func(b *body) {
		c := [4]value{b.get("c0"), b.get("c1"), b.get("h0"), b.get("h1")}
		k0, k1 := b.get("k0"), b.get("k1")
		product := func(x, y value) (low, high value) {
			p, q := b.op("umull", 0x2EA0C000, x, y), b.op("umull2", 0x6EA0C000, x, y)
			return b.op("uzp1", 0x4E801800, p, q), b.op("uzp2", 0x4E805800, p, q)
		}
		for round := range 10 {
			if round > 0 {
				k0, k1 = b.addw(k0, b.w(0x9E3779B9)), b.addw(k1, b.w(0xBB67AE85))
			}
			low0, high0 := product(c[0], b.w(0xD2511F53))
			low1, high1 := product(c[2], b.w(0xCD9E8D57))
			c = [4]value{b.xor(b.xor(high1, c[1]), k0), low1, b.xor(b.xor(high0, c[3]), k1), low0}
		}
		for pair := range 2 {
			cos, sin := b.boxMuller(c[2*pair], c[2*pair+1])
			b.store(cos, fmt.Sprint("cos", pair))
			b.store(sin, fmt.Sprint("sin", pair))
		}
	})
}

// boxMuller is the vector form of the Go function: see there.
func (b *body) boxMuller(x0, x1 value) (cos, sin value) {
	i := b.subw(b.add(b.fromUnsigned(x0), b.c(0.5)), b.w(sqrtHalfBits))
	e := b.toFloat(b.subw(b.sar(i, 23), b.w(32)))
	f := b.sub(b.addw(b.and(i, b.w(0x7FFFFF)), b.w(sqrtHalfBits)), b.c(1))
	p := b.c(logP[0])
	for _, c := range logP[1:] {
		p = b.add(b.mul(p, f), b.c(c))
	}
	z := b.mul(f, f)
	y := b.add(b.mul(b.mul(p, f), z), b.mul(e, b.c(boxLn2Lo)))
	y = b.add(b.sub(y, b.mul(z, b.c(0.5))), f)
	r := b.sqrt(b.mul(b.add(y, b.mul(e, b.c(ln2Hi))), b.c(-2)))
	q := b.shr(b.addw(x1, b.w(1<<29)), 30)
	t := b.mul(b.toFloat(b.subw(x1, b.shl(q, 30))), b.c(2*math.Pi*0x1p-32))
	z = b.mul(t, t)
	s := b.add(b.mul(z, b.c(sinS[0])), b.c(sinS[1]))
	s = b.add(b.mul(s, z), b.c(sinS[2]))
	s = b.add(b.mul(b.mul(s, z), t), t)
	c := b.add(b.mul(z, b.c(cosC[0])), b.c(cosC[1]))
	c = b.add(b.mul(c, z), b.c(cosC[2]))
	c = b.add(b.sub(b.mul(b.mul(c, z), z), b.mul(z, b.c(0.5))), b.c(1))
	swap := b.sar(b.shl(q, 31), 31)
	signC := b.shl(b.and(b.addw(q, b.w(1)), b.w(2)), 30)
	signS := b.shl(b.and(q, b.w(2)), 30)
	cos, sin = b.xor(b.pick(swap, s, c), signC), b.xor(b.pick(swap, c, s), signS)
	return b.mul(cos, r), b.mul(sin, r)
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

// peak emits n rounds of 12 fused multiply-adds in registers.
func (a *arm64) peak() {
	fmt.Fprint(&a.stubs, "\nfunc peakNEON(n int)\n")
	fmt.Fprint(&a.text, "\n// func peakNEON(n int)\nTEXT ·peakNEON(SB), NOSPLIT, $0-8\n\tMOVD n+0(FP), R9\nround:\n")
	for i := range uint32(12) {
		a.line(0x4E20CC00|30<<16|31<<5|i, "fmla v%d, v31, v30", i)
	}
	a.text.WriteString("\tSUBS $1, R9\n\tBNE round\n\tRET\n")
}
