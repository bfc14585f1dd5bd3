package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

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
	x.want(t, "run", 2, "SIFG_JOBS: --jobs=many: want a whole number")
	t.Setenv("SIFG_JOBS", "")
	x.want(t, "run --seeds 1 --set step=0.1", 0, "2 computed", "results/custom/smoke_")
	for text, words := range map[string]string{
		"jobbs: 3\n":            `unknown key "jobbs" in sifg.yaml: did you mean "jobs"?`,
		"set: {step: 0.1}\n":    `unknown key "set.step" in sifg.yaml`,
		"help: true\n":          `unknown key "help" in sifg.yaml`,
		"jobs: 010\n":           "sifg.yaml: line 1: 010 begins with 0: write 10",
		"timeout: 5\n":          "sifg.yaml: --timeout=5: want a time with its unit",
		"jobs: [1, 2\n":         "sifg.yaml: ",
		"datasets-mirror: no\n": `"no", which is no folder`,
	} {
		put(t, "sifg.yaml", text)
		t.Setenv("SIFG_DATASETS_MIRROR", "") // which this test may run with
		x.want(t, "run", 2, words)
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
		x.want(t, c+" --help", 0, "--verbose", "--datasets")
	}
}
