package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// shell freezes a plan and returns the commands of its shards.
func (p *place) shell(shards string, more ...string) []string {
	p.t.Helper()
	out := p.want(0, nil, append(append([]string{"submit", "shell", "toy", "--shards", shards}, smoke[1:]...), more...)...)
	return strings.Split(strings.TrimSpace(out), "\n")
}

// run runs a command line as a shell does, with variables set.
func (p *place) run(line string, variables ...string) (code int, said string) {
	p.t.Helper()
	words := strings.Fields(line)
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	if words[0] != p.file("results/cluster/*/sifg-*") || self == words[0] {
		p.t.Fatalf("%s is not the program beside the plan", words[0])
	}
	cmd := p.command(words[1:]...)
	cmd.Path, cmd.Env = words[0], append(p.env, variables...)
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// The shards of a plan, in any order and by whatever means they get their number, make what a local run makes.
func TestShards(t *testing.T) {
	p := at(t, os.Environ())
	lines := p.shell("3")
	if len(lines) != 3 {
		t.Fatalf("%d commands", len(lines))
	}
	for i, variable := range []string{"", "SLURM_ARRAY_TASK_ID=1", "JOB_COMPLETION_INDEX=2"} {
		line := lines[i]
		if variable != "" {
			line = strings.Replace(line, "--shard "+string(rune('0'+i))+"/3", "--shard auto/3", 1)
		}
		if code, said := p.run(line, variable); code != 0 || !strings.Contains(said, "8 trials, 8 computed") {
			t.Errorf("shard %d: exit code %d\n%s", i, code, said)
		}
	}
	if code, said := p.run(lines[1]); code != 0 || !strings.Contains(said, "8 trials, 0 computed") {
		t.Errorf("the same shard again: exit code %d\n%s", code, said)
	}
	p.want(0, nil, append([]string{"report"}, smoke...)...)
	p.sameAsLocal("results/smoke", 4, smoke[1:]...)
	p.want(0, []string{"all there, nothing to submit"}, append([]string{"submit", "shell"}, smoke...)...)

	work := strings.Split(strings.SplitN(lines[0], " ", 2)[1], " --shard")[0]
	for shard, words := range map[string]string{"3/3": "no shard 3 of 3", "-1/3": "no shard -1", "1": "number of shards is missing", "x/3": "no number",
		"1/0": "number of shards is missing", "0/9223372036854775807": "at most 16777216 shards", "auto/3": "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"} {
		p.want(2, []string{words}, append(strings.Fields(work), "--shard", shard)...)
	}
	p.want(2, []string{"one of --shard and --prepare"}, strings.Fields(work)...)
	p.want(0, nil, append(strings.Fields(work), "--prepare")...)
}

// What is not what was frozen is refused, and the refusal says what to do.
func TestRefusals(t *testing.T) {
	p := at(t, os.Environ())
	line := p.shell("1")[0]
	words := strings.Fields(line)[1:]
	plan := p.file("results/cluster/*/plan-*.jsonl")
	frozen, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) {
		t.Helper()
		b := strings.Replace(string(frozen), old, new, 1)
		if b == string(frozen) {
			t.Fatalf("the plan has no %q", old)
		}
		// Under the name of its own digest, so that the edit is not found by that.
		path := cluster.PlanPath(t.TempDir(), []byte(b))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
		words[2] = path
	}
	edit(`"step":0.1`, `"step":0.2`)
	p.want(2, []string{"its key was", "program or its data"}, words...)
	edit(`"seeds":[1,2,3]`, `"seeds":[1,2,4]`)
	p.want(2, []string{"its key was"}, words...)
	edit(`"toy","protocol"`, `"other","protocol"`)
	p.want(2, []string{"no experiment of this name"}, words...)
	edit(`"trials":24`, `"trials":25`)
	p.want(2, []string{"has 24 trials, its first line says 25"}, words...)
	edit(`"report":`, `"data":{"boston":"00"},"report":`)
	p.want(2, []string{"data set boston is not the one of the plan", "want 00"}, words...)
	edit(`"version":1`, `"version":2`)
	p.want(2, []string{"version 2", "the program beside it"}, words...)
	edit(`"binary":"`, `"binary":"0000`)
	p.want(2, []string{"was made by a program with SHA-256 0000", "submit anew"}, words...)
	if p.trials() != 0 {
		t.Errorf("%d trials were computed of plans that were refused", p.trials())
	}
	if err := os.WriteFile(plan, []byte(strings.Replace(string(frozen), `"step":0.1`, `"step":0.3`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	words[2] = plan
	p.want(2, []string{"is not the plan that was frozen"}, words...)
	words[2] = filepath.Join(p.dir, "nowhere")
	p.want(2, []string{"cannot be read"}, words...)
	if err := os.WriteFile(plan, frozen, 0o644); err != nil {
		t.Fatal(err)
	}
	words[2] = filepath.Dir(plan)
	p.want(0, []string{"24 computed"}, words...)
}

// Each signal ends a worker with exit code 75 and whole trials behind it, and the same command goes on from there: USR1
// lets the trials that run finish, TERM does not.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		stop   string
	}{{syscall.SIGUSR1, "time limit"}, {syscall.SIGTERM, "terminated"}} {
		t.Run(c.stop, func(t *testing.T) {
			p := at(t, os.Environ())
			words := strings.Fields(p.shell("1", "--set", "problems.*.options.pause=0.05")[0]) // 24 trials of 0.4 s: 4.8 s with two at once
			cmd := p.command(append(words[1:], "--jobs", "2")...)
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); p.trials() < 3 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if cmd.Wait(); cmd.ProcessState.ExitCode() != 75 || !strings.Contains(said.String(), c.stop) {
				t.Fatalf("%v\n%s", cmd.ProcessState, said.String())
			}
			a := p.attempts()
			if n := p.trials(); n < 3 || n == 24 || len(a) != 1 || a[0].Computed != n || a[0].Stop != c.stop {
				t.Errorf("%d trials are there, the worker says %+v", n, a)
			}
			if left, _ := filepath.Glob(filepath.Join(p.dir, "results/store/.tmp/*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if code, said := p.run(strings.Join(words, " ") + " --jobs 24"); code != 0 {
				t.Errorf("again: exit code %d\n%s", code, said)
			}
			p.want(0, []string{"all files are what was written"}, "verify")
		})
	}
}

// Two workers at the same shard at once, as after a requeue whose first copy lives on, are harmless.
func TestTwice(t *testing.T) {
	p := at(t, os.Environ())
	words := strings.Fields(p.shell("1", "--set", "problems.*.options.pause=0.002")[0])
	one, two := p.command(words[1:]...), p.command(words[1:]...)
	for _, err := range []error{one.Start(), two.Start(), one.Wait(), two.Wait()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if p.trials() != 24 || len(p.attempts()) != 2 {
		t.Errorf("%d trials, %d attempts", p.trials(), len(p.attempts()))
	}
	set := append([]string{"--set", "problems.*.options.pause=0.002"}, smoke[1:]...)
	p.want(0, nil, append([]string{"report", "toy"}, set...)...)
	p.sameAsLocal("results/custom", 4, set...)
}

// Stores that machines filled apart are merged into what one would have filled; what is damaged is left out, and what
// differs is named and left as it is.
func TestMerge(t *testing.T) {
	p := at(t, os.Environ())
	for i, line := range p.shell("2") {
		other := []string{"a", "b"}[i]
		if code, said := p.run(strings.Replace(line, "results/store", other+"/store", 1)); code != 0 {
			t.Fatal(said)
		}
	}
	p.want(0, []string{"a/store: 12 trials copied, 0 there already", "b/store: 12 trials copied"}, "merge", "a", "b/store")
	p.want(0, []string{"a/store: 0 trials copied, 12 there already"}, "merge", "a")
	p.want(0, nil, append([]string{"report"}, smoke...)...)
	p.sameAsLocal("results/smoke", 4, smoke[1:]...)
	p.want(2, []string{"needs the folders"}, "merge")
	p.want(2, []string{"nowhere"}, "merge", "nowhere")

	// Of one trial of a the result becomes another, of one a file is damaged, of one the attempt had failed.
	entries, _, err := openAt(t, p.dir, "a").List("toy")
	if err != nil {
		t.Fatal(err)
	}
	a, err := store.Open(filepath.Join(p.dir, "a/store"))
	if err != nil {
		t.Fatal(err)
	}
	again := func(e *store.Entry, status string, value float64) {
		t.Helper()
		if err := os.RemoveAll(e.Dir); err != nil {
			t.Fatal(err)
		}
		w, err := a.Begin("toy", e.Meta.Trial.Key)
		if err != nil {
			t.Fatal(err)
		}
		rows, m := []record.Trace{{Iteration: 8, Metric: "first", Value: value}}, e.Meta
		m.Trial.Status = status
		if err := w.WriteTrace(rows); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(m); err != nil {
			t.Fatal(err)
		}
	}
	again(entries[0], record.StatusOK, 17)
	again(entries[2], record.StatusFailed, 0)
	if err := os.Truncate(filepath.Join(entries[1].Dir, "trace.parquet"), 10); err != nil {
		t.Fatal(err)
	}
	key := func(i int) string { return entries[i].Meta.Trial.Key }
	out := p.want(5, []string{"1 trial with other results", key(0), "another", key(1), "10 bytes, want", "0 trials copied, 10 there already"}, "merge", "a")
	if strings.Contains(out, key(2)) {
		t.Errorf("an attempt that failed is named: %s", out)
	}
	p.want(0, []string{"all files are what was written"}, "verify")
	// The other way round the failed one is replaced, and the damaged one of the store that is merged into is named.
	p.want(5, []string{key(0), key(1), "13 trials copied, 9 there already"}, "merge", "results", "--store", "a/store", "--results", "elsewhere")
}

func openAt(t *testing.T, elem ...string) *store.Store {
	t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(append(elem, "store")...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
