package main

import (
	"fmt"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
)

// arm64 emits kernels for arm64 with the NEON instructions, 4 float32 a vector. Go's assembler has few of them, so all
// are written as words with the mnemonic beside them. The arithmetic is that of the kernels for amd64, operation by
// operation, in the same order: the bits are the same.
type arm64 struct {
	text      strings.Builder // of the assembly file
	stubs     strings.Builder // of its Go declarations
	choosers  strings.Builder // of the functions that choose
	has       map[string]bool // kernels that exist
	constants []constant
}

// value is a vector in the straight-line body of a kernel, each set once: what overwrites a register on amd64 makes a
// new value here. constant is a vector of that word in memory, which whatever uses it loads. Both are operands only so
// that kernels can be described for amd64 too.
type (
	value    int
	constant uint32
)

func (v value) Asm() string    { return fmt.Sprint("value", int(v)) }
func (c constant) Asm() string { return fmt.Sprint("constant", uint32(c)) }

// word is one instruction; its registers are put in where they are known. A tied one adds to or selects by its first
// source.
type word struct {
	code      uint32
	name      string
	dst       value
	src       []value
	tied      bool
	load, put string
}

// body collects the instructions of a kernel.
type body struct {
	*arm64
	program []word
	n       value
	pinned  map[string]value // parameters in the highest registers
}

func (b *body) emit(w word) value {
	w.dst = b.n
	b.n++
	b.program = append(b.program, w)
	return w.dst
}

// value returns x in a register.
func (b *body) value(x Op) value {
	if c, ok := x.(constant); ok {
		return b.emit(word{load: fmt.Sprint("#", b.constant(c))})
	}
	return x.(value)
}

func (b *body) operate(w word, src []Op) Op {
	for _, x := range src {
		w.src = append(w.src, b.value(x))
	}
	return b.emit(w)
}

func (b *body) op(name string, code uint32, src ...Op) Op {
	return b.operate(word{code: code, name: name}, src)
}

func (b *body) tied(name string, code uint32, src ...Op) Op {
	return b.operate(word{code: code, name: name, tied: true}, src)
}

func (b *body) get(slice string) Op { return b.emit(word{load: slice}) }
func (b *body) put(v Op, slice string) {
	b.program = append(b.program, word{put: slice, src: []value{v.(value)}, dst: -1})
}
func (b *body) add(x, y Op) Op          { return b.op("fadd", 0x4E20D400, x, y) }
func (b *body) sub(x, y Op) Op          { return b.op("fsub", 0x4EA0D400, x, y) }
func (b *body) mul(x, y Op) Op          { return b.op("fmul", 0x6E20DC00, x, y) }
func (b *body) div(x, y Op) Op          { return b.op("fdiv", 0x6E20FC00, x, y) }
func (b *body) min(x, y Op) Op          { return b.op("fmin", 0x4EA0F400, x, y) }
func (b *body) max(x, y Op) Op          { return b.op("fmax", 0x4E20F400, x, y) }
func (b *body) sqrt(x Op) Op            { return b.op("fsqrt", 0x6EA1F800, x) }
func (b *body) abs(x Op) Op             { return b.op("fabs", 0x4EA0F800, x) }
func (b *body) neg(x Op) Op             { return b.op("fneg", 0x6EA0F800, x) }
func (b *body) and(x, y Op) Op          { return b.op("and", 0x4E201C00, x, y) }
func (b *body) or(x, y Op) Op           { return b.op("orr", 0x4EA01C00, x, y) }
func (b *body) xor(x, y Op) Op          { return b.op("eor", 0x6E201C00, x, y) }
func (b *body) addw(x, y Op) Op         { return b.op("add", 0x4EA08400, x, y) }
func (b *body) subw(x, y Op) Op         { return b.op("sub", 0x6EA08400, x, y) }
func (b *body) shl(x Op, n uint8) Op    { return b.op("shl", 0x4F005400|uint32(32+n)<<16, x) }
func (b *body) shr(x Op, n uint8) Op    { return b.op("ushr", 0x6F000400|uint32(64-n)<<16, x) }
func (b *body) sar(x Op, n uint8) Op    { return b.op("sshr", 0x4F000400|uint32(64-n)<<16, x) }
func (b *body) toFloat(x Op) Op         { return b.op("scvtf", 0x4E21D800, x) }
func (b *body) fromUnsigned(x Op) Op    { return b.op("ucvtf", 0x6E21D800, x) }
func (b *body) less(x, y Op) Op         { return b.op("fcmgt", 0x6EA0E400, y, x) }
func (b *body) pick(k, x, y Op) Op      { return b.tied("bsl", 0x6E601C00, k, x, y) }
func (b *body) addTo(sum, x, y Op) Op   { return b.tied("fmla", 0x4E20CC00, sum, x, y) }
func (b *body) subFrom(sum, x, y Op) Op { return b.tied("fmls", 0x4EA0CC00, sum, x, y) }
func (b *body) fma(x, y, z Op) Op       { return b.addTo(z, x, y) }
func (b *body) timesPow2(p, j Op) Op    { return twoFactors(b, p, j) }
func (b *body) signOf(x Op) Op          { return b.sar(x, 31) }
func (b *body) c(v float64) Op          { return b.words(math.Float32bits(float32(v))) }
func (b *body) words(w uint32) Op       { return constant(w) }
func (b *body) load(x Op) Op            { return b.value(x) }
func (b *body) copy(x Op) Op            { return x }
func (b *body) zero() Op                { return b.load(b.words(0)) }
func (b *body) param(name string) Op    { return b.pinned[name] }

