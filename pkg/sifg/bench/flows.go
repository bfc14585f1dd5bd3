package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Flows measures, on the path that this process runs, an outer iteration of every sampler on every problem of the paper,
// the scores that cost most, whole trials on one core and on two, and adds up what the paper's trials take.
func Flows(ctx context.Context, o Options, emit func(Row)) error {
	b := newBencher(ctx, o, 11, 20*time.Millisecond, emit)
	all := problems(o.Small)
	seconds := map[string][]float64{} // of an outer iteration, one a repeat, by problem and sampler
	for _, p := range all {
		for _, cfg := range p.methods {
			if err := ctx.Err(); err != nil {
				return err
			}
			t, err := b.iteration(p, cfg)
			if err != nil {
				return err
			}
			seconds[p.name+" "+cfg.Sampler] = t
		}
	}
	hmc, err := b.scores(all)
	if err != nil {
		return err
	}
	speedup := 1.0
	if runtime.NumCPU() > 1 {
		for _, name := range []string{"gmm-10d", "bnn-boston"} {
			i := slices.IndexFunc(all, func(p problem) bool { return p.name == name })
			if speedup, err = b.trials(all[i]); err != nil {
				return err
			}
		}
	}
	b.paper(seconds, hmc, speedup)
	return ctx.Err()
}

// start returns a run of cfg, not yet stepped, that may use so many cores.
func (p *problem) start(cfg sifg.Config, threads int) (func() error, error) {
	flow, err := sifg.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Sampler, err)
	}
	flow.Threads = threads
	c, err := flow.Start(p.target, p.particles, 1, p.init)
	if err != nil {
		return nil, err
	}
	return func() error {
		if _, err := flow.Step(c); err != nil {
			return fmt.Errorf("%s, %s: %w", p.name, cfg.Sampler, err)
		}
		return nil
	}, nil
}

// products returns how many floating-point operations an outer iteration spends in matrix products. With F = 2dH + H²
// multiply-adds in a forward pass of one particle, a step of denoising score matching is 3F − dH (the gradient for the
// input is not needed) and one with Hutchinson's estimate 6F − 2dH, twice that: values and tangents; in 16 dimensions or
// more 6F − 3dH, without the tangents of the output.
func (p *problem) products(cfg sifg.Config) float64 {
	cfg, err := cfg.Resolve()
	must(err)
	n, d, h := float64(p.particles), float64(p.target.Dim()), float64(cfg.Hidden)
	forward := 2*d*h + h*h
	steps, scores := float64(cfg.Inner), 1.0
	var macs float64
	switch cfg.Sampler {
	case "sifg", "ada-sifg":
		macs = steps*(3*forward-d*h) + forward
		switch adapts := cfg.Sampler == "ada-sifg"; {
		case adapts && cfg.SigmaRule == "dsm-in": // tangents along
			macs += steps * forward
		case adapts && cfg.SigmaRule == "dsm-out":
			macs += 2 * forward
		case adapts && cfg.Independent: // σ has a draw of its own
			macs += forward
			scores = 2
		}
	case "l2-gf", "ada-gwg":
		macs = steps*(6*forward-2*d*h) + forward
		if d >= 16 {
			macs -= steps * d * h
		}
	case "svgd": // distances, k·s, k·x
		macs = 3 * n * d
	case "kde-flow": // distances, weighted means
		macs = 2 * n * d
	}
	return 2 * (n*macs + scores*p.score)
}

