package cluster

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Names of what is beside a plan.
const (
	submissionName = "submission.json"
	scriptName     = "job.sh"     // the batch script, which may be edited
	prepareName    = "prepare.sh" // makes what trials share, before them
	collectName    = "collect.sh" // reports, after them
	logName        = "log"
	attemptsName   = "attempts"
	seenName       = "seen.json"
)

// Submission is what was submitted of a plan.
type Submission struct {
	Shards  int    `json:"shards"` // of the plan; the same for all jobs, since a shard's number means nothing without
	Results string `json:"results"`
	Store   string `json:"store"`
	AtOnce  int    `json:"at_once,omitempty"` // tasks that run at once
	Jobs    []Job  `json:"jobs"`
}

// Job is one array that was given to Slurm. It is recorded before it is submitted, so that one that was submitted while
// its number got lost is found by its name.
type Job struct {
	Name      string `json:"name"`                // unique
	ID        string `json:"id,omitempty"`        // of the array; "" where it is not known that it was submitted
	Prepare   string `json:"prepare,omitempty"`   // job before it
	Collect   string `json:"collect,omitempty"`   // job after it
	Tasks     string `json:"tasks"`               // of the array: 0-7,9
	Submitted string `json:"submitted"`           // RFC 3339, UTC
	Cancelled bool   `json:"cancelled,omitempty"` // by sifg cancel
}

// Array returns the tasks in the form of sbatch --array.
func (s *Submission) Array(shards []int) string {
	tasks := Indices(shards)
	if s.AtOnce > 0 {
		tasks += fmt.Sprintf("%%%d", s.AtOnce)
	}
	return tasks
}

// Submit gives Slurm the shards of a plan as a new array, with the jobs before and after it whose scripts are there, and
// records each step before the next. args are options of sbatch that go before those in the script. The job is nil where
// the array was not submitted; with an error beside it, there is just no job that reports.
func (s *Submission) Submit(p *Plan, shards []int, args ...string) (*Job, error) {
	name := fmt.Sprintf("sifg-%s-%d", p.Name(), len(s.Jobs)+1)
	s.Jobs = append(s.Jobs, Job{Name: name, Tasks: Indices(shards), Submitted: time.Now().UTC().Format(time.RFC3339)})
	j := &s.Jobs[len(s.Jobs)-1]
	at := func(script string) string { return filepath.Join(p.Folder(), script) }
	there := func(script string) bool { _, err := os.Stat(at(script)); return err == nil }
	var err error
	if err = s.Write(p.Folder()); err != nil {
		return nil, err
	}
	unsure := false
	args = append([]string{"--array=" + s.Array(shards)}, args...)
	if there(prepareName) {
		j.Prepare, unsure, err = sbatch(prepared(name), at(prepareName))
		args = append(args, "--dependency=afterok:"+j.Prepare, "--kill-on-invalid-dep=yes")
		err = errors.Join(err, s.Write(p.Folder()))
	}
	if err == nil {
		j.ID, unsure, err = sbatch(name, at(scriptName), args...)
	}
	if err != nil && !unsure && j.Prepare == "" { // then there is no such job
		s.Jobs = s.Jobs[:len(s.Jobs)-1]
	}
	if err = errors.Join(err, s.Write(p.Folder())); err != nil {
		return nil, err
	}
	if !there(collectName) {
		return j, nil
	}
	j.Collect, _, err = sbatch(collected(name), at(collectName), "--dependency=afterany:"+j.ID)
	return j, errors.Join(err, s.Write(p.Folder()))
}

// prepared and collected name the jobs before and after an array.
func prepared(name string) string  { return name + "-prepare" }
func collected(name string) string { return name + "-collect" }

// Cancel cancels all jobs of the plan by their recorded numbers, and returns those. Where one cannot be cancelled it is recorded
// which were before.
func (s *Submission) Cancel(p *Plan) ([]string, error) {
	var jobs []string
	for i := range s.Jobs {
		numbers, err := s.Jobs[i].cancel()
		if err != nil {
			return nil, errors.Join(err, s.Write(p.Folder()))
		}
		jobs = append(jobs, numbers...)
	}
	if len(jobs) == 0 {
		return nil, harness.Usagef("plan %s has no jobs", p.Name())
	}
	slices.Sort(jobs)
	return jobs, s.Write(p.Folder())
}

