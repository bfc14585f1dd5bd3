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
		user.Env = append(os.Environ(), "PROGRAM_USER=1")
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
		if p, err := Start(ctx, "", command("ignores-end")); err == nil {
			evaluate(ctx, p)
		}
		cancel()
	}
}
