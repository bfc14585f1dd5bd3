package grid

import (
	"testing"
)

// BenchmarkPlan lays out a grid of 10,000 trials: 2,000 cells of one method, five seeds each.
func BenchmarkPlan(b *testing.B) {
	s, err := Read("x.yaml", []byte("problems: small\nproduct: {methods.sifg.step: 'logspace(1e-4, 1e-1, 100)', methods.sifg.hidden: 'range(1, 20)'}"))
	if err != nil {
		b.Fatal(err)
	}
	e := toy()
	for b.Loop() {
		p, err := New(cells(b, e, "paper", "seeds=[1, 2, 3, 4, 5]"), s)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(p.Trials()); n != 10000 {
			b.Fatalf("%d trials", n)
		}
	}
}

// BenchmarkPlanOptions is BenchmarkPlan with 10,000 cells that differ in settings of the problem too.
func BenchmarkPlanOptions(b *testing.B) {
	s, err := Read("x.yaml", []byte("problems: small\nproduct: {methods.sifg.step: 'logspace(1e-4, 1e-1, 10)', particles: 'range(4, 1003)'}\ninclude: step < 1"))
	if err != nil {
		b.Fatal(err)
	}
	e := toy()
	for b.Loop() {
		p, err := New(cells(b, e, "paper", "seeds=[1]", "problems.small.include=[sifg]"), s)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(p.Trials()); n != 10000 {
			b.Fatalf("%d trials", n)
		}
	}
}