// iteration measures one outer iteration, and returns its seconds.
func (b *bencher) iteration(p problem, cfg sifg.Config) ([]float64, error) {
	defer oneThread()()
	step, err := p.start(cfg, 1)
	if err != nil {
		return nil, err
	}
	var failed error
	f := func() {
		if err := step(); err != nil && failed == nil {
			failed = err
		}
	}
	peak, peakFlops := b.peak(32)
	t := b.times(peak, f)
	r := b.row("iteration", p.name+" "+cfg.Sampler, fmt.Sprintf("%d×%d", p.particles, p.target.Dim()))
	if inner := max(cfg.Inner, 5); cfg.Sampler != "svgd" && cfg.Sampler != "sgld" && cfg.Sampler != "kde-flow" {
		r.Shape += fmt.Sprintf(", width %d, %d inner", max(cfg.Hidden, 32), inner)
	}
	r.spread(scaled(1e3, t[1]))
	r.Unit = "ms"
	if flops := p.products(cfg); flops > 0 {
		r.PercentOfPeak = 100 * flops / peakFlops * median(ratios(t[0], t[1]))
	}
	var before, after runtime.MemStats
	const steps = 5
	runtime.ReadMemStats(&before)
	for range steps {
		f()
	}
	runtime.ReadMemStats(&after)
	r.Allocs = float64((after.Mallocs - before.Mallocs) / steps)
	if limit := p.limits[cfg.Sampler]; limit > 0 {
		r.aim(r.Value <= limit, "≤ %v ms", limit)
	}
	if failed != nil {
		return nil, failed
	}
	b.emit(r)
	return t[1], nil
}

// scores measures the scores of the densities with data, and returns the seconds of the HMC reference chain of ICA, one a
// repeat: 100 000 iterations of 42 gradients and 2 energies.
func (b *bencher) scores(all []problem) (hmc []float64, err error) {
	defer oneThread()()
	for _, p := range all {
		if p.name != "ica-100" && p.name != "bnn-boston" {
			continue
		}
		x, s := sifg.NewBatch(p.particles, p.target.Dim()), sifg.NewBatch(p.particles, p.target.Dim())
		p.init(x, rng.New(1, "init"))
		iter := 0
		peak, peakFlops := b.peak(32)
		t := b.times(peak, func() { p.target.Score(s, x, iter); iter++ })
		r := b.row("score", p.name, fmt.Sprintf("%d×%d", p.particles, p.target.Dim()))
		r.spread(scaled(1e3, t[1]))
		r.Unit = "ms"
		r.PercentOfPeak = 100 * 2 * p.score / peakFlops * median(ratios(t[0], t[1]))
		if p.name == "ica-100" {
			r.aim(r.Value <= 8, "≤ 8 ms")
		}
		b.emit(r)

		ica, ok := p.target.(*target.ICA)
		if !ok {
			continue
		}
		w, g := make([]float64, ica.Dim()), make([]float64, ica.Dim())
		for i, v := range x.Data[:ica.Dim()] {
			w[i] = float64(v)
		}
		t = b.times(func() { ica.Grad(g, w) }, func() { ica.Energy(w) })
		r = b.row("score", "ica gradient, float64", "1×25")
		r.spread(scaled(1e3, t[0]))
		r.Unit = "ms"
		b.emit(r)
		const iterations, gradients, energies = 100_000, 42, 2
		for i := range t[0] {
			hmc = append(hmc, iterations*(gradients*t[0][i]+energies*t[1][i]))
		}
		r = b.row("score", "ica HMC chain, computed from it", "10⁵ × (42 gradients, 2 energies)")
		r.spread(scaled(1.0/60, hmc))
		r.Unit = "min"
		r.aim(r.Value <= 8, "≤ 8 min")
		b.emit(r)
	}
	return hmc, nil
}

