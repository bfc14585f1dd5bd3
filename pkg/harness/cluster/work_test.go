package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// planned writes a job of the toy experiment and returns the path of its plan.
func (p *place) planned(args ...string) string {
	p.t.Helper()
	p.want(0, []string{"kubectl create -f results/cluster/"}, append([]string{"submit", "kubernetes"}, args...)...)
	return p.file("results/cluster/*/plan.json")
}

// The shards of a plan, in any order, make what a local run makes.
func TestWork(t *testing.T) {
	p := at(t, os.Environ())
	plan := p.planned()
	for _, shard := range []string{"2/3", "0/3", "1/3"} {
		p.want(0, []string{"8 trials: 0 already there, 8 computed"}, "work", "--plan", plan, "--shard", shard)
	}
	p.want(0, []string{"8 trials: 8 already there, 0 computed"}, "work", "--plan", plan, "--shard", "1/3")
	p.want(0, []string{"0 trials: 0 already there"}, "work", "--plan", plan, "--shard", "30/31")
	p.want(0, []string{"all there, nothing to submit"}, "submit", "slurm")
	p.sameAsLocal()
	p.want(2, []string{"--plan FILE and --shard i/n"}, "work", "--plan", plan)
	p.want(2, []string{"want i/n"}, "work", "--plan", plan, "--shard", "3/3")
	p.want(2, []string{"nowhere"}, "work", "--plan", "nowhere", "--shard", "0/1")
}

// P9: a worker computes nothing but what was planned. A changed plan, program or data set is refused, and nothing is stored.
func TestRefusals(t *testing.T) {
	p := at(t, os.Environ())
	p.write("own.csv", "1,2\n3,4\n5,6\n7,8\n")
	manifest := "datasets: {mine: {files: [{name: own.csv}], parse: {separator: comma}, target: last, splits: {seed: 1, count: 2}}}"
	p.write("own.yaml", manifest)
	path := p.planned("--protocol", "matched", "--datasets", "own.yaml")
	work := []string{"work", "--plan", path, "--shard", "0/1", "--datasets", "own.yaml"}
	whole := p.read("results/cluster/*/plan.json")
	const other = "differs from those that planned it"
	for _, x := range []struct{ old, new, words string }{
		{`"step":0.1`, `"step":0.2`, other},
		{`"Seed":2`, `"Seed":4`, other},
		{`"Problem":"small"`, `"Problem":"large"`, other},
		{`"Method":"svgd"`, `"Method":"sgld"`, other},
		{`"Experiment":"toy"`, `"Experiment":"other"`, `experiment "other"`},
		{`"version":2`, `"version":1`, "version 1"},
		{`]}`, ``, "not a whole plan file"},
	} {
		forged := strings.Replace(whole, x.old, x.new, 1)
		if forged == whole {
			t.Fatalf("the plan has no %s", x.old)
		}
		if err := os.WriteFile(path, []byte(forged), 0o666); err != nil {
			t.Fatal(err)
		}
		p.want(2, []string{x.words}, work...)
	}
	if err := os.WriteFile(path, []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, asProgram+"=2") // the last one counts
	p.want(2, []string{other}, work...)
	p.env = append(p.env, asProgram+"=1")
	p.write("own.yaml", strings.Replace(manifest, "count: 2", "count: 3", 1))
	p.want(2, []string{other}, work...)
	if n := p.trials(); n != 0 {
		t.Errorf("%d trials were computed of plans that were refused", n)
	}
	p.write("own.yaml", manifest)
	p.want(0, []string{"24 computed"}, work...)
}

// SIGUSR1 lets running trials finish: the worker exits with code 75, and the same command goes on from there.
func TestSignal(t *testing.T) {
	p := at(t, os.Environ())
	work := []string{"work", "--plan", p.planned(slow...), "--shard", "0/1"}
	cmd := p.command(append(work, "--jobs", "4")...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); p.trials() < 3 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	before := p.trials()
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 75 || !strings.Contains(said.String(), "stopped by SIGUSR1") {
		t.Fatalf("%v\n%s", cmd.ProcessState, &said)
	}
	if n := p.trials(); n <= before || n == 24 {
		t.Errorf("%d trials before the signal, %d when the worker had ended", before, n)
	}
	p.want(75, []string{"are missing"}, append([]string{"status"}, slow...)...)
	p.want(0, []string{"24 trials"}, append(work, "--jobs", "24")...)
	if left, _ := filepath.Glob(filepath.Join(p.dir, "results/store/.tmp/*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Two workers at one shard, as after a requeue whose first copy lives on, are harmless.
func TestTwice(t *testing.T) {
	p := at(t, os.Environ())
	work := []string{"work", "--plan", p.planned(), "--shard", "0/1"}
	one, two := p.command(work...), p.command(work...)
	for _, err := range []error{one.Start(), two.Start(), one.Wait(), two.Wait()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p.sameAsLocal()
}
