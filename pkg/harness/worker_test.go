package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/scratch"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// The test binary starts itself as the process of one trial, and as a run that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("HARNESS_TEST_AS") {
	case "worker":
		Work([]*Experiment{trouble()}, nil, os.Stdin, os.Stdout, func() { os.Exit(1) })
		os.Exit(0)
	case "run":
		s, err := store.Open(os.Getenv("HARNESS_TEST_DIR"))
		if err == nil {
			p := troubles("sleep")
			_, err = isolating(s).Run(context.Background(), context.Background(), p.Experiments, p.Trials)
		}
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// troubled is N(0, I) in two dimensions, but at its third evaluation.
type troubled struct{ fault string }

func (troubled) Dim() int { return 2 }

var (
	filled [][]byte
	spun   int
)

func (t troubled) Score(dst, x sifg.Batch, iter int) {
	normal(2).Score(dst, x, iter)
	if t.fault == "slow" {
		time.Sleep(5 * time.Millisecond)
	}
	if iter != 2 {
		return
	}
	switch t.fault {
	case "sleep", "deaf":
		if t.fault == "deaf" {
			signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		}
		if path := os.Getenv("HARNESS_TEST_PID"); path != "" {
			os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o666)
		}
		time.Sleep(time.Hour)
	case "spin":
		for {
			spun++
		}
	case "fill":
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = byte(i)
			}
			filled = append(filled, b)
		}
	case "reserve":
		filled = append(filled, make([]byte, 1<<42))
	case "panic":
		panic("the target gave up")
	case "panic aside":
		go func() { panic("the target gave up aside") }()
		time.Sleep(time.Hour)
	case "overflow":
		debug.SetMaxStack(1 << 20)
		dst.Data[0] = float32(deeper(1))
	case "exit":
		os.Exit(0)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "crash":
		syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	}
}

func deeper(n int) int {
	if n < 0 {
		return 0
	}
	return deeper(n+1) + n
}

// trouble has one problem for each fault.
func trouble() *Experiment {
	return &Experiment{
		Name: "trouble", Title: "Trouble",
		Config: []byte(`
base:
  seeds: [1]
  methods: {sifg: {step: 0.05, hidden: 4}}
  problems: {any: {particles: 4, iterations: 200, judge: {every: 100, snapshots: [50]}, options: {fault: none, scale: 0.1, count: 3}}}
protocols: {paper: }
`),
		Setup: func(t *Trial) (*Problem, error) {
			var o struct {
				Fault string  `mapstructure:"fault"`
				Scale float64 `mapstructure:"scale"`
				Count int     `mapstructure:"count"`
			}
			if err := Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			return &Problem{
				Target: troubled{o.Fault},
				Init: func(dst sifg.Batch, r *rng.Stream) {
					r.Normal(dst.Data)
					for i := range dst.Data {
						dst.Data[i] *= float32(o.Scale)
					}
				},
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i := range o.Count {
						put("first", i, float64(sample.Data[i]))
					}
				},
			}, nil
		},
	}
}

// troubles is a plan of one trial for each fault.
func troubles(faults ...string) *Plan {
	var out *Plan
	for _, f := range faults {
		p, err := NewPlan(Request{Experiments: []*Experiment{trouble()}, Scale: "full",
			Set: []Override{{Text: "problems.any.options.fault=" + f, From: "--set"}}})
		if err != nil {
			panic(err)
		}
		if out == nil {
			out = p
		} else {
			out.Trials = append(out.Trials, p.Trials...)
		}
	}
	return out
}

type unseen struct{}

func (unseen) Start(*Trial)                              {}
func (unseen) Step(*Trial, int)                          {}
func (unseen) End(*Trial, string, string, time.Duration) {}

// isolating is a runner whose trials have this binary as their process.
func isolating(s *store.Store) *Runner {
	return &Runner{Store: s, Jobs: 2, Threads: 1, Watch: unseen{}, Isolate: &Isolation{Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HARNESS_TEST_AS=worker")
		return cmd
	}}}
}

