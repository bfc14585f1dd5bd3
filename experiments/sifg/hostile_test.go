package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// hostile puts testdata/target.py where the test works. It returns what runs the command there.
func hostile(t *testing.T) func(args ...string) (code int, said string) {
	t.Helper()
	if out, err := exec.Command("python3", "--version").CombinedOutput(); err != nil {
		t.Skipf("no Python: %s", out)
	}
	script := must(os.ReadFile("testdata/target.py"))
	t.Chdir(t.TempDir())
	must(0, os.WriteFile("target.py", script, 0o666))
	return func(args ...string) (int, string) {
		var out bytes.Buffer
		code := cli.Main(args, &out, &out, experiments...)
		return code, out.String()
	}
}

func onProgram(how string, more ...string) []string {
	program := "python3 target.py " + how
	return append([]string{"run", "posteriors", "--program", program, "--scale", "smoke", "--methods", "sifg,svgd",
		"--results", "R"}, more...)
}

// TestHostilePrograms: what a program does wrong is said in a sentence, and makes no result.
func TestHostilePrograms(t *testing.T) {
	long(t, "runs two programs that are wrong")
	for how, c := range map[string]struct {
		code  int
		wants []string
	}{
		"halved": {3, []string{"the gradient is not that of the log density: coordinate x[2] of"}},
		"stdin":  {3, []string{"must pass on stdin and stdout: conda run --no-capture-output"}},
	} {
		t.Run(how, func(t *testing.T) {
			run := hostile(t)
			code, said := run(onProgram(how, "--seeds", "1")...)
			for _, want := range c.wants {
				if code != c.code || !strings.Contains(said, want) {
					t.Errorf("exit code %d, want %d, and %q: %s", code, c.code, want, said)
				}
			}
			rows := must(filepath.Glob("R/store/posteriors/*/*/trial.json"))
			if len(rows) < 2 {
				t.Errorf("%d trials have rows, want both", len(rows))
			}
		})
	}
}

// TestRecomputeProgram: trials of a program are computed again where verify is given it, to the same tables. Else they
// are named as not computed, not as different.
func TestRecomputeProgram(t *testing.T) {
	long(t, "runs programs of Python")
	run := hostile(t)
	if code, said := run(onProgram("well", "--seeds", "1")...); code != 0 {
		t.Fatal(said)
	}
	if code, said := run(onProgram("well", "--seeds", "1", "--results", "Q")...); code != 0 {
		t.Fatal(said)
	}
	const tables = "/posteriors/tuned/"
	for _, path := range must(filepath.Glob("R" + tables + "*.csv")) {
		if !bytes.Equal(must(os.ReadFile(path)), must(os.ReadFile("Q"+tables+filepath.Base(path)))) {
			t.Errorf("%s is another in another run", path)
		}
	}
	verify := []string{"verify", "posteriors", "--recompute", "2", "--results", "R"}
	if code, said := run(verify...); code != 75 || !strings.Contains(said, "2 of 2 trials could not be computed here") {
		t.Errorf("without the program: exit code %d: %s", code, said)
	}
	if code, said := run(append(verify, "--program", "python3 target.py well")...); code != 0 ||
		!strings.Contains(said, "2 trials recomputed: bit for bit the same") {
		t.Errorf("with the program: exit code %d: %s", code, said)
	}
}
