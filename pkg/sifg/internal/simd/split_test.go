package simd

import (
	"runtime"
	"slices"
	"sync"
	"testing"
)

// TestSplit: rows of a product computed by several goroutines have the same bits, in all three orientations, adding and
// overwriting, and products too small to be split still work.
func TestSplit(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		for _, s := range [][3]int{{301, 129, 113}, {3, 1200, 1300}, {5, 6, 7}} {
			m, n, k := s[0], s[1], s[2]
			a, b := make([]float32, m*k), make([]float32, k*n)
			for i := range a {
				a[i] = float32(i%17) - 8.25
			}
			for i := range b {
				b[i] = float32(i%13)/7 - 0.9
			}
			for name, product := range map[string]func(w *Workspace, c []float32, acc bool){
				"NN": func(w *Workspace, c []float32, acc bool) { w.GemmNN(m, n, k, a, k, b, n, c, n, acc) },
				"NT": func(w *Workspace, c []float32, acc bool) { w.GemmNT(m, n, k, a, k, b, k, c, n, acc) },
				"TN": func(w *Workspace, c []float32, acc bool) { w.GemmTN(m, n, k, a, m, b, n, c, n, acc) },
			} {
				for _, acc := range []bool{false, true} {
					whole := make([]float32, m*n)
					product(&Workspace{}, whole, acc)
					for _, threads := range []int{1, 2, 3, 7} {
						c := make([]float32, m*n)
						product(&Workspace{Threads: threads}, c, acc)
						if !slices.Equal(c, whole) {
							t.Errorf("%s %d×%d×%d: %d threads give other bits", name, m, n, k, threads)
						}
					}
				}
			}
		}
	})
}

// BenchmarkSplit is some 7 µs of work for each of two cores, whatever -cpu says: by Split, whose helpers look out for
// the next job; by a goroutine that is started and awaited; and the work of one core alone.
func BenchmarkSplit(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("no second core")
	}
	x := [2][]float32{make([]float32, 1000), make([]float32, 1000)}
	work := func(part, _, _ int) {
		for range 100 {
			AddScaled(x[part], x[part], 0.5, x[part])
		}
	}
	for _, way := range []struct {
		name string
		call func()
	}{
		{"helpers", func() { Split(2, 2, 1, work) }},
		{"goroutine", func() {
			var wait sync.WaitGroup
			wait.Go(func() { work(0, 0, 1) })
			work(1, 1, 2)
			wait.Wait()
		}},
		{"one-core", func() { work(0, 0, 1) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			for b.Loop() {
				way.call()
			}
			reportCall(b)
		})
	}
}

// reportCall reports the time of a call in the unit of make bench's tables.
func reportCall(b *testing.B) { b.ReportMetric(1e6*b.Elapsed().Seconds()/float64(b.N), "µs/call") }
