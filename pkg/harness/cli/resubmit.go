package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
)

func (a *app) resubmit() *cobra.Command {
	var reasons []string
	var limit time.Duration
	var memory string
	var extra []string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "resubmit [PLAN|last]",
		Short: "Submits the shards of a plan again that ended with trials missing",
		Example: `  sifg resubmit last
  sifg resubmit last --reason time,cancelled --time 4h --dry-run`,
		Args: atMostOne("plan"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cluster.CheckReasons(reasons); err != nil {
				return err
			}
			if limit < 0 {
				return harness.Usagef("--time must be positive")
			}
			if err := checkJob(memory, extra); err != nil {
				return err
			}
			p, err := a.findPlan(strings.Join(args, ""))
			if err != nil {
				return err
			}
			sub, err := cluster.ReadSubmission(p.Folder())
			if err != nil {
				return err
			}
			if len(sub.Jobs) == 0 {
				if _, err := os.Stat(cluster.ScriptOf(p)); err != nil {
					return harness.Usagef("plan %s is not one of Slurm: %v", p.Name(), err)
				}
				return harness.Usagef("plan %s was not submitted yet: sifg submit slurm --plan %s", p.Name(), p.Name())
			}
			survey, err := a.glance(p, sub)
			if err != nil {
				return err
			}
			report := cluster.Judge(p, sub, survey)
			if report.Asked != "" {
				return harness.Usagef("nothing is submitted again while Slurm cannot say what still runs: %s", report.Asked)
			}
			var shards, stuck []int
			for _, s := range report.In(reasons...) {
				shards = append(shards, s.Number)
				if s.State == cluster.TimeLimit && s.Computed == 0 && limit == 0 {
					stuck = append(stuck, s.Number)
				}
			}
			if len(shards) == 0 {
				fmt.Fprintf(a.out, "nothing to submit again: %s\n", states(report))
				return nil
			}
			var options []string
			if limit > 0 {
				options = append(options, fmt.Sprintf("--time=%d", cluster.Minutes(limit)))
			}
			if memory != "" {
				options = append(options, "--mem="+memory)
			}
			if len(stuck) > 0 {
				fmt.Fprintf(a.err, "shards %s computed no trial within their time limit: --time asks for more\n", cluster.Indices(stuck))
			}
			options = append(options, extra...)
			if dryRun {
				fmt.Fprintf(a.out, "sbatch %s\n", harness.Quote(append(append([]string{"--array=" + sub.Array(shards)}, options...), cluster.ScriptOf(p))))
				return nil
			}
			return a.send(p, sub, shards, options...)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&reasons, "reason", cluster.Retry, "why the shards' trials are missing, `REASONS` of "+strings.Join(cluster.Reasons, ", "))
	f.DurationVar(&limit, "time", 0, "time limit in place of the script's")
	f.StringVar(&memory, "mem", "", "memory in place of the script's, by `SIZE`")
	f.StringArrayVar(&extra, "extra", nil, "one more `OPTION` of sbatch; repeatable")
	f.BoolVar(&dryRun, "dry-run", false, "print the command and submit nothing")
	a.folders(cmd, alone)
	return cmd
}

// order is that in which states are told.
var order = append([]string{cluster.Done, cluster.Running, cluster.Waiting, cluster.Unknown}, cluster.Reasons...)

// states counts shards by state, in words.
func states(r cluster.Report) string {
	var out []string
	for _, state := range order {
		if n := len(r.In(state)); n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(out, ", ")
}
