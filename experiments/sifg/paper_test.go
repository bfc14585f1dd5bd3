package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// paperSays runs a command on the folder of a paper.
func paperSays(t *testing.T, dir string, code int, want string, args ...string) {
	t.Helper()
	args = append(args[:1:1], append([]string{dir}, args[1:]...)...)
	var out bytes.Buffer
	if got := cli.Main(args, &out, &out, experiments...); got != code || !strings.Contains(out.String(), want) {
		t.Errorf("%v: exit code %d, want %d and %q: %s", args, got, code, want, &out)
	}
}

// TestOwnPaper: the folder of a paper runs from another working folder, and goes on where it is. Keys do not hang on
// where the folder is, and do on the programs in it.
func TestOwnPaper(t *testing.T) {
	long(t, "runs programs of Python")
	python(t, "json")
	root, dir := must(filepath.Abs("../../docs/templates/paper")), filepath.Join(t.TempDir(), "mypaper")
	must(0, os.CopyFS(dir, os.DirFS(root)))
	t.Chdir(t.TempDir())
	edit := func(file, old, new string) {
		path := filepath.Join(dir, file)
		text := string(must(os.ReadFile(path)))
		if !strings.Contains(text, old) {
			t.Fatalf("%s lacks %q", file, old)
		}
		must(0, os.WriteFile(path, []byte(strings.ReplaceAll(text, old, new)), 0o666))
	}
	says := func(want string, args ...string) { t.Helper(); paperSays(t, dir, 0, want, args...) }
	says("3 trials: 0 already there, 3 computed", "run", "--scale", "smoke")
	says("3 trials: 3 already there, 0 computed", "run", "--scale", "smoke")
	says("no claim is decided at smoke scale", "claims", "--scale", "smoke")
	says("2 not comparable", "compare", "--scale", "smoke")
	edit("paper.yaml", "particles: 300, iterations: 400, judge: {every: 40}",
		"particles: 30, iterations: 20, judge: {every: 10}")
	edit("paper.yaml", "seeds: 1..6", "seeds: 1..2")
	moved := filepath.Join(t.TempDir(), "mypaper")
	must(0, os.Rename(dir, moved))
	dir = moved
	says("6 trials: 3 already there, 3 computed", "run")
	says("  2    ", "claims")
	says("value-sd[1]  Langevin\nbanana       0.87 ± 0.07\n", "compare")
	says("problems banana\n", "list")
	says("2 trials recomputed: bit for bit the same", "verify", "--recompute", "2")
	says("8 trials: 2 already there, 6 to compute", "grid", "--grid", "step", "--dry-run")
	says("results/custom/mypaper is what sifg report makes", "report", "--check")
	page := string(must(os.ReadFile("results/custom/mypaper/index.html")))
	for _, want := range []string{"Langevin dynamics on a banana</h1>", `src="mypaper/text/samples-banana.svg"`,
		"Exact draws, which the program makes", "0.50 ± 0.05", ">The paper</a>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	edit("mine.py", "np.sqrt(2 * step)", "np.sqrt(3 * step)")
	says("6 trials: 4 already there, 2 to compute", "plan")
}
