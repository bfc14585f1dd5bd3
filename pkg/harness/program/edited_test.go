package program

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEdited: after its file was edited no process of a program is started, and what was planned is not found where the
// program is started anew.
func TestEdited(t *testing.T) {
	script := filepath.Join(t.TempDir(), "model.sh")
	write := func(comment string) {
		text := "# " + comment + "\nexec " + command("well") + "\n"
		if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	p := started(t, "sh "+script)
	score := func() (*Session, error) {
		s := Begin(context.Background())
		t.Cleanup(s.End)
		x, _ := p.Target(s)
		x.Evaluate(make([]float64, 3), make([]float64, 2))
		return s, s.Err()
	}
	s, err := score()
	if err != nil || p.Name() != "model" {
		t.Fatal(err, p.Name())
	}
	write("two")
	if err := s.Settle(); err != nil || s.Remark() != "" {
		t.Errorf("a process that read it before: %v, %s", err, s.Remark())
	}
	want := script + " changed since the run began"
	if _, err := score(); err == nil || err.Error() != want {
		t.Errorf("another process: %v, want %s", err, want)
	}
	planned := p.Identity
	s.End()
	Close()
	started(t, p.String())
	if _, err := Find(&planned); err == nil || !strings.Contains(err.Error(), "changed since the run began") {
		t.Errorf("the program that was planned: %v", err)
	}
}

// TestMidway: a sampler in the middle of a trial that ended does not go on to the next.
func TestMidway(t *testing.T) {
	p := started(t, command("sampler-well"))
	for _, until := range []int{halfway, iterations, iterations} {
		s := sampled(context.Background(), p, until)
		if err := s.Err(); err != nil {
			t.Errorf("until iteration %d: %v", until, err)
		}
		s.End()
		if idle := len(p.idle); idle != until/iterations {
			t.Errorf("after iteration %d of %d, %d processes wait for work", until, iterations, idle)
		}
	}
}
