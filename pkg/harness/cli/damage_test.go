package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// flip changes one byte in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	b := must(os.ReadFile(path))
	b[len(b)/2] ^= 1
	put(t, path, string(b))
}

// A damaged trial is named by every command that meets it. The command that verify names removes it, and it is computed
// again, with the same bytes.
func TestDamagedStore(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --protocol paper", 0)
	before := files(t, "results/toy", "")
	arrays := glob(t, "results/store/toy/*/*/particles.npy", 9)
	flip(t, arrays[0])
	must(0, os.Truncate(filepath.Join(filepath.Dir(arrays[1]), "trial.json"), 100))
	for _, command := range []string{"plan", "run", "report"} { // they look at indexes
		x.want(t, command+" --protocol paper", 5, "1 of 9 trials are damaged", "sifg verify names",
			"remove its folder "+filepath.Dir(arrays[1])+", and then sifg run")
	}
	x.want(t, "verify", 5, "2 files not as written", "particles.npy: its SHA-256", "trial.json: its digest",
		"remove what is not the store's and whole folders of damaged trials, and then sifg run")
	for _, path := range arrays[:2] {
		must(0, os.RemoveAll(filepath.Dir(path)))
	}
	x.want(t, "run --protocol paper", 0, "7 already there, 2 computed")
	same(t, "once it was removed", files(t, "results/toy", ""), before)
	x.want(t, "verify", 0, "verified: all files of the store results/store are intact")
	traces := glob(t, "results/store/toy/*/*/trace.parquet", 9)
	flip(t, traces[0]) // its size is right, so that only who reads it sees it
	for _, command := range []string{"run --name new", "run --results other --store ./results/store/"} {
		x.want(t, command+" --protocol paper", 5, traces[0], "SHA-256", "9 already there, 0 computed")
	}
	same(t, "beside a damaged trial", files(t, "results/toy", ""), before)
	for _, path := range traces[1:] {
		flip(t, path)
	}
	code, said, _ := x.call(t, "grid", "toy", "--protocol", "paper", "--axis", "step=[0.1]", "--select", "min first[0]")
	if code != 5 || !strings.Contains(said, "SHA-256") {
		t.Errorf("a grid over damaged trials: exit code %d, %s", code, said)
	}
}

// TestOwnFilesStay: a person's file in a results folder stays whatever is run, and --check names it.
func TestOwnFilesStay(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run", 0)
	put(t, "results/toy/released/notes.md", "mine")
	put(t, "results/toy/\x1b[31mred.csv", "mine")
	x.want(t, "run --protocol all", 0)
	said := x.want(t, "report --check", 5, "results/toy/released/notes.md: is not made of the records", "[31mred")
	if strings.Contains(said, "\x1b") {
		t.Errorf("the name of a file controls the terminal: %q", said)
	}
	if b, err := os.ReadFile("results/toy/released/notes.md"); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
	os.Remove("results/toy/trials.parquet") // not as if there had been no results
	x.want(t, "report --check", 5, "results/toy/trials.parquet: missing")
}

// TestFoldersOverlap: the trials have a folder of their own.
func TestFoldersOverlap(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	const trials = "such as results/store"
	for folders, want := range map[string]string{
		"--store results/toy --results results": trials, "--store results/grid": trials, "--store results": trials,
		"--store a --results a/b": "such as a/b/store", "--results same --store ./same": "such as same/store",
	} {
		for _, command := range []string{"run ", "verify ", "plan "} {
			x.want(t, command+folders, 2, "--results", "overlap", want)
		}
	}
	if x.Calls.Load() != 0 {
		t.Error("something ran")
	}
}

// TestRecompute finds a value in a report that is not what the trial gives, though all seals are right.
func TestRecompute(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --protocol all --set step=0.3 --results forged", 0)
	x.want(t, "verify --results forged --recompute 100 --within 1h", 0, "9 trials recomputed: bit for bit the same")
	x.want(t, "verify --results forged --recompute 100 --within 1ns", 75, "no trial", "--within")
	before := files(t, "forged/toy", "")
	rows := must(record.Decode[record.Trial]([]byte(before["trials.parquet"])))
	traces := must(record.Decode[record.Trace]([]byte(before["trace.parquet"])))
	forge := func(change func()) {
		was := slices.Clone(rows)
		change()
		forged := report.NewRecords()
		forged.Set["paper"], forged.Set["released"] = []string{"step=0.3"}, []string{"step=0.3"}
		of := map[string][]record.Trace{}
		for _, r := range traces {
			of[r.Key] = append(of[r.Key], r)
		}
		for i, row := range rows {
			forged.Add(row, of[was[i].Key], record.Timing{Key: row.Key})
		}
		content := must(forged.Encode())
		for name, b := range content {
			put(t, "forged/toy/"+name, string(b))
		}
		if err := os.RemoveAll("forged/store"); err != nil { // as in a clone
			t.Fatal(err)
		}
		x.want(t, "report --protocol all --set step=0.3 --results forged", 0) // pages of the forged values
		x.want(t, "report --check --results forged", 0)
	}
	victim := &traces[len(traces)/2]
	forge(func() { victim.Value *= 1 + 1e-15 })
	x.want(t, "verify --results forged --recompute 100", 5, "1 of 9 recomputed trials", victim.Key, victim.Metric)
	forge(func() {
		for i := range rows {
			if rows[i].Key == victim.Key {
				rows[i].Key = strings.Repeat("f", 20) + rows[i].Key[20:]
			}
		}
	})
	x.want(t, "verify --results forged --recompute 100", 75, "8 trials recomputed: bit for bit the same",
		"of the trials not drawn 1 have another key here")
}

// TestRecomputeAsStored: a trial is computed again from the settings that its report has, whatever the protocol's are:
// each problem has its own seeds and refuses others.
func TestRecomputeAsStored(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.Settings = []byte(
		strings.Replace(toySettings, "  problems:\n",
			"  problems:\n    other: {particles: 4, iterations: 2, seeds: [9]}\n", 1),
	)
	x.Check = func(trial *harness.Trial) error {
		if (trial.Problem == "other") != (trial.Seed == 9) {
			return fmt.Errorf("%s has no seed %d", trial.Problem, trial.Seed)
		}
		return nil
	}
	x.want(t, "run --set problems.small.particles=7 --results own", 0)
	x.want(t, "verify --results own --recompute 100", 0, "12 trials recomputed: bit for bit the same")
}
