package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

// runFlags are the flags that say how trials are computed. None of them changes a result.
func runFlags(cmd *cobra.Command, o *run.Options) {
	f := cmd.Flags()
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "trials computed at once")
	f.IntVar(&o.Threads, "threads", 1, "cores that one trial may use; for a few large trials, with fewer --jobs")
	f.DurationVar(&o.Timeout, "timeout", 0, "limit of one trial, such as 90s or 10m (default none)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if want, ok := cpu.Forced(); want != "" && !ok {
			return usage.Errorf("%s=%s cannot be honoured: this machine has %s",
				cpu.Env, want, strings.Join(cpu.Supported(), ", "))
		}
		if o.Jobs < 1 || o.Threads < 1 || o.Timeout < 0 {
			return usage.Errorf("want --jobs and --threads of 1 or more, and no --timeout below 0")
		}
		return nil
	}
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

// shardOf reads --shard: i/n, part i of n, counted from 0; or auto, which takes both from the variables of a Kubernetes
// Indexed Job or a Slurm job array. That may begin anywhere; one with gaps has a task that is refused.
func shardOf(text string) (i, n int, err error) {
	first := "0"
	left, right, _ := strings.Cut(text, "/")
	if text == "auto" {
		left, right = os.Getenv("JOB_COMPLETION_INDEX"), os.Getenv("JOB_COMPLETIONS")
		if slurm := "SLURM_ARRAY_TASK_"; os.Getenv(slurm+"ID") != "" {
			left, right, first = os.Getenv(slurm+"ID"), os.Getenv(slurm+"COUNT"), os.Getenv(slurm+"MIN")
		}
	}
	i, err1 := strconv.Atoi(left)
	from, err2 := strconv.Atoi(first)
	n, err3 := strconv.Atoi(right)
	if i -= from; errors.Join(err1, err2, err3) != nil || i < 0 || i >= n {
		err = usage.Errorf("--shard %s: want i/n with i from 0 to n-1, such as 0/8, or auto in a Slurm array without "+
			"gaps or a Kubernetes Indexed Job with JOB_COMPLETIONS", text)
	}
	return i, n, err
}
