package main

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
