package cluster

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
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
	Tasks  *Tasks
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
	if j.plan, err = json.Marshal(j.Tasks); err != nil {
		return fmt.Errorf("the plan cannot be stored: %w", err)
	}
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
	return fmt.Sprintf(`exec %s --shard "$%s/%d"`, plan.Quote(args), variable, j.Shards)
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
