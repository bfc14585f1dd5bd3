package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// kindOf names the trials of a method on a problem: they take about as long.
func kindOf(t *harness.Trial) string { return t.Experiment + "/" + t.Problem + "/" + t.Method }

// progress shows how a run goes. On a terminal that is a bar over all trials; elsewhere it is at most a line a minute,
// and one for each trial that does not end well.
type progress struct {
	out   io.Writer // of lines: above the bar where there is one
	last  time.Time // when a line said how far the run is; zero: the bar does
	close func()    // ends the display
	count int       // trials
	jobs  int

	mu      sync.Mutex
	done    int
	times   map[string][]float64       // seconds of trials that ended, before and now, by kind
	runs    map[string]int             // trials that have not ended, by kind
	running map[*harness.Trial]float64 // the fraction of it that is done
}

// newProgress shows the progress of trials, jobs at once.
func newProgress(out io.Writer, todo []harness.Trial, known map[string][]float64, jobs int) *progress {
	p := &progress{
		out:     out,
		count:   len(todo),
		jobs:    jobs,
		times:   known,
		runs:    map[string]int{},
		running: map[*harness.Trial]float64{},
	}
	for i := range todo {
		p.runs[kindOf(&todo[i])]++
	}
	if o, ok := out.(*output); ok && len(todo) > 0 && os.Getenv("TERM") != "dumb" {
		if f, ok := o.to.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
			bars := mpb.New(mpb.WithOutput(f), mpb.WithWidth(40), mpb.WithAutoRefresh())
			p.out = bars
			total := p.bar(bars)
			p.close = func() { total.Abort(true); bars.Wait() }
			return p
		}
	}
	p.last, p.close = time.Now(), func() {}
	return p
}

// bar adds a bar over all trials.
func (p *progress) bar(bars *mpb.Progress) *mpb.Bar {
	style := mpb.BarStyle().Build()
	fill := func(w io.Writer, s decor.Statistics) error {
		p.mu.Lock()
		s.Current, s.Total = int64(1000*p.fraction()), 1000
		p.mu.Unlock()
		return style.Fill(w, s)
	}
	text := decor.Any(func(decor.Statistics) string { p.mu.Lock(); defer p.mu.Unlock(); return p.state() })
	return bars.MustAdd(1, mpb.BarFillerFunc(fill), mpb.AppendDecorators(text))
}

// Note, Start, Step and End implement run.Progress.
func (p *progress) Note(line string) {
	fmt.Fprintln(p.out, safe.Text(line))
}

func (p *progress) Start(t *harness.Trial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[t] = 0
	slog.Debug("trial starts", "key", t.Key, "name", t.Name()) // once it is counted, so that no signal comes between
}

func (p *progress) Step(t *harness.Trial, iter int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, runs := p.running[t]; runs {
		p.running[t] = float64(iter) / float64(max(1, t.Config.Iterations))
	}
	if !p.last.IsZero() && time.Since(p.last) > time.Minute {
		p.last = time.Now()
		fmt.Fprintln(p.out, p.state())
	}
}

func (p *progress) End(t *harness.Trial, status, reason string, took time.Duration) {
	p.mu.Lock()
	delete(p.running, t)
	if status != "" {
		p.done++
		p.runs[kindOf(t)]--
		if status == record.StatusOK {
			p.times[kindOf(t)] = append(p.times[kindOf(t)], took.Seconds())
		}
	}
	state := p.state()
	p.mu.Unlock()
	if status == "" {
		return
	}
	slog.Info("trial", "key", t.Key, "name", t.Name(), "status", status, "reason", reason, "seconds", took.Seconds())
	if status != record.StatusOK {
		fmt.Fprintln(p.out, safe.Text(fmt.Sprintf("%s: %s; %s", t.Name(), became(status, reason), state)))
	}
}

// fraction is that of the trials that are over. p.mu is held.
func (p *progress) fraction() float64 {
	over := float64(p.done)
	for _, fraction := range p.running {
		over += fraction
	}
	return over / float64(p.count)
}

// state says how far the run is. p.mu is held.
func (p *progress) state() string {
	text := fmt.Sprintf("%d of %d trials, %d running", p.done, p.count, len(p.running))
	if seconds := p.left(); seconds > 0 {
		text += ", about " + table.Seconds(seconds) + " left"
	}
	return text
}

// left estimates the seconds that are left by the means of the kinds; 0 where a kind has none. p.mu is held.
func (p *progress) left() (seconds float64) {
	for kind, n := range p.runs {
		if n > 0 && p.times[kind] == nil {
			return 0
		}
		if n > 0 {
			seconds += float64(n) * stats.Mean(p.times[kind])
		}
	}
	for t, fraction := range p.running {
		seconds -= fraction * stats.Mean(p.times[kindOf(t)])
	}
	return seconds / float64(max(1, min(p.jobs, p.count-p.done)))
}

// finishing says what a signal does to the trials that run; nothing where there was none.
func (p *progress) finishing(signal error) {
	if signal == nil {
		return
	}
	p.mu.Lock()
	n := len(p.running)
	p.mu.Unlock()
	if n > 0 {
		fmt.Fprintf(p.out, "%v: finishing %s, a second signal stops at once\n", signal, table.Count(n, "trial"))
	}
}

// output is stdout or stderr. Text of other people (reasons, citations, names of files) cannot control the terminal
// through it. It remembers that it could not be written, so that commands need not look at every line.
type output struct {
	mu     sync.Mutex // of the workers of a run
	to     io.Writer
	failed error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, string(b))
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := io.WriteString(o.to, clean); err != nil && o.failed == nil {
		o.failed = err
	}
	return len(b), o.failed
}

// columns prints rows of cells in aligned columns.
func columns(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}
