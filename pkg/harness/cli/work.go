package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func (a *app) work() *cobra.Command {
	var plan, shard string
	var prepare bool
	cmd := &cobra.Command{
		Use:     "work --plan FILE --shard i/n",
		Short:   "Computes one shard of a frozen plan, as a cluster's jobs do",
		Example: `  sifg work --plan results/cluster/NAME/plan-DIGEST.jsonl --shard 0/8`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan == "" || (shard == "") != prepare {
				return harness.Usagef("work needs --plan and one of --shard and --prepare")
			}
			p, err := cluster.Read(plan)
			if err != nil {
				return err
			}
			self, err := program()
			if err != nil {
				return err
			}
			if err := p.CheckProgram(self); err != nil {
				return err
			}
			if a.opt.store == "" && a.opt.results == "" { // as sifg submit lays them out
				a.opt.store = filepath.Join(p.Folder(), "..", "..", "store")
			}
			if cpus, err := strconv.Atoi(os.Getenv("SLURM_CPUS_PER_TASK")); err == nil && !cmd.Flags().Changed("jobs") {
				a.opt.jobs = max(1, cpus/max(1, a.opt.threads))
			}
			if prepare {
				return a.prepareShared(p)
			}
			return a.workOn(p, shard)
		},
	}
	f := cmd.Flags()
	f.StringVar(&plan, "plan", "", "`FILE` of the plan")
	f.StringVar(&shard, "shard", "", "`i/n`: shard i of n, counted from 0; auto/n takes i from Slurm (SLURM_ARRAY_TASK_ID)\nor Kubernetes (JOB_COMPLETION_INDEX)")
	f.BoolVar(&prepare, "prepare", false, "make what the plan's trials share, and compute none")
	a.runnerFlags(cmd)
	a.folders(cmd, alone)
	return cmd
}

// take returns trials of the plan, ready to be computed, with their data at hand.
func (a *app) take(p *cluster.Plan, shard []int) ([]harness.Trial, error) {
	trials, err := p.Take(shard, a.experiments, a.sets)
	if err != nil || len(p.Data) == 0 {
		return trials, err
	}
	missing, err := a.sets.Missing(slices.Sorted(maps.Keys(p.Data))...)
	if err == nil && len(missing) > 0 {
		err = harness.Usagef("the data set %s is not here: sifg data fetch %s, where there is a network", missing[0], missing[0])
	}
	return trials, err
}

// workOn computes what the store lacks of a shard. It ends with exit code 75 where a signal left trials missing.
func (a *app) workOn(p *cluster.Plan, shard string) error {
	i, n, err := cluster.ParseShard(shard)
	if err != nil {
		return err
	}
	r, err := a.runner()
	if err != nil {
		return err
	}
	soft, hard, caught, release := schedulerSignals()
	defer release()
	attempt := cluster.Begin(p, i, n)
	var survey harness.Survey
	computed, err := func() (computed int, err error) {
		trials, err := a.take(p, cluster.Pack(p.Seconds(), n)[i])
		if err != nil {
			return 0, err
		}
		if r.Store, err = store.Open(a.storeDir()); err != nil {
			return 0, harness.Usagef("%v", err)
		}
		plan := &harness.Plan{Trials: trials}
		if survey, err = harness.Look(r.Store, plan); err != nil {
			return 0, err
		}
		todo := survey.Retry(a.opt.retry)
		fmt.Fprintf(a.err, "shard %d of %d: %s, %d to compute\n", i, n, table.Count(len(trials), "trial"), len(todo))
		say := func(line string) { fmt.Fprintln(a.err, line) }
		if err := harness.Share(soft, r.Store, a.experiments, todo, say); err != nil && soft.Err() == nil {
			return 0, err
		}
		shown := newProgress(a.err, todo, harness.NewCosts(), r.Jobs)
		r.Watch = shown
		computed, err = r.Run(soft, hard, a.experiments, todo)
		shown.close()
		if err == nil {
			survey, _, err = harness.Glance(r.Store, plan, "")
		}
		return computed, err
	}()
	stop := caught()
	if err == nil {
		fmt.Fprintf(a.out, "shard %d of %d: %s, %d computed\n", i, n, table.Count(len(survey), "trial"), computed)
		if missing := len(survey.Is(harness.Missing)); stop != "" && missing > 0 {
			err = exitf(exitStopped, "stopped (%s) with %d of %d trials missing: sifg resubmit, or the same command, continues", stop, missing, len(survey))
		} else {
			err = verdict(survey, nil)
		}
	}
	attempt.End(stop, computed, err)
	return err
}

// prepareShared makes what the plan's trials share, so that the workers find it.
func (a *app) prepareShared(p *cluster.Plan) error {
	all := make([]int, p.Trials)
	for i := range all {
		all[i] = i
	}
	trials, err := a.take(p, all)
	if err != nil {
		return err
	}
	s, err := store.Open(a.storeDir())
	if err != nil {
		return harness.Usagef("%v", err)
	}
	soft, _, caught, release := schedulerSignals()
	defer release()
	err = harness.Share(soft, s, a.experiments, trials, func(line string) { fmt.Fprintln(a.err, line) })
	if stop := caught(); err != nil && stop != "" {
		return exitf(exitStopped, "stopped (%s): the same command continues", stop)
	}
	return err
}

// schedulerSignals returns contexts for a worker. SIGUSR1 says that the time limit is near: no more trials are started, and
// those that run have until the next signal. SIGTERM, SIGINT, or whatever comes second stops at once, since what comes
// then is SIGKILL. What is in the store by then is whole, and nothing else has to be saved. stopped says why it stops.
func schedulerSignals() (soft, hard context.Context, stopped func() string, release func()) {
	soft, stopSoft := context.WithCancelCause(context.Background())
	hard, stopHard := context.WithCancelCause(context.Background())
	ch := make(chan os.Signal, 4)
	done := make(chan struct{})
	var mu sync.Mutex
	why := ""
	signal.Notify(ch, syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt)
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-ch:
				mu.Lock()
				first := why == ""
				if first {
					why = cluster.StopTerminated
					if sig == syscall.SIGUSR1 {
						why = cluster.StopTime
					}
				}
				stopSoft(errors.New(why))
				if !first || sig != syscall.SIGUSR1 {
					stopHard(errors.New(why))
				}
				mu.Unlock()
			}
		}
	}()
	stopped = func() string {
		mu.Lock()
		defer mu.Unlock()
		return why
	}
	return soft, hard, stopped, func() {
		signal.Stop(ch)
		close(done)
		stopSoft(nil)
		stopHard(nil)
	}
}
