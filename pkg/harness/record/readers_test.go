package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

const readers = "../../../scripts/readers"

// seen is what scripts/readers/parquet.mjs prints of a file.
type seen struct {
	Types    map[string]string
	Values   map[string][]string
	Positive map[string]string // rows with a value above 0, counted with the file's statistics
	Rows     string
	Metadata map[string]string
}

// DuckDB sees the rows that were written, bit for bit.
func TestDuckDB(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	home := os.Getenv("SIFG_READERS_DIR")
	if home == "" {
		home = readers
	}
	if _, err := os.Stat(filepath.Join(home, "node_modules", "@duckdb", "node-api")); err != nil {
		t.Skip("DuckDB is not installed: run npm install in scripts/readers, or set SIFG_READERS_DIR to where that was done")
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	trials, long := someTrials(7), someTrials(5)
	trials[3].Status, trials[3].Reason = StatusFailed, "it's \"broken\"\n→ \x00 end"
	for i := range long {
		long[i].Config = fmt.Sprintf(`{"i": %d, "text": "%08000d"}`, i, i) // enough to be compressed
	}
	traces, timings := someTraces(20000), someTimings(3)
	for _, err := range []error{
		WriteTrials(path("trials.parquet"), trials), WriteTrials(path("long.parquet"), long),
		WriteTraces(path("trace.parquet"), traces), WriteTraces(path("small.parquet"), traces[:20]),
		WriteTraces(path("empty.parquet"), nil), WriteTimings(path("timings.parquet"), timings),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, filepath.Join(readers, "parquet.mjs"), path("trials.parquet"), path("long.parquet"),
		path("trace.parquet"), path("small.parquet"), path("empty.parquet"), path("timings.parquet"))
	out := run(t, cmd)
	var files map[string]seen
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	compare(t, files[path("trials.parquet")], trialColumns, trials)
	compare(t, files[path("long.parquet")], trialColumns, long)
	compare(t, files[path("trace.parquet")], traceColumns, traces)
	compare(t, files[path("small.parquet")], traceColumns, traces[:20])
	compare(t, files[path("empty.parquet")], traceColumns, nil)
	compare(t, files[path("timings.parquet")], timingColumns, timings)
}

// run returns the command's output; an error shows what it said.
func run(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	return out
}

func compare[T any](t *testing.T, got seen, cols []column[T], rows []T) {
	t.Helper()
	if got.Rows != strconv.Itoa(len(rows)) || len(got.Types) != len(cols) {
		t.Fatalf("DuckDB sees %s rows of %d columns, want %d of %d", got.Rows, len(got.Types), len(rows), len(cols))
	}
	if v := got.Metadata[metaContent]; v != content(cols, rows) {
		t.Errorf("metadata %s = %q", metaContent, v)
	}
	for _, c := range cols {
		positive := 0
		for i := range rows {
			var want, value string
			switch r := &rows[i]; {
			case c.text != nil:
				want, value = "VARCHAR", *c.text(r)
			case c.count != nil:
				want, value = "BIGINT", strconv.Itoa(*c.count(r))
				if *c.count(r) > 0 {
					positive++
				}
			case c.seed != nil:
				want, value = "UBIGINT", strconv.FormatUint(*c.seed(r), 10)
				if *c.seed(r) > 0 {
					positive++
				}
			default:
				v := *c.value(r)
				want, value = "DOUBLE", fmt.Sprintf("%016x", math.Float64bits(v))
				if v != v {
					value = "NaN"
				}
				if v > 0 || v != v { // to DuckDB NaN is the greatest number
					positive++
				}
			}
			if got.Types[c.name] != want {
				t.Fatalf("column %s: DuckDB sees type %s, want %s", c.name, got.Types[c.name], want)
			}
			if got.Values[c.name][i] != value {
				t.Fatalf("column %s, row %d: DuckDB sees %q, want %q", c.name, i, got.Values[c.name][i], value)
			}
		}
		if c.text == nil && got.Positive[c.name] != strconv.Itoa(positive) {
			t.Errorf("column %s: DuckDB counts %s rows above 0, want %d", c.name, got.Positive[c.name], positive)
		}
	}
}

// NumPy sees the arrays that were written, bit for bit, and can map them.
func TestNumPy(t *testing.T) {
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} { // the second where another python3 is first on the path
		if exec.Command(p, "-c", "import numpy").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("NumPy is not installed: apt-get install python3-numpy")
	}
	dir := t.TempDir()
	values := make([]float32, 24)
	for i := range values {
		values[i] = float32(awkward[i%len(awkward)])
	}
	shapes := [][]int{{24}, {4, 6}, {2, 3, 4}, {0, 5}, {}}
	args := []string{filepath.Join(readers, "npy.py")}
	for i, shape := range shapes {
		n, _ := elements(shape)
		p := filepath.Join(dir, fmt.Sprintf("%d.npy", i))
		if err := WriteFileAtomic(p, func(w io.Writer) error { return EncodeNPY(w, shape, values[:n]) }); err != nil {
			t.Fatal(err)
		}
		args = append(args, p)
	}
	var files map[string]struct {
		Dtype   string
		Shape   []int
		COrder  bool `json:"c_order"`
		Aligned bool
		Bytes   string
	}
	if err := json.Unmarshal(run(t, exec.Command(python, args...)), &files); err != nil {
		t.Fatal(err)
	}
	for i, shape := range shapes {
		n, _ := elements(shape)
		var want bytes.Buffer
		if err := EncodeNPY(&want, []int{n}, values[:n]); err != nil {
			t.Fatal(err)
		}
		raw := hex.EncodeToString(want.Bytes()[want.Len()-4*n:])
		got := files[args[1+i]]
		if got.Dtype != "<f4" || fmt.Sprint(got.Shape) != fmt.Sprint(shape) || !got.COrder || !got.Aligned ||
			got.Bytes != raw {
			t.Errorf("shape %v: NumPy sees %+v, want the bytes %s", shape, got, raw)
		}
	}
}
