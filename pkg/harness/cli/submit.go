package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// submitting are the flags of sifg submit.
type submitting struct {
	cluster.Site
	file      string
	shards    int
	shardTime time.Duration
	maxTasks  int
	dryRun    bool
	noSubmit  bool
	noCollect bool
	again     bool
	plan      string
	grid      gridOptions
}

// kubernetesLimit is the number of pods that an Indexed Job may run at once.
const kubernetesLimit = 100_000

func (a *app) submit() *cobra.Command {
	cmd := &cobra.Command{Use: "submit", Short: "Freezes a plan and has a cluster compute it",
		Example: "  sifg submit slurm --help", Args: cobra.ArbitraryArgs, RunE: subcommand}
	for _, sub := range []struct {
		use, short, example string
		flags               func(*submitting, *pflag.FlagSet)
		do                  func(*submitting, frozen) error
	}{
		{"slurm", "Submits the trials that are not there yet as an array of Slurm jobs",
			`  sifg submit slurm gmm --protocol all --dry-run
  sifg submit slurm all --protocol all --shards 100 --partition short --time 2h`, slurmFlags, a.submitSlurm},
		{"kubernetes", "Writes the manifest of an Indexed Job that computes the trials that are not there yet",
			`  sifg submit kubernetes gmm --protocol all --claim sweeps --shards 10 --dry-run`, kubernetesFlags, a.submitKubernetes},
		{"shell", "Prints a command a shard, for GNU parallel, xargs or ssh",
			`  sifg submit shell gmm --protocol all --shards 8 | parallel -j 8`, func(*submitting, *pflag.FlagSet) {}, a.submitShell},
	} {
		s := &submitting{}
		s.grid.args.Combine = "product"
		c := &cobra.Command{Use: sub.use + " [EXPERIMENT...|all]", Short: sub.short, Example: sub.example, RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.read(cmd); err != nil {
				return err
			}
			f, err := a.freeze(cmd, s, args)
			if err != nil || f.Plan == nil {
				return err
			}
			return sub.do(s, f)
		}}
		a.choosing(c)
		a.runnerFlags(c)
		f := c.Flags()
		f.Lookup("jobs").Usage, f.Lookup("jobs").DefValue = "trials that a shard computes at once (default one on each of --cpus)", "0"
		f.StringVar(&s.grid.file, "grid", "", "the trials of a grid: its `FILE`, or the name of one that comes with the experiment")
		f.StringVar(&s.grid.choose, "select", "", "the grid's `RULE` of the choice: min METRIC or max METRIC")
		f.IntVar(&s.shards, "shards", 0, "shards of the plan (default as --shard-time says)")
		f.DurationVar(&s.shardTime, "shard-time", 20*time.Minute, "about how long a shard computes; short trials share one")
		f.IntVar(&s.CPUs, "cpus", 1, "cores of a shard, which computes as many trials at once")
		f.BoolVar(&s.dryRun, "dry-run", false, "print what would be submitted; write nothing")
		sub.flags(s, f)
		cmd.AddCommand(c)
	}
	return cmd
}

func slurmFlags(s *submitting, f *pflag.FlagSet) {
	siteFlags(s, f)
	f.StringVar(&s.Partition, "partition", "", "partition of the jobs, by `NAME`")
	f.StringVar(&s.Account, "account", "", "account that pays for them, by `NAME`")
	f.DurationVar(&s.Time, "time", 0, "time limit of a shard (default twice the longest estimate and ten minutes, where trials like these were measured)")
	f.StringArrayVar(&s.Extra, "extra", nil, "one more `DIRECTIVE`, such as --constraint=avx512; repeatable")
	f.BoolVar(&s.noSubmit, "no-submit", false, "write plan, program and scripts, and submit nothing: edit job.sh, then sifg submit slurm --plan PLAN")
	f.BoolVar(&s.noCollect, "no-collect", false, "no job that reports when the array has ended")
	f.BoolVar(&s.again, "again", false, "submit also trials that jobs of another plan are computing")
	f.StringVar(&s.plan, "plan", "", "submit this `PLAN`, which --no-submit wrote, with its scripts as they are")
}

