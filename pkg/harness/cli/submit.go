package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// submission is the flags of submit.
type submission struct {
	selection
	job  cluster.Job
	site []string
	dry  bool
}

func submitCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "submit", Short: "Has a cluster compute the trials that are not there yet",
		Example: "  sifg submit slurm --help",
		Args:    cobra.ArbitraryArgs, RunE: subcommand,
	}
	cmd.AddCommand(slurmCommand(e), kubernetesCommand(e))
	return cmd
}

func slurmCommand(e *env) *cobra.Command {
	var s submission
	cmd := s.command(e, s.slurm)
	cmd.Use = "slurm [EXPERIMENT...|all]"
	cmd.Short = "Submits the trials that are not there yet as an array of Slurm jobs"
	cmd.Example = "  sifg submit slurm gmm --protocol all --time 2h --sbatch=--partition=short --dry-run"
	f := cmd.Flags()
	f.DurationVar(&s.job.Time, "time", 0, "time limit of a shard, such as 2h (default the site's)")
	f.StringArrayVar(&s.site, "sbatch", nil, "one more `OPTION` of sbatch, such as --partition=short; repeatable")
	return cmd
}

func kubernetesCommand(e *env) *cobra.Command {
	var s submission
	var k cluster.Kubernetes
	cmd := s.command(e, func(e *env) error { return s.kubernetes(e, k) })
	cmd.Use = "kubernetes [EXPERIMENT...|all]"
	cmd.Short = "Writes an Indexed Job that computes the trials that are not there yet"
	cmd.Example = "  sifg submit kubernetes gmm --protocol all --claim sweeps --shards 10 --dry-run"
	f := cmd.Flags()
	f.StringVar(&k.Image, "image", "debian:bookworm-slim", "container `IMAGE`; it needs a shell")
	f.StringVar(&k.Claim, "claim", "sifg", "persistent volume claim that holds the working folder, by `NAME`")
	return cmd
}

// command returns a command with the flags of all schedulers, which sends what the store lacks.
func (s *submission) command(e *env, send func(e *env) error) *cobra.Command {
	cmd := &cobra.Command{
		PreRunE: func(*cobra.Command, []string) error { return s.check() },
		RunE:    s.planned(e, func(w *work) error { return s.submit(e, w, send) }),
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&s.job.Shards, "shards", 0,
		"parts that are computed side by side (default one for about 20 minutes of computing)")
	f.IntVar(&s.job.CPUs, "cpus", 1, "cores of a shard, which computes as many trials at once")
	f.StringVar(&s.job.Memory, "mem", "", "memory of a shard, `SIZE` in the scheduler's units (default the site's)")
	f.BoolVar(&s.dry, "dry-run", false, "print what would be submitted; write nothing")
	return cmd
}

func (s *submission) check() error {
	switch limit := s.job.Time; {
	case s.job.Shards < 0:
		return usage.Errorf("--shards must be 1 or more, got %d", s.job.Shards)
	case s.job.CPUs < 1:
		return usage.Errorf("--cpus must be 1 or more, got %d", s.job.CPUs)
	case limit < 0 || limit > 0 && limit < 5*time.Minute:
		return usage.Errorf("--time %v: want 5m or more, as no trial is started in its last two minutes", limit)
	}
	for _, option := range s.site {
		if !strings.HasPrefix(option, "-") {
			return usage.Errorf("--sbatch %q: want an option of sbatch, such as --partition=short", option)
		}
	}
	return nil
}

// submit sends what the store lacks.
func (s *submission) submit(e *env, w *work, send func(e *env) error) (err error) {
	if err := w.damage(); err != nil {
		return err
	}
	w.measure(e)
	todo := w.with(todoStatuses...)
	if len(todo) == 0 {
		fmt.Fprintf(e.out, "%s: all there, nothing to submit\n", table.Count(len(w.found), "trial"))
		return nil
	}
	if !s.dry { // nodes may have no network
		if todo, err = fetch(context.Background(), e, todo); err != nil {
			return err
		}
		if len(todo) == 0 {
			return exitf(exitStopped,
				"nothing was submitted, because the data set %s is not here: sifg data fetch gets it",
				strings.Join(w.without(e), ", "))
		}
	}
	j := &s.job
	j.Tasks, j.Store = cluster.New(todo, &w.costs), s.storeDir()
	if j.Shards == 0 {
		j.Shards = j.Tasks.Shards(j.CPUs)
	}
	j.Flags = e.workerFlags()
	fmt.Fprintln(e.err, w.forecast(todo, j.Shards*j.CPUs))
	if err := j.Prepare(filepath.Join(s.knownDir(), "cluster"), machine.Itself()); err != nil {
		return err
	}
	return send(e)
}

func (s *submission) slurm(e *env) error {
	j := &s.job
	if s.dry {
		fmt.Fprint(e.out, j.Show(s.site))
		return nil
	}
	number, err := j.Submit(s.site)
	if err == nil {
		fmt.Fprintf(e.out, "submitted job %s: %s in %s; to end it: scancel %s\n",
			number, table.Count(len(j.Tasks), "trial"), table.Count(j.Shards, "shard"), number)
	}
	return err
}

func (s *submission) kubernetes(e *env, k cluster.Kubernetes) (err error) {
	if k.Mount, err = os.Getwd(); err != nil {
		return err
	}
	text, err := s.job.Manifest(k)
	if err != nil || s.dry {
		fmt.Fprint(e.out, text)
		return err
	}
	path, err := s.job.WriteManifest(text)
	if err == nil {
		fmt.Fprintf(e.out, "kubectl create -f %s\n", path)
	}
	return err
}

func workCommand(e *env) *cobra.Command {
	var r runner
	var p programs
	var file, shard, dir string
	cmd := &cobra.Command{
		Use:   "work --plan FILE --shard i/n",
		Short: "Computes one shard of a plan, as a cluster's jobs do",
		Long: "After SIGUSR1 it starts no more trials, lets those that run finish, and exits with code 75; the same " +
			"command continues.",
		Example: `  sifg work --plan results/cluster/NAME/plan.json --shard 0/8`,
		Args:    arguments("no arguments", 0),
		RunE: func(*cobra.Command, []string) error {
			if _, err := p.start(e); err != nil {
				return err
			}
			w, err := shardOf(e, file, shard)
			if err != nil {
				return err
			}
			if w.store, err = store.Open(dir); err != nil {
				return usage.Errorf("--store %s: %v", dir, err)
			}
			if err := w.status(); err != nil {
				return err
			}
			return w.run(e, &r, nil)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "plan", "", "`FILE` of the plan")
	flags.StringVar(&shard, "shard", "", "`i/n`: shard i of n, counted from 0")
	flags.StringVar(&dir, "store", filepath.Join("results", "store"), "folder of the trials, `DIR`")
	r.flags(cmd)
	p.flags(flags)
	return cmd
}

// shardOf reads the trials of a shard. It refuses them where this program and the data here would compute something
// else.
func shardOf(e *env, file, shard string) (*work, error) {
	i, n, err := cluster.ParseShard(shard)
	if err != nil {
		return nil, err
	}
	p, err := cluster.Read(file)
	if err != nil {
		return nil, err
	}
	w := &work{Plan: &plan.Plan{Experiments: e.experiments}, costs: costsOf(e.experiments)}
	for _, t := range p.Shard(i, n) {
		if _, err := plan.Revive(&t.Trial, e.experiments, e.data); err != nil {
			return nil, err
		}
		w.Trials = append(w.Trials, t.Trial)
		w.costs.Add(&t.Trial, 0, "", t.Seconds)
	}
	return w, nil
}
