package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// statuses in the order in which they are shown.
var statuses = slices.Concat([]string{record.StatusOK, record.StatusDiverged}, harness.Retryable, []string{harness.Damaged, harness.Missing})

// tally counts the trials of one experiment by status.
type tally struct {
	Experiment string         `json:"experiment"`
	Counts     map[string]int `json:"counts"`
	Ended      []ended        `json:"ended,omitempty"` // trials that did not end well
}

type ended struct {
	Key    string `json:"key"`
	Trial  string `json:"trial"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

func (a *app) status() *cobra.Command {
	var plan string
	cmd := &cobra.Command{
		Use:   "status [EXPERIMENT...|all]",
		Short: "Says which trials are there, which are not and which did not end well",
		Long:  `Says which trials are there, which are not and which did not end well. It looks at records and sizes; sifg verify reads every file.`,
		Example: `  sifg status gmm --scale smoke
  sifg status gmm --scale smoke --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("plan") {
				if len(args) > 0 {
					return harness.Usagef("--plan %s says which trials: leave %s out", plan, strings.Join(args, " "))
				}
				return a.statusOf(plan)
			}
			p, err := a.overview(args)
			if err != nil {
				return err
			}
			all := tallies(p.survey)
			if a.opt.json {
				if err := writeJSON(a.out, all); err != nil {
					return err
				}
				return verdict(p.survey, nil)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprint(w, "experiment")
			for _, s := range statuses {
				fmt.Fprintf(w, "\t%s", s)
			}
			fmt.Fprintln(w)
			for _, t := range all {
				fmt.Fprint(w, t.Experiment)
				for _, s := range statuses {
					fmt.Fprintf(w, "\t%d", t.Counts[s])
				}
				fmt.Fprintln(w)
			}
			if err := w.Flush(); err != nil { // columns of their own for what follows
				return err
			}
			for _, t := range all {
				for _, e := range t.Ended {
					fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Trial, became(e.Status, e.Reason))
				}
			}
			if err := w.Flush(); err != nil {
				return err
			}
			a.submitted()
			return verdict(p.survey, nil)
		},
	}
	a.choosing(cmd)
	a.jsonFlag(cmd)
	cmd.Flags().StringVar(&plan, "plan", "", "say what became of a `PLAN` that was submitted: its folder, its file, the beginning of its name, or last")
	return cmd
}

func tallies(s harness.Survey) []tally {
	out := []tally{}
	for _, f := range s {
		if n := len(out); n == 0 || out[n-1].Experiment != f.Trial.Experiment {
			out = append(out, tally{Experiment: f.Trial.Experiment, Counts: map[string]int{}})
		}
		t := &out[len(out)-1]
		t.Counts[f.Status]++
		if f.Reason != "" {
			t.Ended = append(t.Ended, ended{f.Trial.Key, f.Trial.Name(), f.Status, f.Reason})
		}
	}
	return out
}
