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
		"no end of the last":     {"separator: comma", "1,2,3\n-4.5,5e3,6"},
		"CRLF":                   {"separator: comma", "1,2,3\r\n-4.5,5e3,6\r\n"},
		"CRLF, spaces":           {"separator: whitespace", "1 2 3\r\n-4.5 5e3 6\r\n"},
		"byte-order mark":        {"separator: comma", "\ufeff1,2,3\n-4.5,5e3,6\n"},
		"mark, whitespace":       {"separator: whitespace", "\ufeff1 2 3\n-4.5 5e3 6\n"},
		"blank lines":            {"separator: comma", "\n1,2,3\n   \n-4.5,5e3,6\n\n"},
		"blank, whitespace":      {"separator: whitespace", " \n 1  2\t3\n\n-4.5   5e3 6 \n \n"},
		"header":                 {"separator: comma, header: true", "a,b,c\n1,2,3\n-4.5,5e3,6\n"},
		"header, mark and CRLF":  {"separator: comma, header: true", "\ufeffa,b,c\r\n1,2,3\r\n-4.5,5e3,6\r\n"},
		"quoted header":          {"separator: comma, header: true", "a,b,\"c (m, s)\"\n1,2,3\n-4.5,5e3,6\n"},
		"quoted values":          {"separator: comma", "\"1\",2,\"3\"\n-4.5,5e3,6\n"},
		"header, whitespace":     {"separator: whitespace, header: true", "a b c\n1 2 3\n-4.5 5e3 6\n"},
		"semicolon":              {"separator: semicolon", "1;2;3\n-4.5;5e3;6\n"},
		"tab":                    {"separator: tab", "1\t2\t3\n-4.5\t5e3\t6\n"},
		"dropped columns":        {"separator: comma, header: true, drop: [id, who]", "id,a,who,b,c\nr1,1,Ann,2,3\nr2,-4.5,Bo,5e3,6\n"},
		"names over the header":  {"separator: comma, header: true, columns: [x, y, z]", "a,a,c\n1,2,3\n-4.5,5e3,6\n"},
		"names without a header": {"separator: comma, columns: [x, y, z]", "1,2,3\n-4.5,5e3,6\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := loadOwn(t, strings.Replace(plain, "separator: comma", c.parse, 1), map[string]string{"a.csv": c.text})
			if err != nil {
				t.Fatal(err)
			}
			if d.Rows != 2 || d.Cols != 3 || d.Target != 2 || !slices.Equal(d.X, want) {
				t.Errorf("%d×%d, target %d, %v", d.Rows, d.Cols, d.Target, d.X)
			}
			first := "c1"
			if strings.Contains(c.parse, "columns") {
				first = "x"
			} else if strings.Contains(c.parse, "header") {
				first = "a"
			}
			if d.Columns[0] != first {
				t.Errorf("the first column is called %s, want %s", d.Columns[0], first)
			}
		})
	}
}

