package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// random emits normalGroups: groups of 16 Philox blocks, 64 normals each. Word w of a group's 16 blocks is one AVX-512
// or two AVX2 vectors. Everything is done in the order of boxMuller with one rounding an operation, so that the bits
// are its.
func (m *machine) random() {
	const name, params = "normalGroups", "dst []float32, key, hi, block uint64"
	m.kernels = append(m.kernels, kernel{name: name, params: params})
	m.function(name, "func("+params+")", "fills dst, a whole number of groups (at least one), as normalsGo does.")
	dst, n, block := m.base("dst"), m.len("dst"), m.arg("block")
	m.SHRQ(U8(6), n)
	m.hoistHere()
	m.most = 6 // two groups at once need the other registers
	group := func(at int, block reg.GPVirtual) {
		for part := range 64 / m.bytes {
			x := m.philox(block)
			for pair := range 2 {
				cos, sin := boxMuller(m, x[2*pair], x[2*pair+1])
				m.VMOVUPS(cos, Mem{Base: dst, Disp: at + 128*pair + part*m.bytes})
				m.VMOVUPS(sin, Mem{Base: dst, Disp: at + 128*pair + 64 + part*m.bytes})
			}
			m.ADDQ(Imm(uint64(m.bytes/4)), block)
		}
	}
	if m.wide() { // two groups at once: each is a chain of operations that wait for one another
		m.whole(2, n, "two", "one", func() {
			second := m.GP64()
			m.LEAQ(Mem{Base: block, Disp: 16}, second)
			m.interleave(func() { group(0, block) }, func() { group(256, second) })
			m.ADDQ(U8(16), block)
			m.ADDQ(U32(512), dst)
		})
		m.JZ(LabelRef("done"))
	}
	m.Label("group")
	group(0, block)
	m.ADDQ(U32(256), dst)
	m.DECQ(n)
	m.JNZ(LabelRef("group"))
	m.Label("done")
	m.ret()
}

// philoxWords emits the words of the 16 blocks from block on, block by block. dst has room for them.
func (m *machine) philoxWords() {
	const name, params = "philoxWords", "dst []uint32, key, hi, block uint64"
	m.kernel(name, params)
	dst, block := m.base("dst"), m.arg("block")
	m.hoistHere()
	for part := range 64 / m.bytes {
		x := m.philox(block)
		for i, v := range m.transpose4(x) { // blocks i, i+4, …
			for lane := range m.bytes / 16 {
				to := Mem{Base: dst, Disp: part*4*m.bytes + 64*lane + 16*i}
				if m.wide() {
					m.VEXTRACTF32X4(U8(lane), v, to)
				} else {
					m.VEXTRACTF128(U8(lane), v, to)
				}
			}
		}
		m.ADDQ(Imm(uint64(m.bytes/4)), block)
	}
	m.ret()
}

// signs emits ±1 for each of dst's elements, a multiple of 32: −1 where the bit is set, of words from their lowest bit
// on.
func (m *machine) signs() {
	const name, params = "signs", "dst []float32, words []uint32"
	m.kernel(name, params)
	dst, n, words := m.base("dst"), m.len("dst"), m.base("words")
	m.hoistHere()
	m.Label("word")
	word := m.vec()
	m.VPBROADCASTD(Mem{Base: words}, word)
	for at := 0; at < 128; at += m.bytes {
		v := m.vec()
		m.VPSLLVD(m.vector(fmt.Sprint("to31from", at/4), func(i int) uint64 {
			bit := uint64(31 - at/4 - 2*i)
			return bit | (bit-1)<<32
		}), word, v)
		m.VMOVUPS(m.or(m.and(v, m.words(signBit)), m.c(1)), Mem{Base: dst, Disp: at})
	}
	m.ADDQ(U8(4), words)
	m.ADDQ(U32(128), dst)
	m.SUBQ(U8(32), n)
	m.JNZ(LabelRef("word"))
	m.ret()
}

// interleave emits what the functions emit, instruction by instruction in turn. Where AVX2's all read the same constant
// in memory, it is loaded once.
func (m *machine) interleave(fs ...func()) {
	fn := m.current()
	var nodes [][]ir.Node
	for _, f := range fs {
		n := len(fn.Nodes)
		hoisted := m.hoistTo
		f()
		n += m.hoistTo - hoisted // constants went to an earlier place
		nodes = append(nodes, slices.Clone(fn.Nodes[n:]))
		fn.Nodes = fn.Nodes[:n]
	}
	for i, node := range nodes[0] {
		turn := []ir.Node{node}
		for _, other := range nodes[1:] {
			turn = append(turn, other[i])
		}
		if !m.wide() {
			m.shareConstant(turn)
		}
		fn.Nodes = append(fn.Nodes, turn...)
	}
}

// shareConstant has equal instructions take the constant that they read from one register. If they load it, the others
// copy what the first has loaded.
func (m *machine) shareConstant(turn []ir.Node) {
	first, ok := turn[0].(*ir.Instruction)
	if !ok {
		return
	}
	for i, operand := range first.Operands {
		if c, ok := operand.(Mem); ok && c.Base == reg.StaticBase {
			v, others := first.Operands[len(first.Operands)-1], turn[1:]
			if first.Opcode != "VMOVUPS" {
				v, others = m.load(c), turn
			}
			for _, node := range others {
				instruction := node.(*ir.Instruction)
				instruction.Operands[i] = v
				instruction.Inputs = append(instruction.Inputs, v)
			}
		}
	}
}

