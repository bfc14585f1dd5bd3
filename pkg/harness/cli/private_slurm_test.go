package cli

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// privateSlurm is munge, a controller and nodes of two cores on this host, under one folder, with no system service. It
// ends with its test.
type privateSlurm struct {
	t     *testing.T
	dir   string
	nodes map[string]*exec.Cmd
}

// startSlurm starts a Slurm with so many nodes. The test is skipped where Slurm is not installed.
func startSlurm(t *testing.T, nodes int) *privateSlurm {
	t.Helper()
	if testing.Short() {
		t.Skip("takes half a minute: left out under -short")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf(
				"%s is not installed: apt-get install --no-install-recommends slurmctld slurmd slurm-client munge",
				name)
		}
	}
	dir := must(os.MkdirTemp("", "slurm")) // short: the path of a socket has at most 107 characters
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv("SLURM_CONF", at("slurm.conf"))
	c := &privateSlurm{t, dir, map[string]*exec.Cmd{}}
	c.configure(nodes)
	// --force: the folder may lie in one that everybody may write
	c.daemon("munged", "--foreground", "--force", "--key-file="+at("munge.key"), "--socket="+at("munge.socket"),
		"--pid-file="+at("munged.pid"), "--log-file="+at("munged.log"), "--seed-file="+at("munge.seed"))
	c.wait("munge", func() bool { _, err := os.Stat(at("munge.socket")); return err == nil })
	c.daemon("slurmctld", "-D")
	for i := range nodes {
		name := fmt.Sprintf("node%d", i+1)
		c.nodes[name] = c.daemon("slurmd", "-D", "-N", name)
	}
	t.Cleanup(c.end)
	c.wait("nodes", func() bool { return strings.Count(c.try("sinfo", "-h", "-N", "-t", "idle"), "\n") == nodes })
	return c
}

// configure writes the files that the daemons read.
func (c *privateSlurm) configure(nodes int) {
	c.t.Helper()
	host, err1 := os.Hostname()
	me, err2 := user.Current()
	conf, err3 := template.ParseFiles("testdata/slurm.conf")
	if err := errors.Join(err1, err2, err3); err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	port, key := freePorts(c.t, nodes+1), make([]byte, 1024)
	rand.Read(key)
	var text bytes.Buffer
	err := conf.Execute(
		&text,
		map[string]any{"Host": host, "User": me.Username, "Dir": c.dir, "Nodes": nodes, "Port": port,
			"First": port + 1, "Last": port + nodes},
	)
	err = errors.Join(err, os.Chmod(c.dir, 0o755), os.Mkdir(filepath.Join(c.dir, "state"), 0o755),
		os.WriteFile(filepath.Join(c.dir, "slurm.conf"), text.Bytes(), 0o644),
		os.WriteFile(filepath.Join(c.dir, "munge.key"), key, 0o600))
	if err != nil {
		c.t.Fatal(err)
	}
}

// daemon starts a program that ends with the test, in reverse order.
func (c *privateSlurm) daemon(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	log := &bytes.Buffer{}
	cmd := exec.Command(name, args...)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		slow := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		slow.Stop()
		if c.t.Failed() {
			c.t.Logf("%s %v:\n%s", name, args, log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	return cmd
}

// kill kills a node: its daemon, its jobs and what starts those.
func (c *privateSlurm) kill(node string) {
	c.t.Helper()
	c.nodes[node].Process.Kill()
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		b, _ := os.ReadFile(file)
		env := strings.Split(string(b), "\x00")
		if !slices.Contains(env, "SLURMD_NODENAME="+node) || !slices.Contains(env, "SLURM_CONF="+c.dir+"/slurm.conf") {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat")) // pid (comm) state ppid …
		var pid, parent int
		var name, state string
		fmt.Sscan(string(status), &pid, &name, &state, &parent)
		if comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent)); strings.HasPrefix(string(comm), "slurmstepd") {
			syscall.Kill(parent, syscall.SIGKILL)
		}
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// end ends all jobs, so that none outlives its node.
func (c *privateSlurm) end() {
	if ids := strings.Fields(c.try("squeue", "-h", "-o", "%A")); len(ids) > 0 {
		c.try("scancel", append([]string{"--quiet"}, ids...)...)
	}
	for range 100 {
		if c.idle() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// idle reports whether no job waits or runs.
func (c *privateSlurm) idle() bool { return c.try("squeue", "-h") == "" }

// try returns what one of Slurm's commands prints, "error" where it fails.
func (c *privateSlurm) try(name string, args ...string) string {
	cmd := exec.Command("timeout", append([]string{"10", name}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		return "error\n"
	}
	return string(out)
}

// command is try for what must not fail.
func (c *privateSlurm) command(name string, args ...string) {
	c.t.Helper()
	if c.try(name, args...) == "error\n" {
		c.t.Fatalf("%s %s failed", name, strings.Join(args, " "))
	}
}

// wait waits until done says so, for two minutes at most.
func (c *privateSlurm) wait(what string, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("%s: not after two minutes\n%s", what, c.try("squeue", "-r", "-t", "all"))
		}
	}
}

// freePorts returns the first of n neighbouring ports that are free.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for base := 20000 + os.Getpid()%300*40; base < 32000; base += n { // Linux gives connections ports from 32768 on
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", base+i))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return base
		}
	}
	t.Fatal("no free ports")
	return 0
}
