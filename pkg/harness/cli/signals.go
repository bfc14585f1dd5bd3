package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// signals returns a context that the first SIGINT, SIGTERM or SIGUSR1 (by which schedulers announce the end of the time) ends, one
// that the second ends, and which was first; nil for none.
func signals() (soft, hard context.Context, caught func() os.Signal, release func()) {
	soft, stopSoft := context.WithCancelCause(context.Background())
	hard, stopHard := context.WithCancelCause(context.Background())
	ch, first := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		for sig := range ch {
			if soft.Err() != nil {
				stopHard(errors.New("stopped by a second signal"))
				continue
			}
			first <- sig
			stopSoft(errors.New("stopped by a signal"))
		}
	}()
	caught = func() os.Signal {
		select {
		case s := <-first:
			return s
		default:
			return nil
		}
	}
	return soft, hard, caught, func() {
		signal.Stop(ch)
		close(ch)
		stopSoft(nil)
		stopHard(nil)
	}
}
