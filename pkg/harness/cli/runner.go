package cli

import (
	"context"
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

// shard keeps the trials of a part of the plan.
func (w *work) shard(text string) error {
	i, n, err := shardOf(text)
	if err != nil {
		return err
	}
	w.Shard(i, n)
	return w.status()
}

// shardOf reads --shard: i/n, part i of n, counted from 0; or auto, which takes both from the variables of a Slurm job
// array or a Kubernetes Indexed Job.
func shardOf(text string) (i, n int, err error) {
	if text == "auto" {
		return arrayOf()
	}
	left, right, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || i < 0 || i >= n {
		err = usage.Errorf("--shard %s: want i/n with i from 0 to n-1, such as 0/8, or auto in a job array", text)
	}
	return i, n, err
}

// arrayOf returns which task of a job array this process is, and of how many. A Slurm array may begin anywhere, but has
// no gap: its tasks could not know what is left to which.
func arrayOf() (i, n int, err error) {
	const slurm, kubernetes = "SLURM_ARRAY_TASK_", "JOB_COMPLETION_INDEX"
	switch {
	case os.Getenv(slurm+"ID") != "":
		v, err := numbers(slurm+"ID", slurm+"MIN", slurm+"MAX", slurm+"COUNT")
		if err == nil && (v[2]-v[1]+1 != v[3] || v[0] < v[1] || v[0] > v[2]) {
			err = usage.Errorf("--shard auto: task %d of the %d from %d to %d: want an array without gaps, such as "+
				"--array=0-7", v[0], v[3], v[1], v[2])
		}
		return v[0] - v[1], v[3], err
	case os.Getenv(kubernetes) != "":
		v, err := numbers(kubernetes, "JOB_COMPLETIONS")
		if err == nil && (v[0] < 0 || v[0] >= v[1]) {
			err = usage.Errorf("--shard auto: %s is %d, and JOB_COMPLETIONS %d", kubernetes, v[0], v[1])
		}
		return v[0], v[1], err
	}
	return 0, 0, usage.Errorf("--shard auto: neither %sID nor %s is set: this is no task of a job array; --shard "+
		"takes i/n too, such as 0/8", slurm, kubernetes)
}

// numbers returns the values of variables.
func numbers(names ...string) (out [4]int, err error) {
	for k, name := range names {
		if out[k], err = strconv.Atoi(os.Getenv(name)); err != nil {
			return out, usage.Errorf("--shard auto: want a whole number in %s, got %s", name, os.Getenv(name))
		}
	}
	return out, nil
}
