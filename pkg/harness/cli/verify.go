package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func verifyCommand(e *env) *cobra.Command {
	var s selection
	var repair bool
	var recompute int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "verify [EXPERIMENT...|all]",
		Short: "Reads every file of the store and the report; computes trials of the report again",
		Long: `Reads every file of the store and the report, and names what is damaged, missing or not the program's. With --recompute it
also computes some trials of the report again and compares every value bit for bit.`,
		Example: `  sifg verify --scale smoke
  sifg verify gmm --scale smoke --recompute 2`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := s.request(e, args)
			if err != nil {
				return err
			}
			if recompute < 0 || repair && recompute > 0 {
				return usage.Errorf("--recompute wants a number of trials, and no --repair")
			}
			if err := verifyFiles(e, &s, repair); err != nil || recompute == 0 {
				return err
			}
			return verifyNumbers(e, &s, r.Experiments, recompute, seed)
		},
	}
	s.scaleFlag(cmd.Flags())
	s.folderFlags(cmd.Flags())
	f := cmd.Flags()
	f.BoolVar(&repair, "repair", false, "move what is damaged in the store aside, to .quarantine; nothing is deleted")
	f.IntVar(&recompute, "recompute", 0, "compute this many trials of the report again, drawn at random")
	f.Uint64Var(&seed, "draw", 1, "seed of the draw of --recompute")
	return cmd
}

// verifyFiles reads all files.
func verifyFiles(e *env, s *selection, repair bool) error {
	st, err := openStore(e, s.storeDir(), s.resultsDir(), repair)
	if err != nil {
		return err
	}
	var inStore []record.Damage
	if st != nil {
		if inStore, err = st.Verify(repair); err != nil {
			return err
		}
	}
	inReport, err := report.Verify(s.resultsDir())
	if err != nil {
		return err
	}
	for _, d := range append(slices.Clone(inStore), inReport...) {
		fmt.Fprintln(e.out, d.Error())
	}
	switch {
	case len(inStore) > 0 && !repair:
		return exitf(exitDamaged, "%s in %s: sifg verify --repair moves those of the store aside", table.Count(len(inStore)+len(inReport), "damaged file"), s.storeDir())
	case len(inReport) > 0:
		return exitf(exitDamaged, "%s in %s: sifg report writes its own files again and leaves others alone",
			table.Count(len(inReport), "file that is not as written"), s.resultsDir())
	case len(inStore) > 0:
		fmt.Fprintf(e.out, "%s moved aside: the next run computes their trials again\n", table.Count(len(inStore), "damaged file"))
		return nil
	}
	fmt.Fprintf(e.out, "all files in %s and %s are as written\n", s.storeDir(), s.resultsDir())
	return nil
}

// candidate is a trial of the report that can be computed again.
type candidate struct {
	experiment *harness.Experiment
	trial      harness.Trial
	records    *record.Set
}

// verifyNumbers computes some trials of the report again and compares every value.
func verifyNumbers(e *env, s *selection, experiments []*harness.Experiment, n int, seed uint64) error {
	rep, err := report.Read(s.resultsDir(), e.experiments)
	if err != nil {
		return err
	}
	var all []candidate
	for _, x := range experiments {
		part := rep.Experiment(x.Name)
		if part == nil {
			continue
		}
		for _, p := range part.Protocols {
			found, err := candidates(e, x, p)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
	}
	if len(all) == 0 {
		return exitf(exitStopped, "no trial of the report in %s has the key that this program would give it: nothing can be compared", s.resultsDir())
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	entries, err := computeAgain(e, all)
	if err != nil {
		return err
	}
	different := 0
	for i, c := range all {
		difference, err := c.compare(entries[i])
		if err != nil {
			return fmt.Errorf("%s: %w", c.trial.Name(), err)
		}
		if difference == "" {
			difference = "every value is the same"
		} else {
			different++
		}
		fmt.Fprintf(e.out, "%s %s: %s\n", c.trial.Key, c.trial.Name(), difference)
	}
	if different > 0 {
		return exitf(exitDamaged, "%d of %d recomputed trials have other values (kernels in use here: %s)", different, len(all), record.ThisMachine().Kernel)
	}
	fmt.Fprintf(e.out, "%s recomputed: bit for bit the same\n", table.Count(len(all), "trial"))
	return nil
}

// candidates returns the trials of a report's part that the settings of today lead to, by key.
func candidates(e *env, x *harness.Experiment, p *report.Protocol) ([]candidate, error) {
	r := plan.Request{Experiments: []*harness.Experiment{x}, Protocols: []string{p.Name}, Scale: p.Scale, Data: e.data}
	for _, text := range p.Set {
		r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "the report"})
	}
	planned, err := plan.New(r)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, t := range planned.Unique() {
		if slices.ContainsFunc(p.Records.Trials, func(row record.Trial) bool { return row.Key == t.Key && row.Final() }) {
			out = append(out, candidate{x, t, p.Records})
		}
	}
	return out, nil
}

// computeAgain computes trials in a store of their own, which goes afterwards; an entry is nil where a data set is not here.
func computeAgain(e *env, all []candidate) ([]*store.Entry, error) {
	dir, err := os.MkdirTemp("", "sifg-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	soft, hard, caught, release := signals()
	defer release()
	trials := make([]harness.Trial, len(all))
	for i, c := range all {
		trials[i] = c.trial
	}
	without, err := fetch(soft, e, trials)
	if err != nil {
		return nil, err
	}
	trials = slices.DeleteFunc(trials, func(t harness.Trial) bool { return slices.Contains(without, t.Config.Data) })
	shown := newProgress(e.err, trials, &run.Costs{}, runtime.GOMAXPROCS(0))
	_, err = run.Run(soft, hard, st, e.experiments, trials, run.Options{Jobs: runtime.GOMAXPROCS(0), Threads: 1, Data: e.data, Progress: shown})
	shown.close()
	if err == nil && caught() != nil {
		err = exitf(exitInterrupted, "interrupted: nothing was compared")
	}
	entries := make([]*store.Entry, len(all))
	for i, c := range all {
		if err != nil {
			return nil, err
		}
		entries[i], err = st.Get(store.ID{Experiment: c.trial.Experiment, Key: c.trial.Key})
	}
	return entries, err
}

// compare says how the records of the trial that was computed again differ from the report's; "" for not at all.
func (c *candidate) compare(again *store.Entry) (string, error) {
	if again == nil {
		return "its data set is not here", nil
	}
	got, err := again.Traces()
	if err != nil {
		return "", err
	}
	want := c.records.Traces[c.trial.Key]
	if len(got) != len(want) {
		return fmt.Sprintf("%d values, the report has %d (%s %s)", len(got), len(want), again.Trial.Status, again.Trial.Reason), nil
	}
	for i, w := range want {
		if g := got[i]; g.Iteration != w.Iteration || g.Metric != w.Metric || g.Index != w.Index || !sameValue(g.Value, w.Value) {
			return fmt.Sprintf("%s[%d] at iteration %d is %v, the report has %s[%d] at iteration %d: %v",
				g.Metric, g.Index, g.Iteration, g.Value, w.Metric, w.Index, w.Iteration, w.Value), nil
		}
	}
	return "", nil
}

// sameValue compares bits; where the portable kernels are in use, whose bits differ by design, it compares within rounding.
func sameValue(a, b float64) bool {
	if math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return record.ThisMachine().Kernel == "portable" && math.Abs(a-b) <= 1e-3*max(1, math.Abs(a), math.Abs(b))
}
