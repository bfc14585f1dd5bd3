package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio"
)

// awkward is what a value must survive.
var awkward = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
	-2.2250738585072014e-308 / 3, math.MaxFloat64, 1.0 / 3}

func someTrials(n int) []Trial {
	rows := make([]Trial, n)
	for i := range rows {
		rows[i] = Trial{Key: fmt.Sprintf("%064x", i*i), Experiment: "gmm", Protocol: "released", Scale: "full",
			Problem: "gmm-10d", Method: []string{"sifg", "ada-sifg", "Größe→σ²"}[i%3], Seed: math.MaxUint64 - uint64(i),
			Status: StatusOK, Particles: 1000, Dim: 10, Iterations: i - 1, Config: fmt.Sprintf(`{"i":%d}`, i)}
	}
	return rows
}

func someTraces(n int) []Trace {
	rows := make([]Trace, n)
	for i := range rows {
		rows[i] = Trace{Key: fmt.Sprintf("%064x", i/50), Experiment: "gmm", Protocol: "paper", Scale: "quick",
			Problem: "gmm-2d", Method: "svgd", Seed: uint64(i / 50), Iteration: i % 50, Metric: "knn-kl", Index: i % 3,
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

// same compares rows by their bits: NaN equals itself, -0 differs from 0.
func same[T any](cols []column[T], a, b []T) bool {
	return len(a) == len(b) && content(cols, a) == content(cols, b)
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func encoded[T any](t *testing.T, table string, cols []column[T], rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, table, cols, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParquetRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 5, batchRows, 2*batchRows + 1} {
		trials, traces, timings := someTrials(n), someTraces(n), someTimings(n)
		p := filepath.Join(dir, "t.parquet")
		if err := WriteTrials(p, trials); err != nil {
			t.Fatal(err)
		}
		b := must(os.ReadFile(p))
		if got, err := ReadTrials(p, digest(b)); err != nil || !slices.Equal(got, trials) {
			t.Errorf("%d trials came back otherwise, error %v", n, err)
		}
		if !bytes.Equal(b, encoded(t, "trials", trialColumns, trials)) {
			t.Errorf("%d trials: two files of the same rows differ", n)
		}
		if err := WriteTraces(p, traces); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadTraces(p, ""); err != nil || !same(traceColumns, got, traces) {
			t.Errorf("%d traces came back otherwise, error %v", n, err)
		}
		if err := WriteTimings(p, timings); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadTimings(p, ""); err != nil || !slices.Equal(got, timings) {
			t.Errorf("%d timings came back otherwise, error %v", n, err)
		}
		if _, err := ReadTrials(p, ""); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), p) {
			t.Errorf("a file of timings was read as trials: %v", err)
		}
	}
}

// Many different keys make a dictionary that outgrows its page (1 MiB), where the writer turns to plain pages; and
// there are three row groups.
func TestParquetLarge(t *testing.T) {
	defer func(n int) { groupRows = n }(groupRows)
	groupRows = 20000
	rows := make([]Trace, 2*groupRows+10)
	for i := range rows {
		rows[i] = Trace{Key: fmt.Sprintf("%064d", i), Iteration: i, Value: float64(i)}
	}
	b := encoded(t, "traces", traceColumns, rows)
	if got, err := DecodeTraces(b); err != nil || !slices.Equal(got, rows) {
		t.Fatalf("%d rows came back otherwise, error %v", len(rows), err)
	}
}

// Every field of the row types is a column: a field that is not would be lost without a word.
func TestColumnsCoverRows(t *testing.T) {
	check := func(row any, cols int) {
		if n := reflect.TypeOf(row).NumField(); n != cols {
			t.Errorf("%T has %d fields and %d columns", row, n, cols)
		}
	}
	check(Trial{}, len(trialColumns))
	check(Trace{}, len(traceColumns))
	check(Timing{}, len(timingColumns))
}

// docs/results.md describes each column with its type.
func TestColumnsAreDocumented(t *testing.T) {
	doc := string(must(os.ReadFile("../../../docs/results.md")))
	checkDocumented(t, doc, "trials.parquet", trialColumns)
	checkDocumented(t, doc, "timings.parquet", timingColumns)
	checkDocumented(t, doc, "trace.parquet", slices.DeleteFunc(slices.Clone(traceColumns), func(c column[Trace]) bool {
		return slices.ContainsFunc(trialColumns, func(o column[Trial]) bool { return o.name == c.name }) // "as above"
	}))
}

func checkDocumented[T any](t *testing.T, doc, file string, cols []column[T]) {
	t.Helper()
	_, section, _ := strings.Cut(doc, "### "+file)
	section, _, _ = strings.Cut(section, "\n##")
	for _, c := range cols {
		kind := "DOUBLE | DOUBLE"
		switch {
		case c.text != nil:
			kind = "BYTE_ARRAY (STRING) | VARCHAR"
		case c.count != nil:
			kind = "INT64 (signed) | BIGINT"
		case c.seed != nil:
			kind = "INT64 (unsigned) | UBIGINT"
		}
		if line := "| `" + c.name + "` | " + kind + " |"; !strings.Contains(section, line) {
			t.Errorf("docs/results.md, %s: no line %q", file, line)
		}
	}
}

func TestTextIsMadeUTF8(t *testing.T) {
	b := encoded(t, "trials", trialColumns, []Trial{{Reason: "panic: \xff\xfe", Config: "{}"}})
	if got, err := decode(b, "trials", trialColumns); err != nil || got[0].Reason != "panic: \uFFFD" {
		t.Fatalf("%+v, error %v", got, err)
	}
}

// With the digest known, each altered file is refused before the parser sees it. Without, the parser meets the damage:
// it must neither end the process nor return other rows.
func TestParquetEveryByteFlipped(t *testing.T) {
	rows := someTimings(4)
	rows[1].Key = strings.Repeat("long enough for zstd ", zstdBytes/20)
	b := encoded(t, "timings", timingColumns, rows)
	if len(b) > zstdBytes {
		t.Fatalf("%d bytes: nothing was compressed", len(b))
	}
	want, path := digest(b), filepath.Join(t.TempDir(), "timings.parquet")
	identical := 0
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1 << (i % 8)
		if i%64 == 0 { // the digest needs no thorough test, the files cost time
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadTimings(path, want); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
				t.Fatalf("byte %d flipped: error %v", i, err)
			}
		}
		got, err := decode(bad, "timings", timingColumns)
		if err == nil && !slices.Equal(got, rows) {
			t.Fatalf("byte %d flipped: other rows without an error", i)
		}
		if err == nil {
			identical++
		}
	}
	t.Logf("%d bytes; %d flips left the rows as they were", len(b), identical)
	for n := range b {
		if _, err := decode(b[:n], "timings", timingColumns); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d of %d bytes: error %v", n, len(b), err)
		}
	}
}

