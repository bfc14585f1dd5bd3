package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func (a *app) run() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [EXPERIMENT...|all]",
		Short: "Computes the trials that are not there yet and writes the report",
		Long: `Computes the trials that are not there yet and writes the report. Stop it as you like: the same command continues. What it did is also
in a log file in the store's folder .log.`,
		Example: `  sifg run gmm --scale smoke --protocol all
  sifg run gmm --scale smoke --set seeds=[1,2] --jobs 1 --quiet`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.runTrials(args)
		},
	}
	a.choosing(cmd)
	a.runnerFlags(cmd)
	cmd.Flags().StringVar(&a.opt.trial, "trial", "", "only the trial whose `KEY` begins so; no report is written")
	return cmd
}

func (a *app) runTrials(names []string) error {
	r, err := a.runner()
	if err != nil {
		return err
	}
	if err := writable(a.resultsDir(), "--results"); err != nil {
		return err
	}
	p, err := a.prepare(names, true)
	if err != nil {
		return err
	}
	todo := p.survey.Retry(a.opt.retry)
	fmt.Fprintln(a.err, p.foretell(todo, a.opt.jobs))
	computed, caught, err := a.compute(r, p, todo)
	if err != nil {
		return err
	}
	there := len(p.survey.Is(record.StatusOK, record.StatusDiverged))
	if p.survey, err = harness.Look(p.store, p.Plan); err != nil {
		return err
	}
	missing := p.survey.Is(harness.Missing, harness.Damaged)
	wanting := slices.ContainsFunc(missing, func(f harness.Found) bool { return !slices.Contains(a.absent, f.Trial.Config.Data) })
	if a.opt.trial == "" && !wanting { // what is left out for want of data does not keep the rest from its report
		if err := a.merge(p, false); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "%s: %d already there, %d computed\n", table.Count(len(p.survey), "trial"), there, computed)
	err = verdict(p.survey, caught)
	if code(err) == exitStopped && caught == nil && len(missing) > 0 && !wanting {
		return exitf(exitStopped, "%d of %d trials are missing for want of the data sets %s: sifg data fetch gets them (docs/datasets.md), "+
			"then the same command continues", len(missing), len(p.survey), strings.Join(a.absent, ", "))
	}
	return err
}

// compute computes trials and says how many, and which signal ended it, if any.
func (a *app) compute(r *harness.Runner, p prepared, todo []harness.Trial) (computed int, caught os.Signal, err error) {
	soft, hard, first, release := signals()
	defer release() // from then on a signal ends the program as usual: all files are absent or whole
	defer a.keepLog()()
	if todo, err = a.provide(soft, todo); err != nil {
		return 0, nil, err
	}
	say := func(line string) {
		slog.Info(line)
		fmt.Fprintln(a.err, line)
	}
	if err := harness.Share(soft, p.store, p.Experiments, todo, say); err != nil && soft.Err() == nil {
		return 0, nil, err
	}
	shown := newProgress(a.err, todo, p.costs, a.opt.jobs)
	r.Store, r.Watch = p.store, shown
	computed, err = r.Run(soft, hard, p.Experiments, todo)
	shown.close()
	return computed, first(), err
}

// verdict turns what the store has of a plan into the exit code and its sentence.
func verdict(s harness.Survey, caught os.Signal) error {
	missing, damaged := len(s.Is(harness.Missing)), s.Is(harness.Damaged)
	ended := s.Is(append([]string{record.StatusDiverged}, harness.Retryable...)...)
	const again = "the same command continues"
	switch {
	case caught == syscall.SIGTERM && missing > 0:
		return exitf(exitTerminated, "terminated with %d of %d trials missing: %s", missing, len(s), again)
	case caught == syscall.SIGUSR1 && missing > 0:
		return exitf(exitStopped, "stopped by SIGUSR1 with %d of %d trials missing: %s", missing, len(s), again)
	case caught != nil && missing > 0:
		return exitf(exitInterrupted, "interrupted with %d of %d trials missing: %s", missing, len(s), again)
	case len(damaged) > 0:
		return exitf(exitDamaged, "%d of %d trials are damaged in the store (%s): sifg verify --repair moves them aside and "+
			"the next run computes them again", len(damaged), len(s), damaged[0].Reason)
	case len(ended) > 0:
		return exitf(exitFailed, "%d of %d trials did not end well: %s", len(ended), len(s), name(ended, missing))
	case missing > 0:
		return exitf(exitStopped, "%d of %d trials are missing: sifg run with the same flags computes them", missing, len(s))
	}
	return nil
}

// name lists trials with what became of them, the first few.
func name(ended []harness.Found, missing int) string {
	const most = 5
	var each []string
	for i, f := range ended {
		if i == most {
			each = append(each, fmt.Sprintf("and %d more", len(ended)-most))
			break
		}
		each = append(each, fmt.Sprintf("%s (%s) %s", f.Trial.Name(), f.Trial.Key, became(f.Status, f.Reason)))
	}
	if missing > 0 {
		each = append(each, fmt.Sprintf("%d were not computed", missing))
	}
	return strings.Join(each, "; ")
}

// became says what became of a trial and why; some reasons begin with it.
func became(status, reason string) string {
	if strings.HasPrefix(reason, status) {
		return reason
	}
	return status + ": " + reason
}

// signals returns a context that the first SIGINT, SIGTERM or SIGUSR1 (by which schedulers announce the end of the time)
// ends and one that the second ends, and which was first.
func signals() (soft, hard context.Context, caught func() os.Signal, release func()) {
	soft, stopSoft := context.WithCancelCause(context.Background())
	hard, stopHard := context.WithCancelCause(context.Background())
	ch := make(chan os.Signal, 2)
	first := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-ch:
				if soft.Err() != nil {
					stopHard(errors.New("stopped by a second signal"))
					continue
				}
				first <- sig
				stopSoft(errors.New("stopped by a signal"))
			}
		}
	}()
	caught = func() os.Signal {
		select {
		case s := <-first:
			return s
		default:
			return nil
		}
	}
	return soft, hard, caught, func() {
		signal.Stop(ch)
		close(done)
		stopSoft(nil)
		stopHard(nil)
	}
}
