package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// compute puts the results of the trials that want selects into a store.
func compute(t *testing.T, s *store.Store, g *Grid, want func(x *harness.Trial) bool) {
	t.Helper()
	for _, x := range g.Trials {
		config, err := json.Marshal(x.Config)
		if err == nil && want(&x) {
			_, err = s.Put(result(&x), config)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// one reads the only grid of a folder.
func one(t *testing.T, dir string) *Result {
	t.Helper()
	found, err := Read(dir)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d grids, %v", len(found), err)
	}
	return found[0]
}

// TestDisk: what is read is what was written; a complete grid is not replaced by an incomplete one; damage is seen.
func TestDisk(t *testing.T) {
	g, err := layOut("product: {step: [0.01, 0.02], hidden: [2, 8]}\nproblems: [small]", "min gap")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := func(*harness.Trial) bool { return true }
	compute(t, s, g, all)
	r, err := g.Judge(s, "sifg grid toy")
	if err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	dir := filepath.Join(results, "toy-steps")
	if foreign, kept, err := r.Write(dir); err != nil || kept || len(foreign) > 0 {
		t.Fatal(foreign, kept, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "paper", "mine.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	back := one(t, results)
	same := func(a, b *Result) bool {
		return a.Best().Markdown() == b.Best().Markdown() && a.All().CSV() == b.All().CSV() && reflect.DeepEqual(a.Figures, b.Figures) &&
			reflect.DeepEqual(a.Groups, b.Groups) && reflect.DeepEqual(a.Records.Traces, b.Records.Traces) && reflect.DeepEqual(a.Timings, b.Timings) &&
			len(a.Records.Trials) == len(b.Records.Trials) && a.Objective == b.Objective && a.Command == b.Command
	}
	if !same(r, back) || back.Missing() != 0 {
		t.Errorf("read\n%+v\nwritten\n%+v", back, r)
	}
	empty, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	compute(t, empty, g, func(x *harness.Trial) bool { return x.Seed > 1 })
	partial, err := g.Judge(empty, "")
	if err != nil {
		t.Fatal(err)
	}
	if partial.Judged[0].Best() >= 0 || !strings.Contains(partial.All().CSV(), "seed 1: no result") || partial.Missing() != len(g.Trials)/2 {
		t.Errorf("%d trials are missing, and %s was chosen", partial.Missing(), partial.Best().Markdown())
	}
	if _, kept, err := partial.Write(dir); err != nil || !kept {
		t.Errorf("an incomplete grid took the place of a complete one: %v", err)
	}
	compute(t, empty, g, all)
	again, err := g.Judge(empty, r.Command)
	if err != nil {
		t.Fatal(err)
	}
	if foreign, kept, err := again.Write(dir); err != nil || kept || fmt.Sprint(foreign) != "[mine.txt]" {
		t.Errorf("written again: %v, %v, %v", foreign, kept, err)
	}
	if back := one(t, results); !same(r, back) {
		t.Errorf("computed in two pieces the grid is another: %+v", back)
	}
}

// TestDamage: a flipped bit in a file that is read is seen.
func TestDamage(t *testing.T) {
	results := t.TempDir()
	dir := filepath.Join(results, "toy-steps")
	if _, _, err := timed(ranked(t, "product: {methods.svgd.step: [0.01, 0.02]}\nproblems: [small]", "min gap")).Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"grid.json", "trials.parquet", "trace.parquet", "timings.parquet", "figures/effects-small.svg"} {
		file := filepath.Join(dir, "paper", name)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		broken := append([]byte(nil), b...)
		broken[len(b)/2] ^= 1
		if err := os.WriteFile(file, broken, 0o666); err != nil {
			t.Fatal(err)
		}
		if found, err := Read(results); !errors.Is(err, record.ErrDamaged) || len(found) > 0 {
			t.Errorf("a flipped bit in %s: %v", name, err)
		}
		if err := os.WriteFile(file, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// timed gives a result times.
func timed(r *Result) *Result {
	r.Timings = map[string]record.Timing{}
	for _, x := range r.Records.Trials {
		r.Timings[x.Key] = record.Timing{Key: x.Key, Started: "2026-01-01T00:00:00Z"}
	}
	return r
}

// TestForged: a folder that is sealed and makes no sense is damage, not a crash.
func TestForged(t *testing.T) {
	for name, forge := range map[string]func(r *Result){
		"no cells":         func(r *Result) { r.Groups[0].Cells = nil },
		"a value missing":  func(r *Result) { r.Groups[0].Cells[1].Values = nil },
		"a seed missing":   func(r *Result) { r.Groups[0].Cells[1].Seeds = nil },
		"no current":       func(r *Result) { r.Groups[0].Cells[0].Current = false },
		"an unknown trial": func(r *Result) { r.Groups[0].Cells[0].Trials[0] = "abc" },
		"another metric":   func(r *Result) { r.Objective.Metric = "none" },
	} {
		r := timed(ranked(t, "product: {methods.svgd.step: [0.01, 0.02]}\nproblems: [small]", "min gap"))
		files, err := r.files()
		if err != nil {
			t.Fatal(err)
		}
		forge(r)
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := root.Mkdir("toy-steps", 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := record.ReplaceFolder(root, "toy-steps/paper", report.GridIndex, r, files); err != nil {
			t.Fatal(err)
		}
		found, err := Read(dir)
		if name == "an unknown trial" { // is missing, which is no contradiction
			if err != nil || found[0].Judged[0].Outcomes[0].Reason != "seed 1: no result" {
				t.Errorf("%s: %v", name, err)
			}
		} else if !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		root.Close()
	}
}
