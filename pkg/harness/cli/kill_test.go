package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// ordeal is a run, with a grid and a report of the same trials beside it.
type ordeal struct {
	on       string            // the toy, or a program
	commands [3][]string       // run, grid, report, before --results
	want     map[string]string // what they leave
	longest  time.Duration     // that a process lives; adapted to the machine, which may be busy
}

// newOrdeal does the work once, undisturbed. It is the toy's own, or on a program.
func newOrdeal(t *testing.T, on string, flags ...string) *ordeal {
	t.Helper()
	all := append([]string{"--protocol", "all", "--seeds", "1..10"}, flags...)
	o := &ordeal{on: on, commands: [3][]string{
		append([]string{"run"}, all...),
		append([]string{"grid", "toy", "--protocol", "paper", "--axis", "step=[0.1,0.3]", "--select", "min first[0]"},
			flags...),
		append([]string{"report"}, all...),
	}}
	dir, began := folder(t), time.Now()
	for _, args := range o.commands[:2] {
		cmd, out := command(append(slices.Clone(args), "--results", dir)...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	o.longest, o.want = time.Since(began)/4, kept(t, dir)
	return o
}

// Processes of a run are killed at random moments, again and again, until all is computed; then again from nothing,
// until there were enough kills. There are one or two processes at a time on one store, with some number of workers, in
// some of them each trial in a process of its own, and a grid or a report beside them; every other time on a program.
// After each kill the store is sound and has every trial that it had; at the end all files are those of a run that was
// left alone, and no process of a program is left.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("runs that are killed: four seconds")
	}
	t.Setenv("PATH", filepath.Dir(os.Args[0])+":"+os.Getenv("PATH"))
	model := fmt.Sprint(filepath.Base(os.Args[0]), " model ", os.Getpid()) // no path: its megabytes would be digested
	ordeals := []*ordeal{newOrdeal(t, "the toy"), newOrdeal(t, "a program", "--program", model)}
	r := rand.New(rand.NewPCG(6, 2026))
	killed, rounds := map[string]int{}, 0
	for ; killed["all"] < *kills; rounds++ {
		o, dir := ordeals[rounds%2], folder(t)
		o.round(t, r, dir, killed)
		// The other process may have been killed while it wrote the report.
		words := []string{" 0 computed", "results: ", "page: ", "intact"}
		for i, line := range append(o.commands[:], []string{"verify"}) {
			cmd, out := command(append(slices.Clone(line), "--results", dir)...)
			if err := cmd.Run(); err != nil || !strings.Contains(out.String(), words[i]) {
				t.Fatalf("%s after %v: %v: %s", line[0], killed, err, out)
			}
		}
		identical(t, fmt.Sprintf("after %v", killed), kept(t, dir), o.want)
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			left, err := exec.Command("pgrep", "-af", model).Output()
			if err != nil { // there is none
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("after %v these are left:\n%s", killed, left)
			}
		}
		if t.Failed() {
			return
		}
		os.RemoveAll(dir)
		if rounds%25 == 24 || killed["all"] >= *kills {
			t.Logf("kills: %v; %d times to the end", killed, rounds+1)
		}
	}
}

// round kills processes until a run has come to its end, and counts them by their command.
func (o *ordeal) round(t *testing.T, r *rand.Rand, dir string, killed map[string]int) {
	var before []store.ID
	for done := false; !done; {
		all := []process{o.launch(t, r, dir, 0)}
		if r.IntN(2) == 0 {
			all = append(all, o.launch(t, r, dir, 0))
		}
		if beside := r.IntN(4); beside == 1 || beside == 2 {
			all = append(all, o.launch(t, r, dir, beside))
		}
		for _, p := range all {
			err := p.Wait()
			p.kill.Stop()
			switch {
			case err == nil:
				done = done || p.name == "run"
			case signalled(p.Cmd):
				killed["all"]++
				killed[p.name+" on "+o.on]++
			case p.name == "report" && p.ProcessState.ExitCode() == 75: // there are no trials yet
			default:
				t.Fatalf("%s after %v: %v: %s", p.name, killed, err, p.out)
			}
		}
		now := sound(t, dir)
		for _, key := range before {
			if !slices.Contains(now, key) {
				t.Fatalf("after %v trial %s is lost", killed, key)
			}
		}
		switch n := len(now) - len(before); {
		case n == 0: // no trial came to its end, or the report did not
			o.longest += o.longest / 10
		case n > 2:
			o.longest -= o.longest / 5
		}
		before = now
	}
}

// process is a command that will be killed.
type process struct {
	*exec.Cmd
	name string
	out  *bytes.Buffer
	kill *time.Timer
}

// launch starts one of the commands in a random way, to be killed at a random moment before longest is over.
func (o *ordeal) launch(t *testing.T, r *rand.Rand, dir string, which int) process {
	args := append(slices.Clone(o.commands[which]), "--results", dir)
	name := args[0]
	if name != "report" {
		args = append(args, "--jobs", strconv.Itoa(1+r.IntN(3)))
	}
	cmd, out := command(args...)
	must(0, cmd.Start())
	moment := time.Duration(r.Int64N(int64(o.longest)))
	return process{cmd, name, out, time.AfterFunc(moment, func() { cmd.Process.Kill() })}
}

// small is a run of few trials with its report.
func small(results string) []string {
	args := "run --protocol paper,released --scale smoke --set seeds=[1] --methods svgd --results"
	return append(strings.Fields(args), results)
}

// A run is killed before each of its changes to the file system: of the store, and of the results, whether there were
// some or not. The next run needs nobody's help and leaves what an uninterrupted one leaves.
func TestKilledAtEveryChange(t *testing.T) {
	ref := folder(t)
	if code, said := quietly(small(ref)...); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for _, earlier := range []bool{false, true} {
		changes := 0
		for at := 1; ; at++ {
			if testing.Short() && at%7 != 0 {
				continue
			}
			dir := filepath.Join(folder(t), "results")
			if earlier {
				args := small(dir)
				args[slices.Index(args, "paper,released")] = "paper"
				if code, said := quietly(args...); code != 0 {
					t.Fatal(said)
				}
			}
			cmd, out := command(small(dir)...)
			cmd.Env = append(os.Environ(), fmt.Sprint("TRUST_TEST_KILL=", at))
			err := cmd.Run()
			if err == nil {
				changes = at - 1
				break
			}
			if !signalled(cmd) {
				t.Fatalf("change %d: %v: %s", at, err, out)
			}
			sound(t, dir)
			if code, said := quietly(small(dir)...); code != 0 {
				t.Fatalf("after a kill at change %d: exit code %d: %s", at, code, said)
			}
			identical(t, fmt.Sprint("killed at change ", at), kept(t, dir), want)
			if t.Failed() {
				return
			}
			os.RemoveAll(dir)
		}
		t.Logf("%d changes", changes)
		if changes < 50 { // a trial of 15 and more, a report of 11 files of 5
			t.Errorf("a run has only %d changes", changes)
		}
	}
}
