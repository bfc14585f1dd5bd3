package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/cluster/slurmtest"
)

// asProgram is the variable that makes the test binary the command; so does its name.
const asProgram = "CLUSTER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); os.Getenv(asProgram) != "" || name == "sifg" || strings.HasPrefix(name, "sifg-") {
		os.Setenv(asProgram, "1") // for the processes that it starts
		main()
	}
	os.Exit(m.Run())
}

// TestClusterWalkThrough runs the walk-through of docs/cluster.md line by line on a private Slurm of two nodes.
func TestClusterWalkThrough(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(text), "\n```") {
		if code, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			blocks = append(blocks, code)
		}
	}
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks of commands found", len(blocks))
	}
	c := slurmtest.Start(t, 2, 2)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), c.Folder(t)
	if err := os.Symlink(self, filepath.Join(bin, "sifg")); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		began := time.Now()
		cmd := exec.Command("timeout", "60", "bash", "-eux", "-o", "pipefail", "-c", block)
		cmd.Dir, cmd.Env = dir, append(c.Env(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\nqueue:\n%s", err, out, c.Command("squeue", "-r", "-t", "all"))
		}
		t.Logf("%4.1f s %s", time.Since(began).Seconds(), strings.SplitN(block, "\n", 2)[0])
	}
	c.Wait("the jobs that report", time.Minute, func() bool { return c.Command("squeue", "-h", "-t", "PD,R,CG") == "" })
	for _, want := range []string{"results/smoke/index.html", "results/smoke/gmm/trials.parquet", "results/smoke/grid/gmm-step"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
}
