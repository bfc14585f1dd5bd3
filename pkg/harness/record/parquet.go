package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unique"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

const (
	schemaVersion = "2" // of the columns; a reader refuses any other

	metaSchema = "sifg.schema" // schemaVersion
	metaTable  = "sifg.table"  // trials, traces or timings

	groupRows = 1 << 20 // rows of a row group
)

// nameOf is what the metadata call the rows: trials, traces or timings.
func nameOf[T any]() string { return strings.ToLower(reflect.TypeFor[T]().Name()) + "s" }

// Encode returns the Parquet file of trials, traces or timings. Equal rows give equal bytes.
func Encode[T any](rows []T) ([]byte, error) { return EncodeWith(rows, nil) }

// EncodeWith is Encode with more metadata in the file, by key.
func EncodeWith[T any](rows []T, more map[string]string) ([]byte, error) {
	table, cols, kv := nameOf[T](), columnsOf[T](), metadata.NewKeyValueMetadata()
	err := errors.Join(kv.Append(metaSchema, schemaVersion), kv.Append(metaTable, table))
	for _, key := range slices.Sorted(maps.Keys(more)) {
		err = errors.Join(err, kv.Append(key, more[key]))
	}
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

// Decode is DecodeWith without the metadata.
func Decode[T any](b []byte) ([]T, error) {
	rows, _, err := DecodeWith[T](b)
	return rows, err
}

// DecodeWith parses a file of such rows and checks each (Trial.Check, Timing.Check). meta is all metadata. Its error
// wraps safe.ErrDamaged, except for a file of another version. It parses in the calling goroutine, where it can catch a
// panic of the library over a forged page.
func DecodeWith[T any](b []byte) (rows []T, meta map[string]string, err error) {
	table := nameOf[T]()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if errors.Is(err, errVersion) {
			rows, err = nil, fmt.Errorf("the Parquet file of %s: %w", table, err)
		} else if err != nil {
			rows, err = nil, fmt.Errorf("not a whole Parquet file of %s: %w: %w", table, err, safe.ErrDamaged)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	kv, cols, meta := r.MetaData().KeyValueMetadata(), columnsOf[T](), map[string]string{}
	for i, key := range kv.Keys() {
		meta[key] = kv.Values()[i]
	}
	if meta[metaTable] != table {
		return nil, nil, fmt.Errorf("its metadata do not say %s = %s", metaTable, table)
	}
	if meta[metaSchema] != schemaVersion {
		return nil, nil, errVersion
	}
	if !r.MetaData().Schema.Root().Equals(schemaOf(cols)) {
		return nil, nil, fmt.Errorf("its columns are not those of version %s", schemaVersion)
	}
	if err := plausible(r.MetaData(), len(b)); err != nil {
		return nil, nil, err
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
				return nil, nil, fmt.Errorf("column %s: %w", c.name, err)
			}
		}
	}
	for i := range rows {
		if row, ok := any(&rows[i]).(interface{ Check() error }); ok {
			if err := row.Check(); err != nil {
				return nil, nil, fmt.Errorf("row %d: %w", i, err)
			}
		}
	}
	return rows, meta, nil
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

// column is a field of a row: its tag parquet:"name,dict" has the column's name, and dict for values that repeat.
type column struct {
	name  string
	dict  bool
	field int
	kind  reflect.Kind // String, Int, Uint64 or Float64
}

func columnsOf[T any]() []column {
	var out []column
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, dict, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		out = append(out, column{name, dict == "dict", f.Index[0], f.Type.Kind()})
	}
	return out
}

// schemaOf returns the Parquet schema of the columns.
func schemaOf(cols []column) *schema.GroupNode {
	var nodes schema.FieldList
	for _, c := range cols {
		physical, logical := parquet.Types.Double, schema.LogicalType(schema.NoLogicalType{})
		switch c.kind {
		case reflect.String:
			physical, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
		case reflect.Int, reflect.Uint64:
			physical, logical = parquet.Types.Int64, schema.NewIntLogicalType(64, c.kind == reflect.Int)
		}
		node, err := schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Required, logical, physical, 0, -1)
		nodes = append(nodes, schema.MustPrimitive(node, err))
	}
	return schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1))
}

