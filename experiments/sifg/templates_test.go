package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// template copies a template of the documents to a folder of its own, as a person does, and returns what edits its
// program and what runs it.
func template(t *testing.T, name string) (dir string, edit func(old, new string), run func(args ...string) string) {
	t.Helper()
	root := must(filepath.Abs("../.."))
	dir = t.TempDir()
	must(0, os.CopyFS(dir, os.DirFS(filepath.Join(root, "docs/templates", name))))
	change := func(file, old, new string) {
		path := filepath.Join(dir, file)
		text := string(must(os.ReadFile(path)))
		if !strings.Contains(text, old) {
			t.Fatalf("%s lacks %q", file, old)
		}
		must(0, os.WriteFile(path, []byte(strings.ReplaceAll(text, old, new)), 0o666))
	}
	change("go.mod", "../sifg", root)
	sums := append(must(os.ReadFile(filepath.Join(root, "pkg/harness/go.sum"))),
		must(os.ReadFile(filepath.Join(root, "go.work.sum")))...)
	must(0, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"run", "."}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errs.String())
		}
		return string(out) + errs.String()
	}
	return dir, func(old, new string) { t.Helper(); change("main.go", old, new) }, run
}

// TestOwnSampler: a sampler outside of this repository runs beside the others and has its title in figures. Its code is
// part of its trials' identity: with another Version they are computed anew, and those of other samplers are not. Nor
// does it change what this program would compute.
func TestOwnSampler(t *testing.T) {
	long(t, "builds a program")
	dir, edit, run := template(t, "sampler")
	line := strings.Fields("run gmm --problems gmm-2d --methods tamed,sgld --scale smoke --name mine")
	if out := run(line...); !strings.Contains(out, "2 trials: 0 already there, 2 computed") ||
		!strings.Contains(out, "| gmm-2d  | tamed") {
		t.Errorf("the first run says\n%s", out)
	}
	theirs := must(report.ReadRecords(filepath.Join(dir, "results", "custom", "mine", "gmm"))).Trials
	ours := must(plan.New(plan.Request{
		Experiments: []experiment{byName(t, "gmm")}, Scale: "smoke",
		Problems: []string{"gmm-2d"}, Methods: []string{"sgld"},
	})).Trials
	if !slices.ContainsFunc(theirs, func(row record.Trial) bool { return row.Key == ours[0].Key }) {
		t.Errorf("sgld has another key than %s beside a sampler of one's own: %+v", ours[0].Key, theirs)
	}
	edit("Version:  1", "Version:  2")
	for _, want := range []string{"1 already there, 1 computed", "2 already there, 0 computed"} {
		if out := run(line...); !strings.Contains(out, want) {
			t.Errorf("want %s: %s", want, out)
		}
	}
	out := run("verify", "--name", "mine", "--recompute", "9")
	if !strings.Contains(out, "2 trials recomputed: bit for bit the same") {
		t.Errorf("recomputed: %s", out)
	}
	titled := func(name string) bool {
		return bytes.Contains(must(os.ReadFile(name)), []byte("Tamed Langevin</text>"))
	}
	if !slices.ContainsFunc(must(filepath.Glob(filepath.Join(dir, "results/custom/mine/*/*/*.svg"))), titled) {
		t.Error("no figure has its title")
	}
}

// TestOwnExperiment: the same for an experiment.
func TestOwnExperiment(t *testing.T) {
	long(t, "builds a program")
	_, edit, run := template(t, "experiment")
	line := []string{"run", "--scale", "smoke", "--protocol", "tuned"}
	if out := run(line...); !strings.Contains(out, "3 trials: 0 already there, 3 computed") {
		t.Errorf("the first run says\n%s", out)
	}
	edit("(1+o.Failures[i])*v", "(2+o.Failures[i])*v")
	if out := run("compare", "--scale", "smoke", "--all"); !strings.Contains(out, "0.012 ± 0.002") {
		t.Errorf("compared: %s", out)
	}
	if out := run("claims", "--scale", "smoke"); !strings.Contains(out, "no claim is decided at smoke scale") {
		t.Errorf("claims: %s", out)
	}
	edit(`"1", // part`, `"2", // part`)
	if out := run(line...); !strings.Contains(out, "0 already there, 3 computed") {
		t.Errorf("with another version: %s", out)
	}
}