func run(t *testing.T, r *Runner, p *Plan) (computed int) {
	t.Helper()
	computed, err := r.Run(context.Background(), context.Background(), p.Experiments, p.Trials)
	if err != nil {
		t.Fatal(err)
	}
	return computed
}

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever a trial does to its process, it becomes a row with its reason, and the other trials are computed.
func TestStuckAndHugeTrials(t *testing.T) {
	s := open(t, t.TempDir())
	type outcome struct{ fault, status, reason string } // reason is a pattern
	check := func(r *Runner, want []outcome) {
		t.Helper()
		var faults []string
		for _, w := range want {
			faults = append(faults, w.fault)
		}
		p := troubles(faults...)
		if n := run(t, r, p); n != len(want) {
			t.Errorf("%d of %d computed", n, len(want))
		}
		for i, w := range want {
			e, _, err := s.Lookup("trouble", p.Trials[i].Key)
			if err != nil || e == nil {
				t.Errorf("%s: no record, error %v", w.fault, err)
				continue
			}
			if row := e.Meta.Trial; row.Status != w.status || !regexp.MustCompile(w.reason).MatchString(row.Reason) || (row.Reason == "") != (w.reason == "") {
				t.Errorf("%s: %s (%s), want %s (%s)", w.fault, row.Status, row.Reason, w.status, w.reason)
			}
		}
	}
	r := isolating(s)
	r.Timeout, r.Grace = 300*time.Millisecond, 200*time.Millisecond
	check(r, []outcome{
		{"sleep", record.StatusTimeout, "of 200, did not stop and was killed"},
		{"deaf", record.StatusTimeout, "was killed"},
		{"spin", record.StatusTimeout, "was killed"},
		{"slow", record.StatusTimeout, "not finished after 300ms, at iteration "},
	})
	r = isolating(s)
	r.Isolate.Memory = 256 << 20
	check(r, []outcome{
		{"none", record.StatusOK, ""},
		{"fill", record.StatusMemory, "more than 256 MiB|out of memory"}, // killed, or refused more by the kernel, whichever is first
		{"reserve", record.StatusMemory, "out of memory"},
		{"panic", record.StatusFailed, "panic: the target gave up"},
		{"panic aside", record.StatusFailed, "panic: the target gave up aside"},
		{"overflow", record.StatusFailed, "stack exceeds"},
		{"exit", record.StatusFailed, "exit code 0"},
		{"killed", record.StatusKilled, "signal 9"},
		{"crash", record.StatusFailed, "SIGSEGV"},
	})

	// Without a process of its own, a trial that is stuck is left behind. The limit leaves a busy machine time to get there.
	here := &Runner{Store: s, Jobs: 2, Threads: 1, Watch: unseen{}, Timeout: 3 * time.Second, Grace: 50 * time.Millisecond}
	check(here, []outcome{
		{"sleep", record.StatusTimeout, "at iteration 2 of 200, did not stop and was left behind"},
		{"panic", record.StatusFailed, "panic: the target gave up"},
	})
	here.Timeout = 50 * time.Millisecond
	check(here, []outcome{{"slow", record.StatusTimeout, "not finished after 50ms"}})
	e, _, _ := s.Lookup("trouble", troubles("sleep").Trials[0].Key)
	if e.Meta.Attempt != 2 {
		t.Errorf("the second attempt is counted as %d", e.Meta.Attempt)
	}
}

// A trial's files have the same bytes from a process of its own, in which no setting is lost on the way.
func TestIsolatedBits(t *testing.T) {
	here, apart := open(t, t.TempDir()), open(t, t.TempDir())
	p := troubles("none")
	run(t, &Runner{Store: here, Jobs: 1, Threads: 1, Watch: unseen{}}, p)
	run(t, isolating(apart), p)
	a, _, _ := here.Lookup("trouble", p.Trials[0].Key)
	b, _, _ := apart.Lookup("trouble", p.Trials[0].Key)
	if a == nil || b == nil || !slices.Equal(a.Meta.Files, b.Meta.Files) || a.Meta.Trial != b.Meta.Trial || len(a.Meta.Files) != 4 {
		t.Errorf("got %+v\nwant %+v", b, a)
	}
}

