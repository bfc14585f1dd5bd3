package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// torchSave writes a ZIP as torch.save does, with the pickle of an array of the given item type.
func torchSave(t *testing.T, width string, values []int, change func([]byte) []byte) string {
	t.Helper()
	var raw []byte
	for _, v := range values {
		if width == "8" {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
		}
	}
	var text strings.Builder
	for _, b := range raw {
		text.WriteRune(rune(b))
	}
	p := []byte(beforeLength)
	if len(values) < 256 {
		p = append(p, 'K', byte(len(values)))
	} else {
		p = binary.LittleEndian.AppendUint16(append(p, 'M'), uint16(len(values)))
	}
	p = append(append(append(p, beforeType...), width...), beforeBytes...)
	p = append(append(binary.LittleEndian.AppendUint32(p, uint32(text.Len())), text.String()...), afterBytes...)
	if change != nil {
		p = change(p)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create("archive/data.pkl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPyTorch: arrays of both item types and lengths are read back, negative values and bytes above 127 included; a
// pickle that differs anywhere outside the array is refused.
func TestPyTorch(t *testing.T) {
	long := make([]int, 300)
	for i := range long {
		long[i] = i*i - 200
	}
	for _, values := range [][]int{{2, 0, 1}, {-1, 255, 65536}, long} {
		for _, width := range []string{"4", "8"} {
			got, err := parseIndices("p.pt", []byte(torchSave(t, width, values, nil)))
			if err != nil || !slices.Equal(got, values) {
				t.Errorf("i%s: %v, want %v (%v)", width, got, values, err)
			}
		}
	}
	size := 0
	torchSave(t, "4", []int{2, 0, 1}, func(p []byte) []byte { size = len(p); return p })
	values := len(beforeLength) + 2 + len(beforeType) + 1 + len(beforeBytes) + 4
	for i := range size {
		if i >= values && i < size-len(afterBytes) {
			continue // the array itself
		}
		for _, change := range []func([]byte) []byte{
			func(p []byte) []byte { p[i] ^= 1; return p },
			func(p []byte) []byte { return p[:i] },
		} {
			if got, err := parseIndices("p.pt", []byte(torchSave(t, "4", []int{2, 0, 1}, change))); err == nil {
				t.Fatalf("a pickle changed at byte %d of %d was read as %v", i, size, got)
			}
		}
	}
	_, err := parseIndices("p.pt", []byte("PK\x03\x04"))
	wants(t, err, "p.pt", "zip")
}
