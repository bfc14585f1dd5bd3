package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func verifyCommand(e *env) *cobra.Command {
	var s selection
	var n int
	var within time.Duration
	cmd := &cobra.Command{
		Use:   "verify [EXPERIMENT...|all]",
		Short: "Reads every file of the store, or computes trials of the report again",
		Long: "It names what is damaged, missing or not the program's; sifg report --check does so of a report. With " +
			"--recompute it compares every value of the trials that it computes, bit for bit.",
		Example: `  sifg verify --scale smoke
  sifg verify gmm --scale smoke --recompute 2 --within 30s`,
		RunE: func(_ *cobra.Command, args []string) error {
			if n < 0 || within != 0 && n == 0 {
				return usage.Errorf("want --recompute of 1 or more, with --within too")
			}
			if n == 0 {
				if err := s.request(e, args); err != nil {
					return err
				}
				return s.verifyStore(e)
			}
			rep, err := s.read(e, args)
			if err != nil {
				return err
			}
			return verifyNumbers(e, s.Experiments, rep, n, within)
		},
	}
	f := cmd.Flags()
	s.reportFlags(cmd)
	s.own.flags(cmd)
	f.IntVar(&n, "recompute", 0, "compute `N` trials of the report again, drawn at random")
	f.DurationVar(&within, "within", 0, "of trials that took at most this long, such as 30s (default any)")
	return cmd
}

// verifyStore reads all files of the store. Damage is worse than a file that cannot be read; all of either are named.
func (s *selection) verifyStore(e *env) error {
	st, err := openStore(s.storeDir(), s.resultsDir(), false)
	if err != nil {
		return err
	}
	if st == nil {
		return exitf(exitStopped, "no store in %s: sifg run makes one", s.storeDir())
	}
	found, unread := st.Verify(context.Background())
	for _, d := range found {
		fmt.Fprintln(e.out, d.Error())
	}
	switch {
	case found != nil:
		return errors.Join(exitf(exitDamaged, "%s not as written: remove what is not the store's and whole folders of "+
			"damaged trials, and then sifg run", table.Count(len(found), "file")), unread)
	case unread == nil:
		fmt.Fprintf(e.out, "verified: all files of the store %s are intact\n", safe.Text(s.storeDir()))
	}
	return unread
}

// verifyNumbers computes some trials of the report again, in a store of their own, and compares every value.
func verifyNumbers(e *env, of []*harness.Experiment, rep *report.Results, n int, within time.Duration) error {
	trials, left := compare.Draw(rep, of, e.data, n, within)
	if len(trials) == 0 {
		return exitf(exitStopped, "no trial of %s was computed again; of those not drawn %s", rep.Dir,
			table.Counts(left))
	}
	dir, err := os.MkdirTemp("", "sifg-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &work{Plan: &plan.Plan{Experiments: e.experiments, Trials: trials}}
	if w.store, err = store.Open(dir); err != nil {
		return err
	}
	defer w.store.Close()
	if err := w.look(); err != nil {
		return err
	}
	soft, _, err := w.compute(e, run.Options{Jobs: runtime.GOMAXPROCS(0), Threads: 1})
	if err == nil {
		err = interrupted(soft, ": nothing was compared")
	}
	if err != nil {
		return err
	}
	different, uncomputed := 0, 0
	for i := range trials {
		text, err := compare.Difference(rep, w.store, &trials[i])
		switch {
		case errors.Is(err, compare.ErrNotComputed):
			uncomputed++
			text = err.Error()
		case err != nil:
			return err
		case text != "":
			different++
		}
		fmt.Fprintf(e.out, "%s %s: %s\n", trials[i].Key, trials[i].Name(), cmp.Or(text, "every value is the same"))
	}
	if len(left) > 0 {
		fmt.Fprintf(e.out, "of the trials not drawn %s\n", table.Counts(left))
	}
	if different > 0 {
		return exitf(exitDamaged, "%d of %d recomputed trials have other values (kernels in use here: %s)",
			different, len(trials), machine.This().Kernel)
	}
	if uncomputed > 0 {
		return exitf(exitStopped, "%d of %d trials could not be computed here; no other has other values",
			uncomputed, len(trials))
	}
	fmt.Fprintf(e.out, "%s recomputed: bit for bit the same\n", table.Count(len(trials), "trial"))
	if n := left[compare.OtherKey]; n > 0 {
		return exitf(exitStopped, "%s have another key here: they were computed by another version, or other kernels "+
			"or data, than are here (%s)", table.Count(n, "trial"), machine.This().Kernel)
	}
	return nil
}