// cancel cancels an array with the jobs before and after it, that after it first: it would start where the array ends.
func (j *Job) cancel() (numbers []string, err error) {
	if j.ID == "" {
		if j.ID, err = byName(j.Name); err != nil {
			return nil, err
		}
	}
	for _, x := range [][2]string{{collected(j.Name), j.Collect}, {j.Name, j.ID}, {prepared(j.Name), j.Prepare}} {
		name, number := x[0], x[1]
		if number == "" {
			continue
		}
		// The name too, so that a number that was given again is not another job's end.
		if _, err := command("scancel", "--name="+name, number); err != nil && !strings.Contains(err.Error(), "Invalid job id") {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	j.Cancelled = true
	return numbers, nil
}

// ReadSubmission reads what was submitted of the plan in a folder; nothing was where there is none.
func ReadSubmission(folder string) (*Submission, error) {
	s := &Submission{}
	b, err := os.ReadFile(filepath.Join(folder, submissionName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	if err != nil {
		return nil, fmt.Errorf("what was submitted cannot be read: %s: %w", filepath.Join(folder, submissionName), err)
	}
	return s, nil
}

// Write records the submission in the folder of its plan.
func (s *Submission) Write(folder string) error {
	return writeJSON(filepath.Join(folder, submissionName), s)
}

func writeJSON(path string, v any) error {
	return record.WriteFileAtomic(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// Find returns the plans under a folder that were frozen there, the latest last.
func Find(dir string) []string {
	found, _ := fs.Glob(os.DirFS(dir), "*/plan-*.jsonl")
	for i := range found {
		found[i] = filepath.Join(dir, found[i])
	}
	slices.SortFunc(found, func(a, b string) int {
		x, err1 := os.Stat(a)
		y, err2 := os.Stat(b)
		if err1 != nil || err2 != nil {
			return cmp.Compare(a, b)
		}
		return cmp.Or(x.ModTime().Compare(y.ModTime()), cmp.Compare(a, b))
	})
	return found
}

// Write makes the folder of a frozen plan with all that workers need in it: the plan, the program and the folders that
// they write to. What is there already stays as it is.
func Write(p *Plan, plan []byte, program string) error {
	for _, f := range []string{logName, attemptsName} {
		if err := os.MkdirAll(filepath.Join(p.Folder(), f), 0o777); err != nil {
			return harness.Usagef("the folder of the plan cannot be made: %v", err)
		}
	}
	if err := copyProgram(program, p.Binary, p.Folder()); err != nil {
		return err
	}
	if _, err := os.Stat(p.Path); err == nil {
		return nil
	}
	return record.WriteFileAtomic(p.Path, func(w io.Writer) error { _, err := w.Write(plan); return err })
}

// Why an attempt ended before its shard was computed.
const (
	StopTime       = "time limit" // the scheduler said so in advance
	StopTerminated = "terminated" // requeued, preempted or cancelled
)

// Attempt is one worker's go at a shard. It is written when the worker starts and again when it ends, each worker to a
// file of its own, since two may run at once under the same number of job and task.
type Attempt struct {
	ID       string `json:"id"`
	Shard    int    `json:"shard"`
	Shards   int    `json:"shards"`
	Job      string `json:"job,omitempty"` // array and task of Slurm: 123_4
	Restart  string `json:"restart,omitempty"`
	Host     string `json:"host"`
	PID      int    `json:"pid"`
	Started  string `json:"started"` // RFC 3339, UTC
	Ended    string `json:"ended,omitempty"`
	Stop     string `json:"stop,omitempty"` // StopTime or StopTerminated
	Error    string `json:"error,omitempty"`
	Computed int    `json:"computed"`
	folder   string
}

// Begin records that a worker starts with a shard of the plan. A folder that cannot be written is no reason not to compute.
func Begin(p *Plan, shard, shards int) *Attempt {
	host, _ := os.Hostname()
	if node := os.Getenv("SLURMD_NODENAME"); node != "" {
		host = node
	}
	a := &Attempt{ID: rand.Text()[:12], Shard: shard, Shards: shards, Restart: os.Getenv("SLURM_RESTART_COUNT"), Host: host,
		PID: os.Getpid(), Started: time.Now().UTC().Format(time.RFC3339), folder: filepath.Join(p.Folder(), attemptsName)}
	if job, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID"); job != "" && task != "" {
		a.Job = job + "_" + task
	}
	a.write()
	return a
}

func (a *Attempt) write() {
	_ = writeJSON(filepath.Join(a.folder, fmt.Sprintf("%d-%s.json", a.Shard, a.ID)), a)
}

// End records how the attempt ended.
func (a *Attempt) End(stop string, computed int, err error) {
	a.Ended, a.Stop, a.Computed = time.Now().UTC().Format(time.RFC3339), stop, computed
	if err != nil {
		a.Error = err.Error()
	}
	a.write()
}

// attempts returns the attempts at the shards of a plan, in order of their start.
func attempts(p *Plan) []Attempt {
	folder := os.DirFS(filepath.Join(p.Folder(), attemptsName))
	names, _ := fs.Glob(folder, "*.json")
	var out []Attempt
	for _, name := range names {
		var a Attempt
		if b, err := fs.ReadFile(folder, name); err == nil && json.Unmarshal(b, &a) == nil {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Attempt) int { return cmp.Compare(a.Started, b.Started) })
	return out
}

// absolute is for what is written into scripts, which run elsewhere.
func absolute(path string) (string, error) {
	out, err := filepath.Abs(path)
	if err != nil {
		return "", harness.Usagef("%s: %v", path, err)
	}
	return out, nil
}