func kubernetesFlags(s *submitting, f *pflag.FlagSet) {
	siteFlags(s, f)
	f.StringVar(&s.Image, "image", "debian:bookworm-slim", "container `IMAGE`; it needs nothing but a file system and certificates")
	f.StringVar(&s.Claim, "claim", "sifg", "persistent volume claim that holds store and plan, by `NAME`")
	f.StringVar(&s.Mount, "mount", "", "`DIR` where it is mounted (default the working folder, as it is here)")
	f.StringVar(&s.Namespace, "namespace", "", "namespace of the job, by `NAME`")
}

// read fills in what the file of --site says and no flag or variable does, and refuses what no cluster would take.
func (s *submitting) read(cmd *cobra.Command) error {
	if s.file != "" {
		if err := s.site(cmd); err != nil {
			return err
		}
	}
	for flag, n := range map[string]int{"--shards": s.shards, "--max-tasks": s.maxTasks, "--at-once": s.AtOnce, "--cpus": s.CPUs - 1} {
		if n < 0 {
			return harness.Usagef("%s must be positive", flag)
		}
	}
	if s.shardTime <= 0 || s.Notice < 0 || s.Time < 0 {
		return harness.Usagef("--shard-time, --time and --notice must be positive")
	}
	for flag, value := range map[string]string{"--partition": s.Partition, "--account": s.Account, "--image": s.Image, "--claim": s.Claim,
		"--namespace": s.Namespace} {
		if strings.ContainsFunc(value, unicode.IsSpace) {
			return harness.Usagef("%s %q: want one word", flag, value)
		}
	}
	if s.grid.choose != "" && s.grid.file == "" {
		return harness.Usagef("--select %q is the rule of a grid: give --grid FILE with it", s.grid.choose)
	}
	return checkJob(s.Memory, s.Extra)
}

func (a *app) submitSlurm(s *submitting, f frozen) error {
	if s.plan != "" {
		return a.submitWritten(f.Plan)
	}
	limit, err := cluster.Limit()
	switch {
	case err != nil && !s.dryRun && !s.noSubmit:
		return harness.Usagef("Slurm cannot be asked for its limits: %v", err)
	case err != nil:
		limit = 1001 // Slurm's default
		fmt.Fprintf(a.err, "Slurm cannot be asked for its limits (%v): its default is taken, arrays of %d\n", err, limit)
	}
	a.split(s, &f, limit)
	if s.Time > 0 && s.Notice >= s.Time {
		return harness.Usagef("--notice %v: want less than the time limit of a shard, %v (--time)", s.Notice, s.Time)
	}
	if s.dryRun {
		fmt.Fprint(a.out, s.Script(f.Plan, f.paths, f.shards))
		return nil
	}
	if !s.again {
		if err := a.computedElsewhere(f); err != nil {
			return err
		}
	}
	sub, err := a.write(s, &f)
	if err != nil {
		return err
	}
	if err := s.WriteScripts(f.Plan, f.paths, f.shards, f.shared, !s.noCollect); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s\n", cluster.ScriptOf(f.Plan))
	if s.noSubmit {
		fmt.Fprintf(a.out, "nothing was submitted: edit it, then sifg submit slurm --plan %s\n", f.Name())
		return nil
	}
	return a.send(f.Plan, sub, all(sub.Shards))
}

