package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// runner is the flags that say how trials are computed. None of them changes a result.
type runner struct {
	jobs, threads  int
	failFast       bool
	timeout, grace time.Duration
	isolate        bool
	memory         int // MiB
	retry          []string
}

func (r *runner) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	jobsFlag(f, &r.jobs)
	f.BoolVar(&r.failFast, "fail-fast", false, "start no more trials after the first that fails")
	f.IntVar(&r.threads, "threads", 1, "cores that one trial may use; for a few large trials, with fewer --jobs")
	f.DurationVar(&r.timeout, "timeout", 0, "limit of one trial, such as 90s or 10m (default none)")
	f.DurationVar(&r.grace, "grace", 5*time.Second,
		"from --timeout until a trial that does not stop by itself is killed (--isolate)\nor left behind")
	f.BoolVar(&r.isolate, "isolate", false, "compute each trial in a process of its own")
	f.IntVar(&r.memory, "memory", 0, "limit of the process of one trial, in `MIB`; implies --isolate (default none)")
	f.StringSliceVar(&r.retry, "retry", retryable, "trials that are tried again, by their `STATUS`; or none")
}

// check refuses values that make no sense, before anything is computed.
func (r *runner) check(e *env) error {
	if want, ok := kernel.Forced(); want != "" && !ok {
		return usage.Errorf("%s=%s cannot be honoured: this machine has %s", kernel.Env, want, strings.Join(kernel.Supported(), ", "))
	}
	if slices.Equal(r.retry, []string{"none"}) {
		r.retry = nil
	}
	for _, status := range r.retry {
		if !slices.Contains(retryable, status) {
			return usage.Unknown("status", status, "--retry", append(slices.Clone(retryable), "none"))
		}
	}
	switch {
	case r.jobs < 1 || r.threads < 1:
		return usage.Errorf("--jobs and --threads must be 1 or more, got %d and %d", r.jobs, r.threads)
	case r.memory < 0 || r.memory > 0 && r.memory < 64:
		return usage.Errorf("--memory must be 64 or more, in MiB, which is what the program itself needs, got %d", r.memory)
	case r.timeout < 0 || r.grace < 0:
		return usage.Errorf("--timeout and --grace must not be negative, got %v and %v", r.timeout, r.grace)
	}
	return nil
}

func (r *runner) options(e *env, p run.Progress) run.Options {
	o := run.Options{Jobs: r.jobs, Threads: r.threads, FailFast: r.failFast, Timeout: r.timeout, Grace: r.grace, Data: e.data, Progress: p}
	if r.isolate || r.memory > 0 {
		o.Isolate = &run.Isolation{Memory: int64(r.memory) << 20, Command: []string{program(), "worker"}}
		for _, path := range e.manifests {
			o.Isolate.Command = append(o.Isolate.Command, "--datasets", path)
		}
	}
	return o
}

// program returns what starts this very program again, where the system can do so even if its file was replaced since.
func program() string {
	const running = "/proc/self/exe" // of Linux
	if _, err := os.Stat(running); err == nil {
		return running
	}
	self, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return self
}

// workerCommand is the process of one trial.
func workerCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "worker", Short: "Computes the trial that a run gives it", Hidden: true, Args: arguments("", 0),
		Run: func(*cobra.Command, []string) {
			run.Work(e.experiments, e.data, func() { os.Exit(exitTerminated) })
		},
	}
}

// stopped is the cause of a context that a signal ended.
type stopped struct{ os.Signal }

// Error implements error.
func (s stopped) Error() string { return "stopped by " + s.String() }

// signals returns a context that the first SIGINT, SIGTERM or SIGUSR1 (by which schedulers announce the end of the time) ends, and one
// that the second ends. From release on a signal ends the program at once: all files are absent or whole.
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
			stopSoft(stopped{sig})
		}
	}()
	return soft, hard, func() {
		signal.Stop(ch)
		close(ch)
		stopSoft(nil)
		stopHard()
	}
}

// interrupted is the error of what a signal ended, with the exit code and the word that say which it was; nil without a signal.
func interrupted(soft context.Context, format string, args ...any) error {
	by, ok := context.Cause(soft).(stopped)
	text := fmt.Sprintf(format, args...)
	switch {
	case !ok:
		return nil
	case by.Signal == syscall.SIGTERM:
		return exitf(exitTerminated, "terminated%s", text)
	case by.Signal == syscall.SIGUSR1:
		return exitf(exitStopped, "stopped by SIGUSR1%s", text)
	}
	return exitf(exitInterrupted, "interrupted%s", text)
}
