package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func runCommand(e *env) *cobra.Command {
	var s selection
	var o run.Options
	cmd := &cobra.Command{
		Use:   "run [EXPERIMENT...|all]",
		Short: "Computes the trials that are not there yet and writes the report",
		Long:  "Stop it as you like: the same command continues.",
		Example: `  sifg run gmm --scale smoke --protocol all
  sifg run gmm --problems gmm-2d --methods sifg,svgd --set step=0.02 --scale smoke`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && len(e.experiments) > 1 {
				return usage.Errorf("which experiment? sifg run NAME takes one or more of %s, or all",
					strings.Join(e.names(), ", "))
			}
			w, err := s.open(e, args, true)
			if err != nil {
				return err
			}
			write := func() error { return w.report(e) }
			if s.shard != "" {
				write = func() error { return nil }
			} else if err := report.Writable(w.results); err != nil {
				return err
			}
			return w.run(e, o, write)
		},
	}
	s.flags(cmd)
	runFlags(cmd, &o)
	cmd.Flags().StringVar(&s.shard, "shard", "",
		"only part i of n of the trials, as `i/n`, counted from 0; auto in a job array; no report is written")
	return cmd
}

// run computes what is missing and then calls write, unless trials are missing that are still to be computed.
func (w *work) run(e *env, o run.Options, write func() error) error {
	if err := w.damage(); err != nil {
		return err
	}
	there := w.count(record.StatusOK, record.StatusDiverged)
	soft, computed, err := w.compute(e, o)
	if err != nil {
		return err
	}
	missing := w.count(store.Missing)
	if _, others := w.absent(e); missing < len(w.found) && others == 0 {
		err = write()
	}
	fmt.Fprintf(e.out, "%s: %d already there, %d computed\n", table.Count(len(w.found), "trial"), there, computed)
	if err != nil {
		return err
	}
	if missing > 0 {
		more := fmt.Sprintf(" with %d of %d trials missing: the same command continues", missing, len(w.found))
		if stop := interrupted(soft, more); stop != nil {
			return stop
		}
	}
	return w.outcome(e)
}

// compute computes what is missing, but for trials whose data cannot be had. A signal ends soft.
func (w *work) compute(e *env, o run.Options) (soft context.Context, computed int, err error) {
	soft, hard, release := signals()
	defer release()
	todo := slices.DeleteFunc(w.with(todoStatuses...), func(t harness.Trial) bool { return lacks(e, t) })
	fmt.Fprintln(e.err, w.summary(todo))
	shown := newProgress(e.err, todo, w.times, o.Jobs)
	defer context.AfterFunc(soft, func() { shown.finishing(interrupted(soft, "")) })()
	o.Data, o.Progress = e.data, shown
	computed, err = run.Run(soft, hard, w.store, w.Experiments, todo, o)
	shown.close()
	return soft, computed, errors.Join(err, w.look())
}

// lacks reports whether the data set of a trial is not here.
func lacks(e *env, t harness.Trial) bool {
	return t.Config.Data != "" && e.data.Absent(t.Config.Data) != nil
}

// absent returns the data sets that are not here and that missing trials need, and how many trials are missing besides.
func (w *work) absent(e *env) (names []string, others int) {
	for _, t := range w.with(store.Missing) {
		if !lacks(e, t) {
			others++
		} else if !slices.Contains(names, t.Config.Data) {
			names = append(names, t.Config.Data)
		}
	}
	return names, others
}

// outcome turns what the store has of a plan into the exit code and its sentence. A trial that diverged is a result.
func (w *work) outcome(e *env) error {
	if n := w.count(record.StatusDiverged); n > 0 {
		fmt.Fprintf(e.err, "%s diverged, which counts as a result\n", table.Count(n, "trial"))
	}
	if err := w.damage(); err != nil {
		return err
	}
	if failed := w.count(retryable...); failed > 0 {
		return exitf(exitFailed, "%d of %d trials failed, the first is %s; sifg plan names all", failed, len(w.found),
			w.first(retryable...))
	}
	missing := w.count(store.Missing)
	switch names, others := w.absent(e); {
	case others > 0:
		return exitf(exitStopped, "%d of %d trials are missing: sifg run with the same flags computes them",
			missing, len(w.found))
	case names != nil:
		return exitf(exitStopped, "%d of %d trials are left out, because the data set %s is not here: sifg data fetch "+
			"gets it (docs/datasets.md), then the same command continues", missing, len(w.found),
			strings.Join(names, ", "))
	}
	return nil
}

// became says what became of a trial and why. Some reasons begin with the status.
func became(status, reason string) string {
	if strings.HasPrefix(reason, status) {
		return reason
	}
	return status + ": " + reason
}
