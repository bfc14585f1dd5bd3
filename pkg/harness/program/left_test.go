package program

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
)

// TestNothingIsLeft: whichever process is killed, at a random moment, the others end: the user, whose programs the
// kernel kills; a program, or a child of a program, while another waits for its answer.
func TestNothingIsLeft(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		user := exec.Command(os.Args[0], "-test.run", "^TestUser$")
		user.Env = append(os.Environ(), "PROGRAM_USER=1")
		if err := user.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
		user.Process.Kill()
		user.Wait()
		gone(t)

		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if p, err := Start(context.Background(), command("child-spins"), startup); err == nil {
			time.AfterFunc(time.Duration(r.IntN(20))*time.Millisecond, func() {
				if all := left(); len(all) > 0 {
					pid, _ := strconv.Atoi(all[r.IntN(len(all))])
					syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			Add(p, "")
			evaluate(ctx, p)
		}
		cancel()
		Close()
		gone(t)
	}
}

// evaluate asks a target about one point.
func evaluate(ctx context.Context, p *Program) {
	s := Begin(ctx)
	defer s.End()
	x, _ := p.Target(s)
	x.Evaluate(make([]float64, 3), make([]float64, 2))
}

// TestUser is what TestNothingIsLeft kills: it asks a program that ignores the end of its stdin.
func TestUser(t *testing.T) {
	if os.Getenv("PROGRAM_USER") == "" {
		t.Skip("for TestNothingIsLeft")
	}
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if p, err := Start(ctx, command("ignores-end"), startup); err == nil {
			evaluate(ctx, p)
		}
		cancel()
	}
}

// TestKilledTests: tests of this package that are killed with SIGKILL, or whose parent is, leave no program.
func TestKilledTests(t *testing.T) {
	if testing.Short() {
		t.Skip("runs three other tests five times")
	}
	binary := filepath.Join(t.TempDir(), "killed.test") // another name, by which its processes are known
	if err := os.Symlink(os.Args[0], binary); err != nil {
		t.Fatal(err)
	}
	run := binary + " -test.short -test.run 'TestFind|TestPool|TestWrongSamplers'"
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
