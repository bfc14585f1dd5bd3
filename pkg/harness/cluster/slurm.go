package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// patience is the time that Slurm's commands are given: a busy controller may take long to accept an array, but nobody
// waits so long for what is only a hint.
var patience = map[string]time.Duration{"sbatch": 2 * time.Minute, "scancel": 30 * time.Second, "squeue": 5 * time.Second,
	"sacct": 5 * time.Second, "scontrol": 5 * time.Second}

// command runs one of Slurm's commands and returns what it printed.
func command(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience[name])
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not installed here", name)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %v", name, patience[name])
	case err != nil:
		said := strings.Join(strings.Fields(strings.ReplaceAll(errs.String(), name+": error: ", "")), " ")
		return out.String(), fmt.Errorf("%s: %s (%w)", name, said, err)
	}
	return out.String(), nil
}

// query asks squeue. With the controller down squeue takes nine seconds to say so, but scontrol ping none.
func query(args ...string) (string, error) {
	if _, err := command("scontrol", "ping"); errors.As(err, new(*exec.ExitError)) {
		return "", errors.New("scontrol ping says that the controller does not answer")
	} else if err != nil {
		return "", err
	}
	return command("squeue", args...)
}

// Limit returns the number of tasks that Slurm allows in an array.
func Limit() (int, error) {
	out, err := command("scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`).FindStringSubmatch(out)
	if m == nil {
		return 0, errors.New("scontrol show config does not name MaxArraySize")
	}
	return strconv.Atoi(m[1]) // one more than the highest number of a task; ours begin with 0
}

// sbatch submits a script and returns the job's number. Where sbatch fails or its answer is lost, the job is looked for by
// its name, which must be unique, before that counts as failure; unsure says that it may have been submitted all the same.
func sbatch(name, script string, args ...string) (number string, unsure bool, err error) {
	args = append([]string{"--parsable", "--job-name=" + name}, append(args, script)...)
	out, err := command("sbatch", args...)
	if err == nil {
		lines := strings.Fields(out)
		if len(lines) > 0 {
			number, _, _ := strings.Cut(lines[len(lines)-1], ";") // 123;cluster
			if _, err := strconv.Atoi(number); err == nil {
				return number, false, nil
			}
		}
		err = fmt.Errorf("sbatch printed %q, which is no job's number", strings.TrimSpace(out))
	}
	number, failure := byName(name)
	if number != "" {
		return number, false, nil
	}
	return "", failure != nil, advise(err)
}

// advice is what to do about errors that have these words.
var advice = [][2]string{
	{"SubmitJobLimit", "the site allows fewer tasks at once: --max-tasks makes fewer and larger shards"},
	{"SubmitJobPer", "the site allows fewer tasks at once: --max-tasks makes fewer and larger shards"},
	{"array spec", "the site allows smaller arrays: --max-tasks makes fewer and larger shards"},
	{"time limit", "--time asks for less, --shard-time makes smaller shards"},
	{"partition", "--partition names where to run: sinfo lists them"},
	{"account", "--account names the account to charge"},
}

func advise(err error) error {
	for _, a := range advice {
		if strings.Contains(err.Error(), a[0]) {
			return harness.Usagef("%v: %s", err, a[1])
		}
	}
	return harness.Usagef("nothing was submitted: %v", err)
}

// byName returns the number of the job of that name, "" if Slurm knows none.
func byName(name string) (string, error) {
	out, err := query("-h", "-r", "-t", "all", "-n", name, "-o", "%F")
	if f := strings.Fields(out); err == nil && len(f) > 0 {
		return f[0], nil
	}
	return "", err
}

// Task is one task of an array, as Slurm numbers it. The number of its job is another one, which may change.
type Task struct {
	Array string
	Index int
}

func (t Task) String() string { return fmt.Sprintf("%s_%d", t.Array, t.Index) }

// State is what Slurm says of a task.
type State struct {
	State  string `json:"state"` // RUNNING, TIMEOUT, NODE_FAIL, …
	Reason string `json:"reason,omitempty"`
}

// states asks Slurm for the tasks of arrays, given by number with their names: squeue, which forgets what ended some minutes
// ago, and for those that it does not know the accounting database, which many sites do not have. The error is that squeue
// did not answer; a job that nobody knows any more is just missing. So is one of another name: a controller that crashed
// gives numbers again that it gave just before.
func states(names map[string]string) (map[Task]State, error) {
	out := map[Task]State{}
	if len(names) == 0 {
		return out, nil
	}
	arrays := slices.Sorted(maps.Keys(names))
	text, err := query("-h", "-r", "-t", "all", "-j", strings.Join(arrays, ","), "-o", "%F|%K|%j|%T|%r")
	if err != nil && !strings.Contains(err.Error(), "Invalid job id") {
		return out, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(f) < 5 || names[f[0]] != f[2] {
			continue
		}
		tasks, err := expand(f[1])
		if err != nil {
			continue // no array
		}
		for _, i := range tasks {
			known[f[0]] = true
			out[Task{f[0], i}] = State{f[3], f[4]}
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(arrays), func(a string) bool { return known[a] })
	if len(unknown) == 0 {
		return out, nil
	}
	text, err = command("sacct", "-n", "-X", "-P", "-j", strings.Join(unknown, ","), "-o", "JobID,JobName%100,State")
	if err != nil {
		return out, nil
	}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		array, list, ok := strings.Cut(f[0], "_")
		tasks, err := expand(list)
		if !ok || err != nil || len(f) != 3 || names[array] != f[1] || f[2] == "" {
			continue
		}
		for _, i := range tasks {
			out[Task{array, i}] = State{State: strings.Fields(f[2])[0]} // "CANCELLED by 1000"
		}
	}
	return out, nil
}
