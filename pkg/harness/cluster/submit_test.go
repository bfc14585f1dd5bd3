package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// withFake returns a place whose commands meet a fake Slurm: sbatch writes down how it was called, and both print what a file says.
func withFake(t *testing.T) *place {
	t.Helper()
	p := at(t, os.Environ())
	fake := t.TempDir()
	for _, name := range []string{"sbatch", "squeue"} {
		text := fmt.Sprintf(`#!/bin/sh
printf '%%s\n' "$@" > %[1]s/%[2]s.args
cat %[1]s/%[2]s.err >&2 2>/dev/null && exit 1
cat %[1]s/%[2]s.out 2>/dev/null
exit 0
`, p.dir, name)
		if err := os.WriteFile(filepath.Join(fake, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(p.env, "PATH="+fake+":"+os.Getenv("PATH"))
	p.write("sbatch.out", "4711;cluster\n")
	return p
}

func TestSubmit(t *testing.T) {
	p := withFake(t)
	args := []string{"submit", "slurm", "toy", "--shards", "3", "--cpus", "2", "--time", "90m", "--mem", "3G", "--sbatch=--partition=short",
		"--sbatch", "--comment=a b"}
	shown := p.want(0, nil, append(args, "--dry-run")...)
	for _, path := range []string{"results", "sbatch.args", "squeue.args"} {
		if _, err := os.Stat(filepath.Join(p.dir, path)); err == nil {
			t.Errorf("--dry-run made %s", path)
		}
	}
	p.want(0, []string{"submitted job 4711: 24 trials in 3 shards; to end it: scancel 4711"}, args...)
	folder := strings.TrimPrefix(filepath.Dir(p.file("results/cluster/*/plan.json")), p.dir+"/")
	want := `--ntasks=1
--cpus-per-task=2
--requeue
--open-mode=append
--signal=B:USR1@120
--time=90
--mem=3G
--partition=short
--comment=a b
--parsable
--job-name=sifg-NAME
--output=results/cluster/NAME/log/%A_%a.out
--array=0-2
results/cluster/NAME/job.sh
`
	want = strings.ReplaceAll(want, "NAME", filepath.Base(folder))
	if got := p.read("sbatch.args"); got != want {
		t.Errorf("sbatch was called with\n%swant\n%s", got, want)
	}
	script := p.read("results/cluster/*/job.sh")
	command := "sbatch " + strings.ReplaceAll(strings.TrimSpace(strings.Replace(want, "--comment=a b", "'--comment=a b'", 1)), "\n", " ")
	if shown != command+"\n\n"+script {
		t.Errorf("--dry-run shows\n%swant\n%s\n\n%s", shown, command, script)
	}
	wantScript := strings.ReplaceAll(`#!/bin/sh
exec ./results/cluster/NAME/sifg work --plan results/cluster/NAME/plan.json --store results/store --jobs 2 --shard "$SLURM_ARRAY_TASK_ID/3"
`, "NAME", filepath.Base(folder))
	if script != wantScript {
		t.Errorf("the script is\n%swant\n%s", script, wantScript)
	}
	if info, err := os.Stat(p.file("results/cluster/*/log")); err != nil || !info.IsDir() {
		t.Error("no folder for the output: tasks would fail")
	}

	// While the job waits or runs, its trials are not submitted again; other trials are.
	p.write("squeue.out", strings.ReplaceAll("4710 other\n4711 sifg-NAME\n4711 sifg-NAME\n4712 sifg-0123456789ab\n", "NAME", filepath.Base(folder)))
	p.want(75, []string{"job 4711 still has 24 of these trials", "scancel 4711"}, args...)
	p.want(75, []string{"job 4711 still has 12 of these trials"}, append(args, "--problems", "small")...)
	p.want(0, []string{"submitted job 4711: 24 trials"}, append(args, "--set", "problems.*.particles=7")...)

	// What a task did not do is submitted again.
	for _, i := range []string{"0", "2"} {
		p.shell(0, "8 trials: 0 already there, 8 computed", script, "SLURM_ARRAY_TASK_ID="+i)
	}
	p.write("squeue.out", "")
	p.want(0, []string{"submitted job 4711: 8 trials in 3 shards"}, args...)
	p.shell(0, "8 computed", script, "SLURM_ARRAY_TASK_ID=1")
	p.want(0, []string{"24 trials: all there, nothing to submit"}, args...)
	p.sameAsLocal()

	// Damage is not submitted again, nor passed over.
	some, err := filepath.Glob(filepath.Join(p.dir, "results/store/toy/*/trace.parquet"))
	if err != nil || len(some) != 24 || os.Truncate(some[0], 10) != nil {
		t.Fatal(err, len(some))
	}
	p.want(5, []string{"1 of 24 trials are damaged", "sifg verify --repair"}, args...)
}

// Refusals say what to do, and nothing is taken for submitted that is not.
func TestSubmitRefusals(t *testing.T) {
	p := withFake(t)
	submit := []string{"submit", "slurm", "--shards", "2"}
	for _, x := range []struct {
		words string
		args  []string
	}{
		{"--shards must be 1 or more", []string{"--shards=-1"}},
		{"--cpus must be 1 or more", []string{"--cpus", "0"}},
		{"want 5m or more", []string{"--time", "2m"}},
		{"want an option of sbatch", []string{"--sbatch", "short"}},
		{"unknown experiment", []string{"toi"}},
	} {
		p.want(2, []string{x.words}, append(submit, x.args...)...)
	}
	p.write("sbatch.err", "sbatch: error: Invalid account\x1b[31m specified\n")
	p.want(2, []string{`Invalid account\x1b[31m specified`, "nothing was submitted"}, submit...)
	os.Remove(filepath.Join(p.dir, "sbatch.err"))
	p.write("sbatch.out", "Submitted\n")
	p.want(2, []string{"not the number of a job"}, submit...)
	p.write("squeue.err", "slurm_load_jobs error: Unable to contact slurm controller\n")
	os.Remove(filepath.Join(p.dir, "sbatch.args"))
	p.want(2, []string{"Unable to contact slurm controller"}, submit...)
	if _, err := os.Stat(filepath.Join(p.dir, "sbatch.args")); err == nil {
		t.Error("trials were submitted though nobody could say whether they are queued")
	}
	p.env = append(p.env, "PATH=/nowhere")
	p.want(2, []string{"squeue is not installed here", "--dry-run"}, submit...)
	p.want(0, []string{"sbatch --ntasks=1"}, append(submit, "--dry-run")...)
}

// manifest is what a test wants to know of an Indexed Job, and all that ours has.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     int `yaml:"maxFailedIndexes"`
		PodFailurePolicy     struct {
			Rules []map[string]any
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy                 string `yaml:"restartPolicy"`
				TerminationGracePeriodSeconds int    `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Name         string
					Image        string
					WorkingDir   string `yaml:"workingDir"`
					Command      []string
					Resources    map[string]map[string]string
					VolumeMounts []map[string]string `yaml:"volumeMounts"`
				}
				Volumes []map[string]any
			}
		}
	}
}

// The manifest is an Indexed Job whose pods are started again where that helps, and compute their shards.
func TestKubernetes(t *testing.T) {
	p := at(t, os.Environ())
	args := []string{"submit", "kubernetes", "--shards", "6", "--cpus", "4", "--mem", "8Gi", "--claim", "sweeps", "--image", "a/b:c"}
	shown := p.want(0, nil, append(args, "--dry-run")...)
	if entries, _ := os.ReadDir(p.dir); len(entries) != 0 {
		t.Errorf("--dry-run wrote %v", entries)
	}
	p.want(0, []string{"kubectl create -f results/cluster/"}, args...)
	text := p.read("results/cluster/*/job.yaml")
	if text != shown {
		t.Errorf("--dry-run shows another manifest:\n%s\n%s", shown, text)
	}
	var job manifest
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&job); err != nil {
		t.Fatal(err)
	}
	s := job.Spec
	name := "sifg-" + filepath.Base(filepath.Dir(p.file("results/cluster/*/job.yaml")))
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Metadata.Name != name {
		t.Errorf("%+v", job)
	}
	if s.CompletionMode != "Indexed" || s.Completions != 6 || s.Parallelism != 6 || s.BackoffLimitPerIndex < 1 || s.MaxFailedIndexes != 6 ||
		s.Template.Spec.RestartPolicy != "Never" {
		t.Errorf("an index that fails alone needs Indexed, a limit of its own and Never: %+v", s)
	}
	c := s.Template.Spec.Containers[0]
	volume, mounted := s.Template.Spec.Volumes[0], c.VolumeMounts[0]
	if c.Image != "a/b:c" || c.WorkingDir != p.dir || mounted["mountPath"] != p.dir || mounted["name"] != volume["name"] ||
		fmt.Sprint(volume["persistentVolumeClaim"]) != "map[claimName:sweeps]" ||
		c.Resources["limits"]["memory"] != "8Gi" || c.Resources["requests"]["cpu"] != "4" {
		t.Errorf("%+v", s.Template.Spec)
	}
	codes := fmt.Sprint(s.PodFailurePolicy.Rules[1]["onExitCodes"])
	wantCodes := fmt.Sprintf("map[containerName:%s operator:In values:[2 3 5]]", c.Name)
	if s.PodFailurePolicy.Rules[1]["action"] != "FailIndex" || codes != wantCodes {
		t.Errorf("%v", s.PodFailurePolicy.Rules)
	}
	if len(c.Command) != 3 || c.Command[0] != "/bin/sh" || c.Command[1] != "-c" {
		t.Fatalf("%q", c.Command)
	}
	p.shell(0, "4 trials: 0 already there, 4 computed", c.Command[2], "JOB_COMPLETION_INDEX=5")
	p.want(2, []string{"outside of the working folder"}, append(args, "--store", "/elsewhere", "--dry-run")...)
}
