package npy

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

var values = []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)),
	float32(math.Inf(-1)),
	math.SmallestNonzeroFloat32, math.MaxFloat32, 1.0 / 3, 5, 6, 7, 8}

// Values start at a multiple of 64 bytes, after the end of the header's line, whatever the shape.
func TestEncode(t *testing.T) {
	for _, shape := range [][]int{{}, {0}, {12}, {3, 4}, {2, 3, 2}, {3, 0}, {1, 1, 1}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		b := Encode(shape, values[:n])
		if start := len(b) - 4*n; start%64 != 0 || b[start-1] != '\n' || int(b[8])+int(b[9])<<8 != start-10 {
			t.Errorf("shape %v: values start at %d, want a multiple of 64", shape, start)
		}
	}
	defer func() {
		if r := recover(); r != "npy: the shape of an array does not fit its data" {
			t.Errorf("panic %v", r)
		}
	}()
	Encode([]int{2, 2}, values)
}

// NumPy sees the arrays that were written, bit for bit, and can map them.
func TestNumPy(t *testing.T) {
	python := "python3"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		python = "/usr/bin/python3" // where another python3 is first on the path
	}
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("NumPy is not installed: apt-get install python3-numpy")
	}
	args := []string{"../../../scripts/readers/npy.py"}
	write := func(file []byte) {
		args = append(args, filepath.Join(t.TempDir(), fmt.Sprintf("%d.npy", len(args))))
		if err := os.WriteFile(args[len(args)-1], file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shapes := [][]int{{12}, {3, 4}, {2, 3, 2}, {0, 5}, {}}
	lengths := []int{12, 12, 12, 0, 1}
	for i, shape := range shapes {
		write(Encode(shape, values[:lengths[i]]))
	}
	write(Encode([]int{2}, []float64{1, 2}))
	out, err := exec.Command(python, args...).Output()
	var files map[string]struct {
		Dtype   string
		Shape   []int
		COrder  bool `json:"c_order"`
		Aligned bool
		Bytes   string
	}
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	for i, shape := range shapes {
		raw := hex.EncodeToString(Encode([]int{12}, values)[128:][:4*lengths[i]])
		got := files[args[1+i]]
		if got.Dtype != "<f4" || fmt.Sprint(got.Shape) != fmt.Sprint(shape) || !got.COrder ||
			!got.Aligned || got.Bytes != raw {
			t.Errorf("shape %v: NumPy sees %+v, want the bytes %s (%v)", shape, got, raw, err)
		}
	}
	if got := files[args[len(args)-1]]; got.Dtype != "<f8" || got.Bytes != "000000000000f03f0000000000000040" {
		t.Errorf("float64: NumPy sees %+v", got)
	}
}

// What is written is read back bit for bit, whatever the shape; float64 is rounded to float32 where that is asked for.
func TestDecode(t *testing.T) {
	sameBits := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
	for _, shape := range [][]int{{12}, {3, 4}, {2, 3, 2}} {
		got, data, err := Decode[float32](Encode(shape, values))
		if err != nil || !slices.Equal(got, shape) || !slices.EqualFunc(data, values, sameBits) {
			t.Errorf("shape %v: got %v of shape %v, error %v", shape, data, got, err)
		}
	}
	if shape, data, err := Decode[float32](Encode(nil,
		values[7:8])); err != nil || shape != nil || data[0] != values[7] {
		t.Errorf("a single value: %v of shape %v, error %v", data, shape, err)
	}
	doubles := []float64{1.0 / 3, math.SmallestNonzeroFloat64, math.Inf(-1)}
	file := Encode([]int{3}, doubles)
	if _, data, err := Decode[float64](file); err != nil || !slices.Equal(data, doubles) {
		t.Errorf("%v, error %v", data, err)
	}
	rounded := []float32{1.0 / 3, 0, float32(math.Inf(-1))}
	if _, data, err := Decode[float32](file); err != nil || !slices.Equal(data, rounded) {
		t.Errorf("%v, error %v", data, err)
	}
}

// A cut or altered file is an error, or has as many values as its shape says; it neither panics nor takes the memory
// that a forged shape asks for.
func TestDamaged(t *testing.T) {
	b := Encode([]int{2, 3}, values[:6])
	for n := range b {
		if _, _, err := Decode[float32](b[:n]); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", n, len(b))
		}
	}
	if _, _, err := Decode[float32](append(b, 0)); err == nil {
		t.Error("a byte too many: no error")
	}
	for i := range b {
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			if shape, got, err := Decode[float32](bad); err == nil && (len(got) != 6 || len(shape) == 0) {
				t.Fatalf("bit %d of byte %d flipped: shape %v, %d values", bit, i, shape, len(got))
			}
		}
	}
}

// A file of a later format, whose header may claim any length, is refused before anything is allocated for it.
func TestHeader(t *testing.T) {
	whole := Encode([]int{3, 4}, values)
	for name, b := range map[string][]byte{
		"format 2.0":     append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"), make([]byte, 100)...),
		"cut short":      whole[:40],
		"only its magic": whole[:8],
		"nothing":        nil,
	} {
		if _, _, _, err := Header(b); err == nil {
			t.Errorf("%s: no error", name)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Header(b)
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%s: %d bytes are allocated", name, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

// Whatever a file holds, it is an array whose values are in it, or an error.
func FuzzDecode(f *testing.F) {
	f.Add(Encode([]int{3, 4}, values))
	f.Add(Encode([]int{0}, values[:0]))
	f.Add(Encode([]int{2}, []float64{1, 2}))
	f.Add(append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"), make([]byte, 100)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		shape, data, err := Decode[float32](b)
		n := 1
		for _, d := range shape {
			n *= d
		}
		if err == nil && (n != len(data) || 4*n > len(b)) {
			t.Errorf("%d values of shape %v in %d bytes", len(data), shape, len(b))
		}
		if _, _, shape, err := Header(b); err == nil && len(shape) > len(b) {
			t.Errorf("%d dimensions in %d bytes", len(shape), len(b))
		}
	})
}
