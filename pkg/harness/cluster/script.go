package cluster

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Site is what a cluster wants to know of jobs; the zero value of a setting leaves it to the site.
type Site struct {
	Partition string
	Account   string
	Time      time.Duration // limit of a task
	Memory    string        // of a task: 4G
	CPUs      int           // of a task, which computes as many trials at once
	AtOnce    int           // tasks that run at once
	Notice    time.Duration // from the signal to the end of the time limit
	Extra     []string      // more directives: --constraint=avx512
	Before    []string      // lines of shell before the worker: module load …
	Image     string        // Kubernetes: container image
	Claim     string        // Kubernetes: persistent volume claim
	Mount     string        // Kubernetes: where the claim is mounted
	Namespace string        // Kubernetes
}

// Paths are the places that scripts name; absolute.
type Paths struct {
	Folder, Plan, Program, Results, Store, Work string
	Flags                                       []string // more flags of the workers
}

// NewPaths returns the places of a plan whose store and report are these.
func NewPaths(p *Plan, results, store string) (out Paths, err error) {
	for _, x := range []struct {
		to   *string
		path string
	}{{&out.Folder, p.Folder()}, {&out.Plan, p.Path}, {&out.Program, p.Program()}, {&out.Results, results}, {&out.Store, store}, {&out.Work, "."}} {
		if *x.to, err = absolute(x.path); err != nil {
			return out, err
		}
		if strings.ContainsAny(*x.to, "\n\"\\") {
			return out, harness.Usagef("the folder %q has a character in its name that batch scripts cannot have", *x.to)
		}
	}
	return out, nil
}

// Worker returns the command of the worker of a shard; shard is i/n or auto/n, or "" for what the trials share.
func (x Paths) Worker(shard string) []string {
	args := []string{x.Program, "work", "--plan", x.Plan, "--store", x.Store}
	if shard == "" {
		args = append(args, "--prepare")
	} else {
		args = append(args, "--shard", shard)
	}
	return append(args, x.Flags...)
}

// Minutes rounds up to whole minutes, at least one: Slurm's unit.
func Minutes(d time.Duration) int { return max(1, int(math.Ceil(d.Minutes()))) }

const jobText = `#!/bin/bash
# {{.Title}}
# Made by sifg submit. Edit what you like: sifg resubmit submits this file as it then is.
{{- range .Directives}}
#SBATCH {{.}}
{{- end}}
{{- range .Before}}
{{.}}
{{- end}}
{{.Command}}
`

var job = template.Must(template.New("job").Parse(jobText))

func render(title string, directives, before []string, command string) string {
	var b strings.Builder
	err := job.Execute(&b, map[string]any{"Title": title, "Directives": directives, "Before": before, "Command": command})
	if err != nil {
		panic("cluster: " + err.Error())
	}
	return b.String()
}

// directives are those that all jobs of a plan have.
func (s Site) directives(x Paths, name, log string) []string {
	d := []string{"--job-name=" + name, quoted("--chdir=", x.Work), quoted("--output=", filepath.Join(escape(x.Folder), logName, log)),
		"--open-mode=append"}
	if s.Partition != "" {
		d = append(d, "--partition="+s.Partition)
	}
	if s.Account != "" {
		d = append(d, "--account="+s.Account)
	}
	return d
}

// escape keeps Slurm from reading a % in a file name as a pattern.
func escape(path string) string { return strings.ReplaceAll(path, "%", "%%") }

func quoted(option, value string) string {
	if strings.ContainsAny(value, " \t'#") {
		return option + `"` + value + `"`
	}
	return option + value
}

// Script returns the batch script of a plan's array. The worker is the batch process itself (exec), so that signals and its
// exit code are its own: Slurm sends USR1 some time before the limit, and TERM where the task has to go.
func (s Site) Script(p *Plan, x Paths, shards int) string {
	array := fmt.Sprintf("--array=0-%d", shards-1)
	if s.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", s.AtOnce)
	}
	d := append(s.directives(x, "sifg-"+p.Name(), "%A_%a.out"), array, "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", max(1, s.CPUs)), "--requeue",
		fmt.Sprintf("--signal=B:USR1@%d", int(s.Notice.Seconds())))
	if s.Time > 0 {
		d = append(d, fmt.Sprintf("--time=%d", Minutes(s.Time)))
	}
	if s.Memory != "" {
		d = append(d, "--mem="+s.Memory)
	}
	title := fmt.Sprintf("Computes the %d trials of plan %s in %d shards.", p.Trials, p.Name(), shards)
	return render(title, append(d, s.Extra...), s.Before, "exec "+harness.Quote(x.Worker(fmt.Sprintf("auto/%d", shards))))
}

// prepareScript returns the script of the job before the array, which makes what trials share.
func (s Site) prepareScript(p *Plan, x Paths) string {
	d := append(s.directives(x, "sifg-prepare-"+p.Name(), "prepare-%j.out"), "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", max(1, s.CPUs)))
	if s.Memory != "" {
		d = append(d, "--mem="+s.Memory)
	}
	return render("Makes what the trials of plan "+p.Name()+" share.", append(d, s.Extra...), s.Before, "exec "+harness.Quote(x.Worker("")))
}

// collectScript returns the script of the job after the array. What Slurm says of the tasks is written down while it knows.
func (s Site) collectScript(p *Plan, x Paths) string {
	d := append(s.directives(x, "sifg-collect-"+p.Name(), "collect-%j.out"), "--ntasks=1", "--time=30")
	status := harness.Quote([]string{x.Program, "status", "--plan", x.Plan, "--store", x.Store})
	args := append(append([]string{x.Program}, p.Report...), "--results", x.Results, "--store", x.Store)
	for _, flag := range x.Flags {
		if strings.HasPrefix(flag, "--datasets=") { // without which there is no report of them
			args = append(args, flag)
		}
	}
	report := harness.Quote(args)
	command := "unset SIFG_SET # the plan has its settings\n" + status + "\nexec " + report
	return render("Reports on plan "+p.Name()+" once its array has ended, however it did.", append(d, s.Extra...), s.Before, command)
}

// WriteScripts writes the scripts of a plan beside it, for Submit; prepare says whether its trials share something that
// has to be made before them.
func (s Site) WriteScripts(p *Plan, x Paths, shards int, prepare, collect bool) error {
	scripts := map[string]string{scriptName: s.Script(p, x, shards)}
	if prepare {
		scripts[prepareName] = s.prepareScript(p, x)
	}
	if collect {
		scripts[collectName] = s.collectScript(p, x)
	}
	for name, text := range scripts {
		err := record.WriteFileAtomic(filepath.Join(p.Folder(), name), func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// ScriptOf returns the name of the batch script of a plan.
func ScriptOf(p *Plan) string { return filepath.Join(p.Folder(), scriptName) }

// Lines returns the commands of the shards, one a line, for GNU parallel, xargs or a shell.
func Lines(x Paths, shards int) string {
	var b strings.Builder
	for i := range shards {
		fmt.Fprintln(&b, harness.Quote(x.Worker(fmt.Sprintf("%d/%d", i, shards))))
	}
	return b.String()
}
