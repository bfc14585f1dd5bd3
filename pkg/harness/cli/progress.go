package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// progress shows how a run goes: a bar on a terminal; elsewhere a line for each trial that ends, and one every ten
// seconds in which none does. It uses no colours.
type progress struct {
	out    io.Writer
	bars   *mpb.Progress // nil where out is no terminal
	bar    *mpb.Bar
	beside atomic.Value // string: what stands beside the bar. The bar's own goroutine reads it and must not wait for mu
	quit   chan struct{}
	ticker sync.WaitGroup

	mu      sync.Mutex
	begun   time.Time
	printed time.Time
	jobs    int
	trials  int
	done    int
	weight  func(t *harness.Trial) float64 // predicted seconds, or any measure of work
	seconds bool                           // weight is in seconds
	total   float64                        // weights of all trials
	past    float64                        // of those that ended
	running map[*harness.Trial]float64     // fraction done
}

var _ harness.Watcher = (*progress)(nil)

// interval is the time between lines while no trial ends.
const interval = 10 * time.Second

func newProgress(out io.Writer, todo []harness.Trial, costs *harness.Costs, jobs int) *progress {
	p := &progress{
		out: out, quit: make(chan struct{}), begun: time.Now(), printed: time.Now(), jobs: max(1, jobs),
		trials: len(todo), running: map[*harness.Trial]float64{},
	}
	_, known := costs.Total(todo, jobs)
	p.seconds = known == len(todo)
	p.weight = func(t *harness.Trial) float64 {
		if s, ok := costs.Seconds(t); p.seconds && ok {
			return s
		}
		return float64(t.Config.Iterations+1) * float64(t.Config.Particles)
	}
	for i := range todo {
		p.total += p.weight(&todo[i])
	}
	tick := interval / 10
	if terminal(out) {
		tick = interval / 50
		p.beside.Store("")
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(1000, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string { return p.beside.Load().(string) })))
	}
	p.ticker.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-p.quit:
				return
			case <-t.C:
				p.beat()
			}
		}
	})
	return p
}

// terminal reports whether w can show a bar.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// Start implements harness.Watcher.
func (p *progress) Start(t *harness.Trial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[t] = 0
}

// Step implements harness.Watcher.
func (p *progress) Step(t *harness.Trial, iter int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[t] = float64(iter) / float64(t.Config.Iterations)
}

// End implements harness.Watcher.
func (p *progress) End(t *harness.Trial, status, reason string, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, t)
	if status == "" {
		return
	}
	slog.Info("trial", "key", t.Key, "name", t.Name(), "status", status, "reason", reason, "seconds", took.Seconds())
	p.done++
	p.past += p.weight(t)
	if status != record.StatusOK {
		status += " (" + reason + ")"
	} else if p.bars != nil {
		return
	}
	p.line(fmt.Sprintf("%s: %s, %s; %s", t.Name(), status, harness.Span(took.Seconds()), p.state()))
}

// line prints above the bar. p.mu is held.
func (p *progress) line(s string) {
	p.printed = time.Now()
	if p.bars != nil {
		fmt.Fprintln(p.bars, s)
		return
	}
	fmt.Fprintln(p.out, s)
}

// beat moves the bar or prints a line where nothing was printed for long.
func (p *progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.beside.Store(p.state())
		p.bar.SetCurrent(min(999, int64(1000*p.fraction())))
	} else if time.Since(p.printed) >= interval {
		p.line(p.state())
	}
}

func (p *progress) fraction() float64 {
	w := p.past
	for t, f := range p.running {
		w += f * p.weight(t)
	}
	return w / max(p.total, 1e-9)
}

// state says how far the run is and when it will end. p.mu is held.
func (p *progress) state() string {
	s := fmt.Sprintf("%d of %d trials, %d running", p.done, p.trials, len(p.running))
	f, elapsed := p.fraction(), time.Since(p.begun)
	switch {
	case f >= 1:
	case f > 0.02: // enough done to go by this run itself
		s += fmt.Sprintf(", about %s left", harness.Span(elapsed.Seconds()*(1-f)/f))
	case p.seconds:
		s += fmt.Sprintf(", about %s left", harness.Span(p.total*(1-f)/float64(p.jobs)))
	}
	return s
}

// close ends the display.
func (p *progress) close() {
	close(p.quit)
	p.ticker.Wait()
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}
