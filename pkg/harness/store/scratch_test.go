package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Open removes the scratch folders of dead writers only.
func TestSweep(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	alive, err := s.Begin("gmm", "k")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Abort()
	in := func(name string) string { return filepath.Join(s.dir, tmpName, name) }
	for _, x := range []struct {
		name  string
		age   time.Duration
		stays bool
	}{
		{filepath.Base(alive.dir), 48 * time.Hour, true},
		{machine() + "-new", 0, true},
		{machine() + "-dead", time.Hour, false},
		{"0123456789ab-other", time.Hour, true},
		{"0123456789ab-dead", 48 * time.Hour, false},
	} {
		if err := os.Mkdir(in(x.name), 0o777); err == nil { // alive is there
			os.WriteFile(filepath.Join(in(x.name), traceName), nil, 0o666)
		}
		then := time.Now().Add(-x.age)
		if err := os.Chtimes(in(x.name), then, then); err != nil {
			t.Fatal(err)
		}
		mustOpen(t, s.dir)
		if _, err := os.Stat(in(x.name)); (err == nil) != x.stays {
			t.Errorf("%s: there is %v, want %v", x.name, err == nil, x.stays)
		}
	}
	if _, err := alive.Commit(metaOf("k", record.StatusOK)); err != nil {
		t.Error(err)
	}
	mustState(t, s, "k", Whole)
}

// The clock may jump by years, either way: what lives stays and can be committed, what is dead on this machine goes, of
// another machine's nothing goes that is not a day old by this clock; what Verify moves aside twice keeps two names.
func TestClockJumps(t *testing.T) {
	defer func() { now = time.Now }()
	for _, jump := range []time.Duration{-10 * 365 * 24 * time.Hour, -2 * time.Hour, 2 * time.Hour, 10 * 365 * 24 * time.Hour} {
		now = time.Now
		s := mustOpen(t, t.TempDir())
		mustWrite(t, s, "there", record.StatusOK)
		alive, err := s.Begin("gmm", "k")
		if err != nil {
			t.Fatal(err)
		}
		dead, other := filepath.Join(s.dir, tmpName, machine()+"-dead"), filepath.Join(s.dir, tmpName, "0123456789ab-other")
		for _, dir := range []string{dead, other} {
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		stopped := time.Now().Add(jump)
		now = func() time.Time { return stopped } // does not even go on
		mustOpen(t, s.dir)
		_, deadErr := os.Stat(dead)
		_, otherErr := os.Stat(other)
		if deadErr == nil || (otherErr == nil) != (jump < oldest) {
			t.Errorf("jump by %v: the folder of a dead writer: %v; of another machine: %v", jump, deadErr, otherErr)
		}
		if _, err := alive.Commit(metaOf("k", record.StatusOK)); err != nil {
			t.Errorf("jump by %v: %v", jump, err)
		}
		var moved []string
		for range 2 {
			e := mustWrite(t, s, "k2", record.StatusOK)
			if err := os.Truncate(filepath.Join(e.Dir, traceName), 1); err != nil {
				t.Fatal(err)
			}
			for _, d := range mustVerify(t, s, true) {
				moved = append(moved, d.MovedTo)
			}
		}
		if len(moved) != 2 || moved[0] == moved[1] {
			t.Errorf("jump by %v: moved to %v", jump, moved)
		}
		mustState(t, s, "there", Whole)
		mustState(t, s, "k", Whole)
	}
}

// A writer that is swept although it lives, as one of another machine may be when a clock jumps, fails and leaves nothing;
// one that is faster than the sweep has its trial whole.
func TestSweptAlive(t *testing.T) {
	defer func(at func(string) error) { fault.At, now = at, time.Now }(fault.At)
	s := mustOpen(t, t.TempDir())
	for _, faster := range []bool{false, true} {
		key := fmt.Sprint("k-", faster)
		p, err := s.Begin("gmm", key)
		if err == nil {
			err = p.WriteTrace(traceOf(key))
		}
		if err != nil {
			t.Fatal(err)
		}
		syscall.Flock(int(p.owner.Fd()), syscall.LOCK_UN) // as on a file system without locks
		commit := func() { _, err = p.Commit(metaOf(key, record.StatusOK)) }
		fault.At = func(change string) error {
			if change == "claim dead scratch folder" && faster {
				commit()
			}
			return nil
		}
		now = func() time.Time { return time.Now().Add(48 * time.Hour) }
		mustOpen(t, s.dir)
		if !faster {
			commit()
		}
		if faster != (err == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("faster %v: error %v", faster, err)
		}
		mustState(t, s, key, map[bool]State{false: Absent, true: Whole}[faster])
		scratchIsEmpty(t, s)
	}
	if found := mustVerify(t, s, false); len(found) != 0 {
		t.Error(found)
	}
}

// Two writers saw the same failed trial; the first has put a new one in its place: the second must leave that alone.
func TestMoveAwayLooksAgain(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustWrite(t, s, "k", record.StatusOK)
	if err := s.moveAway("gmm", "k"); err != nil {
		t.Fatal(err)
	}
	mustState(t, s, "k", Whole)
	scratchIsEmpty(t, s)
}

func TestWithLockExcludes(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	inside := make(chan struct{}, 1)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := s.withLock(func() error {
				select {
				case inside <- struct{}{}:
				default:
					return errors.New("two at once")
				}
				time.Sleep(5 * time.Millisecond)
				<-inside
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
