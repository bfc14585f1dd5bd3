package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	long(t, "runs four programs that are wrong")
	for how, c := range map[string]struct {
		code  int
		wants []string
	}{
		"halved": {3, []string{"the gradient is not that of the log density: coordinate x[2] of"}},
		"huge":   {3, []string{"needs more memory than there is", "GiB"}},
		"noise":  {0, []string{"not reproducible: the program", "differently"}},
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

// TestEditedProgram: a program that is edited while it runs makes no result under the key of the file that was planned,
// in trials and in references.
func TestEditedProgram(t *testing.T) {
	long(t, "runs programs of Python")
	run := hostile(t)
	original := must(os.ReadFile("target.py"))
	args := onProgram("edited", "--jobs", "2")
	code, said := run(args...)
	if !bytes.Contains(must(os.ReadFile("target.py")), []byte("SCALE = 100.0")) {
		t.Fatalf("the program did not edit itself: %s", said)
	}
	// A trial fails whose process starts after the edit. Whether one does hangs on how fast the others are.
	if told := strings.Contains(said, "changed since the run began"); code != 3 && code != 0 || told != (code == 3) {
		t.Errorf("exit code %d: %s", code, said)
	}
	must(0, os.WriteFile("target.py", original, 0o666))
	if code, said := run(args...); code != 0 {
		t.Errorf("with the old file: exit code %d: %s", code, said)
	}
	verify := []string{"verify", "posteriors", "--recompute", "3", "--results", "R", "--program", args[3]}
	if code, said := run(verify...); code != 0 || !strings.Contains(said, "3 trials recomputed: bit for bit the same") {
		t.Errorf("what was computed is not of the old file: exit code %d: %s", code, said)
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

// TestHostileNames: names of a program neither control a terminal nor become formulas or rows of a table.
func TestHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all that a program is asked: two seconds")
	}
	run := hostile(t)
	if code, said := run(onProgram("names", "--seeds", "1")...); code != 0 {
		t.Fatal(said)
	}
	bad := regexp.MustCompile(`\x1b|=cmd|(?m)^\| forged`)
	const here = "posteriors/tuned/"
	for _, pattern := range []string{"index.html", here + "*.*", here + "draws/*/names.json"} {
		for _, file := range must(filepath.Glob("R/" + pattern)) {
			if at := bad.Find(must(os.ReadFile(file))); at != nil {
				t.Errorf("%s has %q", file, at)
			}
		}
	}
	if text := string(must(os.ReadFile("R/posteriors/tuned/values.csv"))); !strings.Contains(text, "cmd|") {
		t.Errorf("the names are not in the table: %s", text)
	}
}
