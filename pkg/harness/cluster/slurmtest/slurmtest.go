// Package slurmtest starts a private Slurm for tests: munge, a controller and several nodes on this host, under one
// folder, on free ports, with no system service. It needs Debian's packages slurmctld, slurmd, slurm-client and munge.
package slurmtest

import (
	_ "embed"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/scratch"
)

//go:embed up.sh
var up string

//go:embed down.sh
var down string

//go:embed idle.sh
var idle string

// Cluster is a Slurm that runs.
type Cluster struct {
	Dir  string
	Conf string // for SLURM_CONF
	t    *testing.T
	env  []string
	n    int
}

// Start starts a cluster of nodes with this many cores each, which ends with the test. The test is skipped where Slurm is
// not installed.
func Start(t *testing.T, nodes, cores int) *Cluster {
	t.Helper()
	if racing || testing.Short() {
		t.Skip("takes a minute: left out under -race and -short")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		path := os.Getenv("PATH") + ":/usr/sbin:/sbin"
		if out, err := exec.Command("env", "PATH="+path, "sh", "-c", "command -v "+name).Output(); err != nil || len(out) == 0 {
			t.Skipf("%s is not installed: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge", name)
		}
	}
	dir, err := os.MkdirTemp("", "slurm") // short: a socket's path has 107 characters at most
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: dir, Conf: filepath.Join(dir, "slurm.conf"), t: t, n: nodes}
	c.env = append(os.Environ(), "SLURM_TEST_PORT="+strconv.Itoa(ports(t, nodes+1)), "SLURM_TEST_CPUS="+strconv.Itoa(cores),
		"SLURM_TEST_SLURMDTIMEOUT=5", "SLURM_CONF="+c.Conf)
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := exec.Command("sed", "-nE", `s/.*(Name=[^ ]*) (JobState=[^ ]*).*(StartTime=.*NodeList=[^ ]*).*(ArrayTaskId=[^ ]*)?.*(ExitCode=[^ ]*).*/\1 \2 \3 \4 \5/p`,
				filepath.Join(dir, "log", "jobcomp.txt")).Output()
			t.Logf("jobs that ended:\n%s", out)
		}
		c.script(down, dir)
		os.RemoveAll(dir)
	})
	c.Up()
	return c
}

var (
	portsMu sync.Mutex
	next    = 20000 + os.Getpid()%300*40 // of this process; Linux gives connections ports from 32768 on
)

// ports returns the first of n neighbouring ports that are free and were not given out before.
func ports(t *testing.T, n int) int {
	portsMu.Lock()
	defer portsMu.Unlock()
	for next < 32700 {
		base := next
		next += n
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", base+i))
			if err != nil {
				free = false
				break
			}
			defer l.Close()
		}
		if free {
			return base
		}
	}
	t.Fatal("no free ports")
	return 0
}

func (c *Cluster) script(text string, args ...string) ([]byte, error) {
	cmd := exec.Command("bash", append([]string{"-c", text, "slurmtest"}, args...)...)
	cmd.Env = c.env
	return cmd.CombinedOutput()
}

// For returns the cluster for a part of the test.
func (c *Cluster) For(t *testing.T) *Cluster {
	part := *c
	part.t = t
	return &part
}

// Folder returns a new folder for jobs, which is removed after the test. Before that all jobs of the cluster end: one that
// reports may run on when the test has seen all that it waits for.
func (c *Cluster) Folder(t *testing.T) string {
	t.Helper()
	dir := scratch.Dir(t)
	t.Cleanup(func() {
		if out, err := c.script(idle); err != nil {
			t.Logf("jobs of the cluster do not end: %v %s", err, out)
		}
	})
	return dir
}

// Up starts what does not run.
func (c *Cluster) Up() {
	c.t.Helper()
	if out, err := c.script(up, c.Dir, strconv.Itoa(c.n)); err != nil {
		c.t.Fatalf("Slurm does not start: %v\n%s", err, out)
	}
}

// Kill ends a daemon with SIGKILL: slurmctld, or slurmd-node1.
func (c *Cluster) Kill(daemon string) {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join(c.Dir, "pid", daemon+".pid"))
	if err != nil {
		c.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		c.t.Fatal(err)
	}
}

// Command runs one of Slurm's commands, or any other, on this cluster.
func (c *Cluster) Command(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Env is the environment in which commands speak to this cluster.
func (c *Cluster) Env() []string { return c.env }

// Wait waits until done says so.
func (c *Cluster) Wait(what string, atMost time.Duration, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(atMost); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("%s: not after %v\n%s", what, atMost, c.Command("squeue", "-r", "-t", "all"))
		}
	}
}
