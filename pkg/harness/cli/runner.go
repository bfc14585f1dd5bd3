package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

// runner is the flags that say how trials are computed. None of them changes a result.
type runner struct {
	run.Options
}

func (r *runner) flags(cmd *cobra.Command) {
	cmd.PreRunE = func(*cobra.Command, []string) error { return r.check() }
	f := cmd.Flags()
	number(f, &r.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "trials computed at once")
	number(f, &r.Threads, "threads", "", 1, "cores that one trial may use; for a few large trials, with fewer --jobs")
	f.DurationVar(&r.Timeout, "timeout", 0, "limit of one trial, such as 90s or 10m (default none)")
}

// check refuses values that make no sense, before anything is computed.
func (r *runner) check() error {
	if want, ok := cpu.Forced(); want != "" && !ok {
		return usage.Errorf("%s=%s cannot be honoured: this machine has %s",
			cpu.Env, want, strings.Join(cpu.Supported(), ", "))
	}
	switch {
	case r.Jobs < 1 || r.Threads < 1:
		return usage.Errorf("--jobs and --threads must be 1 or more, got %d and %d", r.Jobs, r.Threads)
	case r.Timeout < 0:
		return usage.Errorf("--timeout must not be negative, got %v", r.Timeout)
	}
	return nil
}

func (r *runner) options(e *env, p run.Progress) run.Options {
	o := r.Options
	o.Data, o.Progress = e.data, p
	return o
}

// ends says how a command ends that a signal stopped.
var ends = map[os.Signal]*exit{
	os.Interrupt:    {exitInterrupted, "interrupted"},
	syscall.SIGTERM: {exitTerminated, "terminated"},
	syscall.SIGUSR1: {exitStopped, "stopped by SIGUSR1"},
}

// signals returns a context that the first SIGINT, SIGTERM or SIGUSR1 (by which schedulers announce the end of the
// time) ends, and one that the second ends. Its cause is one of ends. From release on a signal ends the program at
// once: all files are absent or whole.
func signals() (soft, hard context.Context, release func()) {
	soft, stopSoft := context.WithCancelCause(context.Background())
	hard, stopHard := context.WithCancel(context.Background())
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		for sig := range ch {
			if soft.Err() != nil {
				stopHard()
			}
			stopSoft(ends[sig])
		}
	}()
	return soft, hard, func() {
		signal.Stop(ch)
		close(ch)
		stopSoft(nil)
		stopHard()
	}
}

// interrupted is the error of what a signal ended; nil without a signal.
func interrupted(soft context.Context, more string) error {
	if end, ok := context.Cause(soft).(*exit); ok {
		return exitf(end.code, "%s%s", end.text, more)
	}
	return nil
}
