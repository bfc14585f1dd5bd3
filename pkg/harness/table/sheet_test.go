package table

import (
	"reflect"
	"testing"
)

// TestSheet: rows stand for things and columns for what is said of them, in the order in which they are added.
func TestSheet(t *testing.T) {
	s := Of([]int{3, 4})
	s.Words("number", func(n int) string { return []string{"three", "four"}[n-3] })
	s.Column("square", func(n int) Cell { return Int(n * n) })
	want := Table{
		Columns: Columns(1, "number", "square"),
		Rows:    [][]Cell{{Text("three"), Int(9)}, {Text("four"), Int(16)}},
	}
	if !reflect.DeepEqual(s.Table, want) {
		t.Errorf("%+v, want %+v", s.Table, want)
	}
	if empty := Of([]int{}); empty.Rows != nil {
		t.Errorf("rows of nothing: %v", empty.Rows)
	}
}
