package record

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestBench(t *testing.T) {
	rows := []Bench{
		{Group: "product", Name: "bnn forward 1", Shape: "NN 100×753·753×300", Path: "avx512", Threads: 1, Value: 90, Unit: "GFLOP/s",
			Lo: 80, Hi: 91, PercentOfPeak: 84, Ratio: 12, ULP: 1, Allocs: 0, Target: "≥ 75 % of peak", Met: "yes", CPU: "c", Commit: "d",
			Started: "2026-01-02T03:04:05Z"},
		{Group: "peak", Threads: 2, PercentOfPeak: 1, Ratio: math.Inf(1)},
	}
	path := filepath.Join(t.TempDir(), "bench.parquet")
	if err := WriteBench(path, rows); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadBench(path, ""); err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%+v came back, error %v", got, err)
	}
	if n := reflect.TypeFor[Bench]().NumField(); n != len(benchColumns) {
		t.Errorf("Bench has %d fields and %d columns", n, len(benchColumns))
	}
	doc := string(must(os.ReadFile("../../../docs/performance.md")))
	for _, c := range benchColumns {
		if !strings.Contains(doc, "| `"+c.name+"` |") {
			t.Errorf("docs/performance.md does not describe the column %s", c.name)
		}
	}
}
