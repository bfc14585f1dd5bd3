package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// The test binary starts itself as one of several runs, and as a program.
func TestMain(m *testing.M) {
	switch os.Getenv("RUN_TEST_AS") {
	case "run":
		s := must(store.Open(os.Getenv("RUN_TEST_DIR")))
		ctx, todo := context.Background(), trials(os.Getenv("RUN_TEST_FAULT"))
		_, err := Run(ctx, ctx, s, []*harness.Experiment{toy()}, todo, options())
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	case "hangs", "lazy":
		misbehave(os.Getenv("RUN_TEST_AS"))
	}
	os.Exit(m.Run())
}

// misbehave is a program that is a target and hangs when it is asked; or a sampler that asks nothing, for the
// checkpoints of trialOf.
func misbehave(how string) {
	if how == "lazy" {
		fmt.Println(`{"sifg": 1, "sampler": {"title": "Lazy"}}`)
		os.Stdin.Read(make([]byte, 1))
		for _, k := range []int{3, 5, 6, 7} {
			fmt.Printf("{\"tell\": \"sample\", \"iteration\": %d, \"array\": true}\n", k)
			os.Stdout.Write(npy.Encode([]int{5, 2}, make([]float64, 10)))
		}
		time.Sleep(time.Hour)
	}
	fmt.Println(`{"sifg": 1, "target": {"dim": 1}}`)
	os.Stdin.Read(make([]byte, 1))
	time.Sleep(time.Hour)
}

// ask asks that program.
func ask(s *program.Session, how string) error {
	p, err := program.Start(context.Background(), "", "/usr/bin/env RUN_TEST_AS="+how+" "+os.Args[0])
	if err != nil {
		return err
	}
	x := p.Target(s)
	x.Evaluate(make([]float64, 2), []float64{0})
	return s.Err()
}

// target is N(0, I) in two dimensions, but at its third evaluation.
type target struct{ fault string }

func (target) Dim() int { return 2 }

// reached is called, once, when a target sleeps; nil where nobody waits for it.
var reached atomic.Pointer[context.CancelFunc]

func (t target) Score(dst, x sifg.Batch, iter int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	if t.fault == "slow" {
		time.Sleep(5 * time.Millisecond)
	}
	if iter != 2 {
		return
	}
	switch t.fault {
	case "sleep":
		if f := reached.Swap(nil); f != nil {
			(*f)()
		}
		time.Sleep(time.Hour)
	case "panic":
		panic("the target gave up")
	case "infinite":
		dst.Data[0] /= 0
	}
}

// toy is an experiment with one problem for each fault. Where the fault begins with "reference", its trials have one.
func toy() *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Version: "1",
		Settings: []byte(`
base:
  seeds: [1]
  methods: {sifg: {step: 0.05, hidden: 4}}
  problems: {any: {particles: 4, iterations: 200, judge: {every: 100, snapshots: [50]}, options: {fault: none}}}
protocols: {paper: }
`),
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			var shift float64
			if t.Reference != nil {
				b, err := t.Reference("shift.txt")
				if err != nil {
					return nil, err
				}
				if shift, err = strconv.ParseFloat(string(b), 64); err != nil {
					return nil, err
				}
			}
			if how, ok := strings.CutPrefix(faultOf(t), "program "); ok && t.Programs != nil {
				ask(t.Programs, how) // the session has its failure
			}
			return &harness.Problem{
				Target: target{faultOf(t)},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i := range 3 {
						put("first", 2-i, float64(sample.Data[i])+shift)
					}
				},
			}, nil
		},
		Reference: func(t *harness.Trial) (*harness.Reference, error) {
			switch fault := faultOf(t); fault {
			case "reference", "reference slow", "reference broken", "reference panic", "reference hangs":
				make := func(ctx context.Context, dir string, progress func(int, int)) (map[string][]byte, error) {
					return makeShift(ctx, fault, dir, progress)
				}
				return &harness.Reference{Config: fault, Make: make}, nil
			}
			return nil, nil
		},
	}
}

func faultOf(t *harness.Trial) string { return t.Config.Options["fault"].(string) }

// made counts the iterations of makeShift, over all references of this process.
var made int

// makeShift takes ten iterations, with a checkpoint after each.
func makeShift(ctx context.Context, fault, dir string, progress func(done, total int)) (map[string][]byte, error) {
	switch fault {
	case "reference broken":
		return nil, errors.New("the chains gave up")
	case "reference panic":
		panic("the chains gave up")
	case "reference hangs":
		uses := program.Begin(ctx)
		defer uses.End()
		return nil, ask(uses, strings.TrimPrefix(fault, "reference "))
	}
	state := filepath.Join(dir, "state")
	done := 0
	if b, err := os.ReadFile(state); err == nil {
		done = must(strconv.Atoi(string(b)))
	}
	for done < 10 {
		if fault == "reference slow" {
			time.Sleep(20 * time.Millisecond)
		}
		done, made = done+1, made+1
		must(0, os.WriteFile(state, []byte(strconv.Itoa(done)), 0o666))
		if progress(done, 10); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if log := os.Getenv("RUN_TEST_MADE"); log != "" {
		f := must(os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666))
		defer f.Close()
		must(f.WriteString("made\n"))
	}
	return map[string][]byte{"shift.txt": []byte("1000")}, nil
}

// trials are one trial for each fault.
func trials(faults ...string) []harness.Trial {
	var out []harness.Trial
	for _, f := range faults {
		p := must(plan.New(plan.Request{Experiments: []*harness.Experiment{toy()}, Scale: "full",
			Overrides: []settings.Override{{Text: "problems.any.options.fault=" + f, From: "--set"}}}))
		out = append(out, p.Trials...)
	}
	return out
}

// watcher calls a function at every note.
type watcher struct{ onNote func() }

func (w *watcher) Note(string) {
	if w.onNote != nil {
		w.onNote()
	}
}
func (*watcher) Start(*harness.Trial)                              {}
func (*watcher) Step(*harness.Trial, int)                          {}
func (*watcher) End(*harness.Trial, string, string, time.Duration) {}

func options() Options { return Options{Jobs: 2, Threads: 1, Progress: &watcher{}} }

// compute runs trials and fails the test if that fails.
func compute(t *testing.T, s *store.Store, todo []harness.Trial, o Options) (computed int) {
	t.Helper()
	computed, err := Run(context.Background(), context.Background(), s, []*harness.Experiment{toy()}, todo, o)
	if err != nil {
		t.Fatal(err)
	}
	return computed
}

func id(t harness.Trial) store.ID { return store.ID{Experiment: t.Experiment, Key: t.Key} }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
