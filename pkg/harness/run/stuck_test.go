package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
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

// A trial that panics or takes too long becomes a row with its reason, and the other trials are computed.
func TestStuckTrials(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	o := options()
	outcomes(t, s, o, [][3]string{
		{"panic", record.StatusFailed, "panic: the target gave up"},
		{"infinite", record.StatusDiverged, "diverged at iteration 3"},
	})
	o.Timeout = 50 * time.Millisecond
	outcomes(t, s, o, [][3]string{{"slow", record.StatusTimeout, "not finished after 50ms"}})
}

// The limits hold for programs and for references as for trials.
func TestLimitsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for limits")
	}
	s := must(store.Open(t.TempDir()))
	o := options()
	o.Timeout = 100 * time.Millisecond
	outcomes(t, s, o, [][3]string{
		{"reference slow", record.StatusTimeout, "reference: not finished after 100ms, the --timeout of trials"},
	})
	o.Timeout = 2 * time.Second
	outcomes(t, s, o, [][3]string{
		{"program hangs", record.StatusTimeout, "was killed while the answer to score was awaited"},
		{"reference hangs", record.StatusTimeout, "its reference: .* was killed while the answer to score was awaited"},
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
		if b, _ := os.ReadFile(file); bytes.Contains(b, []byte("RUN_TEST_AS=hangs")) {
			out = append(out, file)
		}
	}
	return out
}

// The end of the hard context ends a stuck trial at once.
func TestHardStopsStuckTrials(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	hard, stop := context.WithCancel(context.Background())
	reached.Store(&stop)
	todo := trials("sleep") // for an hour
	n, err := Run(context.Background(), hard, s, []*harness.Experiment{toy()}, todo, options())
	if n != 0 || err != nil {
		t.Errorf("%d computed, error %v", n, err)
	}
	if e, err := s.Get(id(todo[0])); e != nil || err != nil {
		t.Errorf("a trial that was stopped has a record: error %v", err)
	}
}
