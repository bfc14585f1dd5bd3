package record

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// column is one column of a table of rows T. It points into a row, so that one definition serves writing and reading.
// Exactly one of the four accessors is set.
type column[T any] struct {
	name  string
	plain bool // text that seldom repeats: no dictionary
	text  func(*T) *string
	count func(*T) *int
	seed  func(*T) *uint64
	value func(*T) *float64
}

// The columns of the three files; docs/results.md documents each. Adding one is a new schemaVersion.
var (
	trialColumns = []column[Trial]{
		{name: "key", plain: true, text: func(r *Trial) *string { return &r.Key }},
		{name: "experiment", text: func(r *Trial) *string { return &r.Experiment }},
		{name: "protocol", text: func(r *Trial) *string { return &r.Protocol }},
		{name: "scale", text: func(r *Trial) *string { return &r.Scale }},
		{name: "problem", text: func(r *Trial) *string { return &r.Problem }},
		{name: "method", text: func(r *Trial) *string { return &r.Method }},
		{name: "seed", seed: func(r *Trial) *uint64 { return &r.Seed }},
		{name: "status", text: func(r *Trial) *string { return &r.Status }},
		{name: "reason", plain: true, text: func(r *Trial) *string { return &r.Reason }},
		{name: "particles", count: func(r *Trial) *int { return &r.Particles }},
		{name: "dim", count: func(r *Trial) *int { return &r.Dim }},
		{name: "iterations", count: func(r *Trial) *int { return &r.Iterations }},
		{name: "config", plain: true, text: func(r *Trial) *string { return &r.Config }},
	}
	traceColumns = []column[Trace]{
		{name: "key", text: func(r *Trace) *string { return &r.Key }},
		{name: "experiment", text: func(r *Trace) *string { return &r.Experiment }},
		{name: "protocol", text: func(r *Trace) *string { return &r.Protocol }},
		{name: "scale", text: func(r *Trace) *string { return &r.Scale }},
		{name: "problem", text: func(r *Trace) *string { return &r.Problem }},
		{name: "method", text: func(r *Trace) *string { return &r.Method }},
		{name: "seed", seed: func(r *Trace) *uint64 { return &r.Seed }},
		{name: "iteration", count: func(r *Trace) *int { return &r.Iteration }},
		{name: "metric", text: func(r *Trace) *string { return &r.Metric }},
		{name: "index", count: func(r *Trace) *int { return &r.Index }},
		{name: "value", value: func(r *Trace) *float64 { return &r.Value }},
	}
	timingColumns = []column[Timing]{
		{name: "key", plain: true, text: func(r *Timing) *string { return &r.Key }},
		{name: "seconds", value: func(r *Timing) *float64 { return &r.Seconds }},
		{name: "cpu", text: func(r *Timing) *string { return &r.CPU }},
		{name: "kernel", text: func(r *Timing) *string { return &r.Kernel }},
		{name: "started", plain: true, text: func(r *Timing) *string { return &r.Started }},
		{name: "commit", text: func(r *Timing) *string { return &r.Commit }},
	}
)

// types returns a column's Parquet type (physical and logical) and its Arrow type.
func (c *column[T]) types() (parquet.Type, schema.LogicalType, arrow.DataType) {
	switch {
	case c.text != nil:
		return parquet.Types.ByteArray, schema.StringLogicalType{}, arrow.BinaryTypes.String
	case c.count != nil:
		return parquet.Types.Int64, schema.NewIntLogicalType(64, true), arrow.PrimitiveTypes.Int64
	case c.seed != nil:
		return parquet.Types.Int64, schema.NewIntLogicalType(64, false), arrow.PrimitiveTypes.Uint64
	default:
		return parquet.Types.Double, schema.NoLogicalType{}, arrow.PrimitiveTypes.Float64
	}
}

// schemas returns the Parquet schema of the columns and the Arrow schema in the form in which Arrow's readers look for
// it: an IPC stream without batches.
func schemas[T any](cols []column[T]) (*schema.GroupNode, *arrow.Schema, error) {
	var nodes schema.FieldList
	var fields []arrow.Field
	for i := range cols {
		physical, logical, arrowType := cols[i].types()
		n, err := schema.NewPrimitiveNodeLogical(cols[i].name, parquet.Repetitions.Required, logical, physical, 0, -1)
		if err != nil {
			return nil, nil, err
		}
		nodes, fields = append(nodes, n), append(fields, arrow.Field{Name: cols[i].name, Type: arrowType})
	}
	// A root that is not Required makes strict readers count one repetition level too many.
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	return root, arrow.NewSchema(fields, nil), err
}
