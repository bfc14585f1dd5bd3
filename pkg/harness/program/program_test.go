package program

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// misbehaviours are what programs do wrong and what is said of it. Those that begin with ! are
// said when the program is started.
var misbehaviours = map[string]string{
	"dies-at-once":        "!ended (exit status 3) when its first line was due; it said last: Traceback",
	"stdin-closed":        "must pass on stdin and stdout: conda run --no-capture-output",
	"dies-at-row-50":      "ended in the middle of an array; it said last: MemoryError: row 50",
	"killed":              "ended (signal: killed)",
	"hangs":               "was killed while the answer to score was awaited",
	"child-spins":         "was killed while the answer to score was awaited",
	"closes-stdout":       "closed its stdout, where the answer to score was due",
	"prints":              "printed \"iteration 7, loss 0.3\\n\" on stdout where a message was due",
	"no-array":            "said {\"answer\":\"score\"}, where",
	"writes-10-gigabytes": "printed a line of more than 1048576 bytes on stdout",
}

func command(how string) string { return os.Args[0] + " behave " + how }

// started is a program that is known until the test ends, when none of its processes is left.
func started(t *testing.T, command string) *Program {
	t.Helper()
	p, err := Start(context.Background(), "", command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Close()
		gone(t)
	})
	return p
}

// ask asks a program twice for the score at 1000 points within a limit, and returns what the session says of it.
func ask(t *testing.T, how string, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	p, err := Start(context.Background(), "", command(how))
	if err != nil {
		return "!" + err.Error()
	}
	defer Close()
	s := Begin(ctx)
	defer s.End()
	x := p.Target(s)
	points, out := make([]float64, 1000*dim), make([]float64, 1000*(1+dim))
	for range 2 {
		for i := range points {
			points[i] = float64(i)
		}
		x.Evaluate(out, points)
	}
	if err := s.Err(); err != nil {
		if !math.IsNaN(out[0]) {
			t.Errorf("%s: the answer of a program that failed is %g, want NaN", how, out[0])
		}
		return err.Error()
	}
	if out[4] != -2 || out[5] != -3 {
		t.Errorf("%s: the score at (2, 3) is (%g, %g)", how, out[4], out[5])
	}
	return s.Remark
}

// left are the processes of test programs that still run.
func left() []string {
	out, _ := exec.Command("pgrep", "-f", os.Args[0]+" behave").Output()
	return strings.Fields(string(out))
}

// gone fails the test if a process is left behind.
func gone(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); len(left()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("processes are left behind: %v", left())
		}
	}
}

// TestMisbehaviour: each wrong program is told by one sentence, and none leaves a process behind.
func TestMisbehaviour(t *testing.T) {
	if testing.Short() {
		t.Skip("waits some seconds for programs that hang")
	}
	sleepers, _ := exec.Command("pgrep", "-fc", "sleep 1000").Output()
	for _, how := range slices.Sorted(maps.Keys(misbehaviours)) {
		want, limit := misbehaviours[how], 20*time.Second
		if strings.HasPrefix(want, "was killed while") {
			limit = 300 * time.Millisecond
		}
		said := ask(t, how, limit)
		want, early := strings.CutPrefix(want, "!")
		if !strings.Contains(said, want) || strings.HasPrefix(said, "!") != early {
			t.Errorf("%s: %s\nwant: %s", how, said, want)
		}
		if strings.Contains(said, "\n") || len(said) > 1200 {
			t.Errorf("%s is not told in one sentence: %s", how, said)
		}
	}
	for _, how := range strings.Fields("well ignores-end child-holds-on shouts ends-child") {
		if said := ask(t, how, 20*time.Second); said != "" {
			t.Errorf("%s: %s", how, said)
		}
	}
	gone(t)
	if now, _ := exec.Command("pgrep", "-fc", "sleep 1000").Output(); string(now) != string(sleepers) {
		t.Error("a child is left behind")
	}
}

// wrongSamplers are what samplers do wrong and what is said of it.
var wrongSamplers = map[string]string{
	"well":            "",
	"dies":            "ended (exit status 1) when its sample at iteration 30 was due; it said last: ZeroDivisionError",
	"hangs":           "was killed while its sample at iteration 30 was awaited",
	"asks-beyond":     "asked for 5 gradients and had 4 left until its sample at iteration 30, which comes first",
	"asks-nothing":    "sent an array of shape [0 2] as points of a question: want 1 to",
	"wrong-sample":    "sent an array of shape [3 2] as its sample: want 4 rows of 2 values",
	"out-of-order":    `"iteration":60,"array":true}, where a question or {"tell": "sample", "iteration": 30,`,
	"no-sample":       "ended (exit status 0) when its sample at iteration 60 was due",
	"past-the-budget": "went on asking for gradients after {\"end\": \"gradients\"}",
	"ends-early":      "asked for 20 of its 240 gradients",
}

