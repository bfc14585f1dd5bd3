package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// outcomes runs a trial for each fault and compares how it ended: status, and a pattern of the reason.
func outcomes(t *testing.T, s *store.Store, o Options, want [][3]string) {
	t.Helper()
	var faults []string
	for _, w := range want {
		faults = append(faults, w[0])
	}
	todo := trials(faults...)
	if n := compute(t, s, todo, o); n != len(want) {
		t.Errorf("%d of %d computed", n, len(want))
	}
	for i, w := range want {
		e, err := s.Get(id(todo[i]))
		if err != nil || e == nil {
			t.Errorf("%s: no record, error %v", w[0], err)
			continue
		}
		row, reason := e.Trial, regexp.MustCompile(w[2])
		if row.Status != w[1] || !reason.MatchString(row.Reason) || (row.Reason == "") != (w[2] == "") {
			t.Errorf("%s: %s (%s), want %s (%s)", w[0], row.Status, row.Reason, w[1], w[2])
		}
	}
}

// Whatever a trial does to its process, it becomes a row with its reason, and the other trials are computed.
func TestStuckAndHugeTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("waits four seconds for limits")
	}
	s := must(store.Open(t.TempDir()))
	o := isolating()
	o.Timeout, o.Grace = 300*time.Millisecond, 200*time.Millisecond
	outcomes(t, s, o, [][3]string{
		{"sleep", record.StatusTimeout, "of 200, did not stop and was killed"},
		{"spin", record.StatusTimeout, "was killed"},
		{"slow", record.StatusTimeout, "not finished after 300ms, at iteration "},
	})
	o = isolating()
	o.Isolate.Memory = 256 << 20
	outcomes(t, s, o, [][3]string{
		{"prints", record.StatusOK, ""},
		{"fill", record.StatusMemory, "more than 256 MiB"},
		{"panic", record.StatusFailed, "panic: the target gave up"},
		{"panic aside", record.StatusFailed, "panic: the target gave up aside"},
		{"overflow", record.StatusFailed, "stack exceeds"},
		{"exit", record.StatusFailed, "exit status 0"},
		{"killed", record.StatusKilled, "signal: killed"},
		{"crash", record.StatusFailed, "SIGSEGV"},
	})
	// Without a process of its own, a trial that is stuck is left behind. The limit leaves a busy machine time to get
	// there.
	o = here()
	o.Timeout, o.Grace = 3*time.Second, 50*time.Millisecond
	outcomes(t, s, o, [][3]string{
		{"sleep", record.StatusTimeout, "at iteration 2 of 200, did not stop and was left behind"},
		{"panic", record.StatusFailed, "panic: the target gave up"},
		{"infinite", record.StatusDiverged, "diverged at iteration 3"},
	})
	o.Timeout = 50 * time.Millisecond
	outcomes(t, s, o, [][3]string{{"slow", record.StatusTimeout, "not finished after 50ms"}})
}

// The limits hold for programs and for references as for trials.
func TestLimitsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("waits five seconds for limits")
	}
	s := must(store.Open(t.TempDir()))
	o := isolating()
	o.Isolate.Memory = 256 << 20
	outcomes(t, s, o, [][3]string{
		{"program fills", record.StatusMemory, "killed for occupying more than 256 MiB"},
		{"reference fills", record.StatusMemory, "making its reference: .* occupying more than 256 MiB"},
		{"reference huge", record.StatusMemory, "it needs at least 1.05e.06 GiB of memory, and may take 0.25"},
	})
	o = here()
	o.Timeout, o.Grace = 100*time.Millisecond, 100*time.Millisecond
	outcomes(t, s, o, [][3]string{
		{"reference slow", record.StatusTimeout, "reference: not finished after 100ms, the --timeout of trials"},
		{"reference stuck", record.StatusTimeout, "making its reference: not finished after 100ms"},
	})
	o = isolating()
	o.Timeout, o.Grace = 2*time.Second, time.Minute
	outcomes(t, s, o, [][3]string{
		{"program hangs", record.StatusTimeout, "was killed while the answer to score was awaited"},
		{"reference hangs", record.StatusTimeout, "making its reference: .* was killed while the answer to score"},
	})
	for end := time.Now().Add(5 * time.Second); len(programs()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes are left behind: %v", programs())
		}
	}
}

