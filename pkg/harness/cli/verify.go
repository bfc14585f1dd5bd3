package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

func (a *app) verify() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Reads every file of the store and of the report and names those that are not what was written",
		Example: `  sifg verify
  sifg verify --scale smoke --repair`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.open(false)
			if err == nil && s != nil && repair {
				s, err = a.open(true)
			}
			if err != nil {
				return err
			}
			runs, err := harness.Runs(a.resultsDir())
			if err != nil {
				return err
			}
			switch {
			case s == nil && a.opt.store != "":
				return harness.Usagef("there is no store in %s", a.storeDir())
			case s == nil && len(runs) == 0:
				return exitf(exitStopped, "there is neither a store in %s nor a report in %s: sifg run makes them", a.storeDir(), a.resultsDir())
			}
			damaged, left, trials := 0, 0, 0
			if s != nil {
				found, err := s.Verify(context.Background(), repair)
				if err != nil {
					return err
				}
				for _, d := range found {
					line := fmt.Sprintf("%s: %s", d.Path, d.Reason)
					if d.MovedTo != "" {
						line += ", moved to " + d.MovedTo
					} else {
						left++
					}
					fmt.Fprintln(a.out, line)
				}
				damaged = len(found)
				each, err := countTrials(s)
				if err != nil {
					return err
				}
				for _, e := range each {
					trials += e.trials
				}
			}
			reports, err := harness.VerifyResults(a.resultsDir())
			if err != nil {
				return err
			}
			reports = append(reports, verifyMerged(a.resultsDir(), runs)...)
			for _, line := range reports {
				fmt.Fprintln(a.out, line)
			}
			switch {
			case left > 0:
				return exitf(exitDamaged, "%d files are damaged: sifg verify --repair moves those of the store aside", damaged+len(reports))
			case len(reports) > 0:
				return exitf(exitDamaged, "%d files of the report are damaged: sifg report writes them again", len(reports))
			case damaged > 0:
				fmt.Fprintf(a.out, "%d damaged files were moved aside: the next run computes their trials again\n", damaged)
			default:
				fmt.Fprintf(a.out, "all files are what was written (trials in %s: %d, reports in %s: %d)\n", a.storeDir(), trials, a.resultsDir(), len(runs))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move what is damaged in the store aside; nothing is deleted")
	a.scaleFlag(cmd)
	a.folders(cmd, scaled)
	return cmd
}

// verifyMerged reads the records of all protocols of the experiments that have a report, which vouch for themselves, and returns a
// sentence for each file that is not what was written. runs are the paths of run.json in the report.
func verifyMerged(results string, runs []string) (bad []string) {
	read := map[string]func(string) error{
		"trials.parquet":  func(path string) error { _, err := record.ReadTrials(path, ""); return err },
		"trace.parquet":   func(path string) error { _, err := record.ReadTraces(path, ""); return err },
		"timings.parquet": func(path string) error { _, err := record.ReadTimings(path, ""); return err },
	}
	seen := map[string]bool{}
	for _, run := range runs {
		experiment, _, _ := strings.Cut(run, "/")
		if seen[experiment] {
			continue
		}
		seen[experiment] = true
		for _, name := range slices.Sorted(maps.Keys(read)) {
			if err := read[name](filepath.Join(results, experiment, name)); err != nil {
				bad = append(bad, err.Error())
			}
		}
	}
	return bad
}

// counted is the number of an experiment's trials.
type counted struct {
	experiment string
	trials     int
}

// countTrials counts what the store has without reading it.
func countTrials(s *store.Store) ([]counted, error) {
	experiments, err := s.Experiments()
	if err != nil {
		return nil, err
	}
	var out []counted
	for _, name := range experiments {
		trials, err := os.ReadDir(filepath.Join(s.Dir(), name))
		if err != nil {
			return nil, err
		}
		out = append(out, counted{name, len(trials)})
	}
	return out, nil
}
