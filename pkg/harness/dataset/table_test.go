package dataset

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// TestGoodTables: what needs no rule is read whatever it is.
func TestGoodTables(t *testing.T) {
	want := []float64{1, 2, 3, -4.5, 5e3, 6}
	for name, c := range map[string]struct{ parse, text string }{
		"comma":                  {"separator: comma", "1,2,3\n-4.5,5e3,6\n"},
		"spaces around values":   {"separator: comma", "1 , 2, 3 \n -4.5 ,5e3 ,6 \n"},
		"CRLF":                   {"separator: comma", "1,2,3\r\n-4.5,5e3,6\r\n"},
		"CRLF, spaces":           {"separator: whitespace", "1 2 3\r\n-4.5 5e3 6\r\n"},
		"byte-order mark":        {"separator: comma", "\ufeff1,2,3\n-4.5,5e3,6\n"},
		"blank, whitespace":      {"separator: whitespace", " \n 1  2\t3\n\n-4.5   5e3 6 \n \n"},
		"header":                 {"separator: comma, header: true", "a,b,c\n1,2,3\n-4.5,5e3,6\n"},
		"quoted header":          {"separator: comma, header: true", "a,b,\"c (m, s)\"\n1,2,3\n-4.5,5e3,6\n"},
		"quoted values":          {"separator: comma", "\"1\",2,\"3\"\n-4.5,5e3,6\n"},
		"semicolon":              {"separator: semicolon", "1;2;3\n-4.5;5e3;6\n"},
		"tab":                    {"separator: tab", "1\t2\t3\n-4.5\t5e3\t6\n"},
		"dropped columns":        {"separator: comma, header: true, drop: [id, who]", "id,a,who,b,c\nr1,1,Ann,2,3\nr2,-4.5,Bo,5e3,6\n"},
		"names over the header":  {"separator: comma, header: true, columns: [x, y, z]", "a,a,c\n1,2,3\n-4.5,5e3,6\n"},
		"names without a header": {"separator: comma, columns: [x, y, z]", "1,2,3\n-4.5,5e3,6\n"},
	} {
		first := "c1"
		if strings.Contains(c.parse, "columns") {
			first = "x"
		} else if strings.Contains(c.parse, "header") {
			first = "a"
		}
		l, _ := mine(t, strings.Replace(plain, "separator: comma", c.parse, 1), c.text)
		d, err := l.Load("mine")
		if err != nil || d.Rows != 2 || d.Cols != 3 || d.Target != 2 || !slices.Equal(d.X, want) || d.Columns[0] != first {
			t.Errorf("%s: %+v (%v), want columns from %s", name, d, err, first)
		}
	}
}

