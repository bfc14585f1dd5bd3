package sifg

import (
	"runtime"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

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

func report(b *testing.B) {
	b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N), "ms/iteration")
}

// BenchmarkIteration is an outer iteration of every sampler on every problem, with the score.
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
				report(b)
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
			report(b)
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
