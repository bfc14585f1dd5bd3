package sifg

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is written is read back bit by bit, also from a batch with gaps; the header has the length that readers map
// memory by.
func TestNPY(t *testing.T) {
	want := []float32{1.5, -2, float32(math.Inf(1)), math.SmallestNonzeroFloat32, 0, 3e38}
	gaps := Batch{Rows: 3, Cols: 2, Stride: 3}
	for i := range 3 {
		gaps.Data = append(gaps.Data, want[2*i], want[2*i+1], 9)
	}
	for _, b := range []Batch{{Rows: 3, Cols: 2, Stride: 2, Data: want}, gaps} {
		var file bytes.Buffer
		if err := WriteNPY(&file, b); err != nil {
			t.Fatal(err)
		}
		start := file.Len() - 4*len(want)
		if start%64 != 0 || start != 10+int(binary.LittleEndian.Uint16(file.Bytes()[8:])) {
			t.Errorf("data start at byte %d", start)
		}
		got, err := ReadNPY(&file)
		if err != nil || got.Rows != 3 || got.Cols != 2 || got.Stride != 2 || !slices.Equal(got.Data, want) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// A file that NumPy saved, of float64.
func TestNPYOfNumPy(t *testing.T) {
	f, err := os.Open(filepath.Join("target", "testdata", "gmm_2d", "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := ReadNPY(f); err != nil || b.Rows != 200 || b.Cols != 2 || b.Data[0] != float32(0.8579061603477109) {
		t.Errorf("%v, %v", b, err)
	}
}

// Files that are none say so.
func TestBadNPY(t *testing.T) {
	var file bytes.Buffer
	if err := WriteNPY(&file, NewBatch(2, 3)); err != nil {
		t.Fatal(err)
	}
	good := file.String()
	shape := func(s string) string { // in place of the file's own, the header's length being the same
		const own = "(2, 3), }"
		return strings.Replace(good, own+strings.Repeat(" ", len(s)-len(own)), s, 1)
	}
	for name, c := range map[string]struct{ file, want string }{
		"empty":   {"", "not an NPY file"},
		"text":    {"1, 2, 3\n4, 5, 6\n", "not an NPY file"},
		"version": {good[:6] + "\x02" + good[7:], "only format 1.0"},
		"header":  {good[:40], "the header"},
		"ints":    {strings.Replace(good, "<f4", "<i4", 1), "want '<f4' or '<f8'"},
		"columns": {strings.Replace(good, "False, 'shape': (2, 3), }", "True, 'shape': (2, 3), } ", 1),
			"columns first"},
		"vector":  {strings.Replace(good, "(2, 3), }", "(6,), }  ", 1), "want two dimensions"},
		"no rows": {strings.Replace(shape("(0, 3), }"), string(good[128:]), "", 1), "want two dimensions"},
		"huge":    {shape("(2, 300000000000000000000), }"), "the header"},
		"large":   {shape("(20000000, 30), }"), "needs 2400000000 bytes, and there are 24"},
		"short":   {good[:len(good)-1], "needs 24 bytes, and there are 23"},
		"long":    {good + "x", "needs 24 bytes, and there are 25"},
	} {
		if _, err := ReadNPY(strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
