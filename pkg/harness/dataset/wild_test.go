package dataset

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wild are tables as people have them, in testdata: for each what its owner says of it, then what it is read to (how,
// its columns, its first row) or the words by which it is refused.
var wild = []struct {
	file    string
	table   Table
	read    string
	columns string
	first   []float64
	refused string
}{
	{
		file: "01-headerless.csv", table: Table{Target: "last", Parse: Parse{Encode: []string{"c1"}}},
		read:    "60 rows, separator comma, decimal point, header no, target c4",
		columns: "c1=L c1=P c2 c3 c4", first: []float64{0, 0, 1.840, 0.789, 4.810},
	},
	{
		file: "02-column-last.csv", table: Table{Target: "last"},
		read:    "60 rows, separator comma, decimal point, header yes, target last",
		columns: "open high low last volume", first: []float64{10.70, 11.51, 10.61, 10.72, 4134},
	},
	{
		file: "03-r-write-table.txt", table: Table{Target: "load"},
		read: "60 rows, separator whitespace, decimal point, header yes, target load, row names or numbers " +
			"left out",
		columns: "breadth depth load", first: []float64{0.5614, 0.2250, 0.1460},
	},
	{
		file: "04-none-category.csv", table: Table{Target: "price", Parse: Parse{Encode: []string{"veneer"}}},
		read:    "90 rows, separator comma, decimal point, header yes, target price",
		columns: "area veneer=None veneer=Stone price", first: []float64{69.1, 1, 0, 74641},
	},
	{
		file:  "04-none-category.csv",
		table: Table{Target: "price", Parse: Parse{Encode: []string{"veneer"}, NA: []string{"None"}, Missing: "drop"}},
		read: "26 rows, separator comma, decimal point, header yes, target price, 64 rows left out " +
			"(64 for veneer)",
		columns: "area veneer=Stone price", first: []float64{142.7, 0, 153308},
	},
	{
		file: "05-excel-sep.csv", table: Table{Target: "Last"},
		read:    "60 rows, separator semicolon, decimal comma, header yes, target Last",
		columns: "Breite Höhe Last", first: []float64{0.275, 0.046, 0.368},
	},
	{
		file: "06-trailing-columns.csv", table: Table{Target: "RH"},
		read:    "60 rows, separator semicolon, decimal comma, header yes, target RH",
		columns: "Tag CO T RH", first: []float64{0, 0.7, 28.9, 56},
	},
	{
		file: "07-trailing-delimiter.csv", table: Table{Target: "z"},
		read:    "60 rows, separator comma, decimal point, header yes, target z",
		columns: "x y z", first: []float64{0.487, 0.868, -0.381},
	},
	{
		file: "08-tab-and-blanks.data", table: Table{Target: "c1", Parse: Parse{Drop: []string{"c6"}, Missing: "drop"}},
		read: "56 rows, separator whitespace, decimal point, header no, target c1, 4 rows left out " +
			"(4 for c4)",
		columns: "c1 c2 c3 c4 c5", first: []float64{32.2, 4, 185.8, 101.9, 2429},
	},
	{
		file: "08-tab-and-blanks.data", table: Table{Target: "c1"},
		refused: `missing in 4 of 60 rows, the first in line 6 (4 for c4) … c6 ("make 0 model" in line 1)`,
	},
	{
		file: "09-header-linebreak.csv", table: Table{Target: "Power"},
		read:    "60 rows, separator comma, decimal point, header yes, target Power",
		columns: "Flow (l/s) Head (m) Power", first: []float64{0.207, 0.700, 0.145},
	},
	{
		file: "11-missing-words.csv", table: Table{Target: "ozone"},
		refused: `missing in 3 of 70 rows … (3 for wind) … wind ("-" in line 5): --parse na names words`,
	},
	{
		file:  "11-missing-words.csv",
		table: Table{Target: "ozone", Parse: Parse{Missing: "drop", NA: []string{"-", "."}}},
		read: "65 rows, separator comma, decimal point, header yes, target ozone, 5 rows left out " +
			"(5 for wind)",
		columns: "temp wind ozone", first: []float64{87.8, 10.5, 77.3},
	},
	{
		file: "12-large-target.csv", table: Table{Target: "population"},
		read:    "60 rows, separator comma, decimal point, header yes, target population",
		columns: "year births population", first: []float64{1960, 4285600, 180716018},
	},
	{
		file: "13-dynamic-range.csv", table: Table{Target: "y"},
		refused: "huge are up to 9.9e+299, beyond 1e-120 or 1e+120 … tiny are up to 9.7e-301",
	},
	{
		file: "14-unnamed-index.csv", table: Table{Target: "y"},
		read:    "60 rows, separator comma, decimal point, header yes, target y, row names or numbers left out",
		columns: "x y", first: []float64{0.9995, 0.1999},
	},
	{
		file: "15-latin1.csv", table: Table{Target: "Last"},
		read: "60 rows, separator semicolon, decimal point, header yes, target Last, " +
			"read as Windows-1252 (Latin-1), since it is not UTF-8",
		columns: "Breite Größe Last", first: []float64{0.355, 0.673, 1.028},
	},
	{
		file: "16-utf16.csv", table: Table{Target: "Last"},
		read:    "60 rows, separator semicolon, decimal point, header yes, target Last, read as UTF-16",
		columns: "Breite Größe Last", first: []float64{0.355, 0.673, 1.028},
	},
	{
		file: "17-cr-only.csv", table: Table{Target: "Last"},
		read:    "60 rows, separator comma, decimal point, header yes, target Last",
		columns: "Breite Grosse Last", first: []float64{0.355, 0.673, 1.028},
	},
	{ // the file has ö and ß in NFC or NFD, who names them the other
		file: "18-names.csv", table: Table{Target: "gro\u0308ße", Parse: Parse{Drop: []string{"site, plot"}}},
		read:    "60 rows, separator comma, decimal point, header yes, target größe",
		columns: "größe last_y", first: []float64{0.929, 1.858},
	},
	{
		file: "18-names.csv", table: Table{Target: "größe", Parse: Parse{Drop: []string{"site"}}},
		refused: `names "site": the columns are "site, plot", größe, last_y`,
	},
	{
		file: "20-table.csv.gz", table: Table{Target: "population"},
		read:    "60 rows, separator comma, decimal point, header yes, target population",
		columns: "year births population", first: []float64{1960, 4285600, 180716018},
	},
	{
		file: "21-comment-lines.csv", table: Table{Target: "c"},
		read:    "60 rows, separator comma, decimal point, header yes, target c, 2 comment lines left out",
		columns: "a b c", first: []float64{0.506, 0.154, 0.660},
	},
	{
		file: "22-thousands.csv", table: Table{Target: "price"},
		refused: `may have a decimal sign or a separator of thousands: --parse decimal=point or decimal=comma`,
	},
	{
		file: "22-thousands.csv", table: Table{Target: "price", Parse: Parse{Decimal: "point"}},
		read:    "60 rows, separator comma, decimal point, header yes, target price",
		columns: "rooms price", first: []float64{5, 528319},
	},
	{
		file: "24-numeric-header.csv", table: Table{Target: "last"},
		refused: "are 2018, 2019, 2020 names or values? --parse header=true or header=false says it",
	},
	{
		file: "24-numeric-header.csv", table: Table{Target: "last", Header: "true"},
		read:    "60 rows, separator comma, decimal point, header yes, target 2020",
		columns: "2018 2019 2020", first: []float64{50.88, 52.79, 53.67},
	},
	{
		file: "25-duplicate-names.csv", table: Table{Target: "y"},
		refused: `two columns are called "x": rename one`,
	},
	{
		file: "26-target-text.csv", table: Table{Target: "grade", Parse: Parse{Drop: []string{"when"}}},
		refused: `no finite number in grade ("pass" in line 2)`,
	},
	{
		file: "27-one-row.csv", table: Table{Target: "y"},
		read:    "1 row, separator comma, decimal point, header yes, target y",
		columns: "x y", first: []float64{1, 2},
	},
	{
		file: "28-beyond-2-53.csv", table: Table{Target: "y"},
		read:    "60 rows, separator comma, decimal point, header yes, target y",
		columns: "id x y", first: []float64{9007199254740992, 0.517, 1.551},
	},
	{
		file: "29-unnamed-empty.csv", table: Table{Target: "y"},
		read:    "60 rows, separator comma, decimal point, header yes, target y",
		columns: "x y", first: []float64{0.876, 1.752},
	},
}

// TestWild: each table is read to what its owner means, and how is said, or it is refused with what decides it.
func TestWild(t *testing.T) {
	for i, c := range wild {
		t.Run(fmt.Sprint(i, " ", c.file), func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			d, err := added(t, c.file, string(b), c.table)
			if c.refused != "" {
				wants(t, err, strings.Split(c.refused, " … ")...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if columns := strings.Join(d.Columns, " "); d.Read != c.read || columns != c.columns {
				t.Errorf("read as %q, columns %q;\nwant    %q, columns %q", d.Read, columns, c.read, c.columns)
			}
			if !slices.Equal(d.X[:d.Cols], c.first) {
				t.Errorf("the first row is %v, want %v", d.X[:d.Cols], c.first)
			}
		})
	}
}

// added adds a table in a file of this name to an empty library and reads it.
func added(t *testing.T, name, text string, table Table) (*Data, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, name, text)
	l, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if name, err = l.Add(name, table); err != nil {
		return nil, err
	}
	return l.Load(name)
}

// TestFormats: small tables for each rule by which a format is found, and those that have two readings.
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
		"\x1f\x8bcut":                 "it begins like gzip, but cannot be unpacked",
		"<html>a,b\n1,2</html>\n":     "an HTML page, not the data",
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
		"a,b\n1,2\n3,\"4\n":               `:3: character`,
		"# one\na,b\n\"1,2\n3,4\n5,6\n":   `:3: a quote that opens in this record is not closed, and so`,
	} {
		d, err := added(t, "a.csv", text, Table{Target: "last"})
		got := fmt.Sprint(err)
		if err == nil {
			got = d.Read
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s\nwant %s", text, got, want)
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
	for _, table := range []Table{
		{Target: "nope"}, {Target: strings.Repeat("x", 99999)}, {Target: "last", Header: strings.Repeat("x", 99999)},
		{Target: "x1", Parse: Parse{Drop: []string{strings.Repeat("x", 99999)}}},
	} {
		if _, err := added(t, "a.csv", text, table); err == nil || len(err.Error()) > 1500 {
			t.Errorf("%.2000s", err)
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
		if s.find(&e.Parse, "") != nil {
			return
		}
		d := &Data{}
		if d.parseTable("a.csv", b, e) == nil && (len(d.X) != d.Rows*d.Cols || len(d.Lines) != d.Rows ||
			len(d.Columns) != d.Cols || d.Target < 0 || slices.ContainsFunc(d.X, math.IsNaN)) {
			t.Errorf("%.500q: %s", b, d.Read)
		}
	})
}
