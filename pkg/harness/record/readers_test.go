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

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

const readers = "../../../scripts/readers"

// seen is what scripts/readers/parquet.mjs prints of a file.
type seen struct {
	Types    map[string]string
	Values   map[string][]string
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
	for path, want := range map[string]seen{a: wanted("trials", trials), b: wanted("traces", traces), c: wanted("traces", traces[:0]),
		d: wanted("timings", timings)} {
		if !reflect.DeepEqual(files[path], want) {
			t.Errorf("%s: DuckDB sees %.2000v\nwant %.2000v", path, files[path], want)
		}
	}
}

// wanted is what DuckDB should see of these rows.
func wanted[T any](table string, rows []T) seen {
	types := map[reflect.Kind]string{reflect.String: "VARCHAR", reflect.Int: "BIGINT", reflect.Uint64: "UBIGINT", reflect.Float64: "DOUBLE"}
	s := seen{map[string]string{}, map[string][]string{}, strconv.Itoa(len(rows)), map[string]string{metaSchema: "2", metaTable: table}}
	for _, c := range columnsOf[T]() {
		values := make([]string, len(rows))
		for i := range rows {
			v := reflect.ValueOf(rows[i]).Field(c.field)
			if values[i] = fmt.Sprint(v); c.kind == reflect.Float64 && v.Float() == v.Float() {
				values[i] = fmt.Sprintf("%016x", math.Float64bits(v.Float()))
			}
		}
		s.Types[c.name], s.Values[c.name] = types[c.kind], values
	}
	return s
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
		n := product(shape)
		p := filepath.Join(dir, fmt.Sprintf("%d.npy", i))
		must(0, os.WriteFile(p, npy.Encode(shape, values[:n]), 0o666))
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
		n := product(shape)
		want := npy.Encode([]int{n}, values[:n])
		raw := hex.EncodeToString(want[len(want)-4*n:])
		got := files[args[1+i]]
		if got.Dtype != "<f4" || fmt.Sprint(got.Shape) != fmt.Sprint(shape) || !got.COrder || !got.Aligned || got.Bytes != raw {
			t.Errorf("shape %v: NumPy sees %+v, want the bytes %s", shape, got, raw)
		}
	}
}
