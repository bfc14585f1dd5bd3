package sifg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// WriteNPY writes b as an n×d NPY file (version 1.0) of little-endian float32, which NumPy and others read.
func WriteNPY(w io.Writer, b Batch) error {
	out := npy.Header("<f4", b.Rows, b.Cols)
	for i := range b.Rows {
		for _, v := range b.Data[i*b.Stride : i*b.Stride+b.Cols] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	_, err := w.Write(out)
	return err
}

var npyHeader = regexp.MustCompile(`^\{'descr': '<f([48])', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n$`)

// ReadNPY reads an n×d NPY file of little-endian float32 or float64, rows first, as WriteNPY and numpy.save write it; float64 is
// rounded. It reads to the end. A file of another kind, cut short or too long is an error, as are fewer than one row or column.
func ReadNPY(r io.Reader) (Batch, error) {
	var start [10]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || !bytes.HasPrefix(start[:], []byte("\x93NUMPY")) {
		return Batch{}, errors.New("sifg: not an NPY file")
	}
	size := int(binary.LittleEndian.Uint16(start[8:]))
	if start[6] != 1 {
		return Batch{}, fmt.Errorf("sifg: an NPY file of version %d: only 1 is read", start[6])
	}
	head := make([]byte, size)
	if _, err := io.ReadFull(r, head); err != nil {
		return Batch{}, fmt.Errorf("sifg: the NPY file ends in its header: %w", err)
	}
	m := npyHeader.FindSubmatch(head)
	if m == nil {
		return Batch{}, fmt.Errorf("sifg: the NPY file is %s: want two dimensions of '<f4' or '<f8', rows first",
			strings.TrimSpace(string(head)))
	}
	width := int(m[1][0] - '0')
	n, errN := strconv.Atoi(string(m[2]))
	d, errD := strconv.Atoi(string(m[3]))
	if errN != nil || errD != nil || n < 1 || d < 1 || n > math.MaxInt/16/d {
		return Batch{}, fmt.Errorf("sifg: the NPY file is %s×%s: want one row and one column at least", m[2], m[3])
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(n*d*width)+1)) // not more than there is, whatever the header says
	if err != nil {
		return Batch{}, fmt.Errorf("sifg: the NPY file: %w", err)
	}
	if len(data) != n*d*width {
		return Batch{}, fmt.Errorf("sifg: the NPY file is %d×%d, %d bytes, but has %s", n, d, n*d*width,
			map[bool]string{true: "fewer", false: "more"}[len(data) < n*d*width])
	}
	b := NewBatch(n, d)
	for i := range b.Data {
		v := data[i*width:]
		if width == 4 {
			b.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(v))
		} else {
			b.Data[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(v)))
		}
	}
	return b, nil
}
