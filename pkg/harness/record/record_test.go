package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// awkward is what a value must survive.
var awkward = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
	-2.2250738585072014e-308 / 3, math.MaxFloat64, 1.0 / 3}

func someTrials(n int) []Trial {
	rows := make([]Trial, n)
	for i := range rows {
		rows[i] = Trial{Key: fmt.Sprintf("%020x", i*i), Experiment: "gmm", Protocol: "released", Scale: "full",
			Problem: "gmm-10d", Method: []string{"sifg", "ada-sifg", "Größe→σ²"}[i%3], Seed: math.MaxUint64 - uint64(i),
			Status: StatusOK, Particles: 1000, Dim: 10, Iterations: i, Config: fmt.Sprintf(`{"i":%d}`, i)}
	}
	return rows
}

func someTraces(n int) []Trace {
	rows := make([]Trace, n)
	for i := range rows {
		rows[i] = Trace{Key: fmt.Sprintf("%020x", i/50), Iteration: i % 50, Metric: "knn-kl", Index: i % 3,
			Value: awkward[i%len(awkward)]}
	}
	return rows
}

func someTimings(n int) []Timing {
	rows := make([]Timing, n)
	for i := range rows {
		rows[i] = Timing{Key: fmt.Sprint(i), Seconds: float64(i) / 7, CPU: "a CPU @ 2 GHz", Kernel: "avx2",
			Started: "2026-01-02T03:04:05Z", Commit: "abc+dirty"}
	}
	return rows
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sameTraces compares by bits: NaN equals itself, -0 differs from 0.
func sameTraces(a, b []Trace) bool {
	return slices.EqualFunc(a, b, func(x, y Trace) bool {
		bits := math.Float64bits(x.Value) == math.Float64bits(y.Value)
		x.Value, y.Value = 0, 0
		return bits && x == y
	})
}

func TestParquetRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 5000} {
		trials, traces, timings := someTrials(n), someTraces(n), someTimings(n)
		b := must(Encode(trials))
		if got, err := Decode[Trial](b); err != nil || !slices.Equal(got, trials) {
			t.Errorf("%d trials came back otherwise, error %v", n, err)
		}
		if !bytes.Equal(b, must(Encode(trials))) {
			t.Errorf("%d trials: two files of the same rows differ", n)
		}
		if got, err := Decode[Trace](must(Encode(traces))); err != nil || !sameTraces(got, traces) {
			t.Errorf("%d traces came back otherwise, error %v", n, err)
		}
		if got, err := Decode[Timing](must(Encode(timings))); err != nil || !slices.Equal(got, timings) {
			t.Errorf("%d timings came back otherwise, error %v", n, err)
		}
		if _, err := Decode[Timing](b); !errors.Is(err, safe.ErrDamaged) {
			t.Errorf("a file of trials was read as timings: %v", err)
		}
	}
	big := someTrials(5000)
	for i := range big { // several pages
		big[i].Config = fmt.Sprintf(`{"i": %d, "text": "%01000d"}`, i, i)
	}
	if got, err := Decode[Trial](must(Encode(big))); err != nil || !slices.Equal(got, big) {
		t.Errorf("%d trials with long configurations came back otherwise, error %v", len(got), err)
	}
}

// Damage that a forged seal vouches for, every flipped bit and every cut, neither ends the process nor takes its
// memory.
func TestParquetEveryByteFlipped(t *testing.T) {
	rows := someTimings(40)
	rows[1].Key = strings.Repeat("long enough for zstd ", zstdBytes/20)
	b := must(Encode(rows))
	if len(b) > zstdBytes {
		t.Fatalf("%d bytes: nothing was compressed", len(b))
	}
	for i := range b {
		if testing.Short() && i%7 != 0 { // all take a second
			continue
		}
		bad := bytes.Clone(b)
		bad[i] ^= 1 << (i % 8)
		if _, err := Decode[Timing](bad); err != nil && !errors.Is(err, safe.ErrDamaged) &&
			!strings.Contains(err.Error(), "version") {
			t.Fatalf("byte %d flipped: error %v", i, err)
		}
		if _, err := Decode[Timing](b[:i]); !errors.Is(err, safe.ErrDamaged) {
			t.Fatalf("cut to %d of %d bytes: error %v", i, len(b), err)
		}
	}
}

// A file of other columns, of another version, and one that unpacks to very much are refused.
func TestParquetRefuses(t *testing.T) {
	type other struct {
		Key string `parquet:"key"`
	}
	if _, err := Decode[Timing](must(Encode([]other{{"k"}}))); !errors.Is(err, safe.ErrDamaged) {
		t.Errorf("other columns: error %v", err)
	}
	b := must(Encode[Timing](nil))
	at := bytes.Index(b, []byte(metaSchema)) + len(metaSchema) // then its value, with type and length in front
	i := at + bytes.IndexByte(b[at:], '2')
	b[i] = '1'
	if _, err := Decode[Timing](b); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("another version: error %v", err)
	}
}