// zstdBytes is the size from which a column is compressed: the library makes an encoder of 3 MB for each page, which
// takes longer than all else that is done to store a small trial.
const zstdBytes = 1 << 14

// propertiesOf says how the columns of these rows are written. Two defaults of the library are changed: a root that is
// repeated, which strict readers refuse, and dictionaries for every column, which cost space where values differ.
func propertiesOf[T any](cols []column, rows []T) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(false), parquet.WithRootRepetition(parquet.Repetitions.Required),
		parquet.WithStats(false), parquet.WithCreatedBy("sifg"),
		parquet.WithDataPageSize(1 << 23),
		parquet.WithCompressionLevel(19), // results are committed: 3 % smaller than by default
	}
	for _, c := range cols {
		size := 8 * len(rows)
		if c.dict {
			size = len(rows) // indices
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		} else if c.kind == reflect.String {
			for _, n := range collect(rows, c, reflect.Value.Len) {
				size += n
			}
		}
		if size >= zstdBytes {
			props = append(props, parquet.WithCompressionFor(c.name, compress.Codecs.Zstd))
		}
	}
	return parquet.NewWriterProperties(props...)
}

// writeColumn writes a column of a row group.
func writeColumn[T any](cw file.ColumnChunkWriter, c column, rows []T) (err error) {
	switch cw := cw.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = cw.WriteBatch(collect(rows, c, func(v reflect.Value) parquet.ByteArray {
			return parquet.ByteArray(v.String())
		}), nil, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = cw.WriteBatch(collect(rows, c, reflect.Value.Float), nil, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = cw.WriteBatch(collect(rows, c, func(v reflect.Value) int64 {
			if v.CanUint() {
				return int64(v.Uint())
			}
			return v.Int()
		}), nil, nil)
	}
	return errors.Join(err, cw.Close())
}

// collect returns what get makes of the column's field of each row.
func collect[T, V any](rows []T, c column, get func(reflect.Value) V) []V {
	all, out := reflect.ValueOf(rows), make([]V, len(rows))
	for i := range out {
		out[i] = get(all.Index(i).Field(c.field))
	}
	return out
}

// readColumn reads a column of a row group into its rows, of which there must be as many as values. ReadBatch reads
// until there are as many, or no more.
func readColumn[T any](cr file.ColumnChunkReader, c column, rows []T) (err error) {
	all, n, got := reflect.ValueOf(rows), int64(len(rows)), 0
	field := func(i int) reflect.Value { return all.Index(i).Field(c.field) }
	switch cr := cr.(type) {
	case *file.ByteArrayColumnChunkReader:
		values := make([]parquet.ByteArray, n)
		_, got, err = cr.ReadBatch(n, values, nil, nil)
		for i, v := range values[:got] {
			field(i).SetString(unique.Make(string(v)).Value()) // one copy of text that repeats
		}
	case *file.Float64ColumnChunkReader:
		values := make([]float64, n)
		_, got, err = cr.ReadBatch(n, values, nil, nil)
		for i, v := range values[:got] {
			field(i).SetFloat(v)
		}
	case *file.Int64ColumnChunkReader:
		values := make([]int64, n)
		_, got, err = cr.ReadBatch(n, values, nil, nil)
		for i, v := range values[:got] {
			if f := field(i); f.CanUint() {
				f.SetUint(uint64(v))
			} else {
				f.SetInt(v)
			}
		}
	}
	switch {
	case err == nil && got < len(rows):
		return io.ErrUnexpectedEOF
	case err == nil && cr.HasNext():
		return fmt.Errorf("more than %d values", len(rows))
	}
	return err
}
