package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine is a vector instruction set: an avo context and what differs between the two sets. Its arithmetic methods
// take operands in reading order (sub(a, b) is a−b) and return a new register; the last operand may be in memory.
type machine struct {
	*Context
	suffix string // of function names
	file   string // name of the generated files
	bytes  int    // size of a vector: 64 or 32
	data   map[string]Mem

	double bool // arithmetic is float64

	most    int                       // constants of the current function that may be in registers
	hoistTo int                       // node of the current function before which hoist emits
	hoisted map[string]reg.VecVirtual // constants of the current function that are in registers
	masks   map[string]reg.Register   // and in mask registers
	kernels []kernel
	shapes  []shape
}

func newAVX512() *machine { return newMachine("AVX512", "avx512", 64) }
func newAVX2() *machine   { return newMachine("AVX2", "avx2", 32) }

func newMachine(suffix, file string, bytes int) *machine {
	m := &machine{Context: NewContext(), suffix: suffix, file: file, bytes: bytes, data: map[string]Mem{}}
	m.ConstraintExpr("!purego")
	return m
}

// all emits every kernel and returns those that a chooser is written for.
func (m *machine) all() []kernel {
	m.matrixProducts()
	expScaled(m)
	m.minLanes()
	elementwise(m)
	m.rowKernels()
	optimisers(m)
	m.random()
	m.philoxWords()
	m.signs()
	m.cpuid()
	m.targets()
	m.mixture()
	return m.kernels
}

func (m *machine) wide() bool { return m.bytes == 64 }

// vec returns a fresh vector register.
func (m *machine) vec() reg.VecVirtual {
	if m.wide() {
		return m.ZMM()
	}
	return m.YMM()
}

// kernel starts a kernel that a function chooses, whose portable twin has the name with Go at its end.
func (m *machine) kernel(name, params string) {
	m.kernels = append(m.kernels, kernel{name: name, params: params})
	m.function(name, "func("+params+")", "is the vector form of "+name+"Go.")
}

// tiled starts a kernel of which there are several shapes.
func (m *machine) tiled(name string, rows, width int, params, doc string) {
	s := shape{kernel{name: name, params: params}, rows, width}
	m.shapes = append(m.shapes, s)
	m.function(s.String(), "func("+params+")", doc)
}

// function starts a kernel. Its callers see that pointers don't escape.
func (m *machine) function(name, signature, doc string) {
	m.Function(name + m.suffix)
	m.Attributes(attr.NOSPLIT)
	m.Pragma("noescape")
	m.SignatureExpr(signature)
	m.Doc(name + m.suffix + " " + doc)
	m.hoistHere()
}

func (m *machine) ret() {
	m.VZEROUPPER()
	m.RET()
}

// constants

// maxHoisted is how many constants of a function wait in registers (AVX-512 only; AVX2 has none to spare and reads all
// of them from memory, as it can read two vectors a cycle).
const maxHoisted = 18

// c returns a vector of the number v, as a register or in memory.
func (m *machine) c(v float64) Op {
	if m.double {
		return m.quads(math.Float64bits(v))
	}
	return m.words(math.Float32bits(float32(v)))
}

// quads returns a vector of 64-bit words w.
func (m *machine) quads(w uint64) Op { return m.constant(fmt.Sprintf("q%016x", w), w, m.VBROADCASTSD) }

// words returns a vector of 32-bit words w.
func (m *machine) words(w uint32) Op {
	return m.constant(fmt.Sprintf("w%08x", w), uint64(w)|uint64(w)<<32, m.VBROADCASTSS)
}

func (m *machine) constant(name string, word uint64, broadcast func(...Op)) Op {
	return m.inRegister(name, func(int) uint64 { return word }, broadcast)
}

// inRegister returns a register that holds what move makes of a constant in memory, or that memory if there is no
// register to spare.
func (m *machine) inRegister(name string, word func(i int) uint64, move func(...Op)) Op {
	if v, ok := m.hoisted[name]; ok {
		return v
	}
	x := m.global(name, word)
	if !m.wide() || len(m.hoisted) == m.most {
		return x
	}
	v := m.vec()
	m.hoist(func() { move(x, v) })
	m.hoisted[name] = v
	return v
}

