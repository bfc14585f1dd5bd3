package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
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
	identical(t, "eight runs", kept(t, dir), kept(t, ref))
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
		identical(t, fmt.Sprint(how), kept(t, dir), want)
	}
}

// Each promise of docs/trust.md names tests, and they exist.
func TestPromisesHaveTests(t *testing.T) {
	b := must(os.ReadFile("../../../docs/trust.md"))
	promises := regexp.MustCompile(`\n- P\d+: `).Split(string(b), -1)[1:]
	for _, promise := range promises {
		promise, _, _ = strings.Cut(promise, "\n\n")
		tests := regexp.MustCompile(`([\w-]+)\.((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(promise, -1)
		if len(tests) == 0 {
			t.Errorf("no test proves this: %s", promise)
		}
		for _, name := range tests {
			if !strings.Contains(testsOf(name[1]), "\nfunc "+name[2]+"(") {
				t.Errorf("there is no test %s", name[0])
			}
		}
	}
	if len(promises) != 11 {
		t.Errorf("%d promises, want 11", len(promises))
	}
}

// testsOf is the text of the tests of a package of the harness or the library, or of an experiment.
func testsOf(pkg string) (text string) {
	for _, folder := range []string{"..", "../internal", "../../../experiments", "../../sifg"} {
		for _, path := range must(filepath.Glob(filepath.Join(folder, pkg, "*_test.go"))) {
			text += string(must(os.ReadFile(path)))
		}
	}
	return text
}

// Where any change of the file system fails, as on a full disk, the run ends with one sentence that says why, the store
// is sound, and the next run completes it.
func TestNoSpaceAtAnyChange(t *testing.T) {
	ref := folder(t)
	if code, said := quietly(small(ref)...); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for at := int64(1); ; at++ {
		if testing.Short() && at%7 != 0 {
			continue
		}
		dir, broken := filepath.Join(folder(t), "results"), ""
		var done atomic.Int64
		disk.Before = func(change string) error {
			if done.Add(1) != at {
				return nil
			}
			broken = change
			return syscall.ENOSPC
		}
		code, said := quietly(small(dir)...)
		disk.Before = nil
		if broken == "" {
			break
		}
		harmless := strings.HasPrefix(broken, "remove .tmp/") // swept later
		if !harmless && (code != 1 && code != 2 || !strings.Contains(said, "no space left")) {
			t.Errorf("%s (%d) fails: exit code %d, %s", broken, at, code, said)
		}
		sound(t, dir)
		if code, said := quietly(small(dir)...); code != 0 {
			t.Errorf("after %s (%d) failed: exit code %d, %s", broken, at, code, said)
		}
		identical(t, fmt.Sprintf("after %s (%d) failed", broken, at), kept(t, dir), want)
		if t.Failed() {
			return
		}
		os.RemoveAll(dir)
	}
}
