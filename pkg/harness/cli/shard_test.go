package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// array sets the variables of a task of a Slurm array.
func array(t *testing.T, id, low, high, count int) {
	t.Helper()
	for name, v := range map[string]int{"ID": id, "MIN": low, "MAX": high, "COUNT": count} {
		t.Setenv("SLURM_ARRAY_TASK_"+name, fmt.Sprint(v))
	}
}

// The parts of a run, in any order and also of another number, make what one run makes, without a report.
func TestShards(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	for _, shard := range []string{"2/4", "0/4"} {
		x.want(t, "run --results here --shard "+shard, 0, " 0 already there")
	}
	if _, err := os.Stat("here/index.html"); err == nil {
		t.Error("a part made a report")
	}
	x.want(t, "run --results here --shard 0/4", 0, "3 trials: 3 already there, 0 computed")
	x.want(t, "run --results here --shard 30/31", 0, "0 trials: 0 already there, 0 computed")
	x.want(t, "run --results here --shard 0/2", 0, "5 trials: 5 already there, 0 computed")
	x.want(t, "run --results here --shard 1/2", 0, "4 trials: 0 already there, 4 computed")
	x.want(t, "run --results here", 0, "9 trials: 9 already there, 0 computed", "page:")
	x.want(t, "run --results local", 0)
	same(t, "in parts", files(t, "here/toy", "trace"), files(t, "local/toy", "trace"))
}

// A task of an array knows its part, wherever the array begins; what cannot be a part is refused.
func TestShardOfArray(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --shard auto", 2, "--shard auto: want i/n", "Slurm", "Kubernetes")
	for _, c := range []struct{ id, low, high, count, i, n int }{
		{0, 0, 7, 8, 0, 8}, {7, 0, 7, 8, 7, 8}, {3, 1, 8, 8, 2, 8}, {5, 5, 5, 1, 0, 1},
	} {
		array(t, c.id, c.low, c.high, c.count)
		if i, n, err := shardOf("auto"); i != c.i || n != c.n || err != nil {
			t.Errorf("%+v: part %d of %d, error %v", c, i, n, err)
		}
	}
	// with gaps the last task is refused
	for _, c := range [][4]int{{5, 0, 5, 3}, {4, 0, 9, 4}, {16, 4, 16, 5}, {3, 0, 2, 3}} {
		array(t, c[0], c[1], c[2], c[3])
		x.want(t, "run --shard auto", 2, "without gaps")
	}
	array(t, 1, 0, 2, 3)
	t.Setenv("SLURM_ARRAY_TASK_COUNT", "")
	x.want(t, "run --shard auto", 2, "--shard auto")
	x.want(t, "run", 0, "9 computed") // a variable alone makes no part
	for _, bad := range []string{"3/3", "-1/3", "1", "a/b", "1/2/3", "0/0"} {
		x.want(t, "run --shard "+bad, 2, "--shard "+bad+": want i/n with i from 0 to n-1")
	}
}

// The pods of scripts/cluster/kubernetes.yaml know their number, and run the command that it has.
func TestKubernetes(t *testing.T) {
	text := string(must(os.ReadFile("../../../scripts/cluster/kubernetes.yaml")))
	for _, want := range []string{
		"completionMode: Indexed", " completions: 8\n", " parallelism: 8\n", `[{name: JOB_COMPLETIONS, value: "8"}]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the pods do not know how many they are: no %q", want)
		}
	}
	_, args, _ := strings.Cut(text, "args: [")
	args, _, _ = strings.Cut(args, "]")
	t.Chdir(t.TempDir())
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	x := toy()
	line := strings.NewReplacer(",", "", "gmm", "toy").Replace(args)
	x.want(t, line, 2, "JOB_COMPLETIONS")
	t.Setenv("JOB_COMPLETIONS", "8")
	x.want(t, line, 0, "2 trials: 0 already there, 2 computed") // of 12: 1 and 9
	t.Setenv("JOB_COMPLETION_INDEX", "8")
	x.want(t, line, 2, "--shard auto: want i/n")
}
