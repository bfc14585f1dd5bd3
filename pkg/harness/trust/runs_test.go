package trust

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Eight runs at once, on one store and one results folder, of all protocols or of one each: all end well, and the files
// are those of one run.
func TestEightRunsAtOnce(t *testing.T) {
	for _, protocols := range [][]string{{"all"}, {"paper", "released"}} {
		eightRuns(t, protocols)
	}
}

func eightRuns(t *testing.T, protocols []string) {
	args := func(dir, protocol string) []string {
		return []string{"run", "--protocol", protocol, "--set", "seeds=[1,2,3,4,5]", "--results", dir}
	}
	ref, dir := folder(t), filepath.Join(folder(t), "results")
	if code, said := quietly(args(ref, "all")...); code != 0 {
		t.Fatal(said)
	}
	var cmds []*exec.Cmd
	var outs []*bytes.Buffer
	for i := range 8 {
		cmd, out := command(args(dir, protocols[i%len(protocols)])...)
		must(0, cmd.Start())
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i])
		}
	}
	sound(t, dir)
	same(t, "eight runs", kept(t, dir), kept(t, ref))
	left, err := os.ReadDir(filepath.Join(dir, "store", ".tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in .tmp: %v, error %v", left, err)
	}
}

// The same bits come from any number of workers and cores, in any order of parts.
func TestSameBitsAnyWay(t *testing.T) {
	ref := folder(t)
	if code, said := quietly("run", "--protocol", "all", "--results", ref, "--jobs", "1"); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for _, how := range [][][]string{
		{{"--protocol", "all", "--jobs", "2"}}, {{"--protocol", "all", "--jobs", "5", "--threads", "3"}},
		{{"--protocol", "released", "--jobs", "2"}, {"--protocol", "paper"}},
		{{"--protocol", "released", "--scale", "smoke"}, {"--protocol", "all", "--threads", "2"}},
	} {
		base := folder(t)
		dir := filepath.Join(base, "results")
		for i, args := range how {
			part := filepath.Join(base, fmt.Sprint("part", i))
			more := []string{"run", "--results", part, "--store", filepath.Join(dir, "store")}
			cmd, out := command(append(more, args...)...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v: %s", args, err, out)
			}
		}
		if code, said := quietly("run", "--results", dir, "--protocol", "all"); code != 0 ||
			!strings.Contains(said, " 0 computed") {
			t.Fatalf("%v: exit code %d: %s", how, code, said)
		}
		same(t, fmt.Sprint(how), kept(t, dir), want)
	}
}
