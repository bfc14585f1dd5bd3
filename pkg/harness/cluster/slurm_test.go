package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cluster/slurmtest"
)

// On a real Slurm of two nodes an array computes the trials. A worker that is killed, one that is requeued and one that is told of its
// time limit cost nothing but time.
func TestSlurm(t *testing.T) {
	c := slurmtest.Start(t, 2)
	p := at(t, c.Env)
	submit := append([]string{"submit", "slurm", "--shards", "4"}, slow...)
	number := strings.TrimSuffix(strings.Fields(p.want(0, []string{"24 trials in 4 shards"}, submit...))[2], ":")
	log := func(shard string) string {
		b, _ := os.ReadFile(filepath.Join(filepath.Dir(p.file("results/cluster/*/plan.json")), "log", number+"_"+shard+".out"))
		return string(b)
	}
	c.Wait("all workers", func() bool {
		return p.trials() > 4 && log("0") != "" && log("1") != "" && log("2") != "" && log("3") != ""
	})
	p.want(75, []string{"job " + number + " still has"}, submit...)
	c.Command("scancel", "-b", "-s", "USR1", number+"_0")
	c.Command("scancel", "-b", "-s", "KILL", number+"_1")
	c.Command("scontrol", "requeue", number+"_2")
	c.Wait("the end of the array", c.Idle)
	if !strings.Contains(log("0"), "stopped by SIGUSR1") || strings.Contains(log("1"), "computed") ||
		!strings.Contains(log("3"), "6 computed") {
		t.Errorf("the workers say\n%s\n%s\n%s", log("0"), log("1"), log("3"))
	}
	if strings.Count(log("2"), " computed\n") != 2 || !strings.Contains(log("2"), "terminated") {
		t.Errorf("the requeued worker says\n%s", log("2"))
	}
	n := p.trials()
	if n < 12 || n == 24 {
		t.Errorf("%d trials", n)
	}
	p.want(75, []string{"are missing"}, append([]string{"status"}, slow...)...)
	p.want(0, []string{"submitted job"}, submit...)
	c.Wait("the end of the second array", c.Idle)
	if n := p.trials(); n != 24 {
		t.Errorf("%d trials", n)
	}
	p.want(0, nil, "verify")
	p.sameAsLocal(slow...)
}
