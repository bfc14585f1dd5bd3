package main

import . "github.com/mmcloughlin/avo/operand"

// peak emits n rounds of 12 independent fused multiply-adds, enough to hide their latency on two units.
func (m *machine) peak() {
	m.function("peak", "func(n int)", "runs n rounds of 12 fused multiply-adds.")
	n, v := m.arg("n"), m.zeros(14)
	m.Label("round")
	for _, sum := range v[:12] {
		m.addTo(sum, v[12], v[13])
	}
	m.DECQ(n)
	m.JNZ(LabelRef("round"))
	m.ret()
}
