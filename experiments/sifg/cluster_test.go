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
	if os.Getenv(asProgram) != "" || filepath.Base(os.Args[0]) == "sifg" {
		os.Setenv(asProgram, "1") // for the processes that it starts
		main()
	}
	os.Exit(m.Run())
}

// TestClusterWalkThrough runs the walk-through of docs/cluster.md on a private Slurm of two nodes.
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
	if len(blocks) != 8 {
		t.Fatalf("only %d blocks of commands found", len(blocks))
	}
	c := slurmtest.Start(t, 2)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "sifg")); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		began := time.Now()
		cmd := exec.Command("timeout", "60", "bash", "-eux", "-o", "pipefail", "-c", block)
		cmd.Dir, cmd.Env = dir, append(c.Env, "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\nqueue:\n%s", err, out, c.Command("squeue", "-r", "-t", "all"))
		}
		t.Logf("%4.1f s %s", time.Since(began).Seconds(), strings.SplitN(block, "\n", 2)[0])
	}
	c.Wait("the end of all jobs", c.Idle)
	for _, want := range []string{"results/smoke/index.html", "results/smoke/gmm/trials.parquet"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
}
