package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// read returns the path and the text of the only file that matches a pattern.
func read(t *testing.T, pattern string) (path, text string) {
	t.Helper()
	path = glob(t, pattern, 1)[0]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(b)
}

// shell runs a script in the working folder, with a variable set.
func shell(t *testing.T, words, script, variable string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), variable)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), words) {
		t.Errorf("%s: %v, want %q\n%s", script, err, words, out)
	}
}

// sameAsLocal compares what the store gives with a run of the same flags that nothing disturbed.
func (x *toyExperiment) sameAsLocal(t *testing.T, flags string) {
	t.Helper()
	x.want(t, "run --results here --store results/store"+flags, 0, " 0 computed")
	x.want(t, "run --results local -j 24"+flags, 0)
	same(t, "here", files(t, "here/toy", ""), files(t, "local/toy", ""))
}

// withFakeSlurm puts a fake Slurm into PATH: sbatch writes down how it was called, and both commands print what a file
// says.
func withFakeSlurm(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"sbatch", "squeue"} {
		put(t, "bin/"+name, fmt.Sprintf(`#!/bin/sh
printf '%%s\n' "$@" > %[1]s/%[2]s.args
cat %[1]s/%[2]s.err >&2 2>/dev/null && exit 1
cat %[1]s/%[2]s.out 2>/dev/null
exit 0
`, dir, name))
		if err := os.Chmod("bin/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	put(t, "sbatch.out", "4711;cluster\n")
}

func TestSubmit(t *testing.T) {
	withFakeSlurm(t)
	x := toy()
	const line = "submit slurm toy --shards 3 --cpus 2 --time 90m --mem 3G --sbatch=--partition=short --sbatch " +
		"--comment=a"
	shown := x.want(t, line+" --dry-run", 0)
	for _, path := range []string{"results", "sbatch.args", "squeue.args"} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("--dry-run made %s", path)
		}
	}
	x.want(t, line, 0, "submitted job 4711: 9 trials in 3 shards; to end it: scancel 4711")
	path, script := read(t, "results/cluster/*/job.sh")
	name := filepath.Base(filepath.Dir(path))
	want := strings.ReplaceAll(`--ntasks=1
--cpus-per-task=2
--requeue
--open-mode=append
--signal=B:USR1@120
--time=90
--mem=3G
--partition=short
--comment=a
--parsable
--job-name=sifg-NAME
--output=results/cluster/NAME/log/%A_%a.out
--array=0-2
results/cluster/NAME/job.sh
`, "NAME", name)
	if _, got := read(t, "sbatch.args"); got != want {
		t.Errorf("sbatch was called with\n%swant\n%s", got, want)
	}
	command := "sbatch " + strings.ReplaceAll(strings.TrimSpace(want), "\n", " ")
	if !strings.Contains(shown, command+"\n\n"+script) {
		t.Errorf("--dry-run shows\n%swant\n%s\n\n%s", shown, command, script)
	}
	wantScript := strings.ReplaceAll(`#!/bin/sh
exec ./FOLDER/sifg work --plan FOLDER/plan.json --store results/store --jobs 2 --shard "$SLURM_ARRAY_TASK_ID/3"
`, "FOLDER", "results/cluster/"+name)
	if script != wantScript {
		t.Errorf("the script is\n%swant\n%s", script, wantScript)
	}
	glob(t, "results/cluster/*/log", 1) // or tasks would fail

	x.want(t, line+" --methods svgd --set problems.*.particles=7", 0, "submitted job 4711: 3 trials")

	// What a task did not do is submitted again.
	for _, i := range []string{"0", "2"} {
		shell(t, "3 trials: 0 already there, 3 computed", script, "SLURM_ARRAY_TASK_ID="+i)
	}
	x.want(t, line, 0, "submitted job 4711: 3 trials in 3 shards")
	shell(t, "3 computed", script, "SLURM_ARRAY_TASK_ID=1")
	x.want(t, line, 0, "9 trials: all there, nothing to submit")
	x.sameAsLocal(t, "")

	// Damage is not submitted again, nor passed over.
	put(t, glob(t, "results/store/toy/*/*/trace.parquet", 9)[0], "")
	x.want(t, line, 5, "1 of 9 trials are damaged", "sifg verify --repair")
}

