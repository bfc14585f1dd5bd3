package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
)

const readers = "../../../scripts/readers"

// seen is what scripts/readers/parquet.mjs prints of a file.
type seen struct {
	Types    map[string]string
	Values   map[string][]string
	Positive map[string]string // rows with a value above 0
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
	args := []string{filepath.Join(readers, "parquet.mjs")}
	write := func(b []byte, err error) string {
		path := filepath.Join(dir, fmt.Sprint(len(args), ".parquet"))
		must(0, err)
		must(0, os.WriteFile(path, b, 0o666))
		args = append(args, path)
		return path
	}
	trials := someTrials(7)
	trials[3].Status, trials[3].Reason = StatusFailed, "it's \"broken\" → \x00 end"
	for i := range trials {
		trials[i].Config = fmt.Sprintf(`{"i": %d, "text": "%08000d"}`, i, i)
	}
	traces, timings := someTraces(20000), someTimings(3)
	a, b, c, d := write(EncodeTrials(trials)), write(EncodeTraces(traces)), write(EncodeTraces(nil)), write(EncodeTimings(timings))
	var files map[string]seen
	must(0, json.Unmarshal(output(t, exec.Command(node, args...)), &files))
	compare(t, files[a], trials)
	compare(t, files[b], traces)
	compare(t, files[c], traces[:0])
	compare(t, files[d], timings)
}

// output returns the command's output; an error shows what it said.
func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	return out
}

func compare[T any](t *testing.T, got seen, rows []T) {
	t.Helper()
	if n := len(columnsOf[T]()); got.Rows != strconv.Itoa(len(rows)) || len(got.Types) != n || got.Metadata[metaSchema] != "2" {
		t.Fatalf("DuckDB sees %s rows of %d columns, version %s; want %d of %d",
			got.Rows, len(got.Types), got.Metadata[metaSchema], len(rows), n)
	}
	for _, c := range columnsOf[T]() {
		positive, want := 0, map[reflect.Kind]string{reflect.String: "VARCHAR", reflect.Int: "BIGINT", reflect.Uint64: "UBIGINT",
			reflect.Float64: "DOUBLE"}[c.kind]
		if got.Types[c.name] != want {
			t.Fatalf("column %s: DuckDB sees type %s, want %s", c.name, got.Types[c.name], want)
		}
		for i := range rows {
			f := reflect.ValueOf(&rows[i]).Elem().Field(c.field)
			value, above := fmt.Sprint(f.Interface()), false
			switch c.kind {
			case reflect.Int:
				above = f.Int() > 0
			case reflect.Uint64:
				above = f.Uint() > 0
			case reflect.Float64:
				v := f.Float()
				if value = fmt.Sprintf("%016x", math.Float64bits(v)); v != v {
					value = "NaN"
				}
				above = v > 0 || v != v // to DuckDB NaN is the greatest number
			}
			if above {
				positive++
			}
			if got.Values[c.name][i] != value {
				t.Fatalf("column %s, row %d: DuckDB sees %q, want %q", c.name, i, got.Values[c.name][i], value)
			}
		}
		if c.kind != reflect.String && got.Positive[c.name] != strconv.Itoa(positive) {
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
		must(0, os.WriteFile(p, EncodeNPY(shape, values[:n]), 0o666))
		args = append(args, p)
	}
	var files map[string]struct {
		Dtype   string
		Shape   []int
		COrder  bool `json:"c_order"`
		Aligned bool
		Bytes   string
	}
	must(0, json.Unmarshal(output(t, exec.Command(python, args...)), &files))
	for i, shape := range shapes {
		n, _ := elements(shape)
		want := EncodeNPY([]int{n}, values[:n])
		raw := hex.EncodeToString(want[len(want)-4*n:])
		got := files[args[1+i]]
		if got.Dtype != "<f4" || fmt.Sprint(got.Shape) != fmt.Sprint(shape) || !got.COrder || !got.Aligned || got.Bytes != raw {
			t.Errorf("shape %v: NumPy sees %+v, want the bytes %s", shape, got, raw)
		}
	}
}
