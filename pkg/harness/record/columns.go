package record

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unique"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

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
		texts := map[string]parquet.ByteArray{} // one copy of text that repeats
		_, err = cw.WriteBatch(collect(rows, c, func(v reflect.Value) parquet.ByteArray {
			b, ok := texts[v.String()]
			if !ok {
				b = []byte(v.String())
				texts[v.String()] = b
			}
			return b
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

// readColumn reads a column of a row group into its rows, of which there must be as many as values.
func readColumn[T any](cr file.ColumnChunkReader, c column, rows []T) (err error) {
	switch cr := cr.(type) {
	case *file.ByteArrayColumnChunkReader:
		err = readValues(cr.ReadBatch, c, rows, func(field reflect.Value, v parquet.ByteArray) {
			field.SetString(unique.Make(string(v)).Value()) // one copy of text that repeats
		})
	case *file.Float64ColumnChunkReader:
		err = readValues(cr.ReadBatch, c, rows, reflect.Value.SetFloat)
	case *file.Int64ColumnChunkReader:
		err = readValues(cr.ReadBatch, c, rows, func(field reflect.Value, v int64) {
			if field.CanUint() {
				field.SetUint(uint64(v))
			} else {
				field.SetInt(v)
			}
		})
	}
	if err == nil && cr.HasNext() {
		err = fmt.Errorf("more than %d values", len(rows))
	}
	return err
}

// readValues reads as many values as there are rows. ReadBatch reads until there are as many, or no more.
func readValues[T, V any](read func(int64, []V, []int16, []int16) (int64, int, error), c column, rows []T,
	set func(reflect.Value, V)) error {
	all, values := reflect.ValueOf(rows), make([]V, len(rows))
	_, got, err := read(int64(len(rows)), values, nil, nil)
	if err == nil && got < len(rows) {
		err = io.ErrUnexpectedEOF
	}
	for i, v := range values[:got] {
		set(all.Index(i).Field(c.field), v)
	}
	return err
}