// sampled runs a trial of a sampler on N(0, I) until an iteration, or until it fails.
func sampled(ctx context.Context, p *Program, until int) *Session {
	normal := target.NewFunc(dim, func(x []float64) float64 { return -(x[0]*x[0] + x[1]*x[1]) / 2 },
		func(dst, x []float64) { dst[0], dst[1] = -x[0], -x[1] })
	s, mover := Begin(ctx), &Sampler{program: p}
	mover.Bind(s, Job{Iterations: iterations, Checkpoints: []int{halfway, iterations}})
	flow := &sifg.Flow{Field: sifg.Still{}, Mover: mover}
	c, err := flow.Start(normal, particles, 1, func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) })
	for err == nil && s.Err() == nil && c.Iter < until {
		_, err = flow.Step(c)
	}
	return s
}

// TestWrongSamplers: each wrong sampler is told by one sentence, and none leaves a process behind.
func TestWrongSamplers(t *testing.T) {
	for how, want := range wrongSamplers {
		limit := 20 * time.Second
		if how == "hangs" {
			limit = time.Second
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		s := sampled(ctx, started(t, command("sampler-"+how)), iterations)
		said := s.Remark
		if s.Err() != nil {
			said = s.Err().Error()
		}
		s.End()
		cancel()
		if !strings.Contains(said, want) || (said == "") != (want == "") || strings.Contains(said, "\n") {
			t.Errorf("%s: %s\nwant: %s", how, said, want)
		}
	}
}

// TestWrongSettings: defaults that no sampler can have are refused as the first line's.
func TestWrongSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`{"step": -1}`: "the settings of its first line: Step: must be at least",
		`{"STEP": 1}`:  `the settings of its first line: Uses has "STEP"`,
		`{"stp": 1}`:   `the settings of its first line: json: unknown field "stp"`,
	} {
		info := &SamplerInfo{Settings: json.RawMessage(settings)}
		err := Register("wrong", &Program{First: First{Sampler: info}})
		if err == nil || !strings.HasPrefix(err.Error(), "--sampler wrong: "+want) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

// TestPool: one process serves one trial after another, and two at once have two.
func TestPool(t *testing.T) {
	p := started(t, command("well"))
	processes := func(sessions int) (out []int) {
		var open []*Session
		for range sessions {
			s := Begin(context.Background())
			x := p.Target(s)
			x.Evaluate(make([]float64, 3), make([]float64, 2))
			out = append(out, s.held[0].cmd.Process.Pid)
			open = append(open, s)
		}
		for _, s := range open {
			s.End()
		}
		slices.Sort(out)
		return out
	}
	one, two, again := processes(1), processes(2), processes(2)
	if !slices.Contains(two, one[0]) || two[0] == two[1] || !slices.Equal(two, again) {
		t.Errorf("processes %v, %v, %v", one, two, again)
	}
}

// TestFind: only what the command was given is found; what a program says that it hangs on makes another.
func TestFind(t *testing.T) {
	p := started(t, command("well"))
	unknown := "is not among those that this command was given"
	if _, err := Find(&Identity{Command: p.Command}); err == nil || !strings.Contains(err.Error(), unknown) {
		t.Errorf("a program that nobody named: %v", err)
	}
	if found, err := Find(&p.Identity); found != p || p.Version != "test 1" {
		t.Errorf("%v, %v", found, err)
	}
	if started(t, command("depends")).Digest == p.Digest {
		t.Error("what a program says that it hangs on is not in its digest")
	}
}

// TestSplit: a command is split as a shell splits it.
func TestSplit(t *testing.T) {
	for command, want := range map[string][]string{
		"python model.py":              {"python", "model.py"},
		" a\t b\n":                     {"a", "b"},
		`python 'my models/normal.py'`: {"python", "my models/normal.py"},
		`python my\ models/"x y".py`:   {"python", "my models/x y.py"},
		`"a \"b\" \$c \d" ''`:          {`a "b" $c \d`, ""},
		`'it'\''s' $HOME; # |`:         {"it's", "$HOME;", "#", "|"},
	} {
		got, err := split(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", command, got, err, want)
		}
		id := Identity{Command: got}
		if again, err := split(id.String()); err != nil || !slices.Equal(again, want) {
			t.Errorf("%s is shown as %s", command, &id)
		}
	}
	for _, command := range []string{`python "model.py`, `it's`, `a\`} {
		if _, err := Start(context.Background(), "", command); err == nil || !strings.Contains(err.Error(),
			"a quote is not closed") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestNames: what a program calls things can neither control a terminal nor be taken for a formula or another line.
func TestNames(t *testing.T) {
	f, err := first([]byte(`{"sifg": 1, "version": "\u001b]0;x\u0007", "target": {"dim": 3,
		"names": ["=cmd|' /C calc'!A0", "\u001b[31mred\n", "β_1"], "values": ["@SUM(1)"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Concat([]string{f.Version}, f.Target.Names, f.Target.Values)
	want := []string{`\x1b]0;x\a`, "cmd|' /C calc'!A0", `\x1b[31mred\n`, "β_1", "SUM(1)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f, err = first([]byte(`{"sifg": 1, "sampler": {"title": "=A\u001b"}}`))
	if err != nil || f.Sampler.Title != `A\x1b` {
		t.Errorf("%+v, %v", f.Sampler, err)
	}
}
