package main

import (
	"bytes"
	"fmt"
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
	says("  2  ", "claims")
	says("| 0.87 ± 0.07 |", "compare")
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

// TestPaperOfTables: a problem of a paper may be a table, whose file is meant from the paper's folder. Where the folder
// is does not count, and what is in the table does.
func TestPaperOfTables(t *testing.T) {
	const paper = `title: Rents
seeds: [1, 2]
problems:
  rent: {data: rent.csv, target: rent, parse: {drop: [id]}, particles: 10, iterations: 20, judge: {every: 10}}
methods: {svgd: {step: 1.0e-3}, sgld: {step: 1.0e-5}}
published: numbers.csv
claims:
  - {says: SVGD is near., within: {metric: test-rmse, problem: rent, method: svgd, bound: 1.0e9}}
  - {says: SVGD is best., lowest: {metric: test-rmse, method: svgd, of: 1 of 1}}
`
	dir := filepath.Join(t.TempDir(), "rents")
	write := func(name, text string) {
		t.Helper()
		must(0, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	rents := "id,area,rent\n"
	for i := range 40 {
		rents += fmt.Sprintf("a%d,%d,%d\n", i, 20+i, 9*i+(7*i)%5)
	}
	must(0, os.Mkdir(dir, 0o777))
	write("paper.yaml", paper)
	write("rent.csv", rents)
	write("numbers.csv", "dataset,metric,method,mean,std\nrent,test-rmse,svgd,1.0e3,1\n")
	t.Chdir(t.TempDir())
	says := func(code int, want string, args ...string) { t.Helper(); paperSays(t, dir, code, want, args...) }
	says(0, "4 trials: 0 already there, 4 computed", "run")
	says(0, "| 1.0e3 ± 1 |", "compare", "--all")
	says(0, "SVGD is near.", "claims")
	says(0, "2 trials recomputed: bit for bit the same", "verify", "--recompute", "2")
	says(0, "results/custom/rents is what sifg report makes", "report", "--check")
	final := string(must(os.ReadFile("results/custom/rents/rents/paper/final-rent.md")))
	if !strings.Contains(final, "| linear regression |") {
		t.Errorf("the table of errors lacks the baselines:\n%s", final)
	}
	moved := filepath.Join(t.TempDir(), "rents")
	must(0, os.Rename(dir, moved))
	dir = moved
	says(0, "4 already there, 0 to compute", "plan")
	says(2, `unknown experiment "gmm"`, "plan", "gmm")
	write("rent.csv", strings.Replace(rents, "a0,20,", "a0,21,", 1))
	says(0, "0 already there, 4 to compute", "plan")
	for _, c := range []struct{ old, new, want string }{
		{"data: rent.csv", "data: rents.csv", "paper.yaml: problems.rent.data: there is no file"},
		{"target: rent, ", "", "paper.yaml: problems.rent: "},
		{"drop: [id]", "dorp: [id]", `problems.rent.parse: unknown key "dorp": did you mean "drop"?`},
		{"data: rent.csv, ", "", "problems.rent: want one of program, a command"},
		{"within: {metric: test-rmse", "within: {metric: energy", `unknown metric "energy"`},
		{"of: 1 of 1", "of: 1 of 2", `claim 2, lowest.of: want how many of the 1 problems with test-rmse`},
	} {
		write("paper.yaml", strings.Replace(paper, c.old, c.new, 1))
		says(2, c.want, "plan")
	}
}

// TestFolderOfOtherThings: a folder without paper.yaml is no paper because something else has its name.
func TestFolderOfOtherThings(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"all", "8"} {
		must(0, os.Mkdir(name, 0o777))
	}
	paperSays(t, "all", 0, "to compute", "plan", "--scale", "smoke", "--methods", "sgld")
	paperSays(t, "8", 75, "no report in results", "claims")
}
