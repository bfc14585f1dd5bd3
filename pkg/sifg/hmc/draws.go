package hmc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// Draws writes the draws of one chain, an n×d array of float64, to an .npy file as they come; no more than a buffer of them is
// in memory. The header is 128 bytes long, so that values start at a multiple of 64, and says how many rows there were at the
// last Sync. Sync before saving the chain's State: a resumed run then finds every row it counts on.
type Draws struct {
	file *os.File
	buf  *bufio.Writer
	row  []byte
	rows int
}

const headerSize = 128

// OpenDraws opens the file of draws of dimension d ≥ 1 to continue after its first rows rows, cutting off what is beyond them,
// finished or not; with rows 0 it makes the file or empties it.
func OpenDraws(path string, d, rows int) (*Draws, error) {
	if d < 1 || rows < 0 {
		return nil, fmt.Errorf("%s: %d rows of %d values: there must be 0 rows or more of 1 value or more", path, rows, d)
	}
	mode := os.O_RDWR
	if rows == 0 {
		mode |= os.O_CREATE
	}
	f, err := os.OpenFile(path, mode, 0o666)
	if err != nil {
		return nil, err
	}
	w := &Draws{file: f, buf: bufio.NewWriterSize(nil, 1<<16), row: make([]byte, 8*d), rows: rows}
	if err := w.start(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

func (w *Draws) start() error {
	if w.rows > 0 {
		_, d, err := readHeader(w.file)
		if err != nil {
			return err
		}
		if d != len(w.row)/8 {
			return fmt.Errorf("the file has rows of %d values, the chain has dimension %d", d, len(w.row)/8)
		}
		info, err := w.file.Stat()
		if err != nil {
			return err
		}
		if have := (info.Size() - headerSize) / int64(len(w.row)); have < int64(w.rows) {
			return fmt.Errorf("the file has %d whole rows, fewer than the %d to continue after", have, w.rows)
		}
	}
	if err := w.file.Truncate(headerSize + int64(w.rows)*int64(len(w.row))); err != nil {
		return err
	}
	if _, err := w.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	w.buf.Reset(w.file)
	return w.writeHeader()
}

// Append adds a row. len(x) must be d.
func (w *Draws) Append(x []float64) error {
	if 8*len(x) != len(w.row) {
		panic("hmc: Draws: a row of the wrong length")
	}
	for k, v := range x {
		binary.LittleEndian.PutUint64(w.row[8*k:], math.Float64bits(v))
	}
	_, err := w.buf.Write(w.row)
	w.rows++
	return err
}

// Rows returns the number of rows.
func (w *Draws) Rows() int { return w.rows }

// Sync brings all rows and their number to the disk.
func (w *Draws) Sync() error {
	if err := w.buf.Flush(); err != nil {
		return err
	}
	if err := w.writeHeader(); err != nil {
		return err
	}
	return w.file.Sync()
}

// Close syncs and closes the file.
func (w *Draws) Close() error { return errors.Join(w.Sync(), w.file.Close()) }

// header is of headerSize for any two numbers, so that it can be written anew in its place.
func header(rows, d int) []byte { return npy.Header("<f8", rows, d) }

func (w *Draws) writeHeader() error {
	_, err := w.file.WriteAt(header(w.rows, len(w.row)/8), 0)
	return err
}

func readHeader(r io.ReaderAt) (rows, d int, err error) {
	b := make([]byte, headerSize)
	if _, err := r.ReadAt(b, 0); err != nil {
		return 0, 0, fmt.Errorf("not a file of draws: %w", err)
	}
	_, shape, _ := strings.Cut(string(b), "'shape': ")
	n, _ := fmt.Sscanf(shape, "(%d, %d)", &rows, &d)
	if n != 2 || !bytes.Equal(b, header(rows, d)) || d < 1 {
		return 0, 0, errors.New("not a file of draws: the header is another")
	}
	return rows, d, nil
}

// ReadDraws reads the rows that the header of a file of draws speaks of, n×d, row by row; rows beyond them, which a stopped run
// leaves, are not read.
func ReadDraws(path string) (x []float64, d int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	rows, d, err := readHeader(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if have := (info.Size() - headerSize) / 8 / int64(d); have < int64(rows) {
		return nil, 0, fmt.Errorf("%s: %d whole rows, and the header says %d", path, have, rows)
	}
	x = make([]float64, rows*d)
	err = binary.Read(bufio.NewReaderSize(io.NewSectionReader(f, headerSize, int64(8*len(x))), 1<<16), binary.LittleEndian, x)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return x, d, nil
}
