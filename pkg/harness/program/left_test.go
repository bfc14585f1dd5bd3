package program

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
)

// TestNothingIsLeft: whichever process is killed, at a random moment, the others end: the user, a guard, its program or
// the program's child.
func TestNothingIsLeft(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		group := 0
		user := exec.Command(os.Args[0], "-test.run", "^TestUser$")
		user.Env = append(os.Environ(), "PROGRAM_USER=1")
		if err := user.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
		victim := user.Process.Pid
		if all := left(); len(all) > 0 && r.IntN(2) == 0 && os.Getenv("PROGRAM_KILLED") == "" {
			fmt.Sscan(all[r.IntN(len(all))], &victim)
		}
		if victim != user.Process.Pid {
			group, _ = syscall.Getpgid(victim) // of its guard; an error if it has just ended
		}
		syscall.Kill(victim, syscall.SIGKILL)
		for deadline := time.Now().Add(5 * time.Second); group > 0 && slices.ContainsFunc(left(), in(group)); {
			if time.Now().After(deadline) {
				t.Fatal("the others of a killed process' group go on")
			}
		}
		user.Process.Kill()
		user.Wait()
	}
	gone(t)
}

// in reports whether a process is in a process group.
func in(group int) func(pid string) bool {
	return func(pid string) bool {
		n, _ := strconv.Atoi(pid)
		of, err := syscall.Getpgid(n)
		return err == nil && of == group
	}
}

// TestUser is what TestNothingIsLeft kills: it asks programs that ignore the end of their stdin.
func TestUser(t *testing.T) {
	if os.Getenv("PROGRAM_USER") == "" {
		t.Skip("for TestNothingIsLeft")
	}
	for {
		for _, how := range []string{"ignores-end", "child-spins"} {
			p, err := Start(context.Background(), command(how), startup)
			if err != nil {
				continue
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			s := Begin(ctx)
			x, _ := p.Target(s)
			x.Evaluate(make([]float64, 3), make([]float64, 2))
			s.End()
			cancel()
		}
	}
}

// TestKilledTests: tests of this package that are killed with SIGKILL, or whose parent is, leave no process. They kill
// no guard themselves meanwhile: a guard and its user that are killed at once can leave the program's child.
func TestKilledTests(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three other tests five times")
	}
	binary := filepath.Join(t.TempDir(), "killed.test") // another name, by which its processes are known
	if err := os.Symlink(os.Args[0], binary); err != nil {
		t.Fatal(err)
	}
	run := binary + " -test.short -test.run 'TestMisbehaviour|TestNothingIsLeft|TestWrongSamplers'"
	for k := range 5 {
		command := exec.Command("sh", "-c", "exec "+run)
		if k%2 == 1 {
			command = exec.Command("sh", "-c", machine.Starter+"=$$ "+run+"; :") // as go test waits for it
		}
		command.Env = append(os.Environ(), "PROGRAM_KILLED=1")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(500+300*k) * time.Millisecond)
		command.Process.Kill()
		command.Wait()
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		out, _ := exec.Command("pgrep", "-af", binary).Output()
		if len(out) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes are left behind:\n%s", string(out))
		}
	}
}
