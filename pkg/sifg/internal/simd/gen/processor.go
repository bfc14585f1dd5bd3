package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/reg"
)

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
