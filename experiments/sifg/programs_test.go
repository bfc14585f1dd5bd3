package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// python puts a Python in PATH that has the package sifg and the others: scripts/python/.venv, which venv.sh makes, or
// the one that there is. Without them the test is skipped.
func python(t *testing.T, modules ...string) {
	t.Helper()
	t.Setenv("PYTHONPATH", must(filepath.Abs("../../scripts/python")))
	t.Setenv("PATH", must(filepath.Abs("../../scripts/python/.venv/bin"))+":"+os.Getenv("PATH"))
	t.Setenv("JAX_PLATFORMS", "cpu")
	if out, err := exec.Command("python", "-c", "import numpy, sifg, "+strings.Join(modules, ", ")).
		CombinedOutput(); err != nil {
		t.Skipf("no Python with %v (scripts/python/venv.sh makes one): %s", modules, bytes.TrimSpace(out))
	}
}

// TestProgramsDocument runs the programs of docs/programs.md, as somebody does who copies them.
func TestProgramsDocument(t *testing.T) {
	long(t, "runs programs of Python")
	python(t, "json")
	var model, sampler string
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(document(t, "docs/programs.md"), -1)
	for _, m := range blocks {
		switch {
		case strings.Contains(m[1], "sifg.target("):
			model = m[1]
		case strings.Contains(m[1], "sifg.sampler("):
			sampler = m[1]
		}
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"model.py": model, "langevin.py": sampler} {
		must(0, os.WriteFile(name, []byte(text), 0o666))
	}
	mine := []string{"--sampler", "mine=python langevin.py", "--set", "methods.mine.step=0.02"}
	for _, next := range []struct{ step, want string }{
		{"0.02", " 0 already there"}, {"0.02", " 0 computed"}, {"0.03", " already there, 10 computed"},
	} {
		mine[3] = "methods.mine.step=" + next.step
		out := command(t, append(strings.Fields("run gmm monomial-gamma --protocol tuned --scale smoke "+
			"--methods mine,sgld --name mine"), mine...)...)
		if !strings.Contains(out, next.want) {
			t.Errorf("step %s: want %q: %s", next.step, next.want, out)
		}
	}
	toy := append([]string{"gmm", "--problems", "gmm-2d", "--scale", "smoke", "--seeds", "7"}, mine...)
	command(t, append([]string{"run", "--methods", "mine", "--shard", "0/1"}, toy...)...)
	said := command(t, append([]string{"run", "posteriors", "--program", "python model.py", "--scale", "smoke",
		"--name",
		"model"}, mine...)...)
	grid := command(t, "grid", "posteriors", "--program", "python model.py", "--axis", "step=[0.01, 0.02]", "--methods",
		"sgld", "--select", "min ksd", "--scale", "smoke")
	if !strings.Contains(grid, "results: results/custom/") {
		t.Errorf("a grid over a person's own posterior is among those of the paper: %s", grid)
	}
	means, sds := moments(t, "results/custom/model/posteriors/tuned/draws/reference")
	for _, name := range []string{"a", "b"} {
		if math.Abs(means[name]) > 0.1 || math.Abs(sds[name]-1) > 0.1 {
			t.Errorf("%s has the mean %g and the standard deviation %g, want 0 and 1", name, means[name], sds[name])
		}
	}
	tables := "results/custom/model/posteriors/tuned/"
	advice, answer := string(must(os.ReadFile(tables+"advice.md"))), string(must(os.ReadFile(tables+"values.md")))
	const take = "Use these draws of NUTS. The chains: R-hat at most 1.00"
	if !strings.Contains(advice, "| Langevin ") || !strings.HasPrefix(answer, take) || !strings.Contains(said, answer) {
		t.Errorf("%s\n%s\n%s", advice, answer, said)
	}
	page := string(must(os.ReadFile("results/custom/model/index.html")))
	if lead, _, _ := strings.Cut(page, "<table"); !strings.Contains(lead, "<h1>A posterior of your own: model</h1>") ||
		!strings.Contains(lead, take) || strings.Contains(page, "changed settings") ||
		strings.Contains(page, "own best") {
		t.Error("the page does not say first whether to take the draws, or as if it were the paper's")
	}
}

