package record

import (
	"fmt"
	"io"
	"reflect"
	"strings"

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
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, dict, _ := strings.Cut(t.Field(i).Tag.Get("parquet"), ",")
		out = append(out, column{name, dict == "dict", i, t.Field(i).Type.Kind()})
	}
	return out
}

// schemaOf returns the Parquet schema of the columns.
func schemaOf(cols []column) (*schema.GroupNode, error) {
	var nodes schema.FieldList
	for _, c := range cols {
		physical, logical := parquet.Types.Double, schema.LogicalType(schema.NoLogicalType{})
		switch c.kind {
		case reflect.String:
			physical, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
		case reflect.Int, reflect.Uint64:
			physical, logical = parquet.Types.Int64, schema.NewIntLogicalType(64, c.kind == reflect.Int)
		}
		n, err := schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Required, logical, physical, 0, -1)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
}

// zstdBytes is the size from which a column is compressed: the library makes an encoder of 3 MB for each page, which takes
// longer than all else that is done to store a small trial.
const zstdBytes = 1 << 14

// propertiesOf says how the columns of these rows are written. Two defaults of the library are changed: a root that is repeated,
// which strict readers refuse, and dictionaries for every column, which cost space where values differ.
func propertiesOf[T any](cols []column, rows []T) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(false), parquet.WithRootRepetition(parquet.Repetitions.Required),
		parquet.WithStats(false), parquet.WithCreatedBy("sifg"),
	}
	for _, c := range cols {
		size := 8 * len(rows)
		if c.dict {
			size = len(rows) // indices
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		} else if c.kind == reflect.String {
			for i := range rows {
				size += reflect.ValueOf(&rows[i]).Elem().Field(c.field).Len()
			}
		}
		if size >= zstdBytes {
			props = append(props, parquet.WithCompressionFor(c.name, compress.Codecs.Zstd))
		}
	}
	return parquet.NewWriterProperties(props...)
}

func writeColumn[T any](cw file.ColumnChunkWriter, c column, rows []T) (err error) {
	all := reflect.ValueOf(rows)
	field := func(i int) reflect.Value { return all.Index(i).Field(c.field) }
	switch cw := cw.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = cw.WriteBatch(collect(len(rows), func(i int) parquet.ByteArray { return []byte(field(i).String()) }), nil, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = cw.WriteBatch(collect(len(rows), func(i int) float64 { return field(i).Float() }), nil, nil)
	case *file.Int64ColumnChunkWriter:
		get := func(i int) int64 { return field(i).Int() }
		if c.kind == reflect.Uint64 {
			get = func(i int) int64 { return int64(field(i).Uint()) }
		}
		_, err = cw.WriteBatch(collect(len(rows), get), nil, nil)
	}
	return err
}

func collect[V any](n int, get func(i int) V) []V {
	out := make([]V, n)
	for i := range out {
		out[i] = get(i)
	}
	return out
}

// readColumn reads a column of a row group into its rows, of which there must be as many as values.
func readColumn[T any](cr file.ColumnChunkReader, c column, rows []T) error {
	all := reflect.ValueOf(rows)
	field := func(i int) reflect.Value { return all.Index(i).Field(c.field) }
	var err error
	switch cr := cr.(type) {
	case *file.ByteArrayColumnChunkReader:
		texts := map[string]string{} // one copy of text that repeats
		err = readValues(len(rows), cr.ReadBatch, func(i int, v parquet.ByteArray) {
			s, ok := texts[string(v)]
			if !ok {
				s = string(v)
				texts[s] = s
			}
			field(i).SetString(s)
		})
	case *file.Float64ColumnChunkReader:
		err = readValues(len(rows), cr.ReadBatch, func(i int, v float64) { field(i).SetFloat(v) })
	case *file.Int64ColumnChunkReader:
		set := func(i int, v int64) { field(i).SetInt(v) }
		if c.kind == reflect.Uint64 {
			set = func(i int, v int64) { field(i).SetUint(uint64(v)) }
		}
		err = readValues(len(rows), cr.ReadBatch, set)
	}
	if err == nil && cr.HasNext() {
		err = fmt.Errorf("more than %d values", len(rows))
	}
	return err
}

// readValues reads n values. ReadBatch reads until there are as many, or no more.
func readValues[V any](n int, read func(int64, []V, []int16, []int16) (int64, int, error), set func(i int, v V)) error {
	values := make([]V, n)
	_, got, err := read(int64(n), values, nil, nil)
	if err == nil && got < n {
		err = io.ErrUnexpectedEOF
	}
	for i, v := range values[:got] {
		set(i, v)
	}
	return err
}
