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
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
)

// progress shows how a run goes. On a terminal that is a bar over all trials and one a running trial; elsewhere it is at most a line a
// minute, and one for each trial that does not end well.
type progress struct {
	out   io.Writer
	bars  *mpb.Progress // nil where out is no terminal
	total *mpb.Bar
	quit  chan struct{}
	wait  sync.WaitGroup
	costs *run.Costs
	jobs  int

	mu      sync.Mutex
	began   time.Time
	trials  []harness.Trial
	done    int
	work    float64 // predicted seconds of all trials
	ended   float64 // of those that ended
	running map[*harness.Trial]*running
}

// running is a trial that runs.
type running struct {
	fraction, seconds float64 // done; predicted
	bar               *mpb.Bar
}

// scale is what a bar counts to.
const scale = 1000

var _ run.Progress = (*progress)(nil)

func newProgress(out io.Writer, todo []harness.Trial, costs *run.Costs, jobs int) *progress {
	p := &progress{out: out, quit: make(chan struct{}), costs: costs, jobs: jobs, began: time.Now(), trials: todo, running: map[*harness.Trial]*running{}}
	for i := range todo {
		p.work += p.seconds(&todo[i])
	}
	every := time.Minute
	if f, ok := out.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" && len(todo) > 0 {
		every = 200 * time.Millisecond
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40), mpb.WithAutoRefresh())
		p.total = p.bars.AddBar(scale, mpb.BarPriority(1<<20), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.state()
		})))
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
	p.line(line)
}

// Start implements run.Progress.
func (p *progress) Start(t *harness.Trial) {
	r := &running{seconds: p.seconds(t)}
	if p.bars != nil {
		r.bar = p.bars.AddBar(scale, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Name(t.Name())))
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
		p.ended += p.seconds(t)
	}
	state := p.state()
	p.mu.Unlock()
	if r != nil && r.bar != nil {
		r.bar.Abort(true)
	}
	if status == "" {
		return
	}
	slog.Info("trial", "key", t.Key, "name", t.Name(), "status", status, "reason", reason, "seconds", took.Seconds())
	if status != record.StatusOK {
		p.line(fmt.Sprintf("%s: %s; %s", t.Name(), became(status, reason), state))
	}
}

// line prints above the bars.
func (p *progress) line(s string) {
	if p.bars != nil {
		fmt.Fprintln(p.bars, s)
		return
	}
	fmt.Fprintln(p.out, s)
}

// beat moves the bars, or prints a line.
func (p *progress) beat() {
	p.mu.Lock()
	state, fraction := p.state(), p.fraction()
	for _, r := range p.running {
		if r.bar != nil {
			r.bar.SetCurrent(min(scale-1, int64(scale*r.fraction)))
		}
	}
	p.mu.Unlock()
	if p.total != nil {
		p.total.SetCurrent(min(scale-1, int64(scale*fraction)))
	} else {
		p.line(state)
	}
}

// fraction is the share of the work that is done. p.mu is held.
func (p *progress) fraction() float64 {
	done := p.ended
	for _, r := range p.running {
		done += r.fraction * r.seconds
	}
	return done / max(p.work, 1e-9)
}

// state says how far the run is and when it will end, by its own speed so far. p.mu is held.
func (p *progress) state() string {
	s := fmt.Sprintf("%d of %d trials, %d running", p.done, len(p.trials), min(len(p.running), p.jobs))
	if f, took := p.fraction(), time.Since(p.began).Seconds(); f > 0.02 && f < 1 && took > 2 {
		s += ", about " + span(took*(1-f)/f) + " left"
	}
	return s
}

// close ends the display.
func (p *progress) close() {
	close(p.quit)
	p.wait.Wait()
	if p.bars != nil {
		p.total.Abort(true)
		p.bars.Wait()
	}
}
