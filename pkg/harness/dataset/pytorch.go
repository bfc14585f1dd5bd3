package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"
)

// parsePyTorch reads a 1-D NumPy array of int32 or int64 that torch.save wrote: a ZIP with one entry data.pkl, a pickle
// of protocol 2 in which the array's little-endian bytes are a Unicode string with one code point a byte. The pickle is
// compared with what NumPy writes for such an array, opcode by opcode, rather than executed: anything else is refused.
func parsePyTorch(path string, b []byte) ([]int, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, faultf("%s: %v", path, err)
	}
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "/data.pkl") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, faultf("%s: %s: %v", path, f.Name, err)
		}
		defer r.Close()
		pickle, err := io.ReadAll(r)
		if err != nil {
			return nil, faultf("%s: %s: %v", path, f.Name, err)
		}
		out, ok := unpickle(pickle)
		if !ok {
			return nil, faultf("%s: %s is not a pickled 1-D NumPy array of integers: write one index a line instead", path, f.Name)
		}
		return out, nil
	}
	return nil, faultf("%s: not a file of torch.save: it has no data.pkl", path)
}

// The opcodes around what differs between arrays: length, item type, bytes. q.. stores in the memo, h.. recalls.
const (
	beforeLength = "\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02" +
		"c_codecs\nencode\nq\x03X\x01\x00\x00\x00bq\x04X\x06\x00\x00\x00latin1q\x05\x86q\x06Rq\x07\x87q\x08Rq\t(K\x01"
	beforeType  = "\x85q\ncnumpy\ndtype\nq\x0bX\x02\x00\x00\x00i"
	beforeBytes = "q\x0c\x89\x88\x87q\rRq\x0e(K\x03X\x01\x00\x00\x00<q\x0fNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x10b\x89h\x03X"
	afterBytes  = "q\x11h\x05\x86q\x12Rq\x13tq\x14b."
)

// unpickle reads the array; ok is false where the pickle is anything else.
func unpickle(p []byte) (out []int, ok bool) {
	take := func(n int) []byte { // the next n bytes, nil where there are not so many
		if n > len(p) {
			n, p = 0, nil
		}
		head := p[:n]
		p = p[n:]
		return head
	}
	expect := func(s string) bool { return string(take(len(s))) == s }
	uint := func(n int) int { // little-endian, of at most four bytes
		var v [8]byte
		copy(v[:], take(n))
		return int(binary.LittleEndian.Uint64(v[:]))
	}
	if !expect(beforeLength) {
		return nil, false
	}
	var n int
	switch string(take(1)) { // BININT1, BININT2, BININT
	case "K":
		n = uint(1)
	case "M":
		n = uint(2)
	case "J":
		n = uint(4)
	default:
		return nil, false
	}
	if !expect(beforeType) {
		return nil, false
	}
	width := 4
	switch string(take(1)) {
	case "4":
	case "8":
		width = 8
	default:
		return nil, false
	}
	if !expect(beforeBytes) {
		return nil, false
	}
	text := take(uint(4))
	if !expect(afterBytes) || len(p) > 0 || utf8.RuneCount(text) != n*width {
		return nil, false
	}
	raw := make([]byte, 0, n*width)
	for _, r := range string(text) {
		if r > 255 {
			return nil, false
		}
		raw = append(raw, byte(r))
	}
	for i := range n {
		if item := raw[i*width:]; width == 4 {
			out = append(out, int(int32(binary.LittleEndian.Uint32(item))))
		} else {
			out = append(out, int(int64(binary.LittleEndian.Uint64(item))))
		}
	}
	return out, true
}