// programs are the processes of misbehave that run.
func programs() (out []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		b, _ := os.ReadFile(file)
		if bytes.Contains(b, []byte("RUN_TEST_AS=fills")) || bytes.Contains(b, []byte("RUN_TEST_AS=hangs")) {
			out = append(out, file)
		}
	}
	return out
}

// A trial's files have the same bytes from a process of its own, in which no setting is lost on the way.
func TestIsolatedBits(t *testing.T) {
	inside, apart := must(store.Open(t.TempDir())), must(store.Open(t.TempDir()))
	todo := trials("none", "reference")
	compute(t, inside, todo, here())
	compute(t, apart, todo, isolating())
	for _, x := range todo {
		a, b := must(inside.Get(id(x))), must(apart.Get(id(x)))
		if a == nil || b == nil || !slices.Equal(a.Files, b.Files) || a.Trial != b.Trial || len(a.Files) != 3 {
			t.Errorf("got %+v\nwant %+v", b, a)
		}
	}
}

// processOf waits until the trial's process has written its id; 0 if it does not.
func processOf(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, _ := os.ReadFile(path)
		if pid, err := strconv.Atoi(strings.TrimSuffix(string(b), "\n")); err == nil &&
			bytes.HasSuffix(b, []byte("\n")) {
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
	s := must(store.Open(t.TempDir()))
	for _, o := range []Options{isolating(), here()} {
		path := filepath.Join(t.TempDir(), "pid")
		t.Setenv("RUN_TEST_PID", path)
		hard, stop := context.WithCancel(context.Background())
		var wait sync.WaitGroup
		var pid int
		wait.Go(func() {
			pid = processOf(t, path)
			stop()
		})
		todo := trials("sleep") // for an hour
		n, err := Run(context.Background(), hard, s, []*harness.Experiment{toy()}, todo, o)
		wait.Wait()
		if n != 0 || err != nil {
			t.Errorf("isolate %v: %d computed, error %v", o.Isolate != nil, n, err)
		}
		if o.Isolate != nil {
			gone(t, pid)
		}
		if e, err := s.Get(id(todo[0])); e != nil || err != nil {
			t.Errorf("a trial that was stopped has a record: error %v", err)
		}
	}
}

// When the run is killed, the processes of its trials end too, and the trials are absent.
func TestKilledRunTakesItsTrialsAlong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pid")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(
		os.Environ(),
		"RUN_TEST_AS=run",
		"RUN_TEST_FAULT=sleep",
		"RUN_TEST_DIR="+filepath.Join(dir, "store"),
		"RUN_TEST_PID="+path,
	)
	must(0, cmd.Start())
	pid := processOf(t, path)
	cmd.Process.Kill()
	cmd.Wait()
	gone(t, pid)
	if e, err := must(store.Open(filepath.Join(dir, "store"))).Get(id(trials("sleep")[0])); e != nil || err != nil {
		t.Errorf("the trial is there: error %v", err)
	}
}

// A process refuses a trial that was planned by another program, with another configuration or other data: it has
// failed, for that reason.
func TestOnlyWhatWasPlannedIsComputed(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	planned := trials("none")[0]
	changed, unknown, without := planned, planned, planned
	configure(&changed, func(c *settings.Config) { c.Iterations++ })
	unknown.Experiment = "other"
	configure(&without, func(c *settings.Config) { c.Data = "boston" })
	for want, x := range map[string]harness.Trial{
		changed.Key:          changed,
		`experiment "other"`: unknown,
		`"boston"`:           without,
	} {
		e := *toy()
		e.Name, e.Reference = x.Experiment, nil
		ctx := context.Background()
		n, err := Run(ctx, ctx, s, []*harness.Experiment{&e}, []harness.Trial{x}, isolating())
		if n != 1 || err != nil {
			t.Errorf("%s: %d computed, error %v", want, n, err)
		}
		if row := must(s.Get(id(x))).Trial; row.Status != record.StatusFailed || !strings.Contains(row.Reason, want) {
			t.Errorf("%s: the trial is %s: %s", want, row.Status, row.Reason)
		}
	}
}
