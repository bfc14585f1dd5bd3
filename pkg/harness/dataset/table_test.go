package dataset

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// TestGoodTables: what needs no rule is read whatever it is.
func TestGoodTables(t *testing.T) {
	want := []float64{1, 2, 3, -4.5, 5e3, 6}
	for name, c := range map[string]struct{ parse, text string }{
		"comma":                {"separator: comma", "1,2,3\n-4.5,5e3,6\n"},
		"spaces around values": {"separator: comma", "1 , 2, 3 \n -4.5 ,5e3 ,6 \n"},
		"CRLF":                 {"separator: comma", "1,2,3\r\n-4.5,5e3,6\r\n"},
		"CRLF, spaces":         {"separator: whitespace", "1 2 3\r\n-4.5 5e3 6\r\n"},
		"byte-order mark":      {"separator: comma", "\ufeff1,2,3\n-4.5,5e3,6\n"},
		"blank, whitespace":    {"separator: whitespace", " \n 1  2\t3\n\n-4.5   5e3 6 \n \n"},
		"header":               {"separator: comma, header: true", "a,b,c\n1,2,3\n-4.5,5e3,6\n"},
		"quoted header":        {"separator: comma, header: true", "a,b,\"c (m, s)\"\n1,2,3\n-4.5,5e3,6\n"},
		"quoted values":        {"separator: comma", "\"1\",2,\"3\"\n-4.5,5e3,6\n"},
		"semicolon":            {"separator: semicolon", "1;2;3\n-4.5;5e3;6\n"},
		"tab":                  {"separator: tab", "1\t2\t3\n-4.5\t5e3\t6\n"},
		"dropped columns": {"separator: comma, header: true, drop: [id, " +
			"who]", "id,a,who,b,c\nr1,1,Ann,2,3\nr2,-4.5,Bo,5e3,6\n"},
		"a column without a name": {"separator: comma, header: true", "a,,c\n1,2,3\n-4.5,5e3,6\n"},
		"names over the header":   {"separator: comma, header: true, columns: [x, y, z]", "a,a,c\n1,2,3\n-4.5,5e3,6\n"},
		"names without a header":  {"separator: comma, columns: [x, y, z]", "1,2,3\n-4.5,5e3,6\n"},
	} {
		first := "c1"
		if strings.Contains(c.parse, "columns") {
			first = "x"
		} else if strings.Contains(c.parse, "header") {
			first = "a"
		}
		l, _ := mine(t, strings.Replace(plain, "separator: comma", c.parse, 1), c.text)
		d, err := l.Load("mine")
		if err != nil || d.Rows != 2 || d.Cols != 3 || d.Target != 2 || !slices.Equal(d.X, want) ||
			d.Columns[0] != first {
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
		"missing field": {comma, "1,2,3\n4,5\n", []string{":2", "2 fields", "line 1 has 3"}},
		"missing, whitespace": {"separator: whitespace", "1 2 3\n\n4 5\n", []string{":3", "2 fields", "line 1 " +
			"has 3"}},
		"empty value":             {comma, "1,2,3\n4,,6\n", []string{"in 1 of 2 rows", "line 2 (1 for c2)"}},
		"empty value between tab": {"separator: tab", "1\t2\t3\n4\t\t6\n", []string{"line 2 (1 for c2)"}},

		"text": {
			header, "a,b,c\n1,2,3\n4,high,6\n",
			[]string{`no finite number in b ("high" in line 3)`, "drop leaves", "encode makes"},
		},

		"long text": {
			comma, "1,2\n1," + strings.Repeat("x", 100) + "\n",
			[]string{"line 2", `"` + strings.Repeat("x", 40) + `"`},
		},

		"digits with a line": {comma, "1,2,3\n4,1_0,6\n", []string{`c2 ("1_0" in line 2)`}},
		"hexadecimal":        {comma, "1,2,3\n4,0x1p4,6\n", []string{`c2 ("0x1p4" in line 2)`}},

		"header not declared": {
			comma, "a,b,c\n1,2,3\n",
			[]string{`c1 ("a" in line 1), c2 ("b" in line 1)`, "header=true"},
		},

		"short header":    {header, "a,b\n7,2,3\n", []string{":2", "3 fields", "has 2"}},
		"names twice":     {header, "a,a,c\n1,2,3\n", []string{`"a"`, "rename one", "parse.columns"}},
		"terminal, name":  {header, "\x1b[2J,b\nx,1\n", []string{`in \x1b[2J ("x" in line 2)`}},
		"number of names": {comma + ", columns: [a, b]", "1,2,3\n", []string{":1", "3 fields", "has 2"}},
		"drop":            {header + ", drop: [id]", "a,b,c\n1,2,3\n", []string{"own.yaml", `"id"`, "a, b, c"}},
		"NaN":             {comma, "1,2,3\n4,NaN,6\n", []string{"line 2 (1 for c2)"}},
		"overflow":        {comma, "1,2,3\n4,1e999,6\n", []string{`c2 ("1e999" in line 2)`}},
		"nothing":         {comma, "", []string{"no rows of values"}},
		"wrong separator": {"separator: semicolon", "1,2,3\n4,5,6\n", []string{`c1 ("1,2,3" in line 1)`}},
		"one column":      {comma, "1\n2\n", []string{"besides the target", "separator"}},
		"quote":           {comma, "1,2\n3,\"4\n", []string{":", "quote"}},
		"binary":          {comma, "1\x00,2", []string{"not a plain text"}},
		"page":            {comma, "<!DOCTYPE html>\n<html>1,2</html>", []string{"HTML page"}},
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
		"target: d":               `"d": want one of the columns a, b, c`,
		"target: a, rows: 3":      "2 rows, want 3",
	} {
		l, path := mine(t, strings.NewReplacer("comma", "comma, header: true", "target: last", rules).Replace(plain),
			"a,b,c\n0,2,3\n1,5,3\n")
		d, err := l.Load("mine")
		if words, bad := want.(string); bad {
			wants(t, err, words, filepath.Dir(path))
		} else if err != nil || d.Target != want {
			t.Errorf("%s: target %v, want %d (%v)", rules, d, want, err)
		}
	}
}

func TestPermutations(t *testing.T) {
	const manifest = "datasets: {mine: {parse: {separator: comma}, target: last, files: [{name: a.csv}, {name: p, " +
		"role: permutation}]}}"
	for p, words := range map[string]string{
		"2\n0\r\n1\n":  "",
		"2\n0\n":       "2 rows, but the table has 3",
		"2\n0\n0\n":    `number 3 is "0"`,
		"1\n2\n3\n":    `number 3 is "3": want each of the rows 0 to 2 once`,
		"1\n2\n-1\n":   `number 3 is "-1"`,
		"1\ntwo\n0\n":  `number 2 is "two"`,
		"1\n0.5\n0\n":  `number 2 is "0.5"`,
		"1\n2\n0\n0\n": `number 4 is "0"`,
	} {
		l, _, err := own(t, manifest, map[string]string{"a.csv": "1,2\n3,4\n5,6\n", "p": p})
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Load("mine")
		if words != "" {
			wants(t, err, words)
		} else if err != nil || !slices.Equal(d.Permutation, []int{2, 0, 1}) {
			t.Errorf("permutation %v (%v)", d.Permutation, err)
		}
	}
}

// TestMissingAndTexts: rows without a value are counted once, or left out; a column of text becomes columns of 0 and 1.
func TestMissingAndTexts(t *testing.T) {
	const text = "a,city,b\n1,Rome,2\nNA,Oslo,3\n4,Bonn,\n5,Oslo,6\n7,Bonn,8\n"
	read := func(rules string) (*Data, error) {
		l, _ := mine(t, strings.Replace(plain, "separator: comma", "separator: comma, header: true"+rules, 1), text)
		return l.Load("mine")
	}
	_, err := read(", encode: [city]")
	wants(t, err, "missing in 2 of 5 rows", "line 3 (1 for a, 1 for b)", "missing=drop")
	d, err := read(", encode: [city], missing: drop")
	want := []float64{1, 0, 1, 2, 5, 1, 0, 6, 7, 0, 0, 8}
	if err != nil || !strings.HasSuffix(d.Read, ", 2 rows left out (1 for a, 1 for b)") || d.Rows != 3 ||
		!slices.Equal(d.X, want) || !slices.Equal(d.Columns, []string{"a", "city=Oslo", "city=Rome", "b"}) {
		t.Errorf("%+v, %v", d, err)
	}
	_, err = read(", encode: [town], missing: drop")
	wants(t, err, `"town"`, "a, city, b")
	l, _ := mine(t, strings.Replace(plain, "comma", "semicolon", 1), "1,5;2\n3;4\n")
	_, err = l.Load("mine")
	wants(t, err, `c1 ("1,5" in line 1, a number by another --parse decimal)`)

	// What must be mended is said at once.
	header := strings.Replace(plain, "separator: comma", "separator: comma, header: true", 1)
	l, _ = mine(t, header, ",city,b\n,Rome,2\n1,Oslo,x\n")
	_, err = l.Load("mine")
	wants(
		t,
		err,
		"missing in 1 of 2 rows, the first in line 2 (1 for c1): --parse missing=drop",
		`no finite number in city ("Rome" in line 2), b ("x" in line 3): --parse na names`,
		"makes 0 and 1 of all but the target",
		"was read with separator comma and decimal point",
	)
}