// TestBadTables: what cannot be read is refused with file, line and reason.
func TestBadTables(t *testing.T) {
	const comma, header = "separator: comma", "separator: comma, header: true"
	for name, c := range map[string]struct {
		parse, text string
		words       []string
	}{
		"missing field":           {comma, "1,2,3\n4,5\n", []string{":2", "2 fields", "line 1 has 3"}},
		"missing, whitespace":     {"separator: whitespace", "1 2 3\n\n4 5\n", []string{":3", "2 fields", "line 1 has 3"}},
		"empty value":             {comma, "1,2,3\n4,,6\n", []string{":2", "column 2 (c2)", "missing"}},
		"empty value between tab": {"separator: tab", "1\t2\t3\n4\t\t6\n", []string{":2", "column 2", "missing"}},
		"text":                    {header, "a,b,c\n1,2,3\n4,high,6\n", []string{":3", "column 2 (b)", `"high" is not a`}},
		"long text":               {comma, "1,2\n1," + strings.Repeat("x", 100) + "\n", []string{":2", `"` + strings.Repeat("x", 40) + `"`}},
		"digits with a line":      {comma, "1,2,3\n4,1_0,6\n", []string{":2", "column 2", `"1_0" is not a`}},
		"hexadecimal":             {comma, "1,2,3\n4,0x1p4,6\n", []string{":2", "column 2", `"0x1p4" is not a`}},
		"header not declared":     {comma, "a,b,c\n1,2,3\n", []string{":1", "column 1", `"a" is not a`, "parse.header"}},
		"header declared":         {header, "1,2,3\n4,5,6\n", []string{":1", "numbers only", "parse.header"}},
		"short header":            {header, "a,b\n1,2,3\n", []string{":2", "3 fields", "has 2"}},
		"names twice":             {header, "a,a,c\n1,2,3\n", []string{`"a"`, "parse.columns"}},
		"terminal, name":          {header, "\x1b[2J,b\nx,1\n", []string{`column 1 (\x1b[2J)`}},
		"number of names":         {comma + ", columns: [a, b]", "1,2,3\n", []string{":1", "3 fields", "has 2"}},
		"drop":                    {header + ", drop: [id]", "a,b,c\n1,2,3\n", []string{"own.yaml", `"id"`, "a, b, c"}},
		"NaN":                     {comma, "1,2,3\n4,NaN,6\n", []string{":2", "column 2", `"NaN" is not a finite`}},
		"overflow":                {comma, "1,2,3\n4,1e999,6\n", []string{":2", "1e999 is too large"}},
		"nothing":                 {comma, "", []string{"0 rows"}},
		"wrong separator":         {"separator: semicolon", "1,2,3\n4,5,6\n", []string{":1", `"1,2,3" is not a`}},
		"one column":              {comma, "1\n2\n", []string{"besides the target", "separator"}},
		"UTF-16":                  {comma, "\xff\xfe1\x00,\x00", []string{":1", "UTF-16", "UTF-8"}},
		"old line ends":           {"separator: whitespace", "1 2\n1 2\r3 4\r", []string{":2", "carriage return"}},
		"quote":                   {comma, "1,2\n3,\"4\n", []string{":", "quote"}},
		"page":                    {comma, "<!DOCTYPE html>\n<html>1,2</html>", []string{"HTML page"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, path := mine(t, strings.Replace(plain, comma, c.parse, 1), c.text)
			_, err := l.Load("mine")
			wants(t, err, append(c.words, path)...)
			asked := (*usage.Error)(nil)
			if name == "drop" && !errors.As(err, &asked) {
				t.Errorf("%v is not an error about what was asked", err)
			} else if name != "drop" && !errors.Is(err, ErrDamaged) {
				t.Errorf("%v is not an error about damaged data", err)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	for rules, want := range map[string]any{
		"target: a": 0, "target: b": 1, "target: last": 2, "target: none": -1, "target: a, task: binary": 0,
		"target: b, task: binary": "row 1: the target b of a binary task must be 0 or 1, not 2",
		"target: d":               `"d": the columns`,
		"target: a, rows: 3":      "2 rows, want 3",
	} {
		l, path := mine(t, strings.NewReplacer("comma", "comma, header: true", "target: last", rules).Replace(plain), "a,b,c\n0,2,3\n1,5,3\n")
		d, err := l.Load("mine")
		if words, bad := want.(string); bad {
			wants(t, err, words, path)
		} else if err != nil || d.Target != want {
			t.Errorf("%s: target %v, want %d (%v)", rules, d, want, err)
		}
	}
}

func TestIndices(t *testing.T) {
	const head = "datasets: {mine: {parse: {separator: comma}, target: last, files: ["
	const permuted = head + "{name: p, role: permutation}, {name: a.csv}]}}"
	const divided = head + "{name: p, role: train}, {name: q, role: test}, {name: a.csv}]}}"
	for name, c := range map[string]struct {
		manifest, p, q string
		words          []string
	}{
		"permutation":   {permuted, "2\n0\r\n1\n", "", nil},
		"floats":        {permuted, "2.0\n0.0\n1.0\n", "", nil},
		"short":         {permuted, "2\n0\n", "", []string{"p", "2 rows", "table has 3"}},
		"twice":         {permuted, "2\n0\n0\n", "", []string{"p:3", "row 0 is there twice"}},
		"from one":      {permuted, "1\n2\n3\n", "", []string{"p:3", "no row 3", "0 to 2"}},
		"negative":      {permuted, "1\n2\n-1\n", "", []string{"p:3", "no row -1"}},
		"text":          {permuted, "1\ntwo\n0\n", "", []string{"p:2", `"two"`}},
		"fraction":      {permuted, "1\n0.5\n0\n", "", []string{"p:2", `"0.5"`}},
		"two on a line": {permuted, "1\n2 0\n", "", []string{"p:2", `"2 0"`}},
		"split":         {divided, "2\n0\n", "1\n", nil},
		"rows left out": {divided, "2\n", "1\n", nil},
		"overlap":       {divided, "2\n0\n", "0\n", []string{"q:1", "row 0", "both parts"}},
		"empty part":    {divided, "2\n0\n", "", []string{"q", "no rows"}},
	} {
		l, _, err := own(t, c.manifest, map[string]string{"a.csv": "1,2\n3,4\n5,6\n", "p": c.p, "q": c.q})
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Load("mine")
		if c.words != nil {
			wants(t, err, c.words...)
		} else if err != nil || c.manifest == permuted && !slices.Equal(d.Permutation, []int{2, 0, 1}) ||
			c.manifest == divided && (len(d.Splits) != 1 || d.Splits[0].Train[0] != 2 || d.Splits[0].Test[0] != 1) {
			t.Errorf("%s: permutation %v, splits %v (%v)", name, d.Permutation, d.Splits, err)
		}
	}
}
