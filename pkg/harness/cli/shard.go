package cli

import (
	"os"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// shard keeps the trials of a part of the plan.
func (w *work) shard(text string) error {
	i, n, err := shardOf(text)
	if err != nil {
		return err
	}
	w.Shard(i, n)
	return w.status()
}

// shardOf reads --shard: i/n, part i of n, counted from 0; or auto, which takes both from the variables of a Slurm job
// array or a Kubernetes Indexed Job.
func shardOf(text string) (i, n int, err error) {
	if text == "auto" {
		i, n, err = arrayOf()
	} else {
		left, right, _ := strings.Cut(text, "/")
		a, err1 := strconv.Atoi(left)
		b, err2 := strconv.Atoi(right)
		if err1 == nil && err2 == nil { // else it is part 0 of 0
			i, n = a, b
		}
	}
	if err == nil && (i < 0 || i >= n) {
		err = usage.Errorf("--shard %s, part %d of %d: want i/n with i from 0 to n-1, such as 0/8, or auto in a job "+
			"array", text, i, n)
	}
	return i, n, err
}

// arrayOf returns which task of a job array this process is, and of how many. A Slurm array may begin anywhere, but has
// no gap: its tasks could not know what is left to which.
func arrayOf() (i, n int, err error) {
	const slurm, kubernetes = "SLURM_ARRAY_TASK_", "JOB_COMPLETION_INDEX"
	switch {
	case os.Getenv(slurm+"ID") != "":
		v, err := numbers(slurm+"ID", slurm+"MIN", slurm+"MAX", slurm+"COUNT")
		if err == nil && v[2]-v[1]+1 != v[3] {
			err = usage.Errorf("--shard auto: %d tasks from %d to %d: want an array without gaps, such as --array=0-7",
				v[3], v[1], v[2])
		}
		return v[0] - v[1], v[3], err
	case os.Getenv(kubernetes) != "":
		v, err := numbers(kubernetes, "JOB_COMPLETIONS")
		return v[0], v[1], err
	}
	return 0, 0, usage.Errorf("--shard auto: neither %sID nor %s is set: this is no task of a job array; --shard takes "+
		"i/n too, such as 0/8", slurm, kubernetes)
}

// numbers returns the values of variables.
func numbers(names ...string) (out [4]int, err error) {
	for k, name := range names {
		if out[k], err = strconv.Atoi(os.Getenv(name)); err != nil {
			return out, usage.Errorf("--shard auto: want a whole number in %s, got %s", name, os.Getenv(name))
		}
	}
	return out, nil
}
