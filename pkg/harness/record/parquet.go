package record

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const (
	schemaVersion = 2 // of the columns; a reader refuses any other

	metaSchema = "sifg.schema" // schemaVersion
	metaTable  = "sifg.table"  // trials, traces or timings

	groupRows = 1 << 20 // rows of a row group
	batchRows = 1 << 12 // rows decoded at a time
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

// DecodeTrials parses the bytes of trials.parquet and checks each row (Trial.Check). Its error wraps ErrDamaged, except for a file of
// another version.
func DecodeTrials(b []byte) ([]Trial, error) {
	rows, err := decode[Trial](b, "trials")
	for i := range rows {
		if err := rows[i].Check(); err != nil {
			return nil, fmt.Errorf("trials.parquet, row %d: %w: %w", i, ErrDamaged, err)
		}
	}
	return rows, err
}

// DecodeTraces parses the bytes of trace.parquet. Its error is as that of DecodeTrials.
func DecodeTraces(b []byte) ([]Trace, error) { return decode[Trace](b, "traces") }

// DecodeTimings parses the bytes of timings.parquet and checks each row (Timing.Check). Its error is as that of DecodeTrials.
func DecodeTimings(b []byte) ([]Timing, error) {
	rows, err := decode[Timing](b, "timings")
	for i := range rows {
		if err := rows[i].Check(); err != nil {
			return nil, fmt.Errorf("timings.parquet, row %d: %w: %w", i, ErrDamaged, err)
		}
	}
	return rows, err
}

func encode[T any](table string, rows []T) ([]byte, error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.KeyValueMetadata(metaSchema, strconv.Itoa(schemaVersion)),
		parquet.KeyValueMetadata(metaTable, table), parquet.MaxRowsPerRowGroup(groupRows))
	if _, err := w.Write(rows); err != nil {
		return nil, fmt.Errorf("encoding the Parquet file of %s: %w", table, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encoding the Parquet file of %s: %w", table, err)
	}
	return b.Bytes(), nil
}

// decode parses a whole file in the calling goroutine, where a panic of the library over a forged page can be caught.
func decode[T any](b []byte, table string) (rows []T, err error) {
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, notParquet(table, "%v", p)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, notParquet(table, "%v", err)
	}
	if v, _ := f.Lookup(metaTable); v != table {
		return nil, notParquet(table, "its metadata do not say %s = %s", metaTable, table)
	}
	if v, _ := f.Lookup(metaSchema); v != strconv.Itoa(schemaVersion) {
		return nil, fmt.Errorf("a Parquet file of %s with %s = %s: this program reads version %d", table, metaSchema, v, schemaVersion)
	}
	if !parquet.EqualNodes(f.Schema(), parquet.SchemaOf(*new(T))) {
		return nil, notParquet(table, "its columns are not those of version %d", schemaVersion)
	}
	if err := plausible(f.Metadata(), len(b)); err != nil {
		return nil, notParquet(table, "%v", err)
	}
	r := parquet.NewGenericReader[T](f)
	defer r.Close()
	for int64(len(rows)) < f.NumRows() {
		batch := make([]T, min(batchRows, f.NumRows()-int64(len(rows))))
		n, err := r.Read(batch)
		rows = append(rows, batch[:n]...)
		if err == io.EOF && int64(len(rows)) == f.NumRows() {
			break
		} else if err != nil {
			return nil, notParquet(table, "%v", err)
		} else if n == 0 {
			return nil, notParquet(table, "%d rows instead of %d", len(rows), f.NumRows())
		}
	}
	return rows, nil
}

func notParquet(table, format string, args ...any) error {
	return fmt.Errorf("not a whole Parquet file of %s: %s: %w", table, fmt.Sprintf(format, args...), ErrDamaged)
}

// plausible refuses a file that claims to unpack to far more than rows of ours do, before anything is unpacked.
func plausible(m *format.FileMetaData, size int) error {
	limit := int64(size)*1000 + 1<<24 // bytes; zstd makes zeros about 1000 times smaller, and rows of a run take none
	var unpacked int64
	for _, g := range m.RowGroups {
		for _, c := range g.Columns {
			unpacked += max(c.MetaData.TotalUncompressedSize, c.MetaData.NumValues)
		}
	}
	if unpacked > limit || m.NumRows > limit {
		return fmt.Errorf("%d bytes of %d rows in a file of %d bytes", unpacked, m.NumRows, size)
	}
	return nil
}
