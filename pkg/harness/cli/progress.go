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
	printed time.Time
	trials  int
	done    int
	running map[*harness.Trial]*running
	eta     *eta
}

// running is a trial that runs.
type running struct {
	since    time.Time
	fraction float64
}

var _ harness.Watcher = (*progress)(nil)

// interval is the time between lines while no trial ends.
const interval = 10 * time.Second

func newProgress(out io.Writer, todo []harness.Trial, costs *harness.Costs, jobs int) *progress {
	p := &progress{
		out: out, quit: make(chan struct{}), printed: time.Now(),
		trials: len(todo), running: map[*harness.Trial]*running{}, eta: newETA(todo, costs, jobs),
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
	p.running[t] = &running{since: time.Now()}
}

// Step implements harness.Watcher.
func (p *progress) Step(t *harness.Trial, iter int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.running[t]; r != nil {
		r.fraction = float64(iter) / float64(t.Config.Iterations)
	}
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
	p.eta.ended(t, took.Seconds(), status == record.StatusOK)
	if status != record.StatusOK {
		status = became(status, reason)
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
		fraction, _, _ := p.eta.now(p.running)
		p.bar.SetCurrent(min(999, int64(1000*fraction)))
	} else if time.Since(p.printed) >= interval {
		p.line(p.state())
	}
}

// state says how far the run is and when it will end. p.mu is held. A trial that is being stored no longer takes a place among
// those that run.
func (p *progress) state() string {
	s := fmt.Sprintf("%d of %d trials, %d running", p.done, p.trials, min(len(p.running), p.eta.jobs))
	if _, left, known := p.eta.now(p.running); known && left >= 1 {
		s += fmt.Sprintf(", about %s left", harness.Span(left))
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
