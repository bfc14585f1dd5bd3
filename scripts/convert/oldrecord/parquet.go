package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	schemaVersion = 1       // of the columns; a reader refuses any other
	batchRows     = 1 << 12 // rows converted at a time
	zstdBytes     = 1 << 14 // smaller columns are not compressed: the library makes an encoder of 3 MB for each page

	metaSchema    = "sifg.schema"    // schemaVersion
	metaTable     = "sifg.table"     // trials, traces or timings
	metaContent   = "sifg.sha256"    // digest of the rows, see content
	metaGenerator = "sifg.generator" // who writes such files
	metaArrow     = "ARROW:schema"   // where Arrow's readers look
	generator     = "github.com/semi-implicit/sifg/pkg/harness/record"
)

// groupRows is the number of rows of a row group; a variable for the tests.
var groupRows = 1 << 20

// WriteTrials writes trials.parquet, atomically. Equal rows give equal bytes.
func WriteTrials(path string, rows []Trial) error {
	return write(path, "trials", trialColumns, rows)
}

// ReadTrials reads trials.parquet. The file's SHA-256 is compared with wantSHA256 before anything is parsed. With ""
// the file vouches for itself: it holds a digest of its rows, so that damage is an error here too (which wraps
// ErrDamaged) unless it leaves the rows as they were, but the parser is then run on bytes that nobody vouched for.
func ReadTrials(path, wantSHA256 string) ([]Trial, error) {
	return read(path, wantSHA256, "trials", trialColumns)
}

// WriteTraces writes trace.parquet as WriteTrials does trials.parquet.
func WriteTraces(path string, rows []Trace) error {
	return write(path, "traces", traceColumns, rows)
}

// ReadTraces reads trace.parquet as ReadTrials does trials.parquet.
func ReadTraces(path, wantSHA256 string) ([]Trace, error) {
	return read(path, wantSHA256, "traces", traceColumns)
}

// EncodeTraces is WriteTraces to a writer.
func EncodeTraces(w io.Writer, rows []Trace) error { return encode(w, "traces", traceColumns, rows) }

// DecodeTraces parses the bytes of a trace.parquet.
func DecodeTraces(b []byte) ([]Trace, error) { return decode(b, "traces", traceColumns) }

// WriteTimings writes timings.parquet as WriteTrials does trials.parquet.
func WriteTimings(path string, rows []Timing) error {
	return write(path, "timings", timingColumns, rows)
}

// ReadTimings reads timings.parquet as ReadTrials does trials.parquet.
func ReadTimings(path, wantSHA256 string) ([]Timing, error) {
	return read(path, wantSHA256, "timings", timingColumns)
}

// clean makes text valid UTF-8, which a message of a panic need not be and a Parquet string must be.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// content is the digest of rows: each column's name, then its values; numbers as 8 bytes, little-endian, text as its
// length and its bytes. NaNs keep their payload.
func content[T any](cols []column[T], rows []T) string {
	h := sha256.New()
	for _, c := range cols {
		hashText(h, c.name)
		var b [8]byte
		for i := range rows {
			switch r := &rows[i]; {
			case c.text != nil:
				hashText(h, clean(*c.text(r)))
				continue
			case c.count != nil:
				binary.LittleEndian.PutUint64(b[:], uint64(*c.count(r)))
			case c.seed != nil:
				binary.LittleEndian.PutUint64(b[:], *c.seed(r))
			default:
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(*c.value(r)))
			}
			h.Write(b[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashText(h hash.Hash, s string) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(s)))
	h.Write(b[:])
	io.WriteString(h, s)
}

// sink keeps the first error of a writer, because the Parquet library loses some and panics on others, and hides its
// Close, because the library calls it before the file is synced.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(b)
	s.err = err
	return n, err
}