// vector returns a vector of 64-bit words, as a register or in memory.
func (m *machine) vector(name string, word func(i int) uint64) Op {
	return m.inRegister(name, word, m.VMOVUPS)
}

// hoist emits what f emits at the place where the function's loop begins, before everything that is already there.
func (m *machine) hoist(f func()) {
	fn := m.current()
	n := len(fn.Nodes)
	f()
	emitted := slices.Clone(fn.Nodes[n:])
	fn.Nodes = slices.Insert(fn.Nodes[:n], m.hoistTo, emitted...)
	m.hoistTo += len(emitted)
}

// hoistHere makes this the place for hoist.
func (m *machine) hoistHere() {
	m.hoistTo = len(m.current().Nodes)
	m.most, m.hoisted = maxHoisted, map[string]reg.VecVirtual{}
	m.masks = map[string]reg.Register{}
}

func (m *machine) current() *ir.Function {
	f, _ := m.Result()
	fns := f.Functions()
	return fns[len(fns)-1]
}

// with emits f with these constants in registers, for AVX2 where it has them to spare.
func (m *machine) with(words []uint32, f func()) {
	for _, w := range words {
		m.hoisted[fmt.Sprintf("w%08x", w)] = m.into(m.VMOVUPS, m.words(w))
	}
	f()
	for _, w := range words {
		delete(m.hoisted, fmt.Sprintf("w%08x", w))
	}
}

func float32Bits(values ...float64) (out []uint32) {
	for _, v := range values {
		out = append(out, math.Float32bits(float32(v)))
	}
	return out
}

// global returns a vector of 64-bit words in memory, one for all users of name; table, n words.
func (m *machine) global(name string, word func(i int) uint64) Mem {
	return m.table(name, m.bytes/8, word)
}

func (m *machine) table(name string, n int, word func(i int) uint64) Mem {
	if g, ok := m.data[name]; ok {
		return g
	}
	g := m.StaticGlobal(name)
	m.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range n {
		m.AddDatum(8*i, U64(word(i)))
	}
	m.data[name] = g
	return g
}

// load returns a register with the contents of x, a constant or memory.
func (m *machine) load(x Op) Op { return m.into(m.VMOVUPS, x) }

// param returns a vector of the float32 parameter, loaded once a function.
func (m *machine) param(name string) Op {
	v, ok := m.hoisted[name]
	if !ok {
		v = m.vec()
		m.hoist(func() {
			x := m.XMM()
			m.Load(m.Param(name), x)
			m.VBROADCASTSS(x, v)
		})
		m.hoisted[name] = v
	}
	return v
}

// arg returns the parameter of that name in a register; base and len, where a slice begins and how long it is.
func (m *machine) arg(name string) reg.GPVirtual {
	return m.Load(m.Param(name), m.GP64()).(reg.GPVirtual)
}

func (m *machine) base(slice string) reg.GPVirtual {
	return m.Load(m.Param(slice).Base(), m.GP64()).(reg.GPVirtual)
}

func (m *machine) len(slice string) reg.GPVirtual {
	return m.Load(m.Param(slice).Len(), m.GP64()).(reg.GPVirtual)
}

// whole emits body for every n elements of so many that are left, and then the label of what is done with the rest.
func (m *machine) whole(n int, left reg.GPVirtual, loop, rest string, body func()) {
	m.SUBQ(U8(n), left)
	m.JLT(LabelRef(rest))
	m.Label(loop)
	body()
	m.SUBQ(U8(n), left)
	m.JGE(LabelRef(loop))
	m.Label(rest)
	m.ADDQ(U8(n), left)
}

// arithmetic

// into returns what an instruction makes of its operands.
func (m *machine) into(f func(...Op), operands ...Op) reg.VecVirtual {
	v := m.vec()
	f(append(operands, v)...)
	return v
}

func (m *machine) op3(f func(...Op), a, b Op) Op { return m.into(f, b, a) }

