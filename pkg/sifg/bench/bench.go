// Package bench measures the library on the machine it runs on: the kernels of the compute core against the processor's
// own limit, an outer iteration of every sampler at the paper's sizes, whole trials on one core and on two, and from these
// what the whole paper would take.
//
// Every figure is the median of at least 5 repeats, with the smallest and the largest beside it. What a figure is
// compared with (the peak, another library, one core) is measured in turn with it, repeat by repeat, and the comparison is
// the median of the repeats' ratios, so that other work on the machine, which slows both, hardly moves it.
package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Row is one line of the table. NaN stands for what a row does not have.
type Row struct {
	Group   string  // peak, product, function, iteration, score, trial, paper
	Name    string  // what was measured
	Shape   string  // sizes
	Path    string  // kernels that computed it: avx512, avx2, portable
	Threads int     // goroutines that computed
	Value   float64 // median over repeats
	Unit    string
	Lo, Hi  float64 // smallest and largest over repeats

	// PercentOfPeak is the share of the fused multiply-adds that one core can do on the path; of a speed-up, the share of
	// what bare multiply-adds gain. Measured in turn with Value.
	PercentOfPeak float64
	Ratio         float64 // how many times faster than gonum's product, or than Go's own function, on one core
	MaxULP        float64 // largest error found, in units in the last place
	Allocs        float64 // allocations a step, rounded down as package testing does
	Target        string  // what the project aims at, "" if nothing
	Met           string  // yes or no, "" without a target
}

// Options of a measurement.
type Options struct {
	Small bool // tiny sizes and short repeats, to test a program: the figures mean nothing
}

// bencher is one measurement under way.
type bencher struct {
	ctx     context.Context
	small   bool
	repeats int           // ≥ 5
	burst   time.Duration // what a repeat lasts at least
	emit    func(Row)
	path    string
}

func newBencher(ctx context.Context, o Options, repeats int, burst time.Duration, emit func(Row)) *bencher {
	b := &bencher{ctx: ctx, small: o.Small, repeats: repeats, burst: burst, emit: emit, path: simd.Path()}
	if o.Small {
		b.repeats, b.burst = 5, 10*time.Microsecond
	}
	return b
}

// row returns a row without any of the figures that only some rows have.
func (b *bencher) row(group, name, shape string) Row {
	nan := math.NaN()
	return Row{Group: group, Name: name, Shape: shape, Path: b.path, Threads: 1,
		PercentOfPeak: nan, Ratio: nan, MaxULP: nan, Allocs: nan}
}

// times returns for each function the seconds that a call takes, one a repeat. The functions take turns.
func (b *bencher) times(fs ...func()) [][]float64 {
	calls, out := make([]int, len(fs)), make([][]float64, len(fs))
	run := func(i int) float64 {
		start := time.Now()
		for range calls[i] {
			fs[i]()
		}
		return time.Since(start).Seconds()
	}
	for i := range fs {
		calls[i] = 1
		run(i) // buffers grow, pages are touched
		for want := b.burst.Seconds(); calls[i] < 1<<20; {
			t := run(i)
			if t >= want {
				break
			}
			calls[i] = max(calls[i]+1, int(float64(calls[i])*min(1.2*want/t, 100)))
		}
	}
	for range b.repeats {
		for i := range fs {
			out[i] = append(out[i], run(i)/float64(calls[i]))
		}
	}
	return out
}

// median of xs, of the two middle values the mean.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// ratios returns a[i]/b[i].
func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// spread sets the row's value from the repeats.
func (r *Row) spread(xs []float64) {
	r.Value, r.Lo, r.Hi = median(xs), slices.Min(xs), slices.Max(xs)
}

// scaled returns c·x for every x.
func scaled(c float64, xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = c * x
	}
	return out
}

// rates returns work/t for every t.
func rates(work float64, ts []float64) []float64 {
	out := make([]float64, len(ts))
	for i, t := range ts {
		out[i] = work / t
	}
	return out
}

// aim states a target and whether it is met.
func (r *Row) aim(met bool, format string, args ...any) {
	r.Target, r.Met = fmt.Sprintf(format, args...), "no"
	if met {
		r.Met = "yes"
	}
}

// peak returns a function that does flops fused multiply-adds' operations on the path, in numbers of that many bits.
func (b *bencher) peak(bits int) (f func(), flops float64) {
	const rounds = 20_000
	return func() { simd.FMALoop(b.path, bits, rounds) }, simd.FMALoop(b.path, bits, rounds)
}

// oneThread keeps the libraries measured here, and their garbage collection, on one core until the returned function is
// called: gonum's products would use them all.
func oneThread() (restore func()) {
	runtime.GC()
	was := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(was) }
}
