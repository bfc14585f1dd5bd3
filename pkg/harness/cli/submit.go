package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
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

// siteFlags are the flags of both clusters.
func siteFlags(s *submitting, f *pflag.FlagSet) {
	f.StringVar(&s.file, "site", "", "YAML `FILE` with settings of the cluster: partition, account, time, extra, … (docs/cluster.md)")
	f.IntVar(&s.maxTasks, "max-tasks", 0, "most shards (default what Slurm's MaxArraySize allows)")
	f.StringVar(&s.Memory, "mem", "", "memory of a shard, by `SIZE` such as 4G")
	f.IntVar(&s.AtOnce, "at-once", 0, "shards that run at once (default as many as there is room for)")
	f.DurationVar(&s.Notice, "notice", 2*time.Minute, "from the signal that announces the end of the time to the end")
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

var (
	memorySize  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([kKmMgGtTpPeE]i?[bB]?)?$`)
	batchOption = regexp.MustCompile(`^(--?[A-Za-z][^\s=]*)[^\r\n]*$`)
)

// checkJob refuses a size and options that a scheduler would refuse later, or take for something else.
func checkJob(memory string, extra []string) error {
	if memory != "" && !memorySize.MatchString(memory) {
		return harness.Usagef("--mem %q: want a size such as 4G", memory)
	}
	for _, x := range extra {
		m := batchOption.FindStringSubmatch(x)
		if m == nil {
			return harness.Usagef("--extra %q: want one option of sbatch, such as --constraint=avx512", x)
		}
		if name := m[1]; len(name) > 3 && strings.HasPrefix("--array", name) || strings.HasPrefix(name, "-a") { // sbatch takes short forms
			return harness.Usagef("--extra %q: the array is that of the shards and cannot be another", x)
		}
	}
	return nil
}

// site fills in what the file of --site says, in the texts that stand there, and no flag or variable does.
func (s *submitting) site(cmd *cobra.Command) error {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return harness.Usagef("--site %s: %v", s.file, cause(err))
	}
	doc, err := mapping.Parse(s.file, text)
	if err != nil {
		return harness.Usagef("--site %v", err)
	}
	f, keys := cmd.Flags(), mapping.Keys(doc)
	if len(keys) == 0 && len(doc.Content) > 0 {
		return harness.Usagef("--site %s: want keys with values, such as partition: short", s.file)
	}
	for i, key := range keys {
		flag := f.Lookup(key)
		lines := key == "before" && f.Lookup("partition") != nil // a script of Slurm
		switch {
		case !slices.Contains(siteKeys, key):
			return harness.Unknown("key", key, s.file, siteKeys)
		case slices.Contains(keys[:i], key):
			return harness.Usagef("%s, %s: it is there twice", s.file, key)
		case flag == nil && !lines:
			return harness.Usagef("%s, %s: %s has no such flag", s.file, key, words(cmd))
		}
		_, node := mapping.Entry(doc, key)
		list := key == "before" || key == "extra"
		values := scalars(node, list)
		switch {
		case values == nil && list:
			return harness.Usagef("%s, %s: want a text or a list of texts", s.file, key)
		case values == nil:
			return harness.Usagef("%s, %s: want one value", s.file, key)
		case lines:
			s.Before = values
			continue
		case flag.Changed:
			continue
		}
		for _, value := range values {
			if err := f.Set(key, value); err != nil {
				return valueError(s.file+", "+key+": "+value, err)
			}
		}
	}
	return nil
}

// scalars returns the text of a value as it was written, or, where a list is allowed, of each in it; nil for anything else.
func scalars(n *yaml.Node, list bool) []string {
	nodes := []*yaml.Node{n}
	if list && n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	out := []string{}
	for _, x := range nodes {
		if x.Kind != yaml.ScalarNode || x.ShortTag() == "!!null" || x.Value == "" {
			return nil
		}
		out = append(out, strings.TrimSuffix(x.Value, "\n"))
	}
	return out
}

// siteKeys are the keys of the file of --site: flags of the same names, and shell lines before the worker.
var siteKeys = []string{"account", "at-once", "before", "claim", "cpus", "extra", "image", "max-tasks", "mem", "mount", "namespace", "notice",
	"partition", "shard-time", "shards", "time"}

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