// splat64 returns a vector of the register's 64 bits.
func (m *machine) splat64(x reg.GPVirtual) Op {
	v, s := m.vec(), m.XMM()
	m.VMOVQ(x, s)
	m.VPBROADCASTQ(s, v)
	return v
}

// philox returns the four words of the blocks block, block+1, …, one a lane. Even and odd blocks are computed apart, in
// the low halves of 64-bit lanes: that is where the instruction for 32×32-bit products takes its factors from, and it
// does not look at the high halves.
func (m *machine) philox(block reg.GPVirtual) [4]Op {
	key, hi := m.arg("key"), m.arg("hi")
	base, h, k := m.splat64(block), m.splat64(hi), m.splat64(key)
	var c [2][4]Op
	for odd, name := range []string{"even", "odd"} {
		low := m.op3(m.VPADDQ, base, m.global(name, func(i int) uint64 { return uint64(2*i + odd) }))
		c[odd] = [4]Op{low, m.shr64(low), h, m.shr64(h)}
	}
	k0, k1 := k, m.shr64(k)
	for round := range 10 {
		if round > 0 {
			k0, k1 = m.addw(k0, m.words(0x9E3779B9)), m.addw(k1, m.words(0xBB67AE85))
		}
		for i, x := range c {
			p0, p1 := m.op3(m.VPMULUDQ, x[0], m.words(0xD2511F53)), m.op3(m.VPMULUDQ, x[2], m.words(0xCD9E8D57))
			c[i] = [4]Op{m.xorTo(m.shr64(p1), x[1], k0), p1, m.xorTo(m.shr64(p0), x[3], k1), p0}
		}
	}
	var words [4]Op
	for w := range words {
		words[w] = m.zip(c[0][w], m.shl64(c[1][w]))
	}
	return words
}

// xorTo returns a ^ b ^ c in a's register.
func (m *machine) xorTo(a, b, c Op) Op {
	if m.wide() {
		m.VPTERNLOGD(U8(0x96), c, b, a)
		return a
	}
	m.VXORPS(b, a, a)
	m.VXORPS(c, a, a)
	return a
}

func (m *machine) shl64(a Op) Op { return m.into(m.VPSLLQ, U8(32), a) }
func (m *machine) shr64(a Op) Op { return m.into(m.VPSRLQ, U8(32), a) }

// zip returns the even words of a and the odd words of b.
func (m *machine) zip(a, b Op) Op {
	v := m.vec()
	if !m.wide() {
		m.VPBLENDD(U8(0xAA), b, a, v)
		return v
	}
	k, ok := m.masks["odd"]
	if !ok {
		k = m.K()
		m.hoist(func() {
			bits := m.GP32()
			m.MOVL(U32(0xAAAA), bits)
			m.KMOVW(bits, k)
		})
		m.masks["odd"] = k
	}
	m.blend(x86.VPBLENDMD, k, b, a, v)
	return v
}

// boxMuller is the vector form of the Go function: see there.
func boxMuller(v arithmetic, x0, x1 Op) (cos, sin Op) {
	i := v.subw(v.add(v.fromUnsigned(x0), v.c(0.5)), v.words(sqrtHalfBits))
	e := v.toFloat(v.subw(v.sar(i, 23), v.words(32)))
	f := v.sub(v.addw(v.and(i, v.words(0x7FFFFF)), v.words(sqrtHalfBits)), v.c(1))
	p := v.load(v.c(logPoly[0]))
	for _, c := range logPoly[1:] {
		p = v.add(v.mul(p, f), v.c(c))
	}
	z := v.mul(f, f)
	y := v.mul(v.mul(p, f), z)
	y = v.add(y, v.mul(e, v.c(boxLn2Lo)))
	y = v.sub(y, v.mul(z, v.c(0.5)))
	y = v.add(y, f)
	y = v.add(y, v.mul(e, v.c(ln2Hi)))
	r := v.sqrt(v.mul(y, v.c(-2)))

	q := v.shr(v.addw(x1, v.words(1<<29)), 30)
	t := v.mul(v.toFloat(v.subw(x1, v.shl(q, 30))), v.c(2*math.Pi*0x1p-32))
	z = v.mul(t, t)
	s := v.add(v.mul(z, v.c(sinS[0])), v.c(sinS[1]))
	s = v.add(v.mul(s, z), v.c(sinS[2]))
	s = v.add(v.mul(v.mul(s, z), t), t)
	c := v.add(v.mul(z, v.c(cosC[0])), v.c(cosC[1]))
	c = v.add(v.mul(c, z), v.c(cosC[2]))
	c = v.sub(v.mul(v.mul(c, z), z), v.mul(z, v.c(0.5)))
	c = v.add(c, v.c(1))
	swap := v.signOf(v.shl(q, 31))
	two := v.words(2)
	signC := v.shl(v.and(v.addw(q, v.words(1)), two), 30)
	signS := v.shl(v.and(q, two), 30)
	cos = v.xor(v.pick(swap, s, c), signC)
	sin = v.xor(v.pick(swap, c, s), signS)
	return v.mul(cos, r), v.mul(sin, r)
}

// The constants of boxMuller in package simd.
const (
	sqrtHalfBits = 0x3F3504F3
	boxLn2Lo     = -2.12194440e-4
)

var (
	sinS = [3]float64{-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}
	cosC = [3]float64{2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}
)