// TestParquetBomb: a short file that unpacks to what no report holds is refused.
func TestParquetBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("writes four million rows")
	}
	bomb := must(Encode(make([]Trace, 1<<22)))
	if _, err := Decode[Trace](bomb); !errors.Is(err, safe.ErrDamaged) {
		t.Errorf("%d bytes that unpack to 300 MB: error %v", len(bomb), err)
	}
}

// A row that somebody made up is refused or made harmless.
func TestForgedRows(t *testing.T) {
	for name, forge := range map[string]func(*Trial){
		"status":   func(r *Trial) { r.Status = "OK" },
		"escape":   func(r *Trial) { r.Method = "sifg\x1b[2J" },
		"long":     func(r *Trial) { r.Problem = strings.Repeat("x", 2000) },
		"negative": func(r *Trial) { r.Iterations = -1 },
	} {
		rows := someTrials(2)
		forge(&rows[1])
		if _, err := Decode[Trial](must(Encode(rows))); !errors.Is(err, safe.ErrDamaged) ||
			strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, seconds := range []float64{1e308, -1, math.NaN(), math.Inf(1)} {
		rows := someTimings(1)
		rows[0].Seconds = seconds
		if _, err := Decode[Timing](must(Encode(rows))); !errors.Is(err, safe.ErrDamaged) {
			t.Errorf("%g seconds: error %v", seconds, err)
		}
	}
	rows := someTrials(1)
	rows[0].Status, rows[0].Reason = StatusFailed, "\x1b[2J\nall is well"
	if got, err := Decode[Trial](must(Encode(rows))); err != nil || got[0].Reason != `\x1b[2J\nall is well` {
		t.Errorf("%+v, error %v", got, err)
	}
}

// docs/results.md describes each column with its type.
func TestColumnsAreDocumented(t *testing.T) {
	doc := string(must(os.ReadFile("../../../docs/results.md")))
	kinds := map[reflect.Kind]string{
		reflect.String:  "VARCHAR",
		reflect.Float64: "DOUBLE",
		reflect.Int:     "BIGINT",
		reflect.Uint64:  "UBIGINT",
	}
	for name, columns := range map[string][]column{
		"trials.parquet":  columnsOf[Trial](),
		"trace.parquet":   columnsOf[Trace](),
		"timings.parquet": columnsOf[Timing](),
	} {
		_, section, _ := strings.Cut(doc, "### "+name)
		section, _, _ = strings.Cut(section, "\n##")
		for _, c := range columns {
			if line := "| `" + c.name + "` | " + kinds[c.kind] + " |"; !strings.Contains(section, line) {
				t.Errorf("docs/results.md, %s: no line %q", name, line)
			}
		}
	}
}

// TestArrayOf: an array is as wide as it was written, so that it is written again with the same bytes.
func TestArrayOf(t *testing.T) {
	wide, err := ArrayOf(npy.Encode([]int{1, 2}, []float64{math.Pi, 1e300}))
	if err != nil || wide.Data != nil || len(wide.Double) != 2 || wide.Double[1] != 1e300 {
		t.Errorf("float64: %+v, %v", wide, err)
	}
	narrow, err := ArrayOf(npy.Encode([]int{2, 1}, []float32{1, 2}))
	if err != nil || narrow.Double != nil || len(narrow.Data) != 2 || narrow.Shape[0] != 2 {
		t.Errorf("float32: %+v, %v", narrow, err)
	}
	if _, err := ArrayOf([]byte("x")); err == nil {
		t.Error("what is no array was read")
	}
}

// FuzzParquet: whatever a Parquet file holds, it is rows or an error, whose text is of fair length.
func FuzzParquet(f *testing.F) {
	for _, n := range []int{0, 1, 5} {
		trials, err1 := Encode(someTrials(n))
		traces, err2 := Encode(someTraces(n))
		timings, err3 := Encode(someTimings(n))
		if err := errors.Join(err1, err2, err3); err != nil {
			f.Fatal(err)
		}
		f.Add(trials)
		f.Add(traces)
		f.Add(timings)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err1 := Decode[Trial](b)
		_, err2 := Decode[Trace](b)
		_, err3 := Decode[Timing](b)
		for _, err := range []error{err1, err2, err3} {
			if err != nil && len(err.Error()) > 4000 {
				t.Errorf("%d bytes say what is wrong: %.300v", len(err.Error()), err)
			}
		}
	})
}
