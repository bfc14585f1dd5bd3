package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSlurm: on a real Slurm of two nodes the walk-through of docs/cluster.md works, and an array whose workers are
// disturbed computes all trials.
func TestSlurm(t *testing.T) {
	c := startSlurm(t, 2)
	t.Run("walk-through", func(t *testing.T) { walkThrough(t, c) })
	t.Run("disturbed", func(t *testing.T) { disturbed(t, c) })
}

// walkThrough runs the commands of docs/cluster.md with the program.
func walkThrough(t *testing.T, c *privateSlurm) {
	text, err := os.ReadFile("../../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(text), "\n```") {
		if code, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			blocks = append(blocks, code)
		}
	}
	if len(blocks) != 8 {
		t.Fatalf("%d blocks of commands found", len(blocks))
	}
	bin, dir := t.TempDir(), t.TempDir()
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

// disturbed: a worker that is killed, one that is requeued and one that is told of its time limit cost nothing but
// time.
func disturbed(t *testing.T, c *privateSlurm) {
	t.Chdir(t.TempDir())
	x := toy()
	// 24 trials of more than a second, in which they compute next to nothing.
	const slow = " --set problems.small.options.fault=slow --set problems.small.iterations=60 --seeds 1,2,3,4,5,6,7,8"
	_, number, _ := strings.Cut(x.want(t, "submit slurm --shards 4"+slow, 0, "24 trials in 4 shards"), "submitted job ")
	number, _, _ = strings.Cut(number, ":")
	log := func(shard string) string {
		b, _ := os.ReadFile(filepath.Join(glob(t, "results/cluster/*/log", 1)[0], number+"_"+shard+".out"))
		return string(b)
	}
	trials := func() int { found, _ := filepath.Glob("results/store/toy/*/*/trial.json"); return len(found) }
	c.wait("all workers", func() bool {
		return log("0") != "" && log("1") != "" && log("2") != "" && log("3") != "" && trials() > 4
	})
	c.command("scancel", "-b", "-s", "USR1", number+"_0")
	c.command("scancel", "-b", "-s", "KILL", number+"_1")
	c.command("scontrol", "requeue", number+"_2")
	c.wait("the end of the array", c.idle)
	if !strings.Contains(log("0"), "stopped by SIGUSR1") || strings.Contains(log("1"), "computed") ||
		!strings.Contains(log("3"), "6 computed") {
		t.Errorf("the workers say\n%s\n%s\n%s", log("0"), log("1"), log("3"))
	}
	if strings.Count(log("2"), " computed\n") != 2 || !strings.Contains(log("2"), "terminated") {
		t.Errorf("the requeued worker says\n%s", log("2"))
	}
	if n := trials(); n < 12 || n == 24 {
		t.Errorf("%d trials", n)
	}
	x.want(t, "status"+slow, 75, "are missing")
	x.want(t, "submit slurm --shards 4"+slow, 0, "submitted job")
	c.wait("the end of the second array", c.idle)
	x.want(t, "verify", 0)
	x.sameAsLocal(t, slow)
}
