package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Work reads one trial from stdin, computes and stores it, and reports on stdout. It calls gone when the process that
// started this one has ended. The trial's key must be the one that this program and its data give it.
func Work(experiments []*harness.Experiment, data plan.Datasets, gone func()) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1) // a scheduler sends them to all; one process decides
	say := json.NewEncoder(os.Stdout)
	os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0) // for what the trial's code prints
	row, err := work(experiments, data, gone, func(iter int) { say.Encode(message{Iter: iter}) })
	if err != nil {
		say.Encode(message{Error: err.Error()})
		return
	}
	say.Encode(message{Status: row.Status, Reason: row.Reason})
}

func work(experiments []*harness.Experiment, data plan.Datasets, gone func(),
	tell func(iter int)) (row record.Trial, err error) {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return row, fmt.Errorf("a trial's process got no trial: %w", err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		gone()
	}()
	e, err := plan.Revive(j.Trial, experiments, data)
	if err != nil {
		return row, err
	}
	s, err := store.Open(j.Store)
	if err != nil {
		return row, err
	}
	defer s.Close()
	x, id, err := referenceOf(e, j.Trial, data)
	if x != nil && err == nil {
		err = attach(s, id, j.Trial)
	}
	if err != nil {
		return row, err
	}
	if j.Memory > 0 {
		debug.SetMemoryLimit(j.Memory / 10 * 9) // collects garbage harder near it
	}
	told := time.Now()
	result, err := timed(context.Background(), e, j.Trial, j.Threads, j.Timeout, func(iter int) {
		if now := time.Now(); now.Sub(told) > 100*time.Millisecond {
			told = now
			tell(iter)
		}
	})
	if err != nil {
		return row, err
	}
	return s.Put(context.Background(), result)
}
