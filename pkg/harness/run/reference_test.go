package run

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// first is what the trial measured of the first coordinate at the start, which its reference shifts.
func first(t *testing.T, s *store.Store, x harness.Trial) float64 {
	t.Helper()
	e, err := s.Get(id(x))
	if err != nil || e == nil || e.Trial.Status != record.StatusOK {
		t.Fatalf("%+v, error %v", e, err)
	}
	return must(e.Traces())[0].Value
}

// A reference is made before the trials that need it, once, and is sealed; trials read it.
func TestReferenceIsMadeOnce(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	todo := trials("none", "reference", "reference")
	todo[2].Key, todo[2].Seed = "another", 2
	made = 0
	if n := compute(t, s, todo, options()); n != 3 || made != 10 {
		t.Errorf("%d computed, %d iterations made", n, made)
	}
	plain, shifted := first(t, s, todo[0]), first(t, s, todo[1])
	if shifted != plain+1000 {
		t.Errorf("%v, with a reference %v", plain, shifted)
	}
	if found := must(s.Verify(context.Background())); len(found) != 0 {
		t.Error(found)
	}
	again := trials("reference")
	again[0].Key = "again"
	compute(t, s, again, options())
	if made != 10 {
		t.Error("the reference was made twice")
	}
	if left := must(os.ReadDir(filepath.Join(s.Dir(), ".scratch"))); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// Two processes that need the same reference make it once.
func TestReferenceOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "made")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "RUN_TEST_AS=run", "RUN_TEST_FAULT=reference slow", "RUN_TEST_MADE="+log,
				"RUN_TEST_DIR="+filepath.Join(dir, "store"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if b, err := os.ReadFile(log); string(b) != "made\n" {
		t.Errorf("%q, error %v", b, err)
	}
	first(t, must(store.Open(filepath.Join(dir, "store"))), trials("reference slow")[0])
}

// A run that is stopped while it makes a reference ends without an error, and the next one continues.
func TestReferenceContinues(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	soft, stop := context.WithCancel(context.Background())
	o, seen := options(), 0
	o.Progress = &watcher{onNote: func() {
		if seen++; seen == 5 { // "making", then one an iteration
			stop()
		}
	}}
	made = 0
	todo := trials("reference")
	if n, err := Run(soft, context.Background(), s, []*harness.Experiment{toy()}, todo, o); n != 0 || err != nil ||
		made != 4 {
		t.Fatalf("%d computed, %d iterations made, error %v", n, made, err)
	}
	if compute(t, s, todo, options()); made != 10 {
		t.Errorf("%d iterations in all, want 10", made)
	}
	first(t, s, todo[0])
}

// Where a reference cannot be made its trials fail with the reason, and the others are computed.
func TestReferenceFails(t *testing.T) {
	outcomes(t, must(store.Open(t.TempDir())), options(), [][3]string{
		{"reference broken", record.StatusFailed, "making its reference: the chains gave up"},
		{"reference panic", record.StatusFailed, "making its reference: panic: the chains gave up"},
		{"none", record.StatusOK, ""},
	})
}

func referenceID(t harness.Trial) store.ID {
	e := toy()
	r := must(e.Reference(&t))
	return store.ID{Experiment: e.Name, Key: must(plan.ReferenceKey(e, &t, r, nil))}
}

// One flipped bit in a reference stops the run with its name; once it is removed it is made again.
func TestDamagedReference(t *testing.T) {
	s := must(store.Open(t.TempDir()))
	todo := trials("reference")
	compute(t, s, todo, options())
	want := first(t, s, todo[0])
	key := referenceID(todo[0]).Key
	path := filepath.Join(s.Dir(), "toy", key[:2], key, "shift.txt")
	must(0, os.WriteFile(path, []byte("1001"), 0o666))
	todo[0].Key = "second"
	for _, spoil := range []func(){ // first of the right size, so that it is seen when the trial reads it
		func() {}, func() { must(0, os.Truncate(path, 1)) }, func() { must(0, os.Remove(path)) },
	} {
		spoil()
		n, err := Run(context.Background(), context.Background(), s, []*harness.Experiment{toy()}, todo, options())
		if e := must(s.Get(id(todo[0]))); n != 0 || e != nil || !errors.Is(err, safe.ErrDamaged) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%d computed: %+v, error %v", n, e, err)
		}
	}
	must(0, os.RemoveAll(filepath.Dir(path)))
	compute(t, s, todo, options())
	if got := first(t, s, todo[0]); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