func (a *arm64) constant(w constant) int {
	if i := slices.Index(a.constants, w); i >= 0 {
		return i
	}
	a.constants = append(a.constants, w)
	return len(a.constants) - 1
}

// assemble writes the words. pointers maps slices to registers.
func (b *body) assemble(pointers map[string]int) {
	r := b.registers()
	for i, w := range b.program {
		r.at = i
		switch {
		case strings.HasPrefix(w.load, "#"):
			var k uint32
			fmt.Sscan(w.load[1:], &k)
			dst := r.take(w.dst)
			b.line(0x3DC00000|k<<10|19<<5|dst, "ldr q%d, [x19, #%d]", dst, 16*k)
		case w.load != "":
			p, dst := uint32(pointers[w.load]), r.take(w.dst)
			b.line(0x3DC00000|p<<5|dst, "ldr q%d, [x%d]", dst, p)
		case w.put != "":
			p, src := uint32(pointers[w.put]), r.of[w.src[0]]
			b.line(0x3D800000|p<<5|src, "str q%d, [x%d]", src, p)
			r.release(w.src)
		default:
			b.compute(w, r)
		}
	}
}

// compute writes a word that makes a vector of others.
func (b *body) compute(w word, r *registers) {
	others := w.src
	if w.tied {
		others = w.src[1:]
		if s := w.src[0]; r.ends(s) && others[0] != s && others[1] != s {
			r.of[w.dst] = r.of[s]
		} else {
			dst := r.take(w.dst)
			b.line(0x4EA01C00|r.of[s]<<16|r.of[s]<<5|dst, "mov v%d, v%d", dst, r.of[s])
		}
		r.release(slices.DeleteFunc(slices.Clone(w.src), func(s value) bool { return r.of[s] == r.of[w.dst] }))
	} else {
		r.release(w.src)
		r.take(w.dst)
	}
	code, names := w.code|r.of[w.dst], []string{fmt.Sprint("v", r.of[w.dst])}
	for k, s := range others {
		code |= r.of[s] << [2]int{5, 16}[k]
		names = append(names, fmt.Sprint("v", r.of[s]))
	}
	b.line(code, "%s %s", w.name, strings.Join(names, ", "))
	if _, used := r.last[w.dst]; !used {
		r.free = append(r.free, r.of[w.dst])
	}
}

// registers gives values their registers, from V0 up. One is free again after the last use of its value.
type registers struct {
	at     int           // the word that is written
	last   map[value]int // the word that uses a value last
	of     map[value]uint32
	pinned map[value]bool
	free   []uint32
}

func (b *body) registers() *registers {
	r := &registers{last: map[value]int{}, of: map[value]uint32{}, pinned: map[value]bool{}}
	for i, w := range b.program {
		for _, s := range w.src {
			r.last[s] = i
		}
	}
	top := uint32(32)
	for _, name := range sortedKeys(b.pinned) {
		top--
		v := b.pinned[name]
		r.of[v], r.pinned[v] = top, true
	}
	for k := top; k > 0; k-- {
		r.free = append(r.free, k-1)
	}
	return r
}

// take gives a value a register.
func (r *registers) take(v value) uint32 {
	if len(r.free) == 0 {
		panic("gen: a kernel for arm64 needs more registers than there are")
	}
	n := len(r.free) - 1
	r.of[v], r.free = r.free[n], r.free[:n]
	return r.of[v]
}

// ends reports whether a value is used no more after the word that is written.
func (r *registers) ends(v value) bool { return r.last[v] == r.at && !r.pinned[v] }

