package trust

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

// Processes of a run are killed at random moments, again and again, until all is computed; then again from nothing,
// until there were enough kills. There are one or two processes at a time on one store, with some number of workers, in
// some of them each trial in a process of its own, and a grid beside them. After each kill the store is sound and has
// every trial that it had;
// at the end all files are those of a run that was left alone.
func TestKilledAtRandom(t *testing.T) {
	args := []string{"run", "--protocol", "all", "--set", "seeds=[1,2,3,4,5,6,7,8,9,10]"}
	ref, began := folder(t), time.Now()
	cmd, out := command(append(args, "--results", ref)...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	grid := []string{"grid", "toy", "--protocol", "paper", "--axis", "step=[0.1,0.3]", "--select", "min first",
		"--results"}
	if code, said := quietly(append(grid, ref)...); code != 0 {
		t.Fatal(said)
	}
	longest := time.Since(began) / 4 // that a process lives; adapted to the machine, which may be busy
	want := kept(t, ref)
	enough := *kills
	if testing.Short() {
		enough /= 10
	}
	r := rand.New(rand.NewPCG(6, 2026))
	killed, rounds := 0, 0
	for ; killed < enough; rounds++ {
		dir := folder(t)
		var before []store.ID
		for done := false; !done; {
			all := []process{launch(t, r, longest, dir, args)}
			if r.IntN(2) == 0 {
				all = append(all, launch(t, r, longest, dir, args))
			}
			if r.IntN(3) == 0 {
				p := launch(t, r, longest, dir, grid[:len(grid)-1])
				p.grid = true
				all = append(all, p)
			}
			for _, p := range all {
				err := p.Wait()
				p.kill.Stop()
				switch {
				case err == nil:
					done = done || !p.grid
				case signalled(p.Cmd):
					killed++
				default:
					t.Fatalf("after %d kills: %v: %s", killed, err, p.out)
				}
			}
			now := sound(t, dir)
			for _, key := range before {
				if !slices.Contains(now, key) {
					t.Fatalf("after %d kills trial %s is lost", killed, key)
				}
			}
			switch n := len(now) - len(before); {
			case n == 0: // no trial came to its end, or the report did not
				longest += longest / 10
			case n > 2:
				longest -= longest / 5
			}
			before = now
		}
		// The other process may have been killed while it wrote the report.
		words := []string{" 0 computed", "results: ", "as written"}
		for i, line := range [][]string{
			append(args, "--results", dir), append(grid, dir), {"verify", "--results", dir},
		} {
			if code, said := quietly(line...); code != 0 || !strings.Contains(said, words[i]) {
				t.Fatalf("%s after %d kills: exit code %d: %s", line[0], killed, code, said)
			}
		}
		same(t, fmt.Sprintf("after %d kills", killed), kept(t, dir), want)
		if t.Failed() {
			return
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d kills, %d times to the end", killed, rounds)
}

// process is a run that will be killed.
type process struct {
	*exec.Cmd
	grid bool // rather than the run
	out  *bytes.Buffer
	kill *time.Timer
}

// launch starts a run in a random way, to be killed at a random moment before longest is over.
func launch(t *testing.T, r *rand.Rand, longest time.Duration, dir string, args []string) process {
	args = append(slices.Clone(args), "--results", dir, "--jobs", strconv.Itoa(1+r.IntN(3)))
	if r.IntN(5) == 0 {
		args = append(args, "--isolate")
	}
	cmd, out := command(args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	moment := time.Duration(r.Int64N(int64(longest)))
	return process{cmd, false, out, time.AfterFunc(moment, func() { cmd.Process.Kill() })}
}

// small is a run of few trials with its report.
func small(results string) []string {
	args := "run --protocol paper,released --scale smoke --set seeds=[1] --methods svgd --results"
	return append(strings.Fields(args), results)
}

// A run is killed before each of its changes to the file system: of the store, and of the report. The next run needs
// nobody's help and leaves what an uninterrupted one leaves.
func TestKilledAtEveryChange(t *testing.T) {
	ref := folder(t)
	if code, said := quietly(small(ref)...); code != 0 {
		t.Fatal(said)
	}
	want, changes := kept(t, ref), 0
	for at := 1; ; at++ {
		if testing.Short() && at%7 != 0 {
			continue
		}
		dir := filepath.Join(folder(t), "results")
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
		same(t, fmt.Sprint("killed at change ", at), kept(t, dir), want)
		if t.Failed() {
			return
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d changes", changes)
	if changes < 70 { // two trials of 15 and more, a report of 11 files of 5
		t.Errorf("a run has only %d changes", changes)
	}
}
