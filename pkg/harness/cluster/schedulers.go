package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// patience is how long sbatch may take: a busy controller accepts an array slowly.
const patience = 2 * time.Minute

// notice is how many seconds before its end a worker is told to start no more trials.
const notice = 120

// sbatch returns the arguments of sbatch. Its later options win: options of the site may change what comes before them,
// not what comes after.
func (j *Job) sbatch(site []string) []string {
	args := []string{"--ntasks=1", "--cpus-per-task=" + strconv.Itoa(j.CPUs), "--requeue", "--open-mode=append",
		fmt.Sprintf("--signal=B:USR1@%d", notice)} // B: to the worker alone
	if j.Time > 0 {
		args = append(args, fmt.Sprintf("--time=%d", int(math.Ceil(j.Time.Minutes()))))
	}
	if j.Memory != "" {
		args = append(args, "--mem="+j.Memory)
	}
	args = append(args, site...)
	output := filepath.Join(strings.ReplaceAll(j.path(logName), "%", "%%"), "%A_%a.out")
	return append(args, "--parsable", "--job-name="+j.Name(), "--output="+output,
		fmt.Sprintf("--array=0-%d", j.Shards-1), j.path(scriptName))
}

func (j *Job) script() string { return "#!/bin/sh\n" + j.worker("SLURM_ARRAY_TASK_ID") + "\n" }

// Show returns what Submit would do, as commands and a script.
func (j *Job) Show(site []string) string {
	return "sbatch " + usage.Quote(j.sbatch(site)) + "\n\n" + j.script()
}

// Submit writes the job's folder and submits its shards as an array. It returns Slurm's number of the job. Each of site
// is one more option of sbatch.
func (j *Job) Submit(site []string) (number string, err error) {
	if err := j.write(scriptName, j.script()); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sbatch", j.sbatch(site)...)
	cmd.WaitDelay = time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	number, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // 4711;cluster
	_, noNumber := strconv.Atoi(number)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		err = usage.Errorf("sbatch is not installed here: submit where Slurm is, or look with --dry-run")
	case ctx.Err() != nil:
		err = usage.Errorf("sbatch did not answer within %v: nothing is known to be submitted; submit again later",
			patience)
	case err != nil:
		err = usage.Errorf("sbatch: %s (%v): nothing was submitted", safe.Text(strings.TrimSpace(said.String())), err)
	case noNumber != nil:
		err = usage.Errorf("sbatch printed %q, which is not the number of a job", out)
	}
	return number, err
}

//go:embed job.yaml
var manifestText string

var manifest = template.Must(template.New("job").Parse(manifestText)) // its texts are Go's, which are YAML

// Kubernetes says where pods find the working folder.
type Kubernetes struct {
	Image string // needs a shell; the program needs nothing else
	Claim string // persistent volume claim with the working folder
	Mount string // absolute path of the working folder, here and in the pods
}

// Manifest returns the Indexed Job that computes a plan. A pod whose worker stopped early (exit code 75) or lost its
// node is started again. One that would end the same way is not: wrong request (2), failed trials (3), damage (5).
func (j *Job) Manifest(k Kubernetes) (string, error) {
	for _, path := range []string{j.Folder, j.Store} {
		if !filepath.IsLocal(path) {
			return "", usage.Errorf("%s is outside of the working folder, which is all that pods see: give --results "+
				"or --store inside it", path)
		}
	}
	var b strings.Builder
	err := manifest.Execute(&b, struct {
		*Job
		Kubernetes
		Worker string
		Notice int
	}{j, k, j.worker("JOB_COMPLETION_INDEX"), notice})
	return b.String(), err
}

// WriteManifest writes the job's folder with a manifest in it, and returns the path of that.
func (j *Job) WriteManifest(text string) (path string, err error) {
	return j.path(yamlName), j.write(yamlName, text)
}
