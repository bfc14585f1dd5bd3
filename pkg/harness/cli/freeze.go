package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// frozen is a plan that is to be submitted.
type frozen struct {
	*cluster.Plan
	bytes   []byte
	program string
	paths   cluster.Paths
	shards  int
	known   int // trials whose time is predicted from measured ones
	todo    []harness.Trial
	shared  bool // trials share something that has to be made first
}

func (a *app) clusterDir() string { return filepath.Join(filepath.Dir(a.storeDir()), "cluster") }

// freeze makes the plan of what the flags ask for and the store lacks. Nothing is written yet; Plan is nil where nothing
// is to be computed.
func (a *app) freeze(cmd *cobra.Command, s *submitting, names []string) (f frozen, err error) {
	if s.plan != "" {
		if len(names) > 0 {
			return f, harness.Usagef("--plan %s says which trials: leave %s out", s.plan, strings.Join(names, " "))
		}
		if f.Plan, err = a.findPlan(s.plan); err != nil {
			return f, err
		}
		return f, nil
	}
	if _, err := a.runner(); err != nil {
		return f, err
	}
	plan, report, err := a.asked(cmd, s, names)
	if err != nil {
		return f, err
	}
	there, err := a.open(false)
	if err != nil {
		return f, err
	}
	survey, costs, err := harness.Glance(there, plan, a.resultsDir())
	if err != nil {
		return f, err
	}
	if f.todo = survey.Retry(a.opt.retry); len(f.todo) == 0 {
		fmt.Fprintf(a.out, "%s: all there, nothing to submit\n", table.Count(len(survey), "trial"))
		return f, verdict(survey, nil)
	}
	seconds, known := cluster.Estimate(costs, f.todo)
	f.known = known
	head := cluster.Header{Report: report, Data: map[string]string{}}
	for _, name := range harness.Data(f.todo) {
		if head.Data[name], err = a.sets.Digest(name); err != nil {
			return f, err
		}
	}
	if f.program, err = program(); err != nil {
		return f, err
	}
	if head.Binary, err = cluster.Digest(f.program); err != nil {
		return f, err
	}
	if f.bytes, err = cluster.Encode(head, f.todo, seconds); err != nil {
		return f, err
	}
	if f.Plan, err = cluster.Decode(cluster.PlanPath(a.clusterDir(), f.bytes), f.bytes); err != nil {
		return f, err
	}
	if f.paths, err = cluster.NewPaths(f.Plan, a.resultsDir(), a.storeDir()); err != nil {
		return f, err
	}
	for _, e := range plan.Experiments {
		f.shared = f.shared || e.Prepare != nil && slices.ContainsFunc(f.todo, func(t harness.Trial) bool { return t.Experiment == e.Name })
	}
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if slices.Contains([]string{"jobs", "threads", "timeout", "grace", "isolate", "memory", "retry", "fail-fast"}, x.Name) {
			f.paths.Flags = append(f.paths.Flags, "--"+x.Name+"="+x.Value.String())
		}
	})
	for _, path := range a.opt.datasets {
		if path, err = filepath.Abs(path); err != nil {
			return f, err
		}
		f.paths.Flags = append(f.paths.Flags, "--datasets="+path)
	}
	return f, nil
}

// asked makes the plan that the flags ask for, and the arguments of the command that reports on it, wherever its
// settings came from.
func (a *app) asked(cmd *cobra.Command, s *submitting, names []string) (plan *harness.Plan, report []string, err error) {
	if s.grid.file == "" {
		r, err := a.request(names)
		if err != nil {
			return nil, nil, err
		}
		report = []string{"report"}
		for _, e := range r.Experiments {
			report = append(report, e.Name)
		}
		plan, err = harness.NewPlan(r)
		if err != nil {
			return nil, nil, err
		}
	} else {
		if len(names) != 1 {
			return nil, nil, harness.Usagef("with --grid, sifg submit takes one experiment, got %d", len(names))
		}
		e, err := a.experiment(names[0])
		if err != nil {
			return nil, nil, err
		}
		g, _, err := a.layOut(cmd, e, &s.grid)
		if err != nil {
			return nil, nil, err
		}
		file := s.grid.file
		if _, err := os.Stat(file); err == nil {
			if file, err = filepath.Abs(file); err != nil {
				return nil, nil, err
			}
		}
		plan, report = g.Plan, []string{"grid", e.Name, "--no-run", "--grid", file, "--select", g.objective.String()}
	}
	report = append(report, "--protocol", a.opt.protocol, "--scale", plan.Scale)
	for _, set := range plan.Set {
		report = append(report, "--set", set)
	}
	return plan, report, nil
}

// split decides on the shards of the plan and on the time limit, and says what comes of it.
func (a *app) split(s *submitting, f *frozen, limit int) {
	if s.maxTasks > 0 {
		limit = min(limit, s.maxTasks)
	}
	seconds := f.Seconds()
	f.shards = min(s.shards, limit, f.Trials)
	if s.shards == 0 {
		f.shards = cluster.Shards(seconds, s.shardTime, s.CPUs, limit)
	}
	longest := cluster.Longest(cluster.Pack(seconds, f.shards), seconds, s.CPUs)
	about := fmt.Sprintf("the longest takes about %s", harness.Span(longest))
	switch {
	case f.known == 0:
		about = "how long one takes is not known, since none like these were measured yet"
	case s.Time == 0:
		s.Time = time.Duration(2*longest*float64(time.Second)) + 10*time.Minute
	}
	fmt.Fprintf(a.err, "plan %s: %s in %s; %s\n", f.Name(), table.Count(f.Trials, "trial"), table.Count(f.shards, "shard"), about)
}

// write puts the plan in its folder, and what has to be told apart from an earlier submission of it.
func (a *app) write(s *submitting, f *frozen) (*cluster.Submission, error) {
	sub, err := cluster.ReadSubmission(f.Folder())
	if err != nil {
		return nil, err
	}
	if n := len(sub.Jobs); n > 0 && sub.Jobs[n-1].ID == "" {
		return nil, harness.Usagef("this very plan may have been submitted, as the job with the name %s: sifg status --plan %s asks Slurm again",
			sub.Jobs[n-1].Name, f.Name())
	} else if n > 0 {
		return nil, harness.Usagef("this very plan was submitted already, as job %s: sifg status --plan %s says what became of it, sifg resubmit "+
			"submits what is missing", sub.Jobs[n-1].ID, f.Name())
	}
	if err := writable(a.storeDir(), "--store"); err != nil {
		return nil, err
	}
	if f.todo, err = a.provide(context.Background(), f.todo); err != nil {
		return nil, err
	}
	if len(f.todo) < f.Trials {
		return nil, harness.Usagef("the data of %d trials cannot be had; submit the others alone", f.Trials-len(f.todo))
	}
	if err := cluster.Write(f.Plan, f.bytes, f.program); err != nil {
		return nil, err
	}
	sub.Shards, sub.AtOnce, sub.Results, sub.Store = f.shards, s.AtOnce, f.paths.Results, f.paths.Store
	return sub, sub.Write(f.Folder())
}
