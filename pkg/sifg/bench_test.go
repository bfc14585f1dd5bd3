package sifg

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// peak returns the float32 operations a second that one core does in registers now: the best of a few milliseconds. It
// warms up first, as a processor takes its time to power the units of wide vectors. 0: the path has no measure of it.
func peak() (best float64) {
	for range 8 {
		start := time.Now()
		flops := simd.FMALoop(simd.Path(), 100_000)
		best = max(best, flops/time.Since(start).Seconds())
	}
	return best
}

// start returns a run of cfg on p, not yet stepped, that may use so many cores.
func (p *problem) start(tb testing.TB, cfg Config, threads int) func() {
	flow := must(New(cfg))
	flow.Threads = threads
	c := must(flow.Start(p.target, p.particles, 1, p.init))
	return func() {
		if _, err := flow.Step(c); err != nil {
			tb.Fatal(err)
		}
	}
}

func report(b *testing.B, flops float64) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(1e3*seconds, "ms/iteration")
	if peak := peak(); flops > 0 && peak > 0 {
		b.ReportMetric(100*flops/seconds/peak, "%peak")
	}
}

// BenchmarkIteration is an outer iteration of every sampler on every problem, with the score. %peak counts the
// operations of its matrix products alone.
func BenchmarkIteration(b *testing.B) {
	for _, p := range problems() {
		for _, cfg := range p.methods {
			b.Run(p.name+"/"+cfg.Sampler, func(b *testing.B) {
				step := p.start(b, cfg, 1)
				step()
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
				report(b, p.products(cfg))
			})
		}
	}
}

// BenchmarkScore is the score of all particles, where it costs most.
func BenchmarkScore(b *testing.B) {
	for _, p := range problems() {
		if p.name != "ica-100" && p.name != "bnn-boston" {
			continue
		}
		b.Run(p.name, func(b *testing.B) {
			x, s := NewBatch(p.particles, p.target.Dim()), NewBatch(p.particles, p.target.Dim())
			p.init(x, rng.New(1, "init"))
			iter := 0
			for b.Loop() {
				p.target.Score(s, x, iter)
				iter++
			}
			report(b, 2*p.score)
		})
	}
}

// BenchmarkPeer is what scripts/peers compares with: a run on one core; a pair of runs at once on two, of which the
// time is divided by two; one run split over two.
func BenchmarkPeer(b *testing.B) {
	all := map[string]problem{}
	for _, p := range problems() {
		all[p.name] = p
	}
	for _, c := range []struct {
		name, problem string
		method        int
	}{
		{"sifg-toy", "gmm-10d", 0},
		{"l2-gf-toy", "gmm-10d", 2},
		{"sifg-500", "gmm-2d-500", 0},
		{"ada-sifg-boston", "bnn-boston", 1},
		{"l2-gf-boston", "bnn-boston", 2},
	} {
		p := all[c.problem]
		cfg := p.methods[c.method]
		for _, way := range []struct {
			name          string
			runs, threads int
		}{{"one", 1, 1}, {"pair", 2, 1}, {"split", 1, 2}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(way.runs * way.threads))
				var steps []func()
				for range way.runs {
					steps = append(steps, p.start(b, cfg, way.threads))
				}
				for _, step := range steps {
					step()
				}
				b.ResetTimer()
				var wait sync.WaitGroup
				for _, step := range steps {
					wait.Go(func() {
						for range b.N {
							step()
						}
					})
				}
				wait.Wait()
				b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N*len(steps)), "ms/iteration")
			})
		}
	}
}

// The operations that %peak counts are those of the paper's cost model: 10⁶ multiply-adds of an outer iteration by
// denoising and by Hutchinson's estimate, without the score; but the latter leaves out a product of n×d×H in each
// of its steps; below 16 dimensions in all but the last.
func TestProductCount(t *testing.T) {
	for _, p := range problems() {
		want := map[string][2]float64{
			"gmm-10d": {25.0, 48.4}, "gmm-2d-500": {1697}, "ica-100": {118.4, 234.8}, "bnn-boston": {1454, 2853},
		}[p.name]
		for _, cfg := range p.methods {
			i := map[string]int{"sifg": 1, "l2-gf": 2, "ada-gwg": 2}[cfg.Sampler]
			if i == 0 {
				continue
			}
			got := (p.products(cfg)/2 - p.score) / 1e6
			cfg = must(cfg.Resolve())
			if d := p.target.Dim(); i == 2 {
				left := cfg.Inner
				if d < steinWide {
					left--
				}
				got += float64(p.particles*d*cfg.Hidden*left) / 1e6
			}
			if math.Abs(got-want[i-1]) > 6e-3*want[i-1] {
				t.Errorf("%s %s: %.1f·10⁶ multiply-adds, want %v", p.name, cfg.Sampler, got, want[i-1])
			}
		}
	}
}
