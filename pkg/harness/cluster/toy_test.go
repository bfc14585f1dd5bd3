package cluster_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// asProgram is the variable that makes the test binary the command with the toy experiment. Its value is the experiment's version.
const asProgram = "CLUSTER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if version := os.Getenv(asProgram); version != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, toy(version)))
	}
	os.Exit(m.Run())
}

// normal is N(0, I) in two dimensions; an evaluation takes a pause.
type normal struct{ pause time.Duration }

func (normal) Dim() int { return 2 }

func (t normal) Score(dst, x sifg.Batch, iter int) {
	time.Sleep(t.pause)
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

// toy is an experiment of 24 trials.
func toy(version string) *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Version: version, Settings: []byte(`
base:
  seeds: [1, 2, 3]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
    kde-flow: {step: 0.05}
  problems:
    small: {particles: 6, iterations: 8, judge: {every: 4}}
    large: {particles: 60, iterations: 8, judge: {every: 4}}
protocols: {released: {}, matched: {problems: {small: {data: mine}}}}
`),
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Pause float64 `mapstructure:"pause"` // seconds
			}
			if err := settings.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			return &harness.Problem{
				Target: normal{time.Duration(o.Pause * float64(time.Second))},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					put("first", 0, float64(sample.Data[0]))
				},
			}, nil
		},
	}
}

// slow makes each trial take more than a second, in which it computes next to nothing.
var slow = []string{"--set", "problems.*.options.pause=0.15"}

// place is a folder in which commands are given.
type place struct {
	t   *testing.T
	dir string
	env []string
}

func at(t *testing.T, env []string) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for os.RemoveAll(dir) != nil { // jobs may write for a moment
			time.Sleep(50 * time.Millisecond)
		}
	})
	return &place{t, dir, append(env, asProgram+"=1")}
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

// want gives a command that has to end with this exit code and to say these words; it returns what it printed.
func (p *place) want(code int, words []string, args ...string) string {
	p.t.Helper()
	var out, said bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("sifg %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &said)
	}
	for _, w := range words {
		if !strings.Contains(out.String()+said.String(), w) {
			p.t.Errorf("sifg %s does not say %q:\n%s%s", strings.Join(args, " "), w, &out, &said)
		}
	}
	return out.String()
}

// shell runs a script in the place, with variables set.
func (p *place) shell(code int, words, script string, variables ...string) {
	p.t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = p.dir, append(p.env, variables...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() != code || !strings.Contains(string(out), words) {
		p.t.Errorf("%s: %v, want exit code %d and %q\n%s", script, err, code, words, out)
	}
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

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
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

// sameAsLocal compares the traces with those of a run on this machine that nothing disturbed.
func (p *place) sameAsLocal(args ...string) {
	p.t.Helper()
	p.want(0, []string{"24 trials: 24 already there, 0 computed"},
		append([]string{"run", "--results", "here", "--store", "results/store"}, args...)...)
	local := at(p.t, os.Environ())
	local.want(0, nil, append([]string{"run", "--results", "here", "--jobs", "24"}, args...)...)
	if p.read("here/toy/trace.parquet") != local.read("here/toy/trace.parquet") {
		p.t.Error("the traces are not those of a local run")
	}
}
