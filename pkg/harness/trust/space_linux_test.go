package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() { modes["in a small space"] = inSmallSpace }

// A file system in memory of 256 KiB, and then one that is read-only, mounted where only the process that tries can see
// them.
func TestSmallDisk(t *testing.T) {
	cmd, out := command("in a small space", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	err := cmd.Run()
	if errors.Is(err, os.ErrPermission) || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == cannotMount {
		t.Skipf("nothing can be mounted here: %v %s", err, out)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

const cannotMount = 99

// inSmallSpace runs the command until the disk is full, makes room, and goes on, until it is done. It returns the exit
// code.
func inSmallSpace(dir string) int {
	fail := func(format string, args ...any) int {
		fmt.Printf(format+"\n", args...)
		return 1
	}
	ref, small := filepath.Join(dir, "ref"), filepath.Join(dir, "small")
	if err := errors.Join(os.Mkdir(ref, 0o777), os.Mkdir(small, 0o777)); err != nil {
		return fail("%v", err)
	}
	if err := syscall.Mount("small", small, "tmpfs", 0, "size=256k"); err != nil {
		fmt.Println(err)
		return cannotMount
	}
	args := func(results string) []string {
		return []string{"run", "--protocol", "paper", "--jobs", "1", "--results", results,
			"--set", "seeds=[1,2,3,4,5,6,7,8,9,10]"}
	}
	if code, said := quietly(args(ref)...); code != 0 {
		return fail("%s", said)
	}
	results := filepath.Join(small, "results")
	full := 0
	for size := 256; ; size += 128 {
		code, said := quietly(args(results)...)
		if code == 0 {
			break
		}
		full++
		if code != 1 && code != 2 || !strings.Contains(said, "no space left on device") {
			return fail("%d KiB: exit code %d: %s", size, code, said)
		}
		if code, said := quietly("verify", "--results", results); code != 0 &&
			!strings.Contains(said, "manifest.json: missing") {
			return fail("%d KiB: verify: exit code %d: %s", size, code, said)
		}
		larger := fmt.Sprintf("size=%dk", size+128)
		if err := syscall.Mount("small", small, "tmpfs", syscall.MS_REMOUNT, larger); err != nil {
			return fail("%v", err)
		}
	}
	if full < 3 {
		return fail("the disk was full only %d times", full)
	}
	// The trials' bytes are those of a disk with room.
	for _, name := range []string{"trials.parquet", "trace.parquet"} {
		got, err := os.ReadFile(filepath.Join(results, "toy", name))
		want, refErr := os.ReadFile(filepath.Join(ref, "toy", name))
		if err != nil || refErr != nil || string(got) != string(want) {
			return fail("%s is not what a run leaves that has room: %v", name, errors.Join(err, refErr))
		}
	}
	// Read-only: what reads goes on, what writes says so before anything is computed.
	if err := syscall.Mount("small", small, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fail("%v", err)
	}
	for command, want := range map[string]int{"run": 2, "plan": 0, "verify": 0} {
		more := args(results)[1:]
		if command != "run" {
			more = []string{"--results", results, "--protocol", "paper", "--set", "seeds=[1,2,3,4,5,6,7,8,9,10]"}
		}
		if command == "verify" {
			more = more[:2]
		}
		code, said := quietly(append([]string{command}, more...)...)
		if code != want || want != 0 && !strings.Contains(said, "read-only") {
			return fail("%s on a read-only disk: exit code %d: %s", command, code, said)
		}
	}
	return 0
}
