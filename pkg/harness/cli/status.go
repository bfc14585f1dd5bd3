package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// counted counts the trials of one experiment by status.
type counted struct {
	Experiment string         `json:"experiment"`
	Counts     map[string]int `json:"counts"`
	Ended      []endedBadly   `json:"ended,omitempty"` // trials that diverged, failed or are damaged
}

type endedBadly struct {
	Key    string `json:"key"`
	Trial  string `json:"trial"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

func statusCommand(e *env) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [EXPERIMENT...|all]",
		Short: "Says which trials are there, which are not and which failed",
		Long:  "Says which trials are there, which are not and which failed. It looks at records and sizes; sifg verify reads every file.",
		Example: `  sifg status gmm --scale smoke
  sifg status gmm --scale smoke --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := s.open(e, args, false)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(e.out, w.counts())
			} else {
				err = w.printCounts(e)
			}
			if err != nil {
				return err
			}
			return w.outcome(e, nil)
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (w *work) counts() []counted {
	out := []counted{}
	for i, f := range w.found {
		if n := len(out); n == 0 || out[n-1].Experiment != f.ID.Experiment {
			out = append(out, counted{Experiment: f.ID.Experiment, Counts: map[string]int{}})
		}
		c := &out[len(out)-1]
		c.Counts[f.Status]++
		if f.Reason != "" {
			c.Ended = append(c.Ended, endedBadly{f.ID.Key, w.trials[i].Name(), f.Status, f.Reason})
		}
	}
	return out
}

func (w *work) printCounts(e *env) error {
	statuses := slices.Concat([]string{record.StatusOK, record.StatusDiverged}, retryable, []string{store.Damaged, store.Missing})
	rows, ended := [][]string{append([]string{"experiment"}, statuses...)}, [][]string{}
	for _, c := range w.counts() {
		row := []string{c.Experiment}
		for _, s := range statuses {
			row = append(row, fmt.Sprint(c.Counts[s]))
		}
		rows = append(rows, row)
		for _, b := range c.Ended {
			ended = append(ended, []string{b.Key, b.Trial, became(b.Status, b.Reason)})
		}
	}
	if err := columns(e.out, rows); err != nil {
		return err
	}
	return columns(e.out, ended)
}
