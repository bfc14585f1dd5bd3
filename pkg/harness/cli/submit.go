package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// submission is the flags of submit.
type submission struct {
	selection
	shards, cpus int
	time         time.Duration
	memory       string
	site         []string
	dry          bool
}

func submitCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "submit", Short: "Has a cluster compute the trials that are not there yet", Example: "  sifg submit slurm --help",
		Args: cobra.ArbitraryArgs, RunE: subcommand,
	}
	cmd.AddCommand(slurmCommand(e), kubernetesCommand(e))
	return cmd
}

func slurmCommand(e *env) *cobra.Command {
	s := &submission{}
	cmd := &cobra.Command{
		Use:   "slurm [EXPERIMENT...|all]",
		Short: "Submits the trials that are not there yet as an array of Slurm jobs",
		Long:  "Submits the trials that are not there yet as an array of Slurm jobs. Submitting again submits what is missing then.",
		Example: `  sifg submit slurm gmm --protocol all --dry-run
  sifg submit slurm gmm --protocol all --time 2h --sbatch=--partition=short --dry-run`,
	}
	s.command(e, cmd, func(j *cluster.Job) error { return s.slurm(e, j) })
	f := cmd.Flags()
	f.DurationVar(&s.time, "time", 0, "time limit of a shard, such as 2h (default the site's)")
	f.StringArrayVar(&s.site, "sbatch", nil, "one more `OPTION` of sbatch, such as --partition=short; repeatable")
	return cmd
}

func kubernetesCommand(e *env) *cobra.Command {
	s := &submission{}
	var k cluster.Kubernetes
	cmd := &cobra.Command{
		Use:     "kubernetes [EXPERIMENT...|all]",
		Short:   "Writes an Indexed Job that computes the trials that are not there yet",
		Example: `  sifg submit kubernetes gmm --protocol all --claim sweeps --shards 10 --dry-run`,
	}
	s.command(e, cmd, func(j *cluster.Job) error { return s.kubernetes(e, j, k) })
	f := cmd.Flags()
	f.StringVar(&k.Image, "image", "debian:bookworm-slim", "container `IMAGE`; it needs a shell")
	f.StringVar(&k.Claim, "claim", "sifg", "persistent volume claim that holds the working folder, by `NAME`")
	f.StringVar(&k.Mount, "mount", "", "`DIR` of the working folder in the pods (default as it is here)")
	return cmd
}

// command gives cmd the flags of all schedulers, and has it send the job.
func (s *submission) command(e *env, cmd *cobra.Command, send func(j *cluster.Job) error) {
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		j, err := s.job(e, args)
		if err != nil || j == nil {
			return err
		}
		return send(j)
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&s.shards, "shards", 0, "parts that are computed side by side (default one for about 20 minutes of computing)")
	f.IntVar(&s.cpus, "cpus", 1, "cores of a shard, which computes as many trials at once")
	f.StringVar(&s.memory, "mem", "", "memory of a shard, `SIZE` in the scheduler's units (default the site's)")
	f.BoolVar(&s.dry, "dry-run", false, "print what would be submitted; write nothing")
}

func (s *submission) check() error {
	switch {
	case s.shards < 0:
		return usage.Errorf("--shards must be 1 or more, got %d", s.shards)
	case s.cpus < 1:
		return usage.Errorf("--cpus must be 1 or more, got %d", s.cpus)
	case s.time < 0 || s.time > 0 && s.time < 5*time.Minute:
		return usage.Errorf("--time %v: want 5m or more, as no trial is started in its last two minutes", s.time)
	}
	for _, option := range s.site {
		if !strings.HasPrefix(option, "-") {
			return usage.Errorf("--sbatch %q: want an option of sbatch, such as --partition=short", option)
		}
	}
	return nil
}

// job plans what the store lacks; nil where it lacks nothing.
func (s *submission) job(e *env, names []string) (*cluster.Job, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	w, err := s.open(e, names, false)
	if err == nil {
		err = w.damage()
	}
	if err != nil {
		return nil, err
	}
	w.measure(e)
	todo := w.with(todoStatuses...)
	if len(todo) == 0 {
		fmt.Fprintf(e.out, "%s: all there, nothing to submit\n", table.Count(len(w.found), "trial"))
		return nil, nil
	}
	if !s.dry { // nodes may have no network
		without, err := fetch(context.Background(), e, todo)
		if err != nil {
			return nil, err
		}
		todo = slices.DeleteFunc(todo, func(t harness.Trial) bool { return slices.Contains(without, t.Config.Data) })
		if len(todo) == 0 {
			return nil, exitf(exitStopped, "nothing was submitted for want of the data sets %s: sifg data fetch gets them",
				strings.Join(without, ", "))
		}
	}
	p := cluster.New(todo, &w.costs)
	j, err := cluster.NewJob(filepath.Join(cmp.Or(s.results, "results"), "cluster"), p, program())
	if err != nil {
		return nil, err
	}
	j.Store, j.Shards, j.CPUs, j.Time, j.Memory = s.storeDir(), s.shards, s.cpus, s.time, s.memory
	if j.Shards == 0 {
		j.Shards = p.Shards(s.cpus)
	}
	for _, path := range e.manifests {
		j.Flags = append(j.Flags, "--datasets", path)
	}
	fmt.Fprintln(e.err, w.forecast(todo, j.Shards*j.CPUs))
	return j, nil
}

func (s *submission) slurm(e *env, j *cluster.Job) error {
	if s.dry {
		fmt.Fprint(e.out, j.Show(s.site))
		return nil
	}
	earlier, n, err := cluster.Queued(filepath.Dir(j.Folder), j.Plan.Trials)
	switch {
	case err != nil:
		return err
	case n > 0:
		return exitf(exitStopped, "nothing was submitted: job %s still has %d of these trials; wait until it ends, or end it: scancel %s",
			earlier, n, earlier)
	}
	number, err := j.Submit(s.site)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "submitted job %s: %s in %s; to end it: scancel %s\n", number, table.Count(len(j.Plan.Trials), "trial"),
		table.Count(j.Shards, "shard"), number)
	return nil
}

func (s *submission) kubernetes(e *env, j *cluster.Job, k cluster.Kubernetes) error {
	if k.Mount == "" {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		k.Mount = here
	}
	if s.dry {
		text, err := j.Manifest(k)
		fmt.Fprint(e.out, text)
		return err
	}
	path, err := j.WriteManifest(k)
	if err == nil {
		fmt.Fprintf(e.out, "kubectl create -f %s\n", path)
	}
	return err
}