// submitWritten submits a plan with the scripts beside it.
func (a *app) submitWritten(p *cluster.Plan) error {
	sub, err := cluster.ReadSubmission(p.Folder())
	if err != nil {
		return err
	}
	_, err = os.Stat(cluster.ScriptOf(p))
	switch {
	case err != nil:
		return harness.Usagef("plan %s is not one of Slurm: %v", p.Name(), err)
	case len(sub.Jobs) > 0:
		return harness.Usagef("plan %s was submitted already, as job %s: sifg resubmit submits what is missing", p.Name(), sub.Jobs[0].ID)
	}
	return a.send(p, sub, all(sub.Shards))
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// send submits shards and says under which numbers.
func (a *app) send(p *cluster.Plan, sub *cluster.Submission, shards []int, args ...string) error {
	j, err := sub.Submit(p, shards, args...)
	if j == nil {
		return err
	}
	fmt.Fprintf(a.out, "submitted %d shards of plan %s as job %s", len(shards), p.Name(), j.ID)
	if j.Collect != "" {
		fmt.Fprintf(a.out, "; job %s reports when they have ended", j.Collect)
	}
	fmt.Fprintln(a.out)
	return err // of the job that reports
}

// computedElsewhere refuses trials that jobs of another plan are computing.
func (a *app) computedElsewhere(f frozen) error {
	wanted := map[string]bool{}
	for i := range f.todo {
		wanted[f.todo[i].Key] = true
	}
	for _, path := range cluster.Find(a.clusterDir()) {
		if path == f.Path {
			continue
		}
		sub, err := cluster.ReadSubmission(filepath.Dir(path))
		if err != nil || len(sub.Jobs) == 0 {
			continue
		}
		p, err := cluster.Read(path)
		if err != nil {
			continue // changed or of another version: it cannot be computed either
		}
		survey, err := a.glance(p, sub)
		if err != nil {
			return err
		}
		shards := cluster.Pack(p.Seconds(), sub.Shards)
		n := 0
		for _, shard := range cluster.Judge(p, sub, survey).In(cluster.Waiting, cluster.Running) {
			for _, i := range shards[shard.Number] {
				if x := survey[i]; x.Status == harness.Missing && wanted[x.Trial.Key] {
					n++
				}
			}
		}
		if n > 0 {
			return harness.Usagef("%d of these trials are being computed by job %s (plan %s): wait for it, sifg cancel %s, or --again",
				n, sub.Jobs[len(sub.Jobs)-1].ID, p.Name(), p.Name())
		}
	}
	return nil
}

func (a *app) submitKubernetes(s *submitting, f frozen) error {
	a.split(s, &f, kubernetesLimit)
	if s.Mount == "" {
		s.Mount = f.paths.Work
	}
	for _, path := range []string{f.paths.Folder, f.paths.Store} {
		if rel, err := filepath.Rel(s.Mount, path); err != nil || strings.HasPrefix(rel, "..") {
			return harness.Usagef("%s does not lie under --mount %s, where the pods see the volume", path, s.Mount)
		}
	}
	f.paths.Flags = append(f.paths.Flags, a.shardJobs(s, f)...)
	text := s.Manifest(f.Plan, f.paths, f.shards)
	if s.dryRun {
		fmt.Fprint(a.out, text)
		return nil
	}
	if _, err := a.write(s, &f); err != nil {
		return err
	}
	path := filepath.Join(f.Folder(), "job.yaml")
	err := record.WriteFileAtomic(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	fmt.Fprintf(a.out, "kubectl create -f %s\n", path)
	return err
}

func (a *app) submitShell(s *submitting, f frozen) error {
	a.split(s, &f, f.Trials)
	if !s.dryRun {
		if _, err := a.write(s, &f); err != nil {
			return err
		}
	}
	f.paths.Flags = append(f.paths.Flags, a.shardJobs(s, f)...)
	fmt.Fprint(a.out, cluster.Lines(f.paths, f.shards))
	return nil
}

// shardJobs is the worker's flag that keeps a shard to its cores, where no Slurm tells the worker how many they are.
func (a *app) shardJobs(s *submitting, f frozen) []string {
	if slices.ContainsFunc(f.paths.Flags, func(flag string) bool { return strings.HasPrefix(flag, "--jobs=") }) {
		return nil
	}
	return []string{fmt.Sprintf("--jobs=%d", max(1, s.CPUs/a.opt.threads))}
}