// TestBadTables: what cannot be read is refused with file, line and reason.
func TestBadTables(t *testing.T) {
	const comma, header = "separator: comma", "separator: comma, header: true"
	for name, c := range map[string]struct {
		parse, text string
		words       []string
	}{
		"missing field":           {comma, "1,2,3\n4,5\n", []string{"a.csv:2", "2 fields", "line 1 has 3"}},
		"missing, whitespace":     {"separator: whitespace", "1 2 3\n\n4 5\n", []string{"a.csv:3", "2 fields", "line 1 has 3"}},
		"one too many":            {comma, "1,2,3\n4,5,6,7\n", []string{"a.csv:2", "4 fields"}},
		"empty value":             {comma, "1,2,3\n4,,6\n", []string{"a.csv:2", "column 2 (c2)", "missing"}},
		"empty value between tab": {"separator: tab", "1\t2\t3\n4\t\t6\n", []string{"a.csv:2", "column 2", "missing"}},
		"question mark":           {comma, "1,2,3\n4,5,?\n", []string{"a.csv:2", "column 3", "missing"}},
		"text":                    {header, "a,b,c\n1,2,3\n4,high,6\n", []string{"a.csv:3", "column 2 (b)", `"high" is not a`}},
		"long text":               {comma, "1,2\n1," + strings.Repeat("x", 100) + "\n", []string{"a.csv:2", `"` + strings.Repeat("x", 40) + `"`}},
		"digits with a line":      {comma, "1,2,3\n4,1_0,6\n", []string{"a.csv:2", "column 2", `"1_0" is not a`}},
		"hexadecimal":             {comma, "1,2,3\n4,0x1p4,6\n", []string{"a.csv:2", "column 2", `"0x1p4" is not a`}},
		"header not declared":     {comma, "a,b,c\n1,2,3\n", []string{"a.csv:1", "column 1", `"a" is not a`, "parse.header"}},
		"header declared":         {header, "1,2,3\n4,5,6\n", []string{"a.csv:1", "numbers only", "parse.header"}},
		"short header":            {header, "a,b\n1,2,3\n", []string{"a.csv:2", "3 fields", "header has 2"}},
		"names twice":             {header, "a,a,c\n1,2,3\n", []string{"a.csv", `"a"`, "parse.columns"}},
		"terminal":                {header, "\x1b[2J,b\n1,x\n", []string{`column 2 (b)`}},
		"terminal, name":          {header, "\x1b[2J,b\nx,1\n", []string{`column 1 (\x1b[2J)`}},
		"number of names":         {comma + ", columns: [a, b]", "1,2,3\n", []string{"a.csv:1", "3 fields", "names 2"}},
		"drop":                    {header + ", drop: [id]", "a,b,c\n1,2,3\n", []string{"own.yaml", "a.csv", `"id"`, "a, b, c"}},
		"NaN":                     {comma, "1,2,3\n4,NaN,6\n", []string{"a.csv:2", "column 2", `"NaN" is not a finite`}},
		"infinity":                {comma, "1,2,3\n4,-Inf,6\n", []string{"a.csv:2", `"-Inf" is not a finite`}},
		"overflow":                {comma, "1,2,3\n4,1e999,6\n", []string{"a.csv:2", "1e999 is too large"}},
		"nothing":                 {comma, "", []string{"a.csv", "0 rows"}},
		"header alone":            {header, "a,b,c\n", []string{"a.csv", "0 rows"}},
		"wrong separator":         {"separator: semicolon", "1,2,3\n4,5,6\n", []string{"a.csv:1", `"1,2,3" is not a`}},
		"one column":              {comma, "1\n2\n", []string{"a.csv", "besides the target", "separator"}},
		"UTF-16":                  {comma, "\xff\xfe1\x00,\x00", []string{"a.csv:1", "UTF-16", "UTF-8"}},
		"old line ends":           {"separator: whitespace", "1 2\n1 2\r3 4\r", []string{"a.csv:2", "carriage return"}},
		"quote":                   {comma, "1,2\n3,\"4\n", []string{"a.csv:", "quote"}},
		"page":                    {comma, "<!DOCTYPE html>\n<html>1,2</html>", []string{"a.csv", "HTML page"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadOwn(t, strings.Replace(plain, comma, c.parse, 1), map[string]string{"a.csv": c.text})
			wants(t, err, c.words...)
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
	table := map[string]string{"a.csv": "a,b,c\n0,2,3\n1,5,3\n"}
	for rules, c := range map[string]struct {
		target int
		words  []string // of an error
	}{
		"target: a":                   {target: 0},
		"target: b":                   {target: 1},
		"target: last":                {target: 2},
		"target: none":                {target: -1},
		"target: a, task: binary":     {target: 0},
		"target: b, task: binary":     {words: []string{"a.csv", "row 1", "target b", "0 or 1", "2"}},
		"target: d":                   {words: []string{"own.yaml", "a.csv", `"d"`, "a, b, c"}},
		"target: a, rows: 3":          {words: []string{"a.csv", "2 rows, want 3"}},
		"target: a, task: regression": {target: 0},
	} {
		manifest := strings.NewReplacer("comma", "comma, header: true", "target: last", rules).Replace(plain)
		d, err := loadOwn(t, manifest, table)
		if c.words != nil {
			wants(t, err, c.words...)
		} else if err != nil || d.Target != c.target {
			t.Errorf("%s: target %v, want %d (%v)", rules, d, c.target, err)
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
		"permutation":    {permuted, "2\n0\r\n1\n", "", nil},
		"floats":         {permuted, "2.0\n0.0\n1.0\n", "", nil},
		"short":          {permuted, "2\n0\n", "", []string{"p", "2 rows", "table has 3"}},
		"twice":          {permuted, "2\n0\n0\n", "", []string{"p:3", "row 0 is there twice"}},
		"from one":       {permuted, "1\n2\n3\n", "", []string{"p:3", "no row 3", "0 to 2"}},
		"negative":       {permuted, "1\n2\n-1\n", "", []string{"p:3", "no row -1"}},
		"text":           {permuted, "1\ntwo\n0\n", "", []string{"p:2", `"two"`}},
		"fraction":       {permuted, "1\n0.5\n0\n", "", []string{"p:2", `"0.5"`}},
		"two on a line":  {permuted, "1\n2 0\n", "", []string{"p:2", `"2 0"`}},
		"huge":           {permuted, "1\n1e300\n0\n", "", []string{"p:2", `"1e300"`}},
		"not a number":   {permuted, "1\nNaN\n0\n", "", []string{"p:2", `"NaN"`}},
		"split":          {divided, "2\n0\n", "1\n", nil},
		"rows left out":  {divided, "2\n", "1\n", nil},
		"overlap":        {divided, "2\n0\n", "0\n", []string{"q:1", "row 0", "both parts"}},
		"empty part":     {divided, "2\n0\n", "", []string{"q", "no rows"}},
		"outside, split": {divided, "2\n0\n", "7\n", []string{"q:1", "no row 7", "0 to 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := loadOwn(t, c.manifest, map[string]string{"a.csv": "1,2\n3,4\n5,6\n", "p": c.p, "q": c.q})
			if c.words != nil {
				wants(t, err, c.words...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.manifest == permuted && !slices.Equal(d.Permutation, []int{2, 0, 1}) {
				t.Errorf("permutation %v", d.Permutation)
			}
			if c.manifest == divided && (len(d.Splits) != 1 || d.Splits[0].Train[0] != 2 || d.Splits[0].Test[0] != 1) {
				t.Errorf("splits %v", d.Splits)
			}
		})
	}
}
