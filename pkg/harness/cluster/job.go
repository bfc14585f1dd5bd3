// Package cluster has Slurm or Kubernetes compute trials. A plan file lists the trials. Each worker computes one shard
// of them and knows nothing of the others; what is done is in the store, which they share.
package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Files of a job's folder.
const (
	planName    = "plan.json"
	programName = "sifg" // a copy, so that a rebuild does not change what a waiting job computes
	logName     = "log"
	scriptName  = "job.sh"
	yamlName    = "job.yaml"
)

// Job is tasks for a scheduler. All paths are relative to the working folder or absolute.
type Job struct {
	Tasks  Tasks
	Folder string // DIR/NAME; NAME is the digest of plan and program, so that neither ever changes
	Store  string
	Shards int
	CPUs   int           // of a shard, which computes as many trials at once
	Time   time.Duration // limit of a shard; 0: the site's
	Memory string        // of a shard; "": the site's
	Flags  []string      // more flags of the workers

	plan, program []byte
}

// Prepare gives the job its folder in dir. Its workers will be a copy of program. Nothing is written yet.
func (j *Job) Prepare(dir, program string) (err error) {
	j.plan, _ = json.Marshal(j.Tasks) // each was encoded for its key
	if j.program, err = os.ReadFile(program); err != nil {
		return err
	}
	sum := sha256.Sum256(slices.Concat(j.plan, j.program))
	j.Folder = filepath.Join(dir, fmt.Sprintf("%x", sum[:6]))
	return nil
}

// Name returns the name that the scheduler knows the job by.
func (j *Job) Name() string { return "sifg-" + filepath.Base(j.Folder) }

func (j *Job) path(name string) string { return filepath.Join(j.Folder, name) }

// worker returns the line of shell that becomes the worker of the shard whose number is in a variable. It is an exec,
// so that signals reach the worker and its exit code is the task's.
func (j *Job) worker(variable string) string {
	program := j.path(programName)
	if !filepath.IsAbs(program) {
		program = "./" + program // or a shell would look for it in PATH
	}
	args := []string{program, "work", "--plan", j.path(planName), "--store", j.Store, "--jobs", strconv.Itoa(j.CPUs)}
	args = append(args, j.Flags...)
	return fmt.Sprintf(`exec %s --shard "$%s/%d"`, usage.Quote(args), variable, j.Shards)
}

// write makes the folder: plan, program, and what the scheduler is given, under a name.
func (j *Job) write(name, text string) error {
	if err := os.MkdirAll(j.path(logName), 0o777); err != nil {
		return usage.Errorf("the folder of the job cannot be made: %v", err)
	}
	for name, content := range map[string][]byte{planName: j.plan, programName: j.program, name: []byte(text)} {
		if err := disk.WriteFileAtomic(j.path(name), content); err != nil {
			return err
		}
	}
	return os.Chmod(j.path(programName), 0o755)
}

const (
	maxPlanBytes = 1 << 28 // about 200,000 trials
	maxShards    = 1000    // the largest array of a Slurm that nobody configured otherwise
	shardSeconds = 20 * 60 // of computing that a shard gets by default
)

// Tasks are the trials that workers compute, each with the time that it is expected to take.
type Tasks []Task

// Task is one of them.
type Task struct {
	harness.Trial
	Seconds float64 // predicted
}

// New returns the tasks of trials with different keys. A trial that nothing comparable was measured of is taken to cost
// a microsecond per particle and iteration, which is about right for a network of 32 units, and a computation a minute.
func New(trials []harness.Trial, costs *run.Costs) (tasks Tasks) {
	for _, t := range trials {
		seconds, ok := costs.Seconds(&t)
		if !ok {
			seconds = 1e-6 * float64(t.Config.Iterations+1) * float64(t.Config.Particles)
			if t.Config.Computation() {
				seconds = 60
			}
		}
		tasks = append(tasks, Task{t, seconds})
	}
	return tasks
}

// Read reads a plan file. That its trials are those of this program and its data is for plan.Revive to check.
func Read(path string) (tasks Tasks, err error) {
	b, err := safe.Read(path, maxPlanBytes)
	if err != nil {
		return nil, usage.Errorf("the plan cannot be read: %v", err)
	}
	if err := json.Unmarshal(b, &tasks); err != nil || len(tasks) == 0 {
		return nil, usage.Errorf("%s is not a whole plan file with trials (%v): sifg submit writes one", path, err)
	}
	return tasks, nil
}

// ParseShard reads "i/n": shard i of n, counted from 0.
func ParseShard(text string) (i, n int, err error) {
	fmt.Sscanf(text, "%d/%d", &i, &n)
	if i < 0 || i >= n || text != fmt.Sprintf("%d/%d", i, n) {
		return 0, 0, usage.Errorf("--shard %q: want i/n, shard i of n counted from 0, such as 0/8", text)
	}
	return i, n, nil
}

// Shard returns the trials of shard i of n, the longest first. Trials are dealt by predicted cost: the longest first,
// each to the shard that has least so far; equal ones one after another. So no shard takes more than 4/3 of what the
// best split would (Graham 1969), and all workers agree.
func (p Tasks) Shard(i, n int) []Task {
	order := slices.Clone(p)
	slices.SortStableFunc(order, func(a, b Task) int { return cmp.Compare(b.Seconds, a.Seconds) })
	loads := make([]float64, min(n, len(order))) // a later shard has none
	var out []Task
	for _, t := range order {
		least := slices.Index(loads, slices.Min(loads))
		loads[least] += max(1e-9, t.Seconds) // a plan that someone sent may say anything
		if least == i {
			out = append(out, t)
		}
	}
	return out
}

// Shards returns how many shards of about twenty minutes on this many cores the plan makes.
func (p Tasks) Shards(cpus int) int {
	sum := 0.0
	for _, t := range p {
		sum += t.Seconds
	}
	n := math.Ceil(sum / (shardSeconds * float64(cpus)))
	return int(min(max(1, n), maxShards, float64(len(p))))
}
