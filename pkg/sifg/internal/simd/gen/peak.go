package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peak emits n rounds of 12 independent fused multiply-adds, enough to hide their latency on two units.
func (m *machine) peak() {
	m.function("peak", "func(n int)", "runs n rounds of 12 fused multiply-adds.")
	n := m.Load(m.Param("n"), m.GP64()).(reg.GPVirtual)
	var v [14]reg.VecVirtual
	for i := range v {
		v[i] = m.vec()
		m.VXORPS(v[i], v[i], v[i])
	}
	m.Label("round")
	for _, sum := range v[:12] {
		m.addTo(sum, v[12], v[13])
	}
	m.DECQ(n)
	m.JNZ(LabelRef("round"))
	m.ret()
}
