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

// schemaOf returns the Parquet schema of the columns and how they are written. Two defaults of the library are of no use to strict
// readers: a root that is repeated, and dictionaries for every column, which cost space where values differ.
func schemaOf(cols []column) (*schema.GroupNode, *parquet.WriterProperties, error) {
	var nodes schema.FieldList
	props := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(false), parquet.WithRootRepetition(parquet.Repetitions.Required),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithStats(false), parquet.WithCreatedBy("sifg"),
	}
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
			return nil, nil, err
		}
		nodes = append(nodes, n)
		if c.dict {
			props = append(props, parquet.WithDictionaryFor(c.name, true))
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	return root, parquet.NewWriterProperties(props...), err
}

func writeColumn[T any](cw file.ColumnChunkWriter, c column, rows []T) (err error) {
	for len(rows) > 0 && err == nil {
		n := min(len(rows), batchRows)
		batch := reflect.ValueOf(rows[:n])
		switch cw := cw.(type) {
		case *file.ByteArrayColumnChunkWriter:
			v := make([]parquet.ByteArray, n)
			for i := range v {
				v[i] = parquet.ByteArray(batch.Index(i).Field(c.field).String())
			}
			_, err = cw.WriteBatch(v, nil, nil)
		case *file.Float64ColumnChunkWriter:
			v := make([]float64, n)
			for i := range v {
				v[i] = batch.Index(i).Field(c.field).Float()
			}
			_, err = cw.WriteBatch(v, nil, nil)
		case *file.Int64ColumnChunkWriter:
			v := make([]int64, n)
			for i := range v {
				if f := batch.Index(i).Field(c.field); c.kind == reflect.Uint64 {
					v[i] = int64(f.Uint())
				} else {
					v[i] = f.Int()
				}
			}
			_, err = cw.WriteBatch(v, nil, nil)
		}
		rows = rows[n:]
	}
	return err
}

// readColumn reads a column of a row group into its rows, of which there must be as many as values.
func readColumn[T any](cr file.ColumnChunkReader, c column, rows []T) error {
	texts := map[string]string{} // one copy of text that repeats
	all := reflect.ValueOf(rows)
	for at := 0; cr.HasNext(); {
		most := int64(min(batchRows, len(rows)-at))
		if most == 0 {
			return fmt.Errorf("more than %d values", len(rows))
		}
		n, err := 0, error(nil)
		switch cr := cr.(type) {
		case *file.ByteArrayColumnChunkReader:
			v := make([]parquet.ByteArray, most)
			_, n, err = cr.ReadBatch(most, v, nil, nil)
			for i := range n {
				s, ok := texts[string(v[i])]
				if !ok {
					s = string(v[i])
					texts[s] = s
				}
				all.Index(at + i).Field(c.field).SetString(s)
			}
		case *file.Float64ColumnChunkReader:
			v := make([]float64, most)
			_, n, err = cr.ReadBatch(most, v, nil, nil)
			for i := range n {
				all.Index(at + i).Field(c.field).SetFloat(v[i])
			}
		case *file.Int64ColumnChunkReader:
			v := make([]int64, most)
			_, n, err = cr.ReadBatch(most, v, nil, nil)
			for i := range n {
				if f := all.Index(at + i).Field(c.field); c.kind == reflect.Uint64 {
					f.SetUint(uint64(v[i]))
				} else {
					f.SetInt(v[i])
				}
			}
		}
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if at += n; at == len(rows) && !cr.HasNext() {
			return nil
		}
	}
	return fmt.Errorf("fewer than %d values", len(rows))
}
