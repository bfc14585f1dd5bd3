package table

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
)

func TestJSON(t *testing.T) {
	in := Table{
		Title:   "A <b>",
		Columns: []Column{{Header: "method"}, {Header: "KL", Align: Right, Group: "released"}, {Header: "x", Align: Center}},
		Rows: [][]Cell{
			{Text("L2-GF"), PlusMinus(0.1+0.2, 1e-300), Number(math.NaN(), 2)},
			{Text(""), PlusMinus(math.Inf(1), math.NaN()), Fixed(math.Inf(-1), 2)},
			{Text("b"), {Text: "best", Value: 0, IsNumber: true, Bold: true}, Int(-3)},
		},
		Notes: []string{"a note"},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out Table
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	// %#v tells NaN from other values, which == does not, and prints floats exactly
	if got, want := fmt.Sprintf("%#v", out), fmt.Sprintf("%#v", in); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, bad := range []string{`{"text":"a","value":"1"}`, `{"text":"a","spread":true}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), new(Cell)); err == nil {
			t.Errorf("%s is taken for a cell", bad)
		}
	}
}
