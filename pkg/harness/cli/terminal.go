package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

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

// width is how many columns of a terminal the listings for people take.
const width = 100

// wrapped breaks a text at blanks into lines of that width.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// oneLine joins the lines of a text.
func oneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), ":; ", ": ")
}

// sentence is what an error says, in one line. A word that is longer than a person reads is cut, and so is the whole.
func sentence(err error) string {
	text := longWord.ReplaceAllString(oneLine(err.Error()), "$1…")
	const most = 4000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

var longWord = regexp.MustCompile(`(\S{500})\S+`)

// progress shows how a run goes. On a terminal that is a bar over all trials and one a running trial; elsewhere it is
// at most a line a minute, and one for each trial that does not end well.
type progress struct {
	out   io.Writer // of lines: above the bars where there are some
	close func()    // ends the display
	bars  *mpb.Progress
	began time.Time
	each  map[string]float64 // predicted seconds of a trial, by key
	all   float64            // of all trials, one after the other
	count int                // trials

	forecast float64 // predicted seconds of the run; 0: not known

	mu      sync.Mutex
	done    int
	ended   float64 // predicted seconds of the trials that ended
	running map[*harness.Trial]*running
}

type running struct {
	began             time.Time
	fraction, seconds float64 // done; predicted
	bar               *mpb.Bar
}

func newProgress(out io.Writer, todo []harness.Trial, costs *run.Costs, jobs int) *progress {
	p := &progress{
		out:     out,
		began:   time.Now(),
		each:    map[string]float64{},
		count:   len(todo),
		running: map[*harness.Trial]*running{},
	}
	p.forecast, _ = costs.Total(todo, jobs)
	each, known := costs.Each(todo)
	for i := range todo {
		if known == 0 {
			each[i] = 1 // so that trials count alike
		}
		p.each[todo[i].Key] = each[i]
		p.all += each[i]
	}
	if o, ok := out.(*output); ok && len(todo) > 0 && os.Getenv("TERM") != "dumb" {
		if f, ok := o.to.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
			p.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(40), mpb.WithAutoRefresh())
			p.out = p.bars
			total := p.bar(1<<20, func() (float64, string) { return p.fraction(), p.state() })
			p.close = func() { total.Abort(true); p.bars.Wait() }
			return p
		}
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Minute):
				p.beat()
			}
		}
	}()
	p.close = func() { done <- struct{}{} } // is received between two lines
	return p
}

// bar adds a bar of what show returns, which is called while p.mu is held.
func (p *progress) bar(priority int, show func() (fraction float64, text string)) *mpb.Bar {
	locked := func() (float64, string) { p.mu.Lock(); defer p.mu.Unlock(); return show() }
	style := mpb.BarStyle().Build()
	fill := func(w io.Writer, s decor.Statistics) error {
		fraction, _ := locked()
		s.Current, s.Total = int64(1000*fraction), 1000
		return style.Fill(w, s)
	}
	text := decor.Any(func(decor.Statistics) string { _, text := locked(); return text })
	return p.bars.MustAdd(1, mpb.BarFillerFunc(fill), mpb.BarPriority(priority), mpb.AppendDecorators(text))
}

// Note, Start, Step and End implement run.Progress.
func (p *progress) Note(line string) {
	slog.Info(line)
	fmt.Fprintln(p.out, safe.Text(line))
}

func (p *progress) Start(t *harness.Trial) {
	r := &running{began: time.Now(), seconds: p.each[t.Key]}
	if p.bars != nil {
		r.bar = p.bar(0, func() (float64, string) { return r.fraction, t.Name() + left(r.began, r.fraction, 0) })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[t] = r
	slog.Debug("trial starts", "key", t.Key, "name", t.Name()) // once it is counted, so that no signal comes between
}

func (p *progress) Step(t *harness.Trial, iter int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.running[t]; r != nil {
		r.fraction = float64(iter) / float64(max(1, t.Config.Iterations))
	}
}

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

func (p *progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, p.state())
}

// fraction is that of the predicted seconds that are over. p.mu is held.
func (p *progress) fraction() float64 {
	work := p.ended
	for _, r := range p.running {
		work += r.fraction * r.seconds
	}
	return work / max(p.all, 1e-9)
}

// state says how far the run is. p.mu is held.
func (p *progress) state() string {
	return fmt.Sprintf("%d of %d trials, %d running%s", p.done, p.count, len(p.running),
		left(p.began, p.fraction(), p.forecast))
}

// left says how much time is left, if that can be told: at first what was forecast, and then more and more what the
// speed so far gives.
func left(began time.Time, fraction, forecast float64) string {
	took, trust := time.Since(began).Seconds(), 0.05 // in the forecast, as if this fraction had been measured
	if forecast == 0 {
		trust = 0
	}
	if fraction >= 1 || trust == 0 && (fraction <= 0.02 || took <= 2) {
		return ""
	}
	all := (trust*forecast + took) / (trust + fraction)
	return ", about " + table.Seconds(all*(1-fraction)) + " left"
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
		fmt.Fprintf(p.out, "%v: finishing %s, press again to stop at once\n", signal, table.Count(n, "trial"))
	}
}
