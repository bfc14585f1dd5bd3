package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func verifyCommand(e *env) *cobra.Command {
	var s selection
	var repair bool
	var d compare.Draws
	var recompute uint64
	cmd := &cobra.Command{
		Use:   "verify [EXPERIMENT...|all]",
		Short: "Reads every file of the store and the report; computes trials of the report again",
		Long: "It names what is damaged, missing or not the program's. With --recompute it compares every value of " +
			"the trials that it computes, bit for bit.",
		Example: `  sifg verify --scale smoke
  sifg verify gmm --scale smoke --recompute 2 --within 30s`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d.Trials = int(min(recompute, math.MaxInt))
			if repair && d.Trials > 0 {
				return usage.Errorf("--recompute and --repair exclude each other")
			}
			if _, err := s.request(e, args); err != nil {
				return err
			}
			if err := verifyFiles(e, s.storeDir(), s.resultsDir(nil), repair); err != nil || d.Trials == 0 {
				return err
			}
			if !cmd.Flags().Changed("draw") {
				d.Seed = rand.Uint64()
			}
			return s.verifyNumbers(e, args, d)
		},
	}
	f := cmd.Flags()
	s.reportFlags(f)
	f.BoolVar(&repair, "repair", false, "move what is damaged in the store aside, to .quarantine; nothing is deleted")
	f.Uint64Var(&recompute, "recompute", 0, "compute `N` trials of the report again, drawn at random")
	f.DurationVar(&d.Within, "within", 0, "of trials that took at most this long, such as 30s (default any)")
	f.Uint64Var(&d.Seed, "draw", 0, "draw those of --recompute by this `SEED`, as an earlier verify printed it")
	return cmd
}

// verifyFiles reads all files.
func verifyFiles(e *env, dir, results string, repair bool) error {
	st, err := openStore(dir, results, repair)
	if err != nil {
		return err
	}
	absent := func(dir string) bool { _, err := os.Stat(dir); return err != nil }
	read := slices.DeleteFunc([]string{results, dir}, absent)
	if len(read) == 0 {
		return exitf(exitStopped, "neither %s nor %s is there: nothing was read", dir, results)
	}
	var inStore []record.Damage
	if st != nil {
		if inStore, err = st.Verify(context.Background(), repair); err != nil {
			return err
		}
	}
	inReport, foreign, err := report.Verify(results)
	if err != nil {
		return err
	}
	for _, name := range foreign {
		fmt.Fprintf(e.out, "%s is not written by this program, and is left alone\n", name)
	}
	for _, d := range slices.Concat(inStore, inReport) {
		fmt.Fprintln(e.out, d.Error())
	}
	if repair && len(inStore) > 0 {
		fmt.Fprintf(e.out, "%s moved aside: the next run computes their trials again\n",
			table.Count(len(inStore), "damaged file"))
		inStore = nil
	}
	if n := len(inStore) + len(inReport); n > 0 {
		return exitf(exitDamaged, "%s in %s and %s: sifg verify --repair moves those of the store aside, sifg report "+
			"writes its own files again and leaves others alone", table.Count(n, "damaged file"), dir, results)
	}
	fmt.Fprintf(e.out, "all files in %s are as written\n", strings.Join(read, " and "))
	return nil
}

// verifyNumbers computes some trials of the report again, in a store of their own, and compares every value.
func (s *selection) verifyNumbers(e *env, names []string, d compare.Draws) error {
	r, rep, err := s.read(e, names)
	if err != nil {
		return err
	}
	trials := compare.Draw(rep, r.Experiments, e.data, d)
	if len(trials) == 0 {
		return exitf(exitStopped,
			"the report in %s has no trial with a key that this program would give it, its data here, and no more "+
				"time than --within", s.resultsDir(nil))
	}
	dir, err := os.MkdirTemp("", "sifg-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &work{Plan: &plan.Plan{Experiments: e.experiments, Trials: trials}, known: s.knownDir()}
	if w.store, err = store.Open(dir); err != nil {
		return err
	}
	defer w.store.Close()
	if err := w.status(); err != nil {
		return err
	}
	w.measure()
	soft, _, err := w.compute(e, &runner{Options: run.Options{Jobs: runtime.GOMAXPROCS(0), Threads: 1}})
	if err == nil {
		err = interrupted(soft, ": nothing was compared")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "drawn with --draw %d\n", d.Seed)
	different := 0
	for i := range trials {
		text, err := compare.Difference(rep, w.store, &trials[i])
		if err != nil {
			return err
		}
		if text != "" {
			different++
		}
		fmt.Fprintf(e.out, "%s %s: %s\n", trials[i].Key, trials[i].Name(), cmp.Or(text, "every value is the same"))
	}
	if different > 0 {
		return exitf(exitDamaged, "%d of %d recomputed trials have other values (kernels in use here: %s)",
			different, len(trials), machine.This().Kernel)
	}
	fmt.Fprintf(e.out, "%s recomputed: bit for bit the same\n", table.Count(len(trials), "trial"))
	return nil
}