// moments returns the means and standard deviations of draws, by name.
func moments(t *testing.T, dir string) (means, sds map[string]float64) {
	t.Helper()
	shape, data, err := npy.Decode[float64](must(os.ReadFile(filepath.Join(dir, "draws.npy"))))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	must(0, json.Unmarshal(must(os.ReadFile(filepath.Join(dir, "names.json"))), &names))
	means, sds = map[string]float64{}, map[string]float64{}
	v := shape[len(shape)-1]
	n := float64(len(data) / v)
	for i, x := range data {
		means[names[i%v]] += x / n
	}
	for i, x := range data {
		d := x - means[names[i%v]]
		sds[names[i%v]] += d * d / n
	}
	for name, square := range sds {
		sds[name] = math.Sqrt(square)
	}
	return means, sds
}

// TestEightSchools: the models of NumPyro's and PyMC's documents, but for the last line, have the means and standard
// deviations of posteriordb (datasets/posteriordb). Four thousand effective draws and the reference's ten thousand:
// five standard errors of a mean are 0.1 standard deviations. tau is skewed: the standard error of its sd is about
// twice that of a normal law.
func TestEightSchools(t *testing.T) {
	long(t, "runs programs of Python")
	examples := must(filepath.Abs("../../scripts/python/examples"))
	want := map[string][2]float64{
		"mu":       {4.41, 3.31},
		"tau":      {3.60, 3.20},
		"theta[0]": {6.15, 5.62},
		"theta[1]": {4.94, 4.65},
		"theta[2]": {3.91, 5.28},
		"theta[3]": {4.80, 4.77},
		"theta[4]": {3.61, 4.61},
		"theta[5]": {4.05, 4.80},
		"theta[6]": {6.32, 5.00},
		"theta[7]": {4.88, 5.32},
	}
	for _, library := range []string{"numpyro", "pymc"} {
		t.Run(library, func(t *testing.T) {
			python(t, library)
			t.Chdir(t.TempDir())
			program := "python " + filepath.Join(examples, "eight_schools_"+library+".py")
			command(t, "run", "posteriors", "--program", program, "--methods", "hmc", "--scale", "smoke", "--name",
				"schools")
			means, sds := moments(t, "results/custom/schools/posteriors/tuned/draws/reference")
			for name, w := range want {
				if math.Abs(means[name]-w[0]) > 0.1*w[1] || math.Abs(sds[name]/w[1]-1) > 0.12 {
					t.Errorf("%s has the mean %.2f and the standard deviation %.2f, posteriordb %.2f and %.2f",
						name, means[name], sds[name], w[0], w[1])
				}
			}
		})
	}
}

// TestLibrarySamplers: the samplers of other libraries run, and SVGD of BlackJAX is ours where the bandwidth is given.
func TestLibrarySamplers(t *testing.T) {
	long(t, "runs programs of Python")
	python(t, "blackjax", "numpyro")
	examples := must(filepath.Abs("../../scripts/python/examples"))
	t.Chdir(t.TempDir())
	args := []string{"run", "gmm", "--protocol", "tuned", "--problems", "gmm-10d", "--seeds", "1", "--scale", "smoke",
		"--methods", "svgd,blackjax-svgd,numpyro", "--name", "theirs",
		"--set", "methods.blackjax-svgd={step: 0.03, bandwidth: 1}"} // those of svgd
	for name, file := range map[string]string{
		"blackjax-svgd": "svgd_blackjax",
		"numpyro":       "nuts_numpyro",
	} {
		args = append(args, "--sampler", name+"=python "+filepath.Join(examples, file+".py"))
	}
	out := command(t, args...)
	if !strings.Contains(out, "3 trials: 0 already there, 3 computed") {
		t.Error(out)
	}
	value := map[string]string{}
	rows := regexp.MustCompile(`(?m)^\| gmm-10d +\| (\S+) +\| 1 of 1 \| +([\d.]+) \|`)
	for _, m := range rows.FindAllStringSubmatch(out, -1) {
		value[m[1]] = m[2]
	}
	if len(value) != 3 || value["svgd"] != value["blackjax-svgd"] {
		t.Errorf("k-NN KL of SVGD is %s, of BlackJAX's %s: %s", value["svgd"], value["blackjax-svgd"], out)
	}
}