// trials measures a trial of the problem's first sampler: alone, two of them at once, and one whose rows are split over two
// cores. In turn with them it measures what two loops of bare multiply-adds gain from the second core: 2 on a machine that
// does nothing else, and a bound for the trials whatever it does. It returns how many times more work two cores do in two
// trials than one core in one.
func (b *bencher) trials(p problem) (speedup float64, err error) {
	iterations := 300
	if p.particles*p.target.Dim() > 50_000 {
		iterations = 10
	}
	if b.small {
		iterations = 3
	}
	cfg := p.methods[0]
	var steps [3]func() error // two trials on one core each, one on two
	for i, threads := range []int{1, 1, 2} {
		if steps[i], err = p.start(cfg, threads); err != nil {
			return 0, err
		}
	}
	var failed [3]error
	run := func(i int) {
		for range iterations {
			if err := steps[i](); err != nil {
				failed[i] = err
				return
			}
		}
	}
	loop, _ := b.peak(32)
	runtime.GC()
	t := b.times(func() { run(0) }, func() { pair(func() { run(0) }, func() { run(1) }) }, func() { run(2) },
		loop, func() { pair(loop, loop) })
	if err := errors.Join(failed[:]...); err != nil {
		return 0, err
	}
	put := func(name, shape string, threads int, unit string, xs []float64) Row {
		r := b.row("trial", name, shape)
		r.Threads, r.Unit = threads, unit
		r.spread(xs)
		return r
	}
	name, shape := p.name+" "+cfg.Sampler, fmt.Sprintf("%d iterations", iterations)
	two, split, loops := scaled(2, ratios(t[0], t[1])), ratios(t[0], t[2]), scaled(2, ratios(t[3], t[4]))
	b.emit(put(name, shape, 1, "s", t[0]))
	b.emit(put(name+", two at once", shape, 2, "s", t[1]))
	r := put(name+", two at once: speed-up", shape, 2, "×", two)
	r.PercentOfPeak = 100 * median(ratios(two, loops))
	r.aim(r.Value >= 1.9, "≥ 1.9 ×")
	b.emit(r)
	b.emit(put(name+", two at once: efficiency", shape, 2, "%", scaled(50, two)))
	b.emit(put(name+", one split in two: speed-up", shape, 2, "×", split))
	b.emit(put(name+", one split in two: efficiency", shape, 2, "%", scaled(50, split)))
	b.emit(put("beside "+name+", bare multiply-adds: speed-up", "registers", 2, "×", loops))
	return r.Value, nil
}

// pair runs f and g at once.
func pair(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

// paperTrials are the trials of the paper without its grids over hyper-parameters.
var paperTrials = []struct {
	problem    string
	samplers   []string
	trials     int
	iterations int
}{
	{"gmm-2d", []string{"sifg", "l2-gf", "ada-gwg"}, 1, 2000},
	{"gmm-10d", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg"}, 5, 2000},
	{"monomial-gamma", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg"}, 5, 20_000},
	{"ica-10", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 50, 2000},
	{"ica-100", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 5, 2000},
	{"bnn-boston", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 10, 2000},
	{"bnn-boston", []string{"sifg"}, 20, 2000}, // the curves of Figure 4
	{"bnn-boston", []string{"sgld"}, 10, 10_000},
	{"bnn-concrete", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 20, 2000}, // and Diabetes, of the same size
	{"bnn-concrete", []string{"sgld"}, 20, 10_000},
	{"bnn-power", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 10, 2000},
	{"bnn-power", []string{"sgld"}, 10, 10_000},
	{"bnn-protein", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 10, 2000},
	{"bnn-protein", []string{"sgld"}, 10, 10_000},
	{"bnn-wine", []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd"}, 10, 2000},
	{"bnn-wine", []string{"sgld"}, 10, 10_000},
}

// paper adds up the iterations of the paper's trials and the HMC chain, on two cores if speedup says that they help.
func (b *bencher) paper(seconds map[string][]float64, hmc []float64, speedup float64) {
	total := slices.Clone(hmc)
	for _, c := range paperTrials {
		for _, s := range c.samplers {
			for i, t := range seconds[c.problem+" "+s] {
				total[i] += float64(c.trials*c.iterations) * t
			}
		}
	}
	r := b.row("paper", "all trials, computed from an iteration's", "without grids, metrics")
	r.Unit = "h"
	r.spread(scaled(1.0/3600, total))
	b.emit(r)
	if runtime.NumCPU() > 1 {
		r.Name += ", on two cores"
		r.Threads = 2
		r.spread(scaled(1/speedup/3600, total))
		r.aim(r.Value <= 3, "≤ 3 h")
		b.emit(r)
	}
}
