package program

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// A message is a line of JSON, and an NPY array (version 1.0, <f8, rows first) if the line says "array": true.
type message struct {
	Sifg    int  `json:"sifg,omitempty"`
	Sampler *Job `json:"sampler,omitempty"`

	Ask       string `json:"ask,omitempty"`    // score, values, draws
	Count     int    `json:"count,omitempty"`  // of draws
	Seed      uint64 `json:"seed,omitempty"`   // of draws
	Answer    string `json:"answer,omitempty"` // to what was asked
	Tell      string `json:"tell,omitempty"`   // sample, draws
	Iteration int    `json:"iteration,omitempty"`
	End       string `json:"end,omitempty"` // gradients: there are no more; process: it ends after this sample
	Array     bool   `json:"array,omitempty"`
}

// First is a program's first line.
type First struct {
	Sifg    int          `json:"sifg"` // the version of the framing
	Target  *TargetInfo  `json:"target"`
	Sampler *SamplerInfo `json:"sampler"`
	Version string       `json:"version"`
	// Depends is digests of what the program hangs on, such as files that it read, by name; nil: it does not say.
	Depends map[string]string `json:"depends"`
}

// TargetInfo is what a target says of itself.
type TargetInfo struct {
	Dim    int      `json:"dim"`
	Names  []string `json:"names,omitempty"`  // of the dim coordinates; x[0], … if absent
	Values []string `json:"values,omitempty"` // names of the constrained values; nil: the coordinates are the values
	Draws  bool     `json:"draws,omitempty"`  // it gives exact draws of the coordinates
}

// SamplerInfo is what a sampler says of itself.
type SamplerInfo struct {
	Title    string          `json:"title"`
	Settings json.RawMessage `json:"settings,omitempty"` // keys of sifg.Config with their defaults
}

// String returns the line.
func (m message) String() string {
	b, _ := json.Marshal(m) // has a JSON form
	return string(b)
}

const (
	protocol = 1       // the version of the framing
	maxLine  = 1 << 20 // bytes of a line
)

// first parses a program's first line.
func first(line []byte) (f First, err error) {
	if err := json.Unmarshal(line, &f); err != nil || f.Sifg == 0 {
		return f, fmt.Errorf("printed %.200q on stdout where its first line was due, such as "+
			`{"sifg": 1, "target": {"dim": 2}}; what is for people goes to stderr`, line)
	}
	f.Version = clean(f.Version)
	t := f.Target
	if t != nil {
		t.Names, t.Values = cleaned(t.Names), cleaned(t.Values)
		err = cmp.Or(usage.Twice("name", t.Names), usage.Twice("name", t.Values))
	}
	if f.Sampler != nil {
		f.Sampler.Title = clean(f.Sampler.Title)
	}
	switch {
	case err != nil:
		return f, fmt.Errorf("says of its target: %w", err)
	case f.Sifg != protocol:
		return f, fmt.Errorf("speaks version %d of the protocol, this command version %d", f.Sifg, protocol)
	case (t == nil) == (f.Sampler == nil):
		return f, fmt.Errorf("said %.200q: its first line must have either \"target\" or \"sampler\"", line)
	case t == nil:
	case t.Dim < 1 || t.Dim > 10_000: // the reference has matrices of Dim × Dim
		return f, fmt.Errorf("says that its target has %d dimensions: want 1 to 10000", t.Dim)
	case slices.Contains(t.Names, "") || slices.Contains(t.Values, ""):
		return f, errors.New("has an empty name, or one of signs alone")
	case t.Names != nil && len(t.Names) != t.Dim:
		return f, fmt.Errorf("gives %d names to %d coordinates", len(t.Names), t.Dim)
	case t.Names == nil:
		for j := range t.Dim {
			t.Names = append(t.Names, fmt.Sprintf("x[%d]", j))
		}
	}
	return f, nil
}

// clean makes a text fit for terminals, pages and spreadsheets, which may take its first character for a formula.
func clean(text string) string { return strings.TrimLeft(safe.Text(text), "=+-@ ") }

func cleaned(texts []string) []string {
	for i, t := range texts {
		texts[i] = clean(t)
	}
	return texts
}

// reader reads messages. Its buffer has maxLine bytes.
type reader struct{ *bufio.Reader }

// line reads a line, which stays until the next is read.
func (r reader) line() ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		err = fmt.Errorf("printed a line of more than %d bytes on stdout, which begins with %.60q, "+
			"where a message was due", maxLine, line)
	case err == io.EOF && len(line) > 0:
		err = fmt.Errorf("ended in the middle of a line, %.60q", line)
	}
	return line, err
}

// message reads a message without its array.
func (r reader) message() (m message, err error) {
	line, err := r.line()
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, fmt.Errorf("printed %.200q on stdout where a message was due; "+
			"what is for people goes to stderr", line)
	}
	return m, nil
}

// array reads an array of cols columns and least to most rows. what says what it is.
func (r reader) array(dst []float64, least, most, cols int, what string) ([]float64, error) {
	start, err := r.Peek(10)
	if err != nil {
		return nil, err
	}
	if string(start[:8]) != "\x93NUMPY\x01\x00" {
		return nil, fmt.Errorf("sent %.10q where an NPY array of version 1.0 was due", start)
	}
	head, err := r.Peek(10 + int(binary.LittleEndian.Uint16(start[8:])))
	if err != nil {
		return nil, err
	}
	descr, columnsFirst, shape, err := npy.Header(head)
	r.Discard(len(head))
	want := fmt.Sprintf("%d rows", most)
	if least < most {
		want = fmt.Sprintf("%d to %d rows", least, most)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("sent as %s an array that cannot be read: %w", what, err)
	case descr != "<f8" || columnsFirst:
		return nil, fmt.Errorf("sent values of type '%s' as %s: want '<f8' (float64), rows first", descr, what)
	case len(shape) != 2 || shape[1] != cols || shape[0] < least || shape[0] > most:
		return nil, fmt.Errorf("sent an array of shape %v as %s: want %s of %d values", shape, what, want, cols)
	}
	dst = slices.Grow(dst[:0], shape[0]*cols)[:shape[0]*cols]
	raw := make([]byte, 8*len(dst))
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, errors.New("ended in the middle of an array")
	}
	for i := range dst { // binary.Read takes four times as long
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return dst, nil
}
