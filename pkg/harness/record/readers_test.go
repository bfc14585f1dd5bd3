package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

// seen is what scripts/readers/parquet.py prints of a file.
type seen struct {
	Types    map[string]string
	Values   map[string][]string
	Rows     int
	Metadata map[string]string
	Differ   []string
}

// TestReaders: DuckDB sees the rows that were written, bit for bit, and Polars and pyarrow see the same.
func TestReaders(t *testing.T) {
	t.Setenv("PATH", must(filepath.Abs("../../../scripts/python/.venv/bin"))+":"+os.Getenv("PATH"))
	if err := exec.Command("python3", "-c", "import duckdb, polars, pyarrow").Run(); err != nil {
		t.Skip("no Python has DuckDB, Polars and pyarrow (scripts/python/venv.sh makes one that does)")
	}
	dir := t.TempDir()
	args := []string{"../../../scripts/readers/parquet.py"}
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
	a, b, c, d := write(Encode(trials)), write(Encode(traces)), write(Encode[Trace](nil)), write(Encode(timings))
	var files map[string]seen
	out, err := exec.Command("python3", args...).CombinedOutput()
	if err := errors.Join(err, json.Unmarshal(out, &files)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path, want := range map[string]seen{
		a: wanted("trials", trials),
		b: wanted("traces", traces),
		c: wanted("traces", traces[:0]),
		d: wanted("timings", timings),
	} {
		if !reflect.DeepEqual(files[path], want) {
			t.Errorf("%s: the readers see %.2000v\nwant %.2000v", path, files[path], want)
		}
	}
}

// wanted is what DuckDB should see of these rows.
func wanted[T any](table string, rows []T) seen {
	types := map[reflect.Kind]string{
		reflect.String:  "VARCHAR",
		reflect.Int:     "BIGINT",
		reflect.Uint64:  "UBIGINT",
		reflect.Float64: "DOUBLE",
	}
	s := seen{
		map[string]string{},
		map[string][]string{},
		len(rows),
		map[string]string{metaSchema: "2", metaTable: table},
		[]string{},
	}
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
