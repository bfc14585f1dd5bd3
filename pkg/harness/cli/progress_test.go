package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

func TestProgressLines(t *testing.T) {
	todo := make([]harness.Trial, 4)
	for i := range todo {
		todo[i] = harness.Trial{Experiment: "toy", Protocol: "paper", Problem: "small", Method: "sgld", Seed: uint64(i),
			Config: harness.TrialConfig{Particles: 10, Iterations: 99}}
	}
	var out bytes.Buffer
	p := newProgress(&out, todo, harness.NewCosts(), 1)
	p.Start(&todo[0])
	p.Step(&todo[0], 50)
	p.End(&todo[0], record.StatusOK, "", 3*time.Second)
	p.Start(&todo[1])
	p.End(&todo[1], record.StatusFailed, "out of luck", 200*time.Minute)
	p.Start(&todo[2])
	p.End(&todo[2], "", "", 0) // stopped: no line
	p.printed = time.Now().Add(-interval)
	p.beat() // nothing was printed for the interval; two trials are left, and one like them took 3 s
	p.beat()
	p.close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{
		"toy/paper small sgld seed 0: ok, 3.0 s; 1 of 4 trials, 0 running",
		"toy/paper small sgld seed 1: failed: out of luck, 3.3 h; 2 of 4 trials, 0 running",
		"2 of 4 trials, 0 running, about 6.0 s left",
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %q, want %q", lines[i], want[i])
		}
	}
}
