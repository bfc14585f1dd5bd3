package cluster_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/cluster/slurmtest"
)

// attempt is what a worker recorded.
type attempt struct {
	Shard, PID, Computed   int
	Job, Host, Ended, Stop string
}

func (p *place) attempts() (out []attempt) {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "results/cluster/*/attempts/*.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, path := range found {
		var a attempt
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &a)
		}
		if err != nil {
			p.t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

// collected waits until the job that reports has ended, and compares what it wrote with a local run.
func (p *place) collected(c *slurmtest.Cluster, results string, files int, args ...string) {
	p.t.Helper()
	s := p.status()
	last := s.Jobs[len(s.Jobs)-1].Collect
	c.Wait("the report", 2*time.Minute, func() bool {
		state := c.Command("squeue", "-h", "-t", "all", "-j", last, "-o", "%T")
		return strings.Contains(state, "COMPLETED") || strings.Contains(state, "FAILED")
	})
	p.sameAsLocal(results, files, args...)
}

func (p *place) done() bool { s := p.status(); return s.states()["done"] == len(s.Shards) }

// slow are the settings of trials that take 0.15·8 s each, and compute next to nothing: a shard of six takes seven seconds, within
// which the tests do to it what they do.
var slow = []string{"--protocol", "paper", "--scale", "smoke", "--set", "problems.*.options.pause=0.15"}

// A two-node Slurm computes the trials of an array, and what happens to its parts on the way changes nothing.
func TestSlurm(t *testing.T) {
	t.Parallel()
	c := slurmtest.Start(t, 2, 2)

	step(t, c, "array", func(t *testing.T, c *slurmtest.Cluster) {
		p := on(t, c)
		p.want(0, []string{"submitted 8 shards"}, "submit", "slurm", "toy", "--protocol", "paper", "--shards", "8")
		c.Wait("the array", 2*time.Minute, p.done)
		if n := p.trials(); n != 200 {
			t.Errorf("%d trials", n)
		}
		hosts := map[string]int{}
		for _, a := range p.attempts() {
			hosts[a.Host] += a.Computed
		}
		if len(hosts) != 2 || hosts["node1"]+hosts["node2"] != 200 {
			t.Errorf("trials by node: %v", hosts)
		}
		p.collected(c, "results", 4, "--protocol", "paper")

		// A task that is computed again finds all there.
		c.Command("scontrol", "requeue", p.status().Jobs[0].ID+"_3")
		c.Wait("the requeued task", 2*time.Minute, func() bool { return len(p.attempts()) == 9 && p.status().Shards[3].Slurm == "COMPLETED" })
		for _, a := range p.attempts() {
			hosts[a.Host] -= a.Computed
		}
		if hosts["node1"] != 0 || hosts["node2"] != 0 || !p.done() {
			t.Errorf("a finished task computed something when it was requeued: %v, %v", hosts, p.status())
		}
	})

	step(t, c, "shared", func(t *testing.T, c *slurmtest.Cluster) {
		p := on(t, c)
		p.want(0, nil, append([]string{"submit", "slurm", "sharing", "--shards", "4"}, smoke[1:]...)...)
		c.Wait("the array", 2*time.Minute, p.done)
		if said := p.read("results/cluster/*/log/prepare-*.out"); !strings.Contains(said, "made for 24 trials") {
			t.Error(said)
		}
		c.Wait("the report", 2*time.Minute, func() bool { return c.Command("squeue", "-h", "-t", "PD,R,CG") == "" })
	})

	step(t, c, "worker killed, another requeued", func(t *testing.T, c *slurmtest.Cluster) {
		p := on(t, c)
		p.want(0, nil, append([]string{"submit", "slurm", "toy", "--shards", "4"}, slow...)...)
		c.Wait("a trial", 2*time.Minute, func() bool { return p.trials() > 0 && len(p.attempts()) == 4 })
		for _, a := range p.attempts() {
			if a.Shard == 1 {
				if err := syscall.Kill(a.PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		}
		c.Command("scontrol", "requeue", p.status().Jobs[0].ID+"_2")
		c.Wait("the requeued task", 2*time.Minute, func() bool { return p.status().states()["waiting"] == 1 })
		p.want(0, []string{"nothing to submit again", "1 waiting"}, "resubmit", "--reason", "preempted")
		c.Wait("the other shards", 2*time.Minute, func() bool { return p.status().states()["done"] == 3 })
		c.Wait("Slurm's word", 2*time.Minute, func() bool { return p.status().states()["killed"] == 1 })
		if s := p.status(); s.Shards[1].Missing == 0 || s.Counts["ok"]+s.Counts["missing"] != 24 {
			t.Errorf("%v", s)
		}
		p.want(75, []string{"1 killed", "sifg resubmit"}, "status", "--plan", "")
		p.want(0, []string{"submitted 1 shards"}, "resubmit")
		p.want(0, []string{"nothing to submit again"}, "resubmit")
		c.Wait("the rest", 2*time.Minute, p.done)
		p.collected(c, "results/custom", 4, slow...)
	})

	step(t, c, "controller killed", func(t *testing.T, c *slurmtest.Cluster) {
		p := on(t, c)
		p.want(0, nil, append([]string{"submit", "slurm", "toy", "--shards", "4"}, slow...)...)
		c.Wait("the workers", 2*time.Minute, func() bool { return len(p.attempts()) == 4 })
		c.Kill("slurmctld") // what it saved may not have the tasks as started, nor the last jobs at all
		p.want(75, []string{"could not be asked"}, "status", "--plan", "")
		p.want(2, []string{"while Slurm cannot say"}, "resubmit")
		c.Up()
		c.Wait("all", 2*time.Minute, func() bool {
			for _, x := range p.status().Shards {
				if strings.Contains(x.Why, "held") { // a node still had a task of a number that was given again
					c.Command("scontrol", "release", x.Task)
				}
			}
			p.want(0, nil, "resubmit") // what the controller knows no more
			return p.done()
		})
		p.want(0, nil, append([]string{"report", "toy"}, slow...)...)
		p.sameAsLocal("results/custom", 4, slow...)
		if n := p.trials(); n != 24 {
			t.Errorf("%d trials", n)
		}
	})

	step(t, c, "cancelled", func(t *testing.T, c *slurmtest.Cluster) {
		p := on(t, c)
		p.want(0, nil, append([]string{"submit", "slurm", "toy", "--shards", "2"}, slow...)...)
		p.want(2, []string{"are being computed by job", "--again"}, append([]string{"submit", "slurm", "toy", "--shards", "2", "--set",
			"problems.small.options.pause=0.08"}, slow...)...)
		p.want(0, []string{"cancelled jobs"}, "cancel")
		c.Wait("Slurm's word", 2*time.Minute, func() bool { return p.status().states()["cancelled"] == 2 })
		p.want(0, []string{"nothing to submit again: 2 cancelled"}, "resubmit")
		p.want(0, []string{"submitted 2 shards"}, "resubmit", "--reason", "cancelled")
		p.want(0, nil, "cancel")
	})
}

// step is a part of a test that the next parts need not, but that they have to wait for.
func step(t *testing.T, c *slurmtest.Cluster, name string, f func(t *testing.T, c *slurmtest.Cluster)) {
	t.Run(name, func(t *testing.T) {
		began := time.Now()
		f(t, c.For(t))
		t.Logf("%.1f s", time.Since(began).Seconds())
	})
}

// A node that is lost and a time limit that is reached cost the trials that run, and nothing else. While its node is only
// cut off a worker goes on beside the one that takes its place.
func TestSlurmLosses(t *testing.T) {
	t.Parallel()
	c := slurmtest.Start(t, 2, 4)
	trials := []string{"--protocol", "paper", "--set", "problems.*.options.pause=0.1", "--set", "seeds=[1,2,3,4,5,6,7,8,9,10,11,12]"}
	limited, lost := on(t, c), on(t, c)
	submit := append([]string{"submit", "slurm", "toy", "--shards", "2"}, trials...)
	// The signal comes ten seconds after the start: time for a busy machine to start the worker and to compute a trial.
	limited.want(0, nil, append(submit, "--time", "1m", "--notice", "50s", "--extra=--nodelist=node1")...)
	lost.want(0, nil, submit...)
	c.Wait("the workers", 2*time.Minute, func() bool { return len(limited.attempts()) == 2 && len(lost.attempts()) == 2 })
	c.Kill("slurmd-node2")
	c.Wait("the time limit", 2*time.Minute, func() bool { return limited.status().states()["time"] == 2 })
	for _, a := range limited.attempts() {
		if a.Stop != "time limit" || a.Ended == "" || a.Computed == 0 {
			t.Errorf("the worker of shard %d did not say what it did: %+v", a.Shard, a)
		}
	}
	limited.want(75, []string{"2 time", "sifg resubmit"}, "status", "--plan", "")
	limited.want(0, []string{"submitted 2 shards"}, "resubmit", "--time", "1h")
	c.Wait("what was lost with the node", 2*time.Minute, func() bool {
		return lost.done() && !slices.ContainsFunc(lost.attempts(), func(a attempt) bool { return a.Ended == "" })
	})
	var hosts []string
	for _, a := range lost.attempts() {
		hosts = append(hosts, a.Host)
	}
	slices.Sort(hosts)
	if !slices.Equal(hosts, []string{"node1", "node1", "node2", "node2"}) {
		t.Errorf("the shards were computed on %v: want both on the lost node, and on the other again", hosts)
	}
	c.Up()
	c.Wait("what was left at the time limit", 2*time.Minute, limited.done)
	lost.collected(c, "results/custom", 4, trials...)
	limited.collected(c, "results/custom", 4, trials...)
}
