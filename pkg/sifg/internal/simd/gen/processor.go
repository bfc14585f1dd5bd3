package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

// cpuid emits the instruction of that name. It belongs to no vector instruction set and goes with AVX2.
func (m *machine) cpuid() {
	if m.wide() {
		return
	}
	m.Function("cpuid")
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr("func(leaf uint32) (eax, ebx, ecx, edx uint32)")
	m.Doc("cpuid returns the processor's answer for the leaf.")
	m.Load(m.Param("leaf"), reg.EAX)
	m.XORL(reg.ECX, reg.ECX)
	m.CPUID()
	for i, r := range []reg.Register{reg.EAX, reg.EBX, reg.ECX, reg.EDX} {
		m.Store(r, m.ReturnIndex(i))
	}
	m.RET()
}