// zero returns a vector of zeros, and zeros n of them.
func (m *machine) zero() Op { return m.zeros(1)[0] }

func (m *machine) zeros(n int) (out []reg.VecVirtual) {
	for range n {
		v := m.vec()
		m.VXORPS(v, v, v)
		out = append(out, v)
	}
	return out
}

// either returns the instruction of the precision in use.
func (m *machine) either(ps, pd func(...Op)) func(...Op) {
	if m.double {
		return pd
	}
	return ps
}

func (m *machine) add(a, b Op) Op { return m.op3(m.either(m.VADDPS, m.VADDPD), a, b) }
func (m *machine) sub(a, b Op) Op { return m.op3(m.either(m.VSUBPS, m.VSUBPD), a, b) }
func (m *machine) mul(a, b Op) Op { return m.op3(m.either(m.VMULPS, m.VMULPD), a, b) }
func (m *machine) div(a, b Op) Op { return m.op3(m.either(m.VDIVPS, m.VDIVPD), a, b) }

func (m *machine) and(a, b Op) Op { return m.op3(m.VANDPS, a, b) }
func (m *machine) or(a, b Op) Op  { return m.op3(m.VORPS, a, b) }
func (m *machine) xor(a, b Op) Op { return m.op3(m.VXORPS, a, b) }
func (m *machine) abs(a Op) Op    { return m.and(a, m.words(^uint32(signBit))) }
func (m *machine) neg(a Op) Op    { return m.xor(a, m.words(signBit)) }

// min and max return b where a or b is not a number.
func (m *machine) min(a, b Op) Op { return m.op3(m.either(m.VMINPS, m.VMINPD), a, b) }
func (m *machine) max(a, b Op) Op { return m.op3(m.either(m.VMAXPS, m.VMAXPD), a, b) }

func (m *machine) sqrt(a Op) Op { return m.into(m.VSQRTPS, a) }

// copy returns a fresh register with a's value, for the instructions that overwrite an operand.
func (m *machine) copy(a Op) Op { return m.into(m.VMOVAPS, a) }

// fma returns a·b + c in a's register.
func (m *machine) fma(a, b, c Op) Op {
	m.either(m.VFMADD213PS, m.VFMADD213PD)(c, b, a)
	return a
}

// addTo adds a·b to sum, in its register; subFrom subtracts it.
func (m *machine) addTo(sum, a, b Op) Op {
	m.either(m.VFMADD231PS, m.VFMADD231PD)(b, a, sum)
	return sum
}

func (m *machine) subFrom(sum, a, b Op) Op {
	m.either(m.VFNMADD231PS, m.VFNMADD231PD)(b, a, sum)
	return sum
}

// integers in 32-bit words

func (m *machine) addw(a, b Op) Op { return m.op3(m.VPADDD, a, b) }
func (m *machine) subw(a, b Op) Op { return m.op3(m.VPSUBD, a, b) }

func (m *machine) shl(a Op, n uint8) Op { return m.into(m.VPSLLD, U8(n), a) }

// shr shifts right, filling with zeros; sar, with the sign.
func (m *machine) shr(a Op, n uint8) Op { return m.into(m.VPSRLD, U8(n), a) }
func (m *machine) sar(a Op, n uint8) Op { return m.into(m.VPSRAD, U8(n), a) }

// toFloat converts signed words.
func (m *machine) toFloat(a Op) Op { return m.into(m.VCVTDQ2PS, a) }

// fromUnsigned converts unsigned words.
func (m *machine) fromUnsigned(a Op) Op {
	if m.wide() {
		return m.into(m.VCVTUDQ2PS, a)
	}
	// both halves are exact: one rounding in the sum
	high := m.mul(m.toFloat(m.shr(a, 16)), m.c(1<<16))
	return m.add(high, m.toFloat(m.and(a, m.words(0xFFFF))))
}

func (m *machine) timesPow2(p, j Op) Op {
	if m.wide() {
		return m.op3(m.VSCALEFPS, p, m.sub(j, m.c(magic32)))
	}
	return twoFactors(m, p, j)
}
