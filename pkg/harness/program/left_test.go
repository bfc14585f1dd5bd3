package program

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestNothingIsLeft: whichever process is killed, at a random moment, the others end: the user, whose programs the
// kernel kills; a program, or a child of a program, while another waits for its answer.
func TestNothingIsLeft(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 10
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		user := exec.Command(os.Args[0], "-test.run", "^TestUser$")
		user.Env = append(os.Environ(), "PROGRAM_USER=ignores-end")
		if err := user.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(60)) * time.Millisecond)
		user.Process.Kill()
		user.Wait()
		gone(t)

		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		if p, err := Start(context.Background(), "", command("child-spins")); err == nil {
			wait, place := time.Duration(r.IntN(20))*time.Millisecond, r.IntN(1000)
			time.AfterFunc(wait, func() {
				if all := left(); len(all) > 0 {
					pid, _ := strconv.Atoi(all[place%len(all)])
					syscall.Kill(pid, syscall.SIGKILL)
				}
			})
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
	x := p.Target(s)
	x.Evaluate(make([]float64, 3), make([]float64, 2))
}

// TestInterrupted: Ctrl-C before the first line ends what the program has started, too.
func TestInterrupted(t *testing.T) {
	user := exec.Command(os.Args[0], "-test.run", "^TestUser$")
	user.Env = append(os.Environ(), "PROGRAM_USER=child-first")
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	for len(left()) < 2 { // the program and its child
		time.Sleep(10 * time.Millisecond)
	}
	user.Process.Signal(os.Interrupt)
	if err := user.Wait(); err == nil {
		t.Error("Ctrl-C is no success")
	}
	gone(t)
}

// TestUser is what the others end: it asks a program.
func TestUser(t *testing.T) {
	how := os.Getenv("PROGRAM_USER")
	if how == "" {
		t.Skip("for TestNothingIsLeft")
	}
	for {
		p, err := Start(context.Background(), "", command(how))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		evaluate(ctx, p)
		cancel()
	}
}
