package hmc

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The file is what the NPY format 1.0 asks for: magic, version, little-endian header length such that values start at a multiple of
// 64, a Python dictionary ending in a newline, then float64 in C order.
func TestDrawsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "draws.npy")
	w := must(OpenDraws(path, 2, 0))
	for i := range 3 {
		if err := w.Append([]float64{float64(i), math.Inf(-1)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := must(os.ReadFile(path))
	const dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }"
	if string(b[:8]) != "\x93NUMPY\x01\x00" || binary.LittleEndian.Uint16(b[8:]) != 118 ||
		strings.TrimRight(string(b[10:127]), " ") != dict || b[127] != '\n' || len(b) != 128+6*8 {
		t.Fatalf("%q", b[:min(len(b), 128)])
	}
	for i := range 3 {
		if v := math.Float64frombits(binary.LittleEndian.Uint64(b[128+16*i:])); v != float64(i) {
			t.Errorf("row %d begins with %g", i, v)
		}
	}
	// The largest numbers fit the header.
	if h := header(math.MaxInt, math.MaxInt32); len(h) != 128 {
		t.Errorf("a header of %d bytes", len(h))
	}
}

// After a crash the header speaks of the rows of the last Sync, and those are read.
func TestDrawsAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "draws.npy")
	w := must(OpenDraws(path, 1, 0))
	defer w.file.Close()
	for i := range 20000 {
		if i == 100 {
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append([]float64{float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if size := must(os.Stat(path)).Size(); size <= 128+800 || size >= 128+160000 {
		t.Fatalf("%d bytes; the test wants some unsynced rows in the file and some in the buffer", size)
	}
	x, d, err := ReadDraws(path)
	if err != nil || d != 1 || len(x) != 100 || x[99] != 99 {
		t.Errorf("%d values of dimension %d, %v", len(x), d, err)
	}
	// A later state than the last Sync, whose rows happen to be there, is as good.
	v := must(OpenDraws(path, 1, 1000))
	if err := v.Append([]float64{-1}); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if x, _, err = ReadDraws(path); err != nil || len(x) != 1001 || x[999] != 999 || x[1000] != -1 {
		t.Errorf("continued after 1000 rows: %d, %v", len(x), err)
	}
}

func TestDrawsRefuse(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "draws.npy"), filepath.Join(dir, "other.npy")
	w := must(OpenDraws(path, 2, 0))
	for range 5 {
		if err := w.Append([]float64{1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before := must(os.ReadFile(path))
	if err := os.WriteFile(other, slices.Repeat([]byte("not an array "), 50), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, open := range map[string]func() error{
		"5 whole rows, fewer than the 6": func() error { _, err := OpenDraws(path, 2, 6); return err },
		"rows of 2 values":               func() error { _, err := OpenDraws(path, 3, 1); return err },
		"header is another":              func() error { _, err := OpenDraws(other, 2, 1); return err },
		"no such file":                   func() error { _, err := OpenDraws(filepath.Join(dir, "none.npy"), 2, 1); return err },
		"0 rows or more":                 func() error { _, err := OpenDraws(path, 2, -1); return err },
		"1 value or more":                func() error { _, err := OpenDraws(path, 0, 0); return err },
		"other.npy: not a file of draws": func() error { _, _, err := ReadDraws(other); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	if !slices.Equal(must(os.ReadFile(path)), before) {
		t.Error("a refusal changed the file")
	}
	if err := os.Truncate(path, int64(len(before))-1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadDraws(path); err == nil || !strings.Contains(err.Error(), "4 whole rows, and the header says 5") {
		t.Errorf("a cut file: %v", err)
	}
}
