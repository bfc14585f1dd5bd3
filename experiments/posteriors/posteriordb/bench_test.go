package posteriordb

import "testing"

// A gradient of each posterior, with its log density.
func BenchmarkGradient(b *testing.B) {
	for _, e := range Table {
		b.Run(e.Name, func(b *testing.B) {
			p, u := load(b, e), around(b, e, 1)[0]
			grad := make([]float64, len(u))
			b.ReportAllocs()
			for b.Loop() {
				p.Grad(grad, u)
			}
		})
	}
}