func TestNPYRoundTrip(t *testing.T) {
	values := make([]float32, 24)
	for i := range values {
		values[i] = float32(awkward[i%len(awkward)])
	}
	values[5] = math.SmallestNonzeroFloat32
	for _, shape := range [][]int{{}, {0}, {24}, {4, 6}, {2, 3, 4}, {3, 0}, {1, 1, 1}} {
		n, _ := elements(shape)
		var file bytes.Buffer
		if err := EncodeNPY(&file, shape, values[:n]); err != nil {
			t.Fatal(err)
		}
		b := file.Bytes()
		if start := len(b) - 4*n; start%64 != 0 || b[start-1] != '\n' {
			t.Errorf("shape %v: values start at %d, want a multiple of 64", shape, start)
		}
		got, data, err := DecodeNPY[float32](b)
		if err != nil || !slices.Equal(got, shape) || !slices.EqualFunc(data, values[:n], sameBits) {
			t.Errorf("shape %v: got %v of shape %v, error %v", shape, data, got, err)
		}
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func roundTripNPY[T Number](t *testing.T, data []T) {
	var b bytes.Buffer
	if err := EncodeNPY(&b, []int{len(data)}, data); err != nil {
		t.Fatal(err)
	}
	if _, got, err := DecodeNPY[T](b.Bytes()); err != nil || !slices.Equal(got, data) {
		t.Errorf("%T: %v, error %v", data, got, err)
	}
}

func TestNPYTypes(t *testing.T) {
	long := make([]float64, 20000) // more than one chunk
	for i := range long {
		long[i] = float64(i) / 3
	}
	roundTripNPY(t, long)
	roundTripNPY(t, []int64{math.MinInt64, 0, math.MaxInt64})
	var b bytes.Buffer
	if err := npyio.Write(&b, long[:9]); err != nil { // format 2.0, header not aligned
		t.Fatal(err)
	}
	if shape, got, err := DecodeNPY[float64](b.Bytes()); err != nil || !slices.Equal(got, long[:9]) || shape[0] != 9 {
		t.Errorf("npyio's own file: %v %v, error %v", shape, got, err)
	}
	if _, _, err := DecodeNPY[float32](b.Bytes()); err == nil || !strings.Contains(err.Error(), "<f8") {
		t.Errorf("float64 read as float32: error %v", err)
	}
}

func TestNPYDamage(t *testing.T) {
	var buf bytes.Buffer
	if err := EncodeNPY(&buf, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	b := buf.Bytes()
	for n := range b {
		if _, _, err := DecodeNPY[float32](b[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d of %d bytes: error %v", n, len(b), err)
		}
	}
	if _, _, err := DecodeNPY[float32](append(b, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: error %v", err)
	}
	for i := range b { // must not panic or take the memory that a damaged shape asks for
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			if shape, got, err := DecodeNPY[float32](bad); err == nil && (len(got) != 6 || len(shape) == 0) {
				t.Fatalf("bit %d of byte %d flipped: shape %v, %d values", bit, i, shape, len(got))
			}
		}
	}
	bomb := bytes.Clone(b)
	binary.LittleEndian.PutUint16(bomb[8:], 65535)
	if _, _, err := DecodeNPY[float32](bomb); !errors.Is(err, ErrDamaged) {
		t.Errorf("a header longer than the file: error %v", err)
	}
}

// A trace of a small trial: 3 metrics at 50 checkpoints.
func BenchmarkEncodeTraces(b *testing.B) {
	rows := someTraces(150)
	for b.Loop() {
		if err := EncodeTraces(io.Discard, rows); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeTraces(b *testing.B) {
	var buf bytes.Buffer
	if err := EncodeTraces(&buf, someTraces(150)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if _, err := DecodeTraces(buf.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
