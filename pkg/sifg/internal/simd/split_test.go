package simd

import (
	"runtime"
	"sync"
	"testing"
)

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
