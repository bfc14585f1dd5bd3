package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// fakeCommand stands for each of Slurm's commands: it writes down how it was called, and answers as files say.
const fakeCommand = `#!/bin/sh
name=${0##*/}
echo "$name $*" >> "$FAKE/log"
[ "$name" = scontrol ] && name=scontrol-$1
if [ "$name" = sbatch ]; then
	for script; do :; done
	[ -d "${script%/*}/log" ] || echo "no folder for the output" >> "$FAKE/log"
	case $* in *-collect*) name=sbatch-collect ;; *-prepare*) name=sbatch-prepare ;; esac
fi
[ "$name" = squeue ] && case $* in *" -n "*) name=squeue-name ;; esac
cat "$FAKE/$name.err" >&2 2>/dev/null
cat "$FAKE/$name.out" 2>/dev/null
exit $(cat "$FAKE/$name.rc" 2>/dev/null || echo 0)
`

// fake is a Slurm that is none.
type fake struct {
	*place
	folder string
}

// withFake returns a folder whose commands meet a fake Slurm that takes every job, the arrays as 4711.
func withFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{folder: t.TempDir()}
	for _, name := range []string{"sbatch", "squeue", "scontrol", "scancel", "sacct"} {
		if err := os.WriteFile(filepath.Join(f.folder, name), []byte(fakeCommand), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.place = at(t, append(os.Environ(), "FAKE="+f.folder, "PATH="+f.folder+":"+os.Getenv("PATH")))
	f.says("sbatch", "4711\n", "", 0)
	f.says("sbatch-collect", "4712;cluster\n", "", 0)
	f.says("scontrol-show", "AccountingStorageType   = accounting_storage/none\nMaxArraySize            = 1001\n", "", 0)
	f.says("sacct", "", "Slurm accounting storage is disabled\n", 1)
	return f
}

// says sets what a command answers.
func (f *fake) says(name, out, err string, rc int) {
	f.t.Helper()
	for ext, text := range map[string]string{"out": out, "err": err, "rc": strconv.Itoa(rc)} {
		if e := os.WriteFile(filepath.Join(f.folder, name+"."+ext), []byte(text), 0o644); e != nil {
			f.t.Fatal(e)
		}
	}
}

// calls returns how the commands were called since the last time, the plan's folder as PLAN and its name as NAME.
func (f *fake) calls() string {
	f.t.Helper()
	path := filepath.Join(f.folder, "log")
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	os.Remove(path)
	return f.plain(string(b))
}

// plain replaces what differs from run to run.
func (f *fake) plain(s string) string {
	f.t.Helper()
	folder := filepath.Dir(f.file("results/cluster/*/plan-*.jsonl"))
	file := strings.TrimSuffix(filepath.Base(f.file("results/cluster/*/plan-*.jsonl")), ".jsonl")
	rel, err := filepath.Rel(f.dir, folder)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, x := range [][2]string{{file, "plan-DIGITS"}, {folder, "PLAN"}, {f.dir, "DIR"}, {rel, "PLAN"}, {filepath.Base(folder), "NAME"},
		{strings.TrimPrefix(filepath.Base(f.file("results/cluster/*/sifg-*")), "sifg-"), "BINARY"}} {
		s = strings.ReplaceAll(s, x[0], x[1])
	}
	return s
}

func (f *fake) same(what, got, want string) {
	f.t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		f.t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

func (f *fake) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

var smoke = []string{"toy", "--protocol", "paper", "--scale", "smoke"}

func submit(more ...string) []string {
	return append(append([]string{"submit", "slurm"}, smoke...), more...)
}

func TestSubmit(t *testing.T) {
	f := withFake(t)
	f.env = append(f.env, "SIFG_ACCOUNT=from-variable", "SIFG_PARTITION=from-variable")
	f.write("site.yaml", "partition: from-file\naccount: from-file\nmem: 3G\nextra: [--constraint=avx512, '--mail-type=FAIL']\nbefore: [module load gcc]\nat-once: 2\n")
	out := f.want(0, []string{"24 trials in 4 shards", "not known"}, submit("--shards", "4", "--site", "site.yaml", "--partition", "from-flag", "--dry-run")...)
	if entries, _ := os.ReadDir(f.dir); len(entries) != 1 {
		t.Errorf("--dry-run wrote %v", entries)
	}
	f.want(0, []string{"submitted 4 shards", "job 4711; job 4712 reports"}, submit("--shards", "4", "--site", "site.yaml", "--partition", "from-flag",
		"--time", "90m", "--cpus", "3", "--timeout", "5m", "--isolate")...)
	f.same("calls", f.calls(), `
scontrol show config
scontrol show config
sbatch --parsable --job-name=sifg-NAME-1 --array=0-3%2 PLAN/job.sh
sbatch --parsable --job-name=sifg-NAME-1-collect --dependency=afterany:4711 PLAN/collect.sh`)
	f.same("script", f.plain(f.read("results/cluster/*/job.sh")), `#!/bin/bash
# Computes the 24 trials of plan NAME in 4 shards.
# Made by sifg submit. Edit what you like: sifg resubmit submits this file as it then is.
#SBATCH --job-name=sifg-NAME
#SBATCH --chdir=DIR
#SBATCH --output=PLAN/log/%A_%a.out
#SBATCH --open-mode=append
#SBATCH --partition=from-flag
#SBATCH --account=from-variable
#SBATCH --array=0-3%2
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=3
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
#SBATCH --time=90
#SBATCH --mem=3G
#SBATCH --constraint=avx512
#SBATCH --mail-type=FAIL
module load gcc
exec PLAN/sifg-BINARY work --plan PLAN/plan-DIGITS.jsonl --store DIR/results/store --shard auto/4 --isolate=true --timeout=5m0s`)
	if !strings.Contains(f.plain(out), "#SBATCH --partition=from-flag\n#SBATCH --account=from-variable\n") {
		t.Errorf("--dry-run printed another script:\n%s", out)
	}
	collect := f.plain(f.read("results/cluster/*/collect.sh"))
	for _, line := range []string{"unset SIFG_SET", "PLAN/sifg-BINARY status --plan PLAN/", "exec PLAN/sifg-BINARY report toy --protocol paper --scale smoke --results DIR/results/smoke --store DIR/results/store"} {
		if !strings.Contains(collect, line) {
			t.Errorf("collect.sh has no line %q:\n%s", line, collect)
		}
	}
	f.want(2, []string{"submitted already, as job 4711", "sifg resubmit"}, submit("--shards", "4")...)
	f.want(75, []string{"submitted: results/cluster/", "as job 4711"}, append([]string{"status"}, smoke...)...)
	f.want(2, []string{`unknown key "partitoin"`, "partition"}, func() []string { f.write("bad.yaml", "partitoin: x\n"); return submit("--site", "bad.yaml") }()...)
	for text, words := range map[string]string{"partition: [a, b]": "bad.yaml, partition: want one value", "partition:": "bad.yaml, partition: want one value",
		"account: {a: b}": "bad.yaml, account: want one value", "extra:": "bad.yaml, extra: want a text or a list", "before: [[umask 027]]": "bad.yaml, before: want a text or a list",
		"account: a\n---\naccount: b": "second document", "account: a\naccount: b": "bad.yaml, account: it is there twice", "- account": "bad.yaml: want keys",
		"mem: 4 G": `--mem "4 G"`} {
		f.write("bad.yaml", text+"\n")
		f.want(2, []string{words}, submit("--site", "bad.yaml", "--dry-run")...)
	}
	f.want(2, []string{"--shards must be positive"}, submit("--shards", "-1")...)
	f.want(2, []string{"--shard-time, --time and --notice must be positive"}, submit("--shard-time", "0s")...)
}

// A script that was written without being submitted may be edited, and is submitted as it is then.
func TestSubmitEdited(t *testing.T) {
	f := withFake(t)
	f.want(0, []string{"nothing was submitted"}, submit("--no-submit", "--no-collect", "--shards", "2")...)
	script := f.file("results/cluster/*/job.sh")
	f.want(0, []string{"submitted 2 shards"}, "submit", "slurm", "--plan", filepath.Base(filepath.Dir(script)))
	f.same("calls", f.calls(), "scontrol show config\nsbatch --parsable --job-name=sifg-NAME-1 --array=0-1 PLAN/job.sh")
	f.want(2, []string{"submitted already"}, "submit", "slurm", "--plan", filepath.Dir(script))
}

// Values of a site's file are the texts that stand there.
func TestSiteTexts(t *testing.T) {
	f := withFake(t)
	f.write("site.yaml", "account: 0123\npartition: 1e3\ntime: 2h\nextra: --comment=a b\nbefore: module load go\n")
	out := f.want(0, nil, submit("--shards", "1", "--site", "site.yaml", "--dry-run")...)
	for _, lines := range []string{"#SBATCH --account=0123\n", "#SBATCH --partition=1e3\n", "#SBATCH --time=120\n#SBATCH --comment=a b\nmodule load go\nexec "} {
		if !strings.Contains(out, lines) {
			t.Errorf("the script does not have %q:\n%s", lines, out)
		}
	}
}

// What sbatch would refuse, or take for something else, is refused before anything is submitted, first and again.
func TestJobOptions(t *testing.T) {
	f := withFake(t)
	f.want(2, []string{"--notice 10h0m0s: want less", "1s (--time)"}, submit("--time", "1s", "--notice", "10h")...)
	f.want(2, []string{"--select", "--grid"}, submit("--select", "min first")...)
	f.want(0, nil, submit("--shards", "2", "--mem", "8g", "--extra=-A", "--extra=--account=a")...)
	f.calls()
	f.want(2, []string{"--time must be positive"}, "resubmit", "--time=-4h")
	for _, command := range [][]string{submit("--dry-run"), {"resubmit", "--dry-run"}} {
		for _, memory := range []string{"abc", "a b", "-4G", "4 G"} {
			f.want(2, []string{fmt.Sprintf("--mem %q: want a size", memory)}, append(command, "--mem="+memory)...)
		}
		for _, extra := range []string{"two", "-", "--", "--comment=a\nb"} {
			f.want(2, []string{fmt.Sprintf("--extra %q: want one option", extra)}, append(command, "--extra="+extra)...)
		}
		for _, extra := range []string{"--array=5", "--array 5", "--arr=5", "-a", "-a5"} {
			f.want(2, []string{fmt.Sprintf("--extra %q: the array", extra)}, append(command, "--extra="+extra)...)
		}
	}
	f.same("calls", f.calls(), "")
}

// What trials share is made by a job before the array, which does not start without it.
func TestPrepare(t *testing.T) {
	f := withFake(t)
	f.says("sbatch-prepare", "4700\n", "", 0)
	f.want(0, nil, append([]string{"submit", "slurm", "sharing", "--shards", "2"}, smoke[1:]...)...)
	f.same("calls", f.calls(), `
scontrol show config
sbatch --parsable --job-name=sifg-NAME-1-prepare PLAN/prepare.sh
sbatch --parsable --job-name=sifg-NAME-1 --array=0-1 --dependency=afterok:4700 --kill-on-invalid-dep=yes PLAN/job.sh
sbatch --parsable --job-name=sifg-NAME-1-collect --dependency=afterany:4711 PLAN/collect.sh`)
	for _, script := range []string{"prepare.sh", "job.sh", "job.sh"} {
		cmd := exec.Command("bash", f.file("results/cluster/*/"+script))
		cmd.Dir, cmd.Env = f.dir, append(f.env, "SLURM_ARRAY_TASK_ID="+strconv.Itoa(f.trials()/12))
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "made for 24 trials") != (script == "prepare.sh") || strings.Contains(string(out), "made for 12") {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
	f.want(0, []string{"24 ok"}, "status", "--plan", "last")
	f.want(0, []string{"cancelled jobs 4700, 4711, 4712"}, "cancel", "last")
}

func TestLimits(t *testing.T) {
	f := withFake(t)
	f.says("scontrol-show", "MaxArraySize = 7\n", "", 0)
	f.want(0, []string{"in 7 shards"}, submit("--shards", "20", "--dry-run")...)
	f.want(0, []string{"in 3 shards"}, submit("--shards", "20", "--max-tasks", "3", "--dry-run")...)
	f.want(0, []string{"in 1 shards"}, submit("--dry-run")...) // all of them take no time
	f.says("scontrol-show", "", "slurm_load_ctl_conf error: Unable to contact slurm controller\n", 1)
	f.want(0, []string{"Unable to contact", "arrays of 1001"}, submit("--shards", "2", "--dry-run")...)
	f.want(2, []string{"Unable to contact"}, submit("--shards", "2")...)
	f.says("scontrol-show", "MaxArraySize = 7\n", "", 0)
	f.says("sbatch", "", "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy\n", 1)
	f.want(2, []string{"AssocMaxSubmitJobLimit", "--max-tasks"}, submit("--shards", "2")...)
	f.says("sbatch", "", "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified\n", 1)
	f.want(2, []string{"Invalid account", "--partition"}, submit("--shards", "2")...) // the failure before left nothing in the way
	f.says("squeue-name", "", "slurm_load_jobs error: Unable to contact slurm controller\n", 1)
	f.want(2, []string{"Invalid account"}, submit("--shards", "2")...)
	f.want(2, []string{"may have been submitted", "sifg status"}, submit("--shards", "2")...) // nobody could say that it was not

	// The answer of sbatch was lost: the job is found by its name, and not submitted again.
	f = withFake(t)
	f.says("sbatch", "", "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n", 1)
	f.says("squeue-name", "4699\n4699\n", "", 0)
	f.want(0, []string{"job 4699"}, submit("--shards", "2")...)
	if calls := f.calls(); !strings.Contains(calls, "squeue -h -r -t all -n sifg-NAME-1 -o %F") || !strings.Contains(calls, "afterany:4699") {
		t.Errorf("calls:\n%s", calls)
	}

	// Nothing of Slurm is there.
	f = withFake(t)
	f.env = append(f.env, "PATH=/nowhere")
	f.want(2, []string{"scontrol is not installed here"}, submit()...)
	f.want(0, []string{"arrays of 1001"}, submit("--dry-run")...)
}

// What Slurm says is a hint: each state has its word, what it forgets is remembered, and what it cannot say is said.
func TestStates(t *testing.T) {
	f := withFake(t)
	f.want(0, nil, submit("--shards", "12")...)
	name := "sifg-" + filepath.Base(filepath.Dir(f.file("results/cluster/*/job.sh"))) + "-1"
	var lines strings.Builder
	for _, x := range []string{"[0-1%2]|PENDING", "2|RUNNING", "3|TIMEOUT", "4|NODE_FAIL", "5|OUT_OF_MEMORY", "6|CANCELLED", "7|PREEMPTED", "8|FAILED", "9|COMPLETED"} {
		index, state, _ := strings.Cut(x, "|")
		lines.WriteString("4711|" + index + "|" + name + "|" + state + "|None\n")
	}
	lines.WriteString("4711|10|other|RUNNING|None\n") // the number was given again
	f.says("squeue", lines.String(), "", 0)
	f.says("sacct", "4711_11|"+name+"|CANCELLED by 1000\n", "", 0)
	want := []string{"waiting", "waiting", "running", "time", "node", "memory", "cancelled", "preempted", "error", "not-started", "not-started", "not-started"}
	check := func(what string, want []string) {
		t.Helper()
		s := f.status()
		for i, x := range s.Shards {
			if x.State != want[i] {
				t.Errorf("%s: shard %d is %q (%s), want %q", what, i, x.State, x.Slurm, want[i])
			}
		}
		if len(s.Shards) != len(want) || s.Counts["missing"] != 24 {
			t.Errorf("%s: %v", what, s)
		}
	}
	check("squeue", want)
	if calls := f.calls(); !strings.Contains(calls, "squeue -h -r -t all -j 4711 -o %F|%K|%j|%T|%r") || strings.Contains(calls, "sacct") {
		t.Errorf("calls:\n%s", calls)
	}

	// squeue knows the array no more, accounting does.
	f.says("squeue", "", "slurm_load_jobs error: Invalid job id specified\n", 1)
	want[0], want[1], want[2], want[11] = "not-started", "not-started", "not-started", "cancelled"
	check("sacct", want)
	// Nobody knows it any more: what was said before counts.
	f.says("sacct", "", "Slurm accounting storage is disabled\n", 1)
	check("nobody", want)
	// The controller is down.
	f.says("scontrol-ping", "Slurmctld(primary) at host is DOWN\n", "", 1)
	want[0], want[1], want[2], want[9], want[10] = "unknown", "unknown", "unknown", "unknown", "unknown"
	check("outage", want)
	f.want(75, []string{"could not be asked", "does not answer"}, "status", "--plan", "")
	f.want(2, []string{"while Slurm cannot say"}, "resubmit")
	f.calls()

	f.says("scontrol-ping", "", "", 0)
	f.want(2, []string{"would diverge again"}, "resubmit", "--reason", "diverged")
	f.want(2, []string{`unknown reason "tiem"`, `"time"`}, "resubmit", "--reason", "tiem")
	f.want(0, []string{"sbatch --array=3,5", "--time=180 --mem=8G --qos=long"}, "resubmit", "--reason", "time,memory", "--time", "3h", "--mem", "8G", "--extra=--qos=long", "--dry-run")
	f.says("sbatch", "4800\n", "", 0)
	f.want(0, []string{"submitted 9 shards", "job 4800", "shards 3 computed no trial within their time limit"}, "resubmit") // all but the cancelled and the one in error
	if calls := f.calls(); !strings.Contains(calls, "--job-name=sifg-NAME-2 --array=0-5,7,9-10 PLAN/job.sh") {
		t.Errorf("calls:\n%s", calls)
	}
	f.want(0, []string{"cancelled jobs 4711, 4712, 4712, 4800"}, "cancel")
	f.same("calls", f.calls(), `scancel --name=sifg-NAME-1-collect 4712
scancel --name=sifg-NAME-1 4711
scancel --name=sifg-NAME-2-collect 4712
scancel --name=sifg-NAME-2 4800`)
	want = []string{"cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "cancelled", "error", "cancelled", "cancelled", "cancelled"}
	check("cancelled", want)
}

// The store says what is done, whatever Slurm says.
func TestStoreIsTheTruth(t *testing.T) {
	f := withFake(t)
	f.want(0, nil, submit("--shards", "3", "--set", "problems.small.options.fault=panic", "--set", "problems.large.options.fault=nan")...)
	for _, shard := range []string{"0/3", "1/3", "2/3"} {
		f.sifg("work", "--plan", f.file("results/cluster/*/plan-*.jsonl"), "--shard", shard)
	}
	name := "sifg-" + filepath.Base(filepath.Dir(f.file("results/cluster/*/job.sh"))) + "-1"
	f.says("squeue", "4711|0|"+name+"|TIMEOUT|None\n4711|1|"+name+"|NODE_FAIL|None\n4711|2|"+name+"|COMPLETED|None\n", "", 0)
	s := f.status()
	if s.Counts["ok"] != 16 || s.Counts["diverged"] != 4 || s.Counts["failed"] != 4 || s.Counts["missing"] != 0 {
		t.Errorf("%v", s)
	}
	f.want(3, []string{"4 failed", "4 diverged", "the target gave up"}, "status", "--plan", "")
	f.want(0, []string{"nothing to submit again"}, "resubmit") // neither what diverged nor, unasked, what failed
	failed := s.states()["failed"]
	if failed == 0 || s.states()["done"]+failed != 3 {
		t.Errorf("states %v", s.states())
	}
	f.want(0, []string{"submitted " + strconv.Itoa(failed) + " shards"}, "resubmit", "--reason", "failed")

	// A trial that is gone from the store is missing, though its task was completed.
	entries, _, err := openStore(t, f.dir).List("toy")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Meta.Trial.Status == record.StatusOK {
			if err := os.RemoveAll(e.Dir); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if s := f.status(); s.Counts["missing"] != 1 || s.Counts["ok"] != 15 || s.states()["done"] == 3 {
		t.Errorf("%v", s)
	}
}

func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(dir, "results/store"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