// encode writes rows as one Parquet file: row groups of groupRows, zstd for columns of zstdBytes and more, dictionaries
// for text that repeats (they cost space elsewhere).
func encode[T any](w io.Writer, table string, cols []column[T], rows []T) (err error) {
	root, arrowSchema, err := schemas(cols)
	if err != nil {
		return err
	}
	var stored bytes.Buffer
	if err := ipc.NewWriter(&stored, ipc.WithSchema(arrowSchema)).Close(); err != nil {
		return err
	}
	kv := metadata.NewKeyValueMetadata()
	for _, p := range [][2]string{
		{metaGenerator, generator}, {metaSchema, strconv.Itoa(schemaVersion)}, {metaTable, table},
		{metaContent, content(cols, rows)}, {metaArrow, base64.StdEncoding.EncodeToString(stored.Bytes())},
	} {
		if err := kv.Append(p[0], p[1]); err != nil {
			return err
		}
	}
	props := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(false),
		parquet.WithRootRepetition(parquet.Repetitions.Required),
	}
	for _, c := range cols {
		if c.text != nil && !c.plain {
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		}
		if c.size(rows) >= zstdBytes {
			props = append(props, parquet.WithCompressionFor(c.name, compress.Codecs.Zstd))
		}
	}
	out := &sink{w: w}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encoding parquet: %v", p)
		}
		if out.err != nil {
			err = out.err
		}
	}()
	fw := file.NewParquetWriter(out, root, file.WithWriterProps(parquet.NewWriterProperties(props...)),
		file.WithWriteMetadata(kv))
	for len(rows) > 0 {
		n := min(len(rows), groupRows)
		group := fw.AppendRowGroup()
		for i := range cols {
			cw, err := group.NextColumn()
			if err != nil {
				return err
			}
			if err := cols[i].write(cw, rows[:n]); err != nil {
				return err
			}
			if err := cw.Close(); err != nil {
				return err
			}
		}
		if err := group.Close(); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return fw.Close()
}

// size is about what the column takes uncompressed, in bytes.
func (c *column[T]) size(rows []T) int {
	switch {
	case c.text == nil:
		return 8 * len(rows)
	case !c.plain:
		return len(rows) // an index into the dictionary
	}
	n := 0
	for i := range rows {
		n += 4 + len(*c.text(&rows[i]))
	}
	return n
}

// write writes the rows' values of one column, batchRows at a time.
func (c *column[T]) write(cw file.ColumnChunkWriter, rows []T) (err error) {
	for len(rows) > 0 && err == nil {
		n := min(len(rows), batchRows)
		switch batch := rows[:n]; {
		case c.text != nil:
			v := make([]parquet.ByteArray, n)
			for i := range batch {
				v[i] = parquet.ByteArray(clean(*c.text(&batch[i])))
			}
			_, err = cw.(*file.ByteArrayColumnChunkWriter).WriteBatch(v, nil, nil)
		case c.value != nil:
			v := make([]float64, n)
			for i := range batch {
				v[i] = *c.value(&batch[i])
			}
			_, err = cw.(*file.Float64ColumnChunkWriter).WriteBatch(v, nil, nil)
		default:
			v := make([]int64, n)
			for i := range batch {
				if c.seed != nil {
					v[i] = int64(*c.seed(&batch[i]))
				} else {
					v[i] = int64(*c.count(&batch[i]))
				}
			}
			_, err = cw.(*file.Int64ColumnChunkWriter).WriteBatch(v, nil, nil)
		}
		rows = rows[n:]
	}
	return err
}

func write[T any](path, table string, cols []column[T], rows []T) error {
	return WriteFileAtomic(path, func(w io.Writer) error { return encode(w, table, cols, rows) })
}

