package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
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
	{"rnu", []string{"rnu", "run"}},
	{"run --protcol paper", []string{"--protcol"}},
	{"run --protocol paper,paper", []string{"paper", "twice"}},
	{"run --scale quik", []string{"quik", `"quick"`}},
	{"run --seeds=", []string{"--seeds"}},
	{"run --seeds 1,x", []string{`--seeds: the seeds "x"`, "whole numbers"}},
	{"run --set seeds=[1,-2]", []string{"--set seeds=[1,-2]", `the seeds "-2"`, "whole numbers"}},
	{"run --results=", []string{"--results", "a value"}},
	{"run --shard=", []string{"--shard", "a value"}},
	{"run --results=~/x", []string{"--results=~/x", "no ~"}},
	{"verify --recompute -1", []string{"--recompute of 1 or more"}},
	{"verify --within 3s", []string{"--recompute of 1 or more"}},
	{"run --name a/b", []string{"--name a/b", "letters"}},
	{"run --name a --results b", []string{"[name results]"}},
	{"run --jobs 0", []string{"--jobs", "0"}},
	{"run -j many", []string{`"many"`, "--jobs"}},
	{"run --timeout 5", []string{`"5"`, "--timeout", "missing unit"}},
	{"run --verbose --quiet", []string{"[verbose quiet]"}},
	{"run --set methods.svgd.stepp=1", []string{"stepp", `"step"`, "--set"}},
	{"run --set step=1e30", []string{"step", "at most", "1e+30"}},
	{"run --config bad.yaml", []string{"bad.yaml", "particels", `"particles"`}},
	{"run --results file", []string{"file"}},
	{"report --check --results mixed", []string{"mixed/grid", "not a directory"}},
	{"grid", []string{"accepts 1 arg"}},
	{"grid toy", []string{"[grid axis]"}},
	{"grid toy --grid pipe", []string{"pipe"}},
	{"grid toy --axis step=0.1", []string{"select", "first"}},
	{"grid toy --axis step=0.1 --select least", []string{"select", `"least"`, "first"}},
	{"grid toy --grid grid.yaml --dry-run", []string{"grid.yaml", "stpe", `"step"`}},
	{"grid toy --grid grid.yaml --protocol paper,released", []string{"one protocol", "paper,released"}},
	{"list --settings svdg", []string{"--settings", "svgd"}},
	{"version", []string{`unknown command "version"`}},
	{"list it", []string{"list takes no arguments, or the folder of a paper"}},
	{"run toy --data table --target y", []string{"toy does not take --data"}},
	{"data fetch bostn", []string{"bostn", `"boston"`}},
	{"run --target y", []string{"--target", "--data FILE"}},
	{"run --parse drop=a", []string{"--parse", "--data FILE"}},
	{"run --parse dorp=a", []string{"dorp", `"drop"`}},
	{"grid all --axis step=[1]", []string{`unknown experiment "all"`, "valid are toy"}},
}

// TestBadInput: what is wrong with a command line is said in one sentence that names it and what would be right;
// nothing is computed.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	put(t, "file", "")
	put(t, "table", "a,y\n1,2\n3,4\n")
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
	x.want(t, "verify --store nowhere", 75, "no store in nowhere: sifg run makes one")
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
	x.want(t, "plan --set problems.small.options.fault=planning", 1, "panic: oh")
	cmd := exec.Command(os.Args[0], "run", "--set", "problems.small.options.fault=crash")
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != -1 ||
		!strings.Contains(string(said), "nobody recovers this") {
		t.Errorf("a crash ends with exit code %d, want a signal", code)
	}
}

// A flag on the command line comes before the environment, that before sifg.yaml, and that before the default.
func TestPreset(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	put(t, "sifg.yaml", "seeds: [7, 8]\nscale: smoke\ndry-run: true\n"+
		"set:\n  - step=0.3\n  - problems.small.particles=5\n")
	x.want(t, "plan --methods svgd", 0, "5          8           2", "2 trials") // dry-run is a flag of grid
	t.Setenv("SIFG_SEEDS", "1-4")
	x.want(t, "plan --methods svgd", 0, "4 trials")
	x.want(t, "plan --methods svgd --seeds 5", 0, "1 trial:")
	t.Setenv("SIFG_METHODS", "svgd,sgld")
	x.want(t, "plan --seeds 5", 0, "2 trials")
	x.want(t, "list", 0) // which has no such flags
	t.Setenv("SIFG_JOBS", "many")
	x.want(t, "run", 2, `the environment or sifg.yaml: invalid argument "many" for "-j, --jobs"`)
	t.Setenv("SIFG_JOBS", "")
	x.want(t, "run --seeds 1 --set step=0.1", 0, "2 computed", "results/custom/smoke_")
	for text, words := range map[string]string{
		"jobbs: 3\n":          `unknown key "jobbs" in sifg.yaml: did you mean "jobs"?`,
		"set: {step: 0.1}\n":  `unknown key "set.step" in sifg.yaml`,
		"timeout: 5\n":        `sifg.yaml: invalid argument "5" for "--timeout"`,
		"jobs: [1, 2\n":       "sifg.yaml: ",
		"seeds: [010]\n":      "sifg.yaml: line 1: the number 010 begins with 0",
		"jobs: 1\n---\n":      "only one document",
		"program: sh x\n":     "sifg.yaml names a program: only the command line starts one",
		"Sampler: [m=sh x]\n": "sifg.yaml names a program",
	} {
		put(t, "sifg.yaml", text)
		x.want(t, "run", 2, words)
		x.want(t, "help run", 0, "--shard i/n")
	}
	must(0, os.Remove("sifg.yaml"))
	put(t, "sifg.yaml/a", "") // a folder of this name
	x.want(t, "plan", 2, "sifg.yaml", "not a regular file")
}

