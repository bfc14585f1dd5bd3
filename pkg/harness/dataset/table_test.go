package dataset

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// reading says how a table in a file of this name is read by flags, separated by "; ": as its owner is told, its
// columns, and its first row, or all of a few; or why it is refused.
func reading(t *testing.T, name, text, flags string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	l, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var target string
	var parse Parse
	for flag := range strings.SplitSeq(flags, "; ") {
		if column, ok := strings.CutPrefix(flag, "target="); ok {
			target = column
		} else if err := parse.Set(flag); err != nil {
			return err.Error()
		}
	}
	set, err := l.Add(path, target, parse)
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.As(err, new(*usage.Error)) {
			t.Errorf("%v is neither wrong data nor wrongly asked", err)
		}
		return err.Error()
	}
	d, err := l.Load(set)
	if err != nil {
		t.Fatal(err)
	}
	shown := d.X
	if d.Rows > 3 {
		shown = d.X[:d.Cols]
	}
	return fmt.Sprintf("%s: %s: %v", d.Read, strings.Join(d.Columns, " "), shown)
}

// TestWild: each table in testdata is read to what its owner means, and how is said, or it is refused with what decides
// it. A line of cases.txt has the file, the flags and what is to be said, with … between parts of it.
func TestWild(t *testing.T) {
	for line := range strings.Lines(read(t, "testdata/cases.txt")) {
		c := strings.Split(strings.TrimSpace(line), " | ")
		got := reading(t, c[0], read(t, filepath.Join("testdata", c[0])), c[1])
		for part := range strings.SplitSeq(c[2], " … ") {
			if !strings.Contains(got, part) {
				t.Errorf("%s by %s: %s\nwant %s", c[0], c[1], got, part)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFormats: small tables for each rule by which a format is found, those that have two readings, and those that have
// none.
func TestFormats(t *testing.T) {
	const rows = "1,5;2,25;3,0\n2,5;3,25;4,0\n3,5;1,25;2,0\n"
	for text, want := range map[string]string{
		rows:                          "3 rows, separator semicolon, decimal comma, header no, target c3",
		"a;b, in m;y\n" + rows:        "3 rows, separator semicolon, decimal comma, header yes, target y",
		"sep=\t\na\tb\n1\t2\n3\t4\n":  "2 rows, separator tab, decimal point, header yes, target b",
		"a|b\n1|2\n3|4\n":             "2 rows, separator pipe, decimal point, header yes, target b",
		"a,b\n\"1,5\",2\n\"2,5\",3\n": "2 rows, separator comma, decimal comma, header yes, target b",
		"a;b\n1.234,5;2\n2.000;3\n":   "2 rows, separator semicolon, decimal comma, header yes, target b",
		"a,b\n\"1,234.5\",2\n7,3\n":   "2 rows, separator comma, decimal point, header yes, target b",
		"a\tb\n1\tx y\n2\tz\n":        `no finite number in b ("x y" in line 2)`,
		"a;b\n1 234,5;2\n7;3\n":       "2 rows, separator semicolon, decimal comma, header yes, target b",
		"a;b\n1'234.5;2\n7;3\n":       "2 rows, separator semicolon, decimal point, header yes, target b",
		"\x1f\x8b\x08\x00":            "not a plain text", // gzip
		"1\x00,2":                     "not a plain text",
		"":                            "there are no records",
		"a,b\n":                       "there are no rows of values",
		"CO;T;;\n2,6;13,6;;\n1,5;2;;\n;;;\n;;;\n": "2 rows, separator semicolon, decimal comma, header yes, target T",
		// a first record without a number, or with years
		"?,2.5\n1,3\n2,2\n":                "missing in 1 of 3 rows, the first in line 1 (1 for c1)",
		"?,?\n1,3\n2,2\n":                  "are ?, ? names or values? --parse header",
		"-,2.5\n1,3\n2,2\n":                "are -, 2.5 names or values? --parse header",
		"land,2018,2019\nFR,3,4\nDE,5,1\n": "are land, 2018, 2019 names or values? --parse header",
		// ambiguous signs
		"a;b\n1.234;2\n2.500;3\n": "--parse decimal=point or decimal=comma",
		"a;b\n1.5;2\n2,5;3\n":     `"1.5" has a decimal point and "2,5" a decimal comma: --parse decimal`,
		"1\n2\n3\n":               "there are no records of two or more fields: --parse separator names",
		"#N/A,2\n1,3\n2,2\n":      "missing in 1 of 3 rows, the first in line 1 (1 for c1)",
		// row names, and a header that lacks another name
		"x y\na 1 2\nb 3 4\n":     "target y, row names or numbers left out",
		"x y\n1.5 1 2\n2.5 3 4\n": ":2: 3 fields, but the header or parse.columns has 2",
		// a lone carriage return, and lines above the table
		"# one\n\n# two\ra,b\r1,2\r3,x\r": `("x" in line 6)`,
		"a,b\n1,2\n3,\"4\n":               `:3: the record that begins here`,
		"# one\na,b\n\"1,2\n3,4\n5,6\n":   `:3: the record that begins here: extraneous or missing`,
		"\x1b[2J,b\nx,1\ny,2\n":           `in \x1b[2J ("x" in line 2)`,
	} {
		if got := reading(t, "a.csv", text, "target=last"); !strings.Contains(got, want) {
			t.Errorf("%q: %s\nwant %s", text, got, want)
		}
	}
}

// TestTables: tables of which all is said are read whatever they are, or refused with the line and the reason.
func TestTables(t *testing.T) {
	const (
		comma   = "target=last; decimal=point; header=false; separator=comma"
		header  = "target=last; decimal=point; header=true; separator=comma"
		space   = "target=last; decimal=point; header=false; separator=whitespace"
		tab     = "target=last; decimal=point; header=false; separator=tab"
		values  = ": [1 2 3 -4.5 5000 6]"
		unnamed = "c1 c2 c3" + values
		two     = ",city,b\n,Rome,2\n1,Oslo,x\n"
		towns   = "a,city,b\n1,Rome,2\nNA,Oslo,3\n4,Bonn,\n5,Oslo,6\n7,Bonn,8\n"
	)
	for _, c := range []struct{ flags, text, want string }{
		{comma, "1 , 2, 3 \n -4.5 ,5e3 ,6 \n", unnamed},
		{comma, "\ufeff1,2,3\r\n-4.5,5e3,6\r\n", unnamed},
		{comma, "\"1\",2,\"3\"\n-4.5,5e3,6\n", unnamed},
		{space, "1 2 3\r\n-4.5 5e3 6\r\n", unnamed},
		{space, " \n 1  2\t3\n\n-4.5   5e3 6 \n \n", unnamed},
		{tab, "1\t2\t3\n-4.5\t5e3\t6\n", unnamed},
		{header, "a,b,\"c (m, s)\"\n1,2,3\n-4.5,5e3,6\n", "a b c (m, s)" + values},
		{header + "; drop=id,who", "id,a,who,b,c\nr1,1,Ann,2,3\nr2,-4.5,Bo,5e3,6\n", "a b c" + values},
		{header, "a,,c\n1,2,3\n-4.5,5e3,6\n", "a c2 c" + values},
		{header + "; columns=x,y,z", "a,a,c\n1,2,3\n-4.5,5e3,6\n", "x y z" + values},
		{comma + "; columns=x,y,z", "1,2,3\n-4.5,5e3,6\n", "x y z" + values},

		{comma, "1,2,3\n4,5\n", "a.csv:2: 2 fields, but line 1 has 3"},
		{space, "1 2 3\n\n4 5\n", "a.csv:3: 2 fields, but line 1 has 3"},
		{comma, "1,2,3\n4,,6\n", "in 1 of 2 rows, the first in line 2 (1 for c2)"},
		{comma, "1,2,3\n4,NaN,6\n", "line 2 (1 for c2)"},
		{tab, "1\t2\t3\n4\t\t6\n", "line 2 (1 for c2)"},
		{comma, "1,2\n1," + strings.Repeat("x", 100) + "\n", `c2 ("` + strings.Repeat("x", 40) + `" in line 2)`},
		{comma, "1,2,3\n4,1_0,6\n", `c2 ("1_0" in line 2)`},
		{comma, "1,2,3\n4,0x1p4,6\n", `c2 ("0x1p4" in line 2)`},
		{comma, "1,2,3\n4,1e999,6\n", `c2 ("1e999" in line 2)`},
		{comma, "a,b,c\n1,2,3\n", `c1 ("a" in line 1), c2 ("b" in line 1), c3 ("c" in line 1): --parse na`},
		{header, "a,b\n7,2,3\n", ":2: 3 fields, but the header or parse.columns has 2"},
		{header, "a,a,c\n1,2,3\n", `two columns are called "a": rename one, or set parse.columns`},
		{comma + "; columns=a,b", "1,2,3\n", ":1: 3 fields, but the header or parse.columns has 2"},
		{header + "; drop=id", "a,b,c\n1,2,3\n", `names "id": the columns are a, b, c`},
		{comma, "1\n2\n", "there is no column besides the target: is parse.separator comma right?"},
		{"target=last; header=false; decimal=point; separator=semicolon", "1,5;2\n3;4\n",
			`c1 ("1,5" in line 1)`},

		// Rows without a value are counted once, or left out.
		{header + "; drop=city", towns, "line 3 (1 for a, 1 for b): --parse missing=drop"},
		{header + "; drop=city; missing=drop", towns, ", 2 rows left out (1 for a, 1 for b): a b: [1 2 5 6 7 8]"},
		{header, two, "line 2 (1 for c1): --parse missing=drop leaves such rows out"},
		{header + "; drop=c1", two, `no finite number in city ("Rome" in line 2), b ("x" in line 3): --parse na`},
		{"size=3", "", `unknown key "size" in --parse`},
		{"drop=c\nd", "", `--parse "drop=c\nd": want one line, such as drop=id,city`},
		{`na="`, "", "quotes around a name"},
	} {
		if got := reading(t, "a.csv", c.text, c.flags); !strings.Contains(got, c.want) {
			t.Errorf("%q by %s: %s\nwant %s", c.text, c.flags, got, c.want)
		}
	}
}

func TestTargets(t *testing.T) {
	for rules, want := range map[string]any{
		"target: a": 0, "target: last": 2, "target: none": -1,
		"target: d":          `"d": want one of the columns a, b, c`,
		"target: a, rows: 3": "2 rows, want 3",
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

// TestShortErrors: what an error quotes of a table or a flag is cut, however wide or long.
func TestShortErrors(t *testing.T) {
	names := make([]string, 20000)
	for i := range names {
		names[i] = fmt.Sprint("x", i)
	}
	text := strings.Join(names, ",") + strings.Repeat("\n"+strings.Repeat("1,", len(names)-1)+"1", 2)
	long := strings.Repeat("x", 99999)
	for _, flags := range []string{
		"target=nope", "target=" + long, "target=last; header=" + long, "target=x1; drop=" + long,
	} {
		if got := reading(t, "a.csv", text, flags); len(got) > 1500 {
			t.Errorf("%.2000s", got)
		}
	}
}

// FuzzTables: no file makes the reader panic, and what it takes has as many values as it says.
func FuzzTables(f *testing.F) {
	files, _ := filepath.Glob("testdata/*")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := open("a.csv", b)
		if err != nil {
			return
		}
		e := &Entry{Target: "last", Parse: Parse{Missing: "drop"}}
		if s.find(&e.Parse) != nil {
			return
		}
		d := &Data{}
		if d.parse(s, e) == nil && (len(d.X) != d.Rows*d.Cols || len(d.Lines) != d.Rows ||
			len(d.Columns) != d.Cols || d.Target < 0 || slices.ContainsFunc(d.X, math.IsNaN)) {
			t.Errorf("%.500q: %s", b, d.Read)
		}
	})
}
