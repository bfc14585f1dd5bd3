package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

func (a *app) jobsFlag(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.opt.jobs, "jobs", defaultJobs(), "trials computed at once")
}

func (a *app) jobsWanted() error {
	if a.opt.jobs < 1 {
		return harness.Usagef("--jobs must be 1 or more, got %d", a.opt.jobs)
	}
	return nil
}

// kernelWanted refuses kernels that the environment asks for and this machine does not have: the library would take others.
func kernelWanted() error {
	if want, ok := kernel.Forced(); want != "" && !ok {
		return harness.Usagef("%s=%s cannot be honoured: this machine has %s", kernel.Env, want, strings.Join(kernel.Supported(), ", "))
	}
	return nil
}

// runnerFlags adds the flags that say how trials are computed; none of them changes a result.
func (a *app) runnerFlags(cmd *cobra.Command) {
	a.jobsFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&a.opt.failFast, "fail-fast", false, "start no more trials after the first that does not end well")
	f.IntVar(&a.opt.threads, "threads", 1, "cores that one trial may use; for a few large trials, with fewer --jobs")
	f.DurationVar(&a.opt.timeout, "timeout", 0, "limit of one trial, such as 90s or 10m (default none)")
	f.DurationVar(&a.opt.grace, "grace", 5*time.Second, "from --timeout until a trial that does not stop by itself is killed (--isolate)\nor left behind")
	f.BoolVar(&a.opt.isolate, "isolate", false, "compute each trial in a process of its own")
	f.Var((*size)(&a.opt.memory), "memory", "limit of the process of one trial, such as 800MiB or 2GB; implies --isolate")
	a.opt.retry = harness.Retryable
	f.Var((*retry)(&a.opt.retry), "retry", "trials that are tried again, by what became of them, with commas; or none")
}

// runner returns a runner as the flags say, without store and watcher.
func (a *app) runner() (*harness.Runner, error) {
	if err := errors.Join(a.jobsWanted(), kernelWanted()); err != nil {
		return nil, err
	}
	switch {
	case a.opt.threads < 1:
		return nil, harness.Usagef("--threads must be 1 or more, got %d", a.opt.threads)
	case a.opt.timeout < 0:
		return nil, harness.Usagef("--timeout must not be negative, got %v", a.opt.timeout)
	case a.opt.grace < 0:
		return nil, harness.Usagef("--grace must not be negative, got %v", a.opt.grace)
	}
	r := &harness.Runner{Jobs: a.opt.jobs, Threads: a.opt.threads, FailFast: a.opt.failFast, Timeout: a.opt.timeout, Grace: a.opt.grace}
	if a.opt.isolate || a.opt.memory > 0 {
		self, err := program()
		if err != nil {
			return nil, err
		}
		r.Isolate = &harness.Isolation{Memory: a.opt.memory, Command: func() *exec.Cmd {
			cmd := exec.Command(self, "worker")
			for _, path := range a.opt.datasets {
				cmd.Args = append(cmd.Args, "--datasets", path)
			}
			if a.verbose {
				cmd.Args = append(cmd.Args, "--verbose")
				cmd.Stderr = a.err
			}
			return cmd
		}}
	}
	return r, nil
}

// program returns what starts this very program again, where the system can do so even if its file was replaced since.
func program() (string, error) {
	const running = "/proc/self/exe" // of Linux
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// worker is the process of one trial.
func (a *app) worker() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Computes the trial that a run gives it",
		Hidden: true,
		Args:   noArgs,
		Run: func(*cobra.Command, []string) {
			harness.Work(a.experiments, a.sets, os.Stdin, a.out, func() { os.Exit(exitTerminated) })
		},
	}
}

// size is a flag's number of bytes.
type size int64

var units = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// leastMemory is what the program itself needs, with room for a small trial.
const leastMemory = 64 << 20

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !(v*unit < 1<<62):
		return fmt.Errorf("want a number of bytes with a unit such as 800MiB or 2GB")
	case v*unit < leastMemory:
		return fmt.Errorf("the program itself needs about 64MiB")
	}
	*s = size(v * unit)
	return nil
}

// String implements pflag.Value.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type implements pflag.Value: the word of the help.
func (s *size) Type() string { return "size" }

// retry is a flag's list of harness.Retryable.
type retry []string

// Set implements pflag.Value.
func (r *retry) Set(text string) error {
	*r = nil
	if strings.TrimSpace(text) == "none" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "none" {
			return errors.New("none is no status, and stands alone")
		}
		if !slices.Contains(harness.Retryable, name) {
			return harness.Unknown("status", name, "", append(slices.Clone(harness.Retryable), "none"))
		}
		*r = append(*r, name)
	}
	return nil
}

// String implements pflag.Value.
func (r *retry) String() string { return strings.Join(*r, ",") }

// Type implements pflag.Value.
func (r *retry) Type() string { return "statuses" }