// TestAudit: scripts that share no code with this program recompute the comparisons, and the numbers of README and of
// documents about results, from the committed Parquet files and agree. They find a verdict that was changed.
func TestAudit(t *testing.T) {
	long(t, "reads all results by scripts of Python")
	python(t, "numpy", "pyarrow")
	script := func(name string, args ...string) (string, error) {
		args = append([]string{filepath.Join("..", "..", "scripts", "audit", name)}, args...)
		out, err := exec.Command("python", args...).CombinedOutput()
		return string(out), err
	}
	if out, err := script("words.py", results); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	const name, compared = "monomial-gamma", "tuned/compare-monomial-gamma.md"
	forged := t.TempDir()
	must(0, os.MkdirAll(filepath.Join(forged, name, "tuned"), 0o777))
	for _, file := range []string{"trials.parquet", "trace.parquet", compared} {
		text := must(os.ReadFile(filepath.Join(results, name, file)))
		if file == compared {
			text = bytes.Replace(text, []byte("| worse "), []byte("| better"), 1)
		}
		must(0, os.WriteFile(filepath.Join(forged, name, file), text, 0o666))
	}
	out, err := script("audit.py", forged, name)
	if err == nil || !strings.Contains(out, "better, here worse") || !strings.HasSuffix(out, ", 1 disagreements\n") {
		t.Errorf("a forged verdict: %v, %s", err, out)
	}
}

// TestParquetByPath: readers that take parts of a path for columns, as DuckDB, Polars and pyarrow do where a folder is
// called particles=50, see of each Parquet file that is written what is in it.
func TestParquetByPath(t *testing.T) {
	long(t, "reads files by Python")
	script := must(filepath.Abs("../../scripts/readers/parquet.py"))
	python(t, "duckdb", "polars", "pyarrow")
	t.Chdir(t.TempDir())
	some := []string{"gmm", "--problems", "gmm-2d", "--methods", "sgld", "--seeds", "1", "--scale", "smoke"}
	command(t, slices.Concat([]string{"run"}, some, []string{"--set", "particles=50"})...)
	command(t, slices.Concat([]string{"grid"}, some, []string{"--axis", "particles=[50]", "--set", "iterations=9",
		"--select", "min energy"})...)
	args := []string{script}
	must(0, filepath.WalkDir("results", func(path string, d fs.DirEntry, err error) error {
		if strings.Contains(path, "=") {
			t.Errorf("%s has a =", path)
		}
		if filepath.Ext(path) == ".parquet" {
			args = append(args, path)
		}
		return err
	}))
	var files map[string]struct {
		Values map[string][]string
		Differ []string
	}
	out, err := exec.Command("python", args...).CombinedOutput()
	if err != nil || json.Unmarshal(out, &files) != nil || len(files) != 9 {
		t.Fatalf("%v: %v, %d files\n%.2000s", args, err, len(files), out)
	}
	for path, f := range files {
		particles, key := f.Values["particles"], f.Values["key"]
		lost := filepath.Base(path) == "trials.parquet" && !slices.Contains(particles, "50")
		if len(f.Differ) > 0 || len(key) == 0 || lost {
			t.Errorf("%s: %v, %v particles, %v", path, f.Differ, particles, key)
		}
	}
}
