package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/cluster/slurmtest"
	"github.com/semi-implicit/sifg/pkg/harness/internal/scratch"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// asProgram is the variable that makes the test binary the command with the toy experiment; so does a name such as
// plans give to the copies of their program.
const asProgram = "CLUSTER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || strings.HasPrefix(filepath.Base(os.Args[0]), "sifg-") {
		os.Setenv(asProgram, "1") // for the processes that it starts
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, toy(), sharing()))
	}
	os.Exit(m.Run())
}

// normal is N(0, I) in two dimensions, slow or faulty where an option says so.
type normal struct {
	pause time.Duration
	fault string
	seed  uint64
}

func (normal) Dim() int { return 2 }

func (t normal) Score(dst, x sifg.Batch, iter int) {
	time.Sleep(t.pause)
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	switch {
	case t.fault == "nan" && t.seed == 1:
		dst.Data[0] = float32(math.NaN())
	case t.fault == "panic" && t.seed == 1:
		panic("the target gave up")
	}
}

func toy() *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Config: []byte(`
base:
  seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
    kde-flow: {step: 0.05}
  problems:
    small: {particles: 6, iterations: 8, judge: {every: 4}}
    large: {particles: 60, iterations: 8, judge: {every: 4}}
protocols:
  paper:
  released:
  matched:
scales:
  smoke: {seeds: [1, 2, 3]}
`),
		Setup: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Pause float64 `mapstructure:"pause"` // seconds an evaluation
				Fault string  `mapstructure:"fault"`
			}
			if err := harness.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			return &harness.Problem{
				Target: normal{time.Duration(o.Pause * float64(time.Second)), o.Fault, t.Seed},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i, v := range sample.Data[:2] {
						put("first", i, float64(v))
					}
				},
			}, nil
		},
	}
}

// sharing is toy with trials that share a file, which is made before them and must not be made twice.
func sharing() *harness.Experiment {
	e := toy()
	e.Name, e.Title = "sharing", "Sharing"
	setup, file := e.Setup, "shared.txt"
	e.Prepare = func(_ context.Context, trials []harness.Trial, say func(string)) error {
		path := filepath.Join(trials[0].Shared, file)
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		say(fmt.Sprintf("made for %d trials", len(trials)))
		return os.WriteFile(path, []byte("made"), 0o644)
	}
	e.Check = func(*harness.Trial) error { return nil }
	e.Setup = func(t *harness.Trial) (*harness.Problem, error) {
		if _, err := os.Stat(filepath.Join(t.Shared, file)); err != nil {
			return nil, err
		}
		return setup(t)
	}
	return e
}

// place is a folder in which commands are given.
type place struct {
	t   *testing.T
	dir string
	env []string
}

func at(t *testing.T, env []string) *place {
	t.Helper()
	return &place{t, scratch.Dir(t), append(env, asProgram+"=1")}
}

// on returns a place whose jobs run on a cluster.
func on(t *testing.T, c *slurmtest.Cluster) *place {
	t.Helper()
	return &place{t, c.Folder(t), append(c.Env(), asProgram+"=1")}
}

// command is the command as a process of its own.
func (p *place) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// sifg gives a command and returns what it printed, and what it said on stderr.
func (p *place) sifg(args ...string) (code int, out, said string) {
	p.t.Helper()
	var o, e bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// want gives a command that has to end with this exit code and to say these words.
func (p *place) want(code int, words []string, args ...string) (out string) {
	p.t.Helper()
	got, out, said := p.sifg(args...)
	if got != code {
		p.t.Fatalf("sifg %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, said)
	}
	for _, w := range words {
		if !strings.Contains(out+said, w) {
			p.t.Errorf("sifg %s does not say %q:\n%s%s", strings.Join(args, " "), w, out, said)
		}
	}
	return out
}

// status is what sifg status --plan --json prints, as far as tests need it.
type status struct {
	Plan   string
	Counts map[string]int
	Asked  string
	Jobs   []struct{ ID, Collect string }
	Shards []struct {
		Shard, Missing, Attempts, Computed int
		State, Slurm, Task, Why            string
	}
}

func (p *place) status() (s status) {
	p.t.Helper()
	_, out, said := p.sifg("status", "--plan", "", "--json")
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		p.t.Fatalf("status: %v\n%s%s", err, out, said)
	}
	return s
}

// states counts the shards by state.
func (s status) states() map[string]int {
	n := map[string]int{}
	for _, x := range s.Shards {
		n[x.State]++
	}
	return n
}

// file returns the only file that matches a pattern.
func (p *place) file(pattern string) string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, pattern))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("%d files are %s", len(found), pattern)
	}
	return found[0]
}

// read returns the text of the only file that matches a pattern.
func (p *place) read(pattern string) string {
	p.t.Helper()
	b, err := os.ReadFile(p.file(pattern))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// trials returns how many trials the store has.
func (p *place) trials() int {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.dir, "results/store/*/*/trial.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(found)
}

// merged returns the bytes of the merged records, those that depend on the clock left out.
func (p *place) merged(results string) map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(p.dir, results), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "store" {
			if d != nil && d.IsDir() && d.Name() == "store" {
				return fs.SkipDir
			}
			return err
		}
		if strings.HasSuffix(path, ".parquet") && d.Name() != "timings.parquet" {
			b, err := os.ReadFile(path)
			rel, _ := filepath.Rel(filepath.Join(p.dir, results), path)
			out[rel] = string(b)
			return err
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// sameAsLocal compares the merged records with those of a run on this machine that nothing disturbed.
func (p *place) sameAsLocal(results string, files int, args ...string) {
	p.t.Helper()
	local := at(p.t, os.Environ())
	local.want(0, nil, append([]string{"run", "toy", "--results", "results", "--jobs", "24"}, args...)...)
	want, got := local.merged("results"), p.merged(results)
	if len(want) != files || len(got) != files {
		p.t.Errorf("%d and %d merged files, want %d", len(want), len(got), files)
	}
	for name := range want {
		if got[name] != want[name] {
			p.t.Errorf("%s is not the one of a local run", name)
		}
	}
	p.want(0, []string{"all files are what was written"}, "verify")
}

// sum of the counts of all statuses: the trials of the plan.
func (s status) String() string {
	return fmt.Sprintf("plan %s: trials %v, shards %v, asked %q: %+v", s.Plan, s.Counts, s.states(), s.Asked, s.Shards)
}
