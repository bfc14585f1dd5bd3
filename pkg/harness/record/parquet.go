package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	schemaVersion = 2 // of the columns; a reader refuses any other

	metaSchema = "sifg.schema" // schemaVersion
	metaTable  = "sifg.table"  // trials, traces or timings

	groupRows = 1 << 20 // rows of a row group
)

// EncodeTrials returns the bytes of trials.parquet. Equal rows give equal bytes.
func EncodeTrials(rows []Trial) ([]byte, error) {
	valid := make([]Trial, len(rows))
	for i, r := range rows { // the message of a panic need not be UTF-8, and a Parquet string must be
		r.Reason = strings.ToValidUTF8(r.Reason, "\uFFFD")
		valid[i] = r
	}
	return encode("trials", valid)
}

// EncodeTraces returns the bytes of trace.parquet.
func EncodeTraces(rows []Trace) ([]byte, error) { return encode("traces", rows) }

// EncodeTimings returns the bytes of timings.parquet.
func EncodeTimings(rows []Timing) ([]byte, error) { return encode("timings", rows) }

// DecodeTrials parses the bytes of trials.parquet and checks each row (Trial.Check). Its error wraps ErrDamaged, except for a
// file of another version.
func DecodeTrials(b []byte) ([]Trial, error) { return decodeChecked[Trial](b, "trials") }

// DecodeTraces parses the bytes of trace.parquet. Its error is as that of DecodeTrials.
func DecodeTraces(b []byte) ([]Trace, error) { return decode[Trace](b, "traces") }

// DecodeTimings parses the bytes of timings.parquet and checks each row (Timing.Check). Its error is as that of DecodeTrials.
func DecodeTimings(b []byte) ([]Timing, error) { return decodeChecked[Timing](b, "timings") }

func decodeChecked[T any, P interface {
	*T
	Check() error
}](b []byte, table string) ([]T, error) {
	rows, err := decode[T](b, table)
	for i := range rows {
		if err := P(&rows[i]).Check(); err != nil {
			return nil, fmt.Errorf("%s.parquet, row %d: %w: %w", table, i, ErrDamaged, err)
		}
	}
	return rows, err
}

func encode[T any](table string, rows []T) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics where a writer fails
			out, err = nil, fmt.Errorf("encoding the Parquet file of %s: %v", table, p)
		}
	}()
	cols := columnsOf[T]()
	root, err := schemaOf(cols)
	if err != nil {
		return nil, err
	}
	kv := metadata.NewKeyValueMetadata()
	for _, p := range [][2]string{{metaSchema, strconv.Itoa(schemaVersion)}, {metaTable, table}} {
		if err := kv.Append(p[0], p[1]); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(propertiesOf(cols, rows)), file.WithWriteMetadata(kv))
	for len(rows) > 0 {
		n := min(len(rows), groupRows)
		group := w.AppendRowGroup()
		for _, c := range cols {
			cw, err := group.NextColumn()
			if err != nil {
				return nil, err
			}
			if err := writeColumn(cw, c, rows[:n]); err != nil {
				return nil, fmt.Errorf("encoding column %s of %s: %w", c.name, table, err)
			}
			if err := cw.Close(); err != nil {
				return nil, err
			}
		}
		if err := group.Close(); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode parses a whole file in the calling goroutine, where a panic of the library over a forged page can be caught.
func decode[T any](b []byte, table string) (rows []T, err error) {
	const magic, edge = "PAR1", 12 // magic, …, length of the footer (4 bytes), magic
	n := len(b)
	if n < edge || string(b[:4]) != magic || string(b[n-4:]) != magic ||
		int64(binary.LittleEndian.Uint32(b[n-8:])) > int64(n-edge) {
		return nil, notParquet(table, "%d bytes without a whole footer", n)
	}
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, notParquet(table, "%v", p)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil, notParquet(table, "%v", err)
	}
	defer r.Close()
	kv := r.MetaData().KeyValueMetadata()
	if v := kv.FindValue(metaTable); v == nil || *v != table {
		return nil, notParquet(table, "its metadata do not say %s = %s", metaTable, table)
	}
	if v := kv.FindValue(metaSchema); v == nil || *v != strconv.Itoa(schemaVersion) {
		return nil, fmt.Errorf("a Parquet file of %s with another %s: this program reads version %d", table, metaSchema, schemaVersion)
	}
	cols := columnsOf[T]()
	root, err := schemaOf(cols)
	if err != nil {
		return nil, err
	}
	if !r.MetaData().Schema.Root().Equals(root) {
		return nil, notParquet(table, "its columns are not those of version %d", schemaVersion)
	}
	if err := plausible(r.MetaData(), n); err != nil {
		return nil, notParquet(table, "%v", err)
	}
	for g := range r.NumRowGroups() {
		group, first := r.RowGroup(g), len(rows)
		rows = append(rows, make([]T, group.NumRows())...)
		for i, c := range cols {
			cr, err := group.Column(i)
			if err == nil {
				err = readColumn(cr, c, rows[first:])
			}
			if err != nil {
				return nil, notParquet(table, "column %s: %v", c.name, err)
			}
		}
	}
	return rows, nil
}

func notParquet(table, format string, args ...any) error {
	return fmt.Errorf("not a whole Parquet file of %s: %s: %w", table, fmt.Sprintf(format, args...), ErrDamaged)
}

// plausible refuses a file that claims to unpack to far more than rows of ours do, before anything is unpacked.
func plausible(m *metadata.FileMetaData, size int) error {
	most, mostRows := int64(size)*1000+1<<24, int64(size)*20+1<<20 // zstd makes zeros about 1000 times smaller
	var unpacked, rows int64
	for _, g := range m.RowGroups {
		rows += max(g.NumRows, 0)
		for _, c := range g.Columns {
			unpacked += max(c.MetaData.TotalUncompressedSize, 0)
		}
	}
	if unpacked > most || rows > mostRows {
		return fmt.Errorf("%d bytes of %d rows in a file of %d bytes", unpacked, rows, size)
	}
	return nil
}
