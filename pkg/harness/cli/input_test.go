package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		if _, err := os.Stat("/dev/shm"); err == nil {
			os.Setenv("TMPDIR", "/dev/shm") // a file system in memory, where syncs cost nothing
		}
		os.Exit(m.Run())
	}
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr, toy().Experiment)) // a process of the command
}

// badInput are command lines and what is said of them.
var badInput = []struct {
	line  string
	words []string
}{
	{"rnu", []string{"rnu", `"run"`}},
	{"run --protcol paper", []string{"--protcol", `"--protocol"`}},
	{"run --protocol paper,paper", []string{"paper", "twice"}},
	{"run --scale quik", []string{"quik", `"quick"`}},
	{"run --seeds 1,x", []string{`--seeds: the seeds "1,x"`, "whole numbers"}},
	{"run --name a/b", []string{"--name a/b", "letters"}},
	{"run --name a --results b", []string{"--name a", "--results b", "leave one out"}},
	{"run --name=", []string{"--name", "empty"}},
	{"run --jobs 0", []string{"--jobs", "0"}},
	{"run -j many", []string{"--jobs=many", "whole number"}},
	{"run --timeout 5", []string{"--timeout=5", "90s"}},
	{"run --verbose --quiet", []string{"--verbose", "--quiet"}},
	{"run --set methods.svgd.stepp=1", []string{"stepp", `"step"`, "--set"}},
	{"run --set step=1e30", []string{"step", "at most", "1e+30"}},
	{"run --config bad.yaml", []string{"bad.yaml", "particels", `"particles"`}},
	{"run --results file", []string{"file"}},
	{"run --results mixed", []string{"mixed", "grid in it is a file"}},
	{"report --check --results mixed", []string{"mixed/grid", "not a directory"}},
	{"run --results=~/x", []string{"--results=~/x", `--results "$HOME/x"`}},
	{"grid", []string{"grid takes one experiment, got none"}},
	{"grid toy", []string{"--grid", "--axis"}},
	{"grid toy --grid pipe", []string{"pipe"}},
	{"grid toy --axis step=0.1", []string{"--select", "first"}},
	{"grid toy --grid grid.yaml --dry-run", []string{"grid.yaml", "stpe", `"step"`}},
	{"grid toy --grid grid.yaml --protocol paper,released", []string{"one protocol", "paper,released"}},
	{"list --settings svdg", []string{"--settings", `did you mean "svgd"`}},
	{"help vrify", []string{`unknown command "vrify": did you mean "verify"?`}},
	{"list it", []string{"list takes no arguments, or runs, or the folder of a paper"}},
	{"run toy --data file", []string{"toy does not take --data"}},
	{"data fetch bostn", []string{"bostn", `"boston"`}},
	{"data list --datasets none.yaml", []string{"--datasets", "none.yaml"}},
	{"run --target y", []string{"--target", "--data FILE"}},
	{"run --parse drop=a", []string{"--parse", "--data FILE"}},
	{"run --parse dorp=a", []string{"dorp", `"drop"`}},
	{"grid all --axis step=[1]", []string{`unknown experiment "all"`, "valid are toy"}},
	{"verify --recompute -1", []string{"--recompute=-1: want a whole number, zero or more"}},
}

// TestBadInput: what is wrong with a command line is said in one sentence that names it and what would be right;
// nothing is computed.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	put(t, "file", "")
	put(t, "mixed/grid", "")
	put(t, "mixed/sifg-results.txt", "")
	put(t, "bad.yaml", "problems: {small: {particels: 3}}")
	put(t, "grid.yaml", "select: min first[0]\nproduct: {stpe: [1]}\n")
	must(0, syscall.Mkfifo("pipe", 0o666))
	for _, c := range badInput {
		x.want(t, c.line, 2, c.words...)
	}
	if x.Calls.Load() != 0 {
		t.Error("something ran")
	}
}

// TestLists: what only looks says what it should and writes nothing.
func TestLists(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	for line, words := range map[string][]string{
		"list":                     {"toy", "small", "svgd", "paper, released", "gmm-2d"},
		"list --metrics":           {"first", "nats", "A number."},
		"list --settings ada-sifg": {"sigma_rule", "default kl-w", "how σ adapts", "default off"},
		"plan":                     {"released", "svgd", "9 trials: 0 already there, 9 to compute"},
		"plan --scale smoke":       {"3 trials"},
		"data list":                {"boston", "protein"},
		"--help":                   {"Run and report:", "verify"},
		"run --help":               {"--timeout", "--protocol"},
		"--version":                {"sifg ", "go1.", "kernels ", "cores"},
		"completion bash":          {"sifg"},
		"__complete comp":          {"compare"},
	} {
		if len(words) > 0 {
			x.want(t, line, 0, words...)
		}
	}
	x.want(t, "claims", 75, "no report in results")
	x.want(t, "compare --against none", 75, "no report in results")
	x.want(t, "report --store none", 75, "9 of 9 trials are missing")
	if _, err := os.Stat("results"); err == nil {
		t.Error("report makes a folder where there is nothing to report")
	}
	x.want(t, "report --set step=0.02 --store none", 75, "9 of 9 trials are missing")
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullOutput: a command whose output did not arrive has failed.
func TestFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"plan", "list", "--help", "completion bash", "run --scale smoke"} {
		var said bytes.Buffer
		if code := Main(strings.Fields(line), full{}, &said, toy().Experiment); code != exitInternal ||
			!strings.Contains(said.String(), "stdout") {
			t.Errorf("%s: exit code %d: %s", line, code, said.String())
		}
	}
}

// TestCrashes: what the program does wrong never looks like a mistake of usage, even where nothing can be recovered.
func TestCrashes(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "plan --set problems.small.options.fault=planning", 1, "internal error: oh")
	var out bytes.Buffer
	if code := Main([]string{"plan"}, &out, &out, x.Experiment, x.Experiment); code != 1 ||
		!strings.Contains(out.String(), "experiment toy is there twice") {
		t.Errorf("two of one name: exit code %d: %s", code, out.String())
	}
	cmd := exec.Command(os.Args[0], "run", "--set", "problems.small.options.fault=crash")
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != -1 ||
		!strings.Contains(string(said), "nobody recovers this") {
		t.Errorf("a crash ends with exit code %d, want a signal", code)
	}
	x.want(t, "run --methods svgd --scale smoke --set particles=10000000", 3, "memory", "10000000 particles")
}
