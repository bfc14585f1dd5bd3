package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
)

// progress shows how a run goes. On a terminal that is a bar over all trials and one a running trial; elsewhere it is at most a line a
// minute, and one for each trial that does not end well.
type progress struct {
	out   io.Writer     // of lines: above the bars where there are some
	bars  *mpb.Progress // nil where out is no terminal
	total *running
	quit  chan struct{}
	wait  sync.WaitGroup
	costs *run.Costs
	count int // trials

	mu      sync.Mutex
	done    int
	ended   float64 // predicted seconds of the trials that ended
	running map[*harness.Trial]*running
}

// running is what a bar shows.
type running struct {
	began             time.Time
	fraction, seconds float64 // done; predicted
	bar               *mpb.Bar
}

// barEnd is what a bar counts to.
const barEnd = 1000

func newProgress(out io.Writer, todo []harness.Trial, costs *run.Costs) *progress {
	p := &progress{out: out, quit: make(chan struct{}), costs: costs, count: len(todo), total: &running{began: time.Now()},
		running: map[*harness.Trial]*running{}}
	for i := range todo {
		p.total.seconds += p.seconds(&todo[i])
	}
	every := time.Minute
	if o, ok := out.(*output); ok && len(todo) > 0 && os.Getenv("TERM") != "dumb" {
		if f, ok := o.to.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
			every = 200 * time.Millisecond
			p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40), mpb.WithAutoRefresh())
			p.out = p.bars
			p.total.bar = p.bar(p.total, func() string { return p.state() }, mpb.BarPriority(1<<20))
		}
	}
	p.wait.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				return
			case <-tick.C:
				p.beat()
			}
		}
	})
	return p
}

// bar adds a bar with a text, which is called while p.mu is held.
func (p *progress) bar(r *running, text func() string, options ...mpb.BarOption) *mpb.Bar {
	return p.bars.AddBar(barEnd, append(options, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return text() + r.left()
	})))...)
}

// seconds is the predicted time of a trial; 1 where nothing is known, so that trials count alike.
func (p *progress) seconds(t *harness.Trial) float64 {
	if s, ok := p.costs.Seconds(t); ok {
		return s
	}
	return 1
}

// Note implements run.Progress.
func (p *progress) Note(line string) {
	slog.Info(line)
	fmt.Fprintln(p.out, safe.Text(line))
}

// Start implements run.Progress.
func (p *progress) Start(t *harness.Trial) {
	slog.Debug("trial starts", "key", t.Key, "name", t.Name())
	r := &running{began: time.Now(), seconds: p.seconds(t)}
	if p.bars != nil {
		r.bar = p.bar(r, t.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[t] = r
}

// Step implements run.Progress.
func (p *progress) Step(t *harness.Trial, iter int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.running[t]; r != nil {
		r.fraction = float64(iter) / float64(max(1, t.Config.Iterations))
	}
}

// End implements run.Progress.
func (p *progress) End(t *harness.Trial, status, reason string, took time.Duration) {
	p.mu.Lock()
	r := p.running[t]
	delete(p.running, t)
	if status != "" {
		p.done++
		p.ended += r.seconds
	}
	state := p.state()
	p.mu.Unlock()
	if r.bar != nil {
		r.bar.Abort(true)
	}
	if status == "" {
		return
	}
	slog.Info("trial", "key", t.Key, "name", t.Name(), "status", status, "reason", reason, "seconds", took.Seconds())
	if status != record.StatusOK {
		fmt.Fprintln(p.out, safe.Text(fmt.Sprintf("%s: %s; %s", t.Name(), became(status, reason), state)))
	}
}

// beat moves the bars, or prints a line.
func (p *progress) beat() {
	p.mu.Lock()
	work := p.ended
	shown := []*running{p.total}
	for _, r := range p.running {
		work += r.fraction * r.seconds
		shown = append(shown, r)
	}
	p.total.fraction = work / max(p.total.seconds, 1e-9)
	state := p.state() + p.total.left()
	p.mu.Unlock()
	if p.bars == nil {
		fmt.Fprintln(p.out, state)
		return
	}
	for _, r := range shown {
		r.bar.SetCurrent(min(barEnd-1, int64(barEnd*r.fraction)))
	}
}

// state says how far the run is. p.mu is held.
func (p *progress) state() string {
	return fmt.Sprintf("%d of %d trials, %d running", p.done, p.count, len(p.running))
}

// left says how much time is left at the speed so far, if that can be told. p.mu is held.
func (r *running) left() string {
	if took := time.Since(r.began).Seconds(); r.fraction > 0.02 && r.fraction < 1 && took > 2 {
		return ", about " + span(took*(1-r.fraction)/r.fraction) + " left"
	}
	return ""
}

// close ends the display.
func (p *progress) close() {
	close(p.quit)
	p.wait.Wait()
	if p.bars != nil {
		p.total.bar.Abort(true)
		p.bars.Wait()
	}
}
