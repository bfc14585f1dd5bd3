package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSlurm: on a real Slurm of two nodes the walk-through of docs/cluster.md works, and an array whose tasks are
// disturbed leaves the rest to a second one.
func TestSlurm(t *testing.T) {
	c := startSlurm(t, 2)
	t.Run("walk-through", func(t *testing.T) { walkThrough(t, c) })
	t.Run("disturbed", func(t *testing.T) { disturbed(t, c) })
}

// walkThrough runs the commands of docs/cluster.md with the program.
func walkThrough(t *testing.T, c *privateSlurm) {
	text := must(os.ReadFile("../../../docs/cluster.md"))
	var blocks []string
	for i, part := range strings.Split(string(text), "\n```") {
		if code, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			blocks = append(blocks, code)
		}
	}
	if len(blocks) != 4 {
		t.Fatalf("%d blocks of commands found", len(blocks))
	}
	bin, dir := t.TempDir(), t.TempDir()
	if root, err := filepath.Abs("../../.."); err != nil || os.Symlink(root+"/scripts", dir+"/scripts") != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", bin, "../../../experiments/sifg").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, block := range blocks {
		began := time.Now()
		cmd := exec.Command("timeout", "60", "bash", "-eux", "-o", "pipefail", "-c", block)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\nqueue:\n%s", err, out, c.try("squeue", "-r", "-t", "all"))
		}
		t.Logf("%4.1f s %s", time.Since(began).Seconds(), strings.SplitN(block, "\n", 2)[0])
	}
	c.wait("the end of all jobs", c.idle)
	for _, want := range []string{"results/smoke/index.html", "results/smoke/gmm/trials.parquet"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
}

// disturbed: a task that is told of its time limit, one that is requeued and the loss of a node cost nothing but time.
// A second, smaller array computes the rest.
func disturbed(t *testing.T, c *privateSlurm) {
	script := must(filepath.Abs("../../../scripts/cluster/slurm.sh"))
	t.Chdir(t.TempDir())
	must(0, errors.Join(os.Mkdir("bin", 0o777), os.Symlink(os.Args[0], "bin/sifg")))
	here, _ := os.Getwd()
	t.Setenv("PATH", filepath.Join(here, "bin")+":"+os.Getenv("PATH"))
	x := toy()
	// 24 trials of more than a second, in which they compute next to nothing.
	const slow = "--set problems.small.options.fault=slow --set problems.small.iterations=60 --seeds 1-8 --results here"
	submit := func(array string) (number string) {
		out, err := exec.Command("sbatch", append([]string{"--parsable", "--array=" + array, script, "toy"},
			strings.Fields(slow)...)...).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	number := submit("0-3")
	log := func(task string) string {
		b, _ := os.ReadFile(fmt.Sprintf("sifg-%s_%s.out", number, task))
		return string(b)
	}
	trials := func() int { found, _ := filepath.Glob("here/store/toy/*/*/trial.json"); return len(found) }
	c.wait("all tasks", func() bool {
		return log("0") != "" && log("1") != "" && log("2") != "" && log("3") != "" && trials() > 4
	})
	first := strings.Fields(c.try("squeue", "-h", "-r", "-t", "R", "-w", "node1", "-o", "%K")) // on the node that stays
	if len(first) != 2 {
		t.Fatalf("%v run on node1, want two tasks", first)
	}
	c.kill("node2")
	c.command("scancel", "-b", "-s", "USR1", number+"_"+first[0])
	c.command("scontrol", "requeue", number+"_"+first[1])
	c.wait("the end of the task that was told", func() bool { return strings.Contains(log(first[0]), "stopped by") })
	c.wait("the end of the task that was requeued", func() bool {
		return strings.Count(log(first[1]), " computed\n") == 2 && strings.Contains(log(first[1]), "terminated")
	})
	c.command("scancel", number)
	c.wait("the end of the array", c.idle)
	if n := trials(); n < 8 || n == 24 {
		t.Errorf("%d trials", n)
	}
	x.want(t, "plan "+slow, 0, " to compute")
	submit("0-1")
	c.wait("the end of the second array", c.idle)
	x.want(t, "run "+slow, 0, "24 trials: 24 already there, 0 computed")
	x.want(t, "verify --results here", 0)
	x.want(t, "run -j 24 "+strings.Replace(slow, "here", "local", 1), 0)
	same(t, "here", files(t, "here/toy", "trace"), files(t, "local/toy", "trace"))
}
