package program

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edited starts a program from a script, which edit changes.
func edited(t *testing.T) (p *Program, script string, edit func()) {
	script = filepath.Join(t.TempDir(), "model.sh")
	write := func(comment string) {
		text := "# " + comment + "\nexec " + command("well") + "\n"
		if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	p, err := Start(context.Background(), "", "sh "+script)
	if err != nil {
		t.Fatal(err)
	}
	Add(p, "")
	t.Cleanup(Close)
	return p, script, func() { write("two") }
}

// TestEdited: after its file was edited no process of a program is started, and what was planned is not found where the
// program is started anew.
func TestEdited(t *testing.T) {
	score := func(s *Session, p *Program) error {
		x, err := p.Target(s)
		if err != nil {
			t.Fatal(err)
		}
		x.Evaluate(make([]float64, 3), make([]float64, 2))
		return s.Err()
	}
	p, script, edit := edited(t)
	s := Begin(context.Background())
	if err := score(s, p); err != nil {
		t.Fatal(err)
	}
	edit()
	if err := s.Settle(); err != nil || s.Remark() != "" {
		t.Errorf("a process that read it before: %v, %s", err, s.Remark())
	}
	want := script + " changed since the run began"
	second := Begin(context.Background())
	defer second.End()
	if err := score(second, p); err == nil || err.Error() != want {
		t.Errorf("another process: %v, want %s", err, want)
	}
	s.End()
	planned := p.Identity
	Close()
	again, err := Start(context.Background(), "", p.String())
	if err != nil {
		t.Fatal(err)
	}
	Add(again, "")
	if _, err := Find(&planned); err == nil || !strings.Contains(err.Error(), "changed since the run began") {
		t.Errorf("the program that was planned: %v", err)
	}
}

// TestMidway: a sampler in the middle of a trial that ended does not go on to the next.
func TestMidway(t *testing.T) {
	p, err := Start(context.Background(), "", command("sampler-well"))
	if err != nil {
		t.Fatal(err)
	}
	Add(p, "")
	defer gone(t)
	defer Close()
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
