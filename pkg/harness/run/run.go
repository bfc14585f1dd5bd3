// Package run computes trials: the loop of one, and a pool of workers with limits.
package run

import (
	"context"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Progress is told how a run goes. Its methods are called from several goroutines at once.
type Progress interface {
	Note(line string) // for the user: a reference is being made, say
	Start(t *harness.Trial)
	Step(t *harness.Trial, iter int)
	End(t *harness.Trial, status, reason string, took time.Duration) // status "" if it was stopped
}

// Options say how trials are computed. None of them changes a result.
type Options struct {
	Jobs     int           // trials at once, 1 or more
	Threads  int           // cores that one trial may use
	FailFast bool          // start no more trials after the first that fails
	Timeout  time.Duration // of one trial, heeded between two iterations; 0: none
	Grace    time.Duration // from Timeout until a trial that does not stop by itself is killed, or left behind without Isolate
	Isolate  *Isolation    // each trial in a process of its own; nil: all in this one
	Progress Progress
}

// Isolation computes each trial in a process of its own.
type Isolation struct {
	Command []string // this program, so that it calls Work
	Memory  int64    // bytes that a process may occupy; 0: no limit
}

// Run computes trials and stores them; the references that they need come first. soft ending lets running trials finish and
// starts no more; hard ending stops them. A trial that fails, panics or exceeds its limits is recorded and the others go on.
// Run fails only for causes outside any trial, such as an unwritable store.
func Run(soft, hard context.Context, s *store.Store, experiments []*harness.Experiment, todo []harness.Trial, o Options) (computed int, err error) {
	panic("to be written")
}

// Compute runs one trial in this process and returns what it leaves behind. Its result depends on t alone. Its error is ctx's,
// or that the trial cannot start; divergence is a status.
func Compute(ctx context.Context, e *harness.Experiment, t *harness.Trial, threads int, step func(iter int)) (*record.Result, error) {
	panic("to be written")
}