// TestHelp: --help shows at most ten commands, and of a run at most 22 flags, under headings; of none it hides one.
func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	help := x.want(t, "--help", 0, "SIFG_JOBS", "sifg.yaml")
	commands := regexp.MustCompile(`(?m)^  ([a-z]+)  `).FindAllString(help, -1)
	if n := len(commands); n < 8 || n > 10 {
		t.Errorf("%d commands: %q", n, commands)
	}
	flag := regexp.MustCompile(`(?m)^  (?:-\w,|   ) --[a-z]+`)
	said := x.want(t, "run --help", 0, "--shard i/n")
	for _, h := range headings {
		if h.flags != nil && !strings.Contains(said, "\n"+h.title+"\n") {
			t.Errorf("run has no flag under %q", h.title)
		}
	}
	if n := len(flag.FindAllString(said, -1)); n < 15 || n > 22 {
		t.Errorf("%d flags: %s", n, said)
	}
	if regexp.MustCompile(`(?m)^(Global )?Flags:`).MatchString(said) {
		t.Errorf("a flag of run has no heading: %s", said)
	}
	for _, c := range []string{"grid", "plan", "report", "claims", "compare", "list", "verify", "data list"} {
		x.want(t, c+" --help", 0, "--verbose")
	}
}

// TestSentences: whatever was typed, the sentence that refuses it is one line without control characters, quotes a
// value cut to what a person reads, and names no type of the language that the program is written in.
func TestSentences(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	long := strings.Repeat("é", 50_000)
	spaced := strings.Repeat("a b\n\x1b[31m", 10_000)
	put(t, "long.yaml", long+": 5\n")
	put(t, "list.yaml", "- 1\n")
	put(t, "deep.yaml", strings.Repeat("{a: ", 500)+"1"+strings.Repeat("}", 500))
	put(t, "anchor.yaml", "seeds: &a [*a]\n")
	put(t, "keys.yaml", "problems: {small: {1: 2}}\n")
	for _, value := range []string{long, spaced, "\x00", "\u202e", "%s%d%!", strings.Repeat("x,", 20_000)} {
		for _, flag := range []string{
			"--protocol", "--problems", "--methods", "--seeds", "--set", "--config", "--scale",
			"--name", "--jobs", "--timeout", "--shard", "--threads"} {
			refused(t, x, "run", "toy", flag, value)
		}
		refused(t, x, "run", value)
		refused(t, x, value)
		refused(t, x, "run", "--"+value)
		refused(t, x, "run", "--set", "particles="+value)
		refused(t, x, "run", "--set", value+"=1")
		refused(t, x, "grid", "toy", "--axis", value)
		refused(t, x, "grid", "toy", "--axis", "step=[0.1]", "--select", value)
		refused(t, x, "compare", value)
	}
	for _, args := range [][]string{
		{"--results", long}, {"--store", long}, {"--sampler", "a=" + long}, {"--sampler", "a=sh " + long},
	} {
		refused(t, x, append([]string{"run"}, args...)...)
	}
	files, _ := filepath.Glob("*.yaml")
	for _, path := range files {
		refused(t, x, "run", "--config", path)
		refused(t, x, "grid", "toy", "--grid", path)
	}
	for _, set := range []string{"problems=5", "methods=[1]", "seeds={a: 1}", "judge=true", "step={}", "options=7",
		"particles=[[1]]", "seeds=1-1000000000000", "seeds=1-1000000"} {
		refused(t, x, "run", "--set", set)
	}
	if x.Calls.Load() != 0 {
		t.Error("something ran")
	}
}

// refused runs a command line that must be refused in a fair sentence.
func refused(t *testing.T, x *toyExperiment, args ...string) {
	t.Helper()
	code, said, text := x.call(t, args...)
	what := args[len(args)-1]
	what = what[:min(len(what), 40)]
	if code != exitUsage && code != exitStopped {
		t.Errorf("%.30q %q: exit code %d: %.300s", args, what, code, said)
	}
	if n := utf8.RuneCountInString(text); n > 2500 || strings.Count(text, "\n") != 1 {
		t.Errorf("%.30q %q: %d characters: %.200s", args, what, n, text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == '\u202e' || r == 0x7f }) {
		t.Errorf("%.30q %q: control characters: %.200q", args, what, text)
	}
	words := []string{"interface {}", "map[", "settings.", "[]string", "json:", "mapstructure", "%!", "goroutine"}
	for _, word := range words {
		if strings.Contains(text, word) && !strings.Contains(what, word) {
			t.Errorf("%.30q %q: says %q: %.300s", args, what, word, text)
		}
	}
}
