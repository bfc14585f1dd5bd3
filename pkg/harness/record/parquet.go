package record

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	schemaVersion = "2" // of the columns; a reader refuses any other

	metaSchema = "sifg.schema" // schemaVersion
	metaTable  = "sifg.table"  // trials, traces or timings

	groupRows = 1 << 20 // rows of a row group
)

// nameOf is what the metadata call the rows: trials, traces or timings.
func nameOf[T any]() string { return strings.ToLower(reflect.TypeFor[T]().Name()) + "s" }

// Encode returns the bytes of trials.parquet, trace.parquet or timings.parquet, by the type of the rows. Equal rows
// give equal bytes.
func Encode[T any](rows []T) ([]byte, error) {
	table, cols, kv := nameOf[T](), columnsOf[T](), metadata.NewKeyValueMetadata()
	err := errors.Join(kv.Append(metaSchema, schemaVersion), kv.Append(metaTable, table))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, schemaOf(cols), file.WithWriterProps(propertiesOf(cols, rows)),
		file.WithWriteMetadata(kv))
	for some := range slices.Chunk(rows, groupRows) {
		group := w.AppendRowGroup()
		for _, c := range cols {
			cw, wrong := group.NextColumn()
			if wrong == nil {
				wrong = writeColumn(cw, c, some)
			}
			err = errors.Join(err, wrong)
		}
		err = errors.Join(err, group.Close())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("encoding the Parquet file of %s: %w", table, err)
	}
	return b.Bytes(), nil
}

var errVersion = errors.New("another version: this program reads version " + schemaVersion)

// Decode parses a file of such rows and checks each (Trial.Check, Timing.Check). Its error wraps ErrDamaged, except for
// a file of another version. It parses in the calling goroutine, where a panic of the library over a forged page can be
// caught.
func Decode[T any](b []byte) (rows []T, err error) {
	table := nameOf[T]()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if errors.Is(err, errVersion) {
			rows, err = nil, fmt.Errorf("the Parquet file of %s: %w", table, err)
		} else if err != nil {
			rows, err = nil, fmt.Errorf("not a whole Parquet file of %s: %w: %w", table, err, ErrDamaged)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	kv, cols := r.MetaData().KeyValueMetadata(), columnsOf[T]()
	if v := kv.FindValue(metaTable); v == nil || *v != table {
		return nil, fmt.Errorf("its metadata do not say %s = %s", metaTable, table)
	}
	if v := kv.FindValue(metaSchema); v == nil || *v != schemaVersion {
		return nil, errVersion
	}
	if !r.MetaData().Schema.Root().Equals(schemaOf(cols)) {
		return nil, fmt.Errorf("its columns are not those of version %s", schemaVersion)
	}
	if err := plausible(r.MetaData(), len(b)); err != nil {
		return nil, err
	}
	rows = make([]T, 0, r.NumRows())
	for g := range r.NumRowGroups() {
		group, first := r.RowGroup(g), len(rows)
		rows = append(rows, make([]T, group.NumRows())...)
		for i, c := range cols {
			cr, err := group.Column(i)
			if err == nil {
				err = readColumn(cr, c, rows[first:])
			}
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
		}
	}
	for i := range rows {
		if row, ok := any(&rows[i]).(interface{ Check() error }); ok {
			if err := row.Check(); err != nil {
				return nil, fmt.Errorf("row %d: %w", i, err)
			}
		}
	}
	return rows, nil
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