// Refusals say what to do, and nothing is taken for submitted that is not.
func TestSubmitRefusals(t *testing.T) {
	withFakeSlurm(t)
	x := toy()
	const line = "submit slurm --shards 2"
	put(t, "sbatch.err", "sbatch: error: Invalid account\x1b[31m specified\n")
	x.want(t, line, 2, `Invalid account\x1b[31m specified`, "nothing was submitted")
	os.Remove("sbatch.err")
	put(t, "sbatch.out", "Submitted\n")
	x.want(t, line, 2, "not the number of a job")
	t.Setenv("PATH", "/nowhere")
	x.want(t, line, 2, "sbatch is not installed here", "--dry-run")
	x.want(t, line+" --dry-run", 0, "sbatch --ntasks=1")
}

// The manifest is an Indexed Job whose pods are started again where that helps, and compute their shards.
func TestKubernetes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	x := toy()
	const line = "submit kubernetes --shards 3 --cpus 4 --mem 8Gi --claim sweeps --image a/b:c"
	shown := x.want(t, line+" --dry-run", 0)
	glob(t, "*", 0)
	x.want(t, line, 0, "kubectl create -f results/cluster/")
	path, text := read(t, "results/cluster/*/job.yaml")
	if !strings.Contains(shown, text) {
		t.Errorf("--dry-run shows another manifest:\n%s\n%s", shown, text)
	}
	name := filepath.Base(filepath.Dir(path))
	script := "exec ./results/cluster/" + name + "/sifg work --plan results/cluster/" + name +
		`/plan.json --store results/store --jobs 4 --shard "$JOB_COMPLETION_INDEX/3"`
	want, err := os.ReadFile(filepath.Join(home, "testdata/job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.ReplaceAll(script, `"`, `\"`)
	if want := strings.NewReplacer("NAME", name, "SCRIPT", quoted, "DIR", dir).Replace(string(want)); text != want {
		t.Errorf("the manifest is\n%swant\n%s", text, want)
	}
	shell(t, "3 trials: 0 already there, 3 computed", script, "JOB_COMPLETION_INDEX=2")
	x.want(t, line+" --store /elsewhere --dry-run", 2, "outside of the working folder")
}

// The shards of a plan, in any order, make what a local run makes.
func TestWork(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "submit kubernetes", 0)
	plan, _ := read(t, "results/cluster/*/plan.json")
	line := "work --plan " + plan + " --shard "
	for _, shard := range []string{"2/3", "0/3", "1/3"} {
		x.want(t, line+shard, 0, "3 trials: 0 already there, 3 computed")
	}
	x.want(t, line+"1/3", 0, "3 trials: 3 already there, 0 computed")
	x.want(t, line+"30/31", 0, "0 trials: 0 already there")
	x.want(t, "submit slurm", 0, "all there, nothing to submit")
	x.sameAsLocal(t, "")
}

// P9: a worker computes nothing but what was planned. A changed plan, program or data set is refused, and nothing is
// stored.
func TestWorkRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.Settings = []byte(strings.Replace(toyConfig, "      particles: 6\n", "      particles: 6\n      data: mine\n", 1))
	put(t, "own.csv", "1,2\n3,4\n5,6\n7,8\n")
	manifest := "datasets: {mine: {files: [{name: own.csv}], parse: {separator: comma}, target: last, splits: {seed: " +
		"1, count: 2}}}"
	put(t, "own.yaml", manifest)
	x.want(t, "submit kubernetes --datasets own.yaml", 0)
	path, whole := read(t, "results/cluster/*/plan.json")
	line := "work --shard 0/1 --datasets own.yaml --plan " + path
	const other = "differs from those that planned it"
	for _, c := range []struct{ old, new, words string }{
		{`"step":0.2`, `"step":0.3`, other},
		{`"Seed":2`, `"Seed":4`, other},
		{`"Method":"svgd"`, `"Method":"sgld"`, other},
		{`"Problem":"small"`, `"Problem":"large"`, "large"},
		{`"Experiment":"toy"`, `"Experiment":"other"`, `experiment "other"`},
		{`}]`, ``, "not a whole plan file"},
	} {
		forged := strings.Replace(whole, c.old, c.new, 1)
		if forged == whole {
			t.Fatalf("the plan has no %s", c.old)
		}
		put(t, path, forged)
		x.want(t, line, 2, c.words)
	}
	put(t, path, whole)
	x.Version = "2"
	x.want(t, line, 2, other)
	x.Version = "1"
	put(t, "own.yaml", strings.Replace(manifest, "count: 2", "count: 3", 1))
	x.want(t, line, 2, other)
	glob(t, "results/store/toy/*/*", 0)
	put(t, "own.yaml", manifest)
	x.want(t, line, 0, "9 computed")
}
