package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// outside puts program files in a module of its own that has the library alone, as somebody does who uses it.
func outside(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root := must(filepath.Abs(filepath.Join("..", "..")))
	_, require, _ := strings.Cut(string(must(os.ReadFile(filepath.Join(root, "pkg/sifg/go.mod")))), "require (")
	require, _, _ = strings.Cut(require, ")")
	const library = "github.com/semi-implicit/sifg/pkg/sifg"
	files["go.mod"] = "module example.org/mine\n\ngo 1.26.0\n\nrequire (\n\t" + library + " v0.0.0\n" + require +
		")\n\nreplace " + library + " => " + filepath.Join(root, "pkg/sifg") + "\n"
	files["go.sum"] = string(must(os.ReadFile(filepath.Join(root, "pkg/sifg/go.sum"))))
	dir = t.TempDir()
	for name, text := range files {
		must(0, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// TestSchools: a program outside of the repository samples eight schools by NUTS, is killed after its first checkpoint,
// and goes on to the bits of a program that was not; ArviZ reads what it wrote and finds the same R-hat and the same
// effective draws.
func TestSchools(t *testing.T) {
	long(t, "builds a program and samples for some seconds")
	dir := outside(t, map[string]string{"main.go": string(must(os.ReadFile("testdata/schools/main.go")))})
	build := exec.Command("go", "build", "-o", "schools", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(folder string) string {
		t.Helper()
		cmd := exec.Command("./schools", folder)
		cmd.Dir = dir
		out := must(cmd.Output())
		return string(out)
	}
	killed := exec.Command("./schools", "stopped")
	killed.Dir = dir
	progress := must(killed.StderrPipe())
	must(0, killed.Start())
	line, _ := bufio.NewReader(progress).ReadString('\n')
	killed.Process.Kill()
	if err := killed.Wait(); err == nil || line != "1000 of 11000\n" {
		t.Fatalf("the program was not killed after its first checkpoint: %q, %v", line, err)
	}
	stopped := filepath.Join(dir, "stopped")
	if _, err := os.Stat(filepath.Join(stopped, "draws.npy")); err == nil {
		t.Fatal("the program had ended before it was killed")
	}
	whole, table := run("whole"), run("stopped")
	if whole != table || !strings.Contains(table, "\nconverged: ") {
		t.Errorf("after a resume the table is\n%s\nnot\n%s", table, whole)
	}
	for _, name := range []string{"draws.npy", "draws.json"} {
		if !bytes.Equal(must(os.ReadFile(filepath.Join(stopped, name))),
			must(os.ReadFile(filepath.Join(dir, "whole", name)))) {
			t.Errorf("%s is another after a resume", name)
		}
	}
	t.Run("ArviZ", func(t *testing.T) { readByArviZ(t, stopped, table) })
}

// readByArviZ compares what ArviZ says of a folder's draws with the printed table.
func readByArviZ(t *testing.T, folder, table string) {
	venv := must(filepath.Abs("../../scripts/python/.venv/bin"))
	t.Setenv("PATH", venv+":"+os.Getenv("PATH"))
	if err := exec.Command("python3", "-c", "import arviz").Run(); err != nil {
		t.Skip("no Python has ArviZ (scripts/python/venv.sh makes one that does)")
	}
	out, err := exec.Command("python3", "-W", "ignore", "-c", `
import arviz, numpy, sys
data = arviz.from_json(sys.argv[1] + "/draws.json")
draws = numpy.load(sys.argv[1] + "/draws.npy")
assert data.posterior["theta"].dims == ("chain", "draw", "theta_dim_0"), data.posterior
assert list(data.posterior["theta"].coords["theta_dim_0"].values) == list(range(1, 9))
assert (data.posterior["theta"].values == draws[:, :, 2:]).all() and draws.shape == (4, 10000, 10)
stats = data.sample_stats
assert stats["diverging"].dtype == bool and stats["tree_depth"].min() > 0
assert 0.7 < stats["acceptance_rate"].mean() < 0.95
assert arviz.bfmi(data).min() > 0.3
for name in "mu", "tau":
    x = data.posterior[name].values
    bulk, tail = arviz.ess(x), arviz.ess(x, method="tail")
    print(name, "%.0f %.0f %.3f" % (bulk, tail, arviz.rhat(x)))
`, folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(want)
		found := false
		for line := range strings.Lines(table) {
			f := strings.Fields(line)
			found = found || len(f) == 8 && f[0] == words[0] && strings.Join(f[5:], " ") == strings.Join(words[1:], " ")
		}
		if !found {
			t.Errorf("ArviZ has R-hat and effective draws %q, the table\n%s", want, table)
		}
	}
}

// TestLibraryDocumentation builds the Go code of docs/library.md and of the README in a module of its own, as somebody
// does who has the library alone, and runs the program.
func TestLibraryDocumentation(t *testing.T) {
	long(t, "builds a program")
	blocks := func(name string) (out []string) {
		for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(document(t, name), -1) {
			out = append(out, m[1])
		}
		return out
	}
	guide, readme := blocks("docs/library.md"), blocks("README.md")
	if len(guide) != 1 || len(readme) != 1 {
		t.Fatalf("%d and %d blocks of Go", len(guide), len(readme))
	}
	const library = "github.com/semi-implicit/sifg/pkg/sifg"
	dir := outside(t, map[string]string{
		"main.go": guide[0],
		"readme.go": "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"" + library + "\"\n\t\"" + library +
			"/diagnose\"\n)\n\n" +
			"func readme(ctx context.Context, target sifg.Target) error {\n" + readme[0] + "return err\n}\n",
	})
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if text := out.String(); !strings.Contains(text, "Nothing looks wrong where the particles are.") ||
		!strings.Contains(text, "500 particles") || !strings.Contains(text, "\nconverged: ") {
		t.Errorf("the program printed %q, want two summaries without warnings", text)
	}
	body := guide[0][strings.Index(guide[0], "func main"):]
	if n := strings.Count(body, "\n"); n > 20 {
		t.Errorf("the program has %d lines besides its imports, want 20 at most", n)
	}
}