func read[T any](path, want, table string, cols []column[T]) ([]T, error) {
	b, err := ReadFile(path, want)
	if err != nil {
		return nil, err
	}
	rows, err := decode(b, table, cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// decode parses a whole file in the calling goroutine, with the library's column readers: its record readers (package
// pqarrow) decode in goroutines of their own, where a panic over a damaged page cannot be caught.
func decode[T any](b []byte, table string, cols []column[T]) (rows []T, err error) {
	damaged := func(format string, args ...any) ([]T, error) {
		return nil, fmt.Errorf("not a whole Parquet file of %s: %s: %w", table, fmt.Sprintf(format, args...), ErrDamaged)
	}
	const magic, edge = "PAR1", 12 // magic, …, length of the footer (4 bytes), magic
	n := len(b)
	if n < edge || string(b[:4]) != magic || string(b[n-4:]) != magic {
		return damaged("%d bytes, %s missing at the start or the end", n, magic)
	}
	if footer := binary.LittleEndian.Uint32(b[n-8:]); int64(footer) > int64(n-edge) {
		return damaged("a footer of %d bytes in a file of %d", footer, n)
	}
	defer func() {
		if p := recover(); p != nil {
			rows, err = damaged("%v", p)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return damaged("%v", err)
	}
	defer r.Close()
	kv := r.MetaData().KeyValueMetadata()
	if v := kv.FindValue(metaTable); v == nil || *v != table {
		return damaged("its metadata do not say %s = %s", metaTable, table)
	}
	if v := kv.FindValue(metaSchema); v == nil || *v != strconv.Itoa(schemaVersion) {
		return nil, fmt.Errorf("%s has another value than %d: written by another version of this program", metaSchema, schemaVersion)
	}
	root, _, err := schemas(cols)
	if err != nil {
		return nil, err
	}
	if !r.MetaData().Schema.Root().Equals(root) {
		return damaged("its columns are not those of version %d", schemaVersion)
	}
	for g := range r.NumRowGroups() {
		group, first := r.RowGroup(g), len(rows)
		for i := range cols {
			cr, err := group.Column(i)
			if err == nil {
				batch := int64(max(1, min(batchRows, group.NumRows())))
				rows, err = cols[i].read(cr, rows, first, batch, i == 0)
			}
			if err != nil {
				return damaged("column %s: %v", cols[i].name, err)
			}
		}
	}
	if v := kv.FindValue(metaContent); v == nil || *v != content(cols, rows) {
		return damaged("the rows are not those that were written (%s)", metaContent)
	}
	return rows, nil
}

// read reads one column of a row group into rows[first:], batch values at a time. The first column of a group makes its
// rows, so that memory follows what is in the file and not what a damaged footer claims; the others must have as many.
func (c *column[T]) read(cr file.ColumnChunkReader, rows []T, first int, batch int64, grow bool) ([]T, error) {
	texts := map[string]string{} // one copy of text that repeats
	var bytesBuf []parquet.ByteArray
	var ints []int64
	var floats []float64
	switch {
	case c.text != nil:
		bytesBuf = make([]parquet.ByteArray, batch)
	case c.value != nil:
		floats = make([]float64, batch)
	default:
		ints = make([]int64, batch)
	}
	at := first
	for cr.HasNext() {
		var n int
		var err error
		switch cr := cr.(type) {
		case *file.ByteArrayColumnChunkReader:
			_, n, err = cr.ReadBatch(batch, bytesBuf, nil, nil)
		case *file.Float64ColumnChunkReader:
			_, n, err = cr.ReadBatch(batch, floats, nil, nil)
		case *file.Int64ColumnChunkReader:
			_, n, err = cr.ReadBatch(batch, ints, nil, nil)
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		if grow {
			rows = append(rows, make([]T, n)...)
		} else if at+n > len(rows) {
			return nil, fmt.Errorf("more than %d rows", len(rows)-first)
		}
		for i := range n {
			switch r := &rows[at+i]; {
			case c.text != nil:
				s, ok := texts[string(bytesBuf[i])]
				if !ok {
					s = string(bytesBuf[i])
					texts[s] = s
				}
				*c.text(r) = s
			case c.value != nil:
				*c.value(r) = floats[i]
			case c.seed != nil:
				*c.seed(r) = uint64(ints[i])
			default:
				*c.count(r) = int(ints[i])
			}
		}
		at += n
	}
	if at != len(rows) {
		return nil, fmt.Errorf("%d rows instead of %d", at-first, len(rows)-first)
	}
	return rows, nil
}