// release frees the registers of those values that end, each once.
func (r *registers) release(values []value) {
	for i, v := range values {
		if r.ends(v) && !slices.Contains(values[:i], v) {
			r.free = append(r.free, r.of[v])
		}
	}
}

func (a *arm64) line(code uint32, format string, args ...any) {
	fmt.Fprintf(&a.text, "\tWORD $0x%08X // %s\n", code, fmt.Sprintf(format, args...))
}

// pointwise emits a kernel over slices of one length, a positive multiple of 4, and the function that calls it for any
// length: the last elements go through a vector of their own.
func (a *arm64) pointwise(name, of, params string, f func(l vectors)) {
	a.has[name] = true
	vars := parameters(params)
	layout, last := types.SizesFor("gc", "arm64"), len(vars)-1
	offsets := layout.Offsetsof(vars)
	size := offsets[last] + layout.Sizeof(vars[last].Type())
	b := &body{arm64: a, pinned: map[string]value{}}
	fmt.Fprintf(&a.stubs, "\n//go:noescape\nfunc %sNEON(%s)\n", name, params)
	fmt.Fprintf(&a.text, "\n// func %sNEON(%s)\nTEXT ·%sNEON(SB), NOSPLIT, $0-%d\n", name, params, name, size)
	fmt.Fprintf(&a.text, "\tMOVD $constants<>(SB), R19\n\tMOVD %s_len+8(FP), R9\n", vars[0].Name())
	pointers, at := map[string]int{}, map[string]int64{}
	for i, v := range vars {
		n := v.Name()
		at[n] = offsets[i]
		if isNumber(v) {
			b.pinned[n] = b.n
			b.n++
		} else {
			pointers[n] = len(pointers)
			if pointers[n] > 8 {
				pointers[n]++ // 9 counts
			}
			fmt.Fprintf(&a.text, "\tMOVD %s_base+%d(FP), R%d\n", n, at[n], pointers[n])
		}
	}
	for i, n := range sortedKeys(b.pinned) {
		fmt.Fprintf(&a.text, "\tFMOVS %s+%d(FP), F%d\n", n, at[n], 31-i)
		r := uint32(31 - i)
		a.line(0x4E040400|r<<5|r, "dup v%d.4s, v%d.s[0]", r, r)
	}
	f(b)
	a.text.WriteString("loop:\n")
	b.assemble(pointers)
	for _, v := range vars {
		if p, ok := pointers[v.Name()]; ok {
			fmt.Fprintf(&a.text, "\tADD $16, R%d\n", p)
		}
	}
	a.text.WriteString("\tSUBS $4, R9\n\tBGT loop\n\tRET\n")
	a.chooser(kernel{name, params, of}, vars, b)
}

// chooser writes the exported function, or one for other code of package simd that knows that there is NEON.
func (a *arm64) chooser(k kernel, vars []*types.Var, b *body) {
	changed := map[string]bool{}
	for _, w := range b.program {
		changed[w.put] = w.put != ""
	}
	var whole, rest, in, out []string
	for _, v := range vars {
		n := v.Name()
		if isNumber(v) {
			whole, rest = append(whole, n), append(rest, n)
			continue
		}
		at := len(in)
		whole, rest = append(whole, n+"[:n]"), append(rest, fmt.Sprintf("t[%d][:]", at))
		in = append(in, fmt.Sprintf("\t\tcopy(t[%d][:], %s[n:])\n", at, n))
		if changed[n] {
			out = append(out, fmt.Sprintf("\t\tcopy(%s[n:], t[%d][:])\n", n, at))
		}
	}
	head := fmt.Sprintf("\nfunc %sVector(%s) {\n", k.name, k.params)
	if k.of != "" {
		head = fmt.Sprintf("%s\tif path != neon {\n\t\t%sGo(%s)\n\t\treturn\n\t}\n", k.head(), k.name,
			strings.Join(k.names(), ", "))
	}
	fmt.Fprintf(&a.choosers, `%s	n := len(%s) &^ 3
	if n > 0 {
		%[3]sNEON(%[4]s)
	}
	if n < len(%[2]s) {
		var t [%[5]d][4]float32
%[6]s		%[3]sNEON(%[7]s)
%[8]s	}
}
`, head, vars[0].Name(), k.name, strings.Join(whole, ", "), len(in), strings.Join(in, ""), strings.Join(rest, ", "),
		strings.Join(out, ""))
}

// isNumber reports whether a parameter is a float32, not a slice.
func isNumber(v *types.Var) bool { return v.Type() == types.Typ[types.Float32] }

func sortedKeys(m map[string]value) []string { return slices.Sorted(maps.Keys(m)) }