// processOf waits until the trial's process has written its id; 0 if it does not.
func processOf(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSuffix(string(b), "\n")); err == nil && bytes.HasSuffix(b, []byte("\n")) {
			return pid
		}
	}
	t.Error("the trial's process did not start")
	return 0
}

// gone waits until a process has ended; one that nobody has waited for is a zombie (state Z).
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(b, []byte(") Z ")) {
			return
		}
	}
	t.Errorf("process %d lives on", pid)
}

// The end of the hard context ends a stuck trial at once, in its process and in this one.
func TestHardStopsStuckTrials(t *testing.T) {
	s := open(t, t.TempDir())
	for _, isolate := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "pid")
		t.Setenv("HARNESS_TEST_PID", path)
		r := isolating(s)
		if !isolate {
			r.Isolate = nil
		}
		hard, stop := context.WithCancel(context.Background())
		var wait sync.WaitGroup
		var pid int
		wait.Go(func() {
			pid = processOf(t, path)
			stop()
		})
		p := troubles("sleep") // for an hour
		n, err := r.Run(context.Background(), hard, p.Experiments, p.Trials)
		wait.Wait()
		if n != 0 || err != nil {
			t.Errorf("isolate %v: %d computed, error %v", isolate, n, err)
		}
		if isolate {
			gone(t, pid)
		}
		if _, state, _ := s.Lookup("trouble", p.Trials[0].Key); state != store.Absent {
			t.Error("a trial that was stopped has a record")
		}
	}
}

// When the run is killed, the processes of its trials end too, and the trials are absent.
func TestKilledRunTakesItsTrialsAlong(t *testing.T) {
	dir := scratch.Dir(t)
	path := filepath.Join(dir, "pid")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HARNESS_TEST_AS=run", "HARNESS_TEST_DIR="+dir, "HARNESS_TEST_PID="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := processOf(t, path)
	cmd.Process.Kill()
	cmd.Wait()
	gone(t, pid)
	if _, state, err := open(t, dir).Lookup("trouble", troubles("sleep").Trials[0].Key); state != store.Absent || err != nil {
		t.Errorf("state %d, error %v", state, err)
	}
}

// A process refuses a trial that was planned by another program, with another configuration or other data, and names what
// it cannot do; the run stops there.
func TestOnlyWhatWasPlannedIsComputed(t *testing.T) {
	s := open(t, t.TempDir())
	p := troubles("none")
	changed := p.Trials[0]
	changed.Config.Iterations++
	unknown := p.Trials[0]
	unknown.Experiment = "other"
	without := p.Trials[0]
	without.Config.Data = "boston"
	for want, x := range map[string]Trial{
		"its key was " + changed.Key:    changed,
		"no experiment of this name":    unknown,
		`"boston": no data sets were g`: without,
	} {
		other := *p.Experiments[0]
		other.Name = x.Experiment
		n, err := isolating(s).Run(context.Background(), context.Background(), []*Experiment{&other}, []Trial{x})
		if n != 0 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d computed, error %v, want one with %q", n, err, want)
		}
		if _, state, _ := s.Lookup(x.Experiment, x.Key); state != store.Absent {
			t.Errorf("%s: the trial is there", want)
		}
	}
	r := isolating(s)
	r.Isolate.Command = func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "none")) }
	if _, err := r.Run(context.Background(), context.Background(), p.Experiments, p.Trials); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: error %v", err)
	}
	if err := os.RemoveAll(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Dir(), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := isolating(s).Run(context.Background(), context.Background(), p.Experiments, p.Trials)
	if err == nil || !strings.Contains(err.Error(), s.Dir()) {
		t.Errorf("a store that is not there: error %v", err)
	}
}
