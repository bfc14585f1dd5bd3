package dataset

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/semi-implicit/sifg/datasets"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// own opens a library with one manifest of the user's, in a folder with the files, and returns that folder.
func own(t *testing.T, manifest string, files map[string]string) (*Library, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	path := filepath.Join(dir, "own.yaml")
	write(t, path, manifest)
	l, err := Open(Options{Manifest: datasets.Manifest, Files: []string{path}, Cache: filepath.Join(dir, "cache")})
	return l, dir, err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// wants checks that the error says each of the words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

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
			l, _, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {"+c.parse+"}, target: last}}", map[string]string{"a.csv": c.text})
			if err != nil {
				t.Fatal(err)
			}
			d, err := l.Load("mine")
			if err != nil {
				t.Fatal(err)
			}
			if d.Rows != 2 || d.Cols != 3 || d.Target != 2 || !slices.Equal(d.X, want) {
				t.Errorf("%d×%d, target %d, %v", d.Rows, d.Cols, d.Target, d.X)
			}
			if wantNames := map[bool]string{true: "x", false: "c1"}[strings.Contains(c.parse, "columns")]; !strings.Contains(c.parse, "header") && d.Columns[0] != wantNames {
				t.Errorf("the first column is called %s, want %s", d.Columns[0], wantNames)
			}
		})
	}
}

// TestBadTables: what cannot be read is refused with file, line and reason.
func TestBadTables(t *testing.T) {
	for name, c := range map[string]struct {
		parse, text string
		words       []string
	}{
		"missing field":           {"separator: comma", "1,2,3\n4,5\n", []string{"a.csv:2", "2 fields", "line 1 has 3"}},
		"missing, whitespace":     {"separator: whitespace", "1 2 3\n\n4 5\n", []string{"a.csv:3", "2 fields", "line 1 has 3"}},
		"one too many":            {"separator: comma", "1,2,3\n4,5,6,7\n", []string{"a.csv:2", "4 fields"}},
		"empty value":             {"separator: comma", "1,2,3\n4,,6\n", []string{"a.csv:2", "column 2 (c2)", "missing"}},
		"empty value between tab": {"separator: tab", "1\t2\t3\n4\t\t6\n", []string{"a.csv:2", "column 2", "missing"}},
		"question mark":           {"separator: comma", "1,2,3\n4,5,?\n", []string{"a.csv:2", "column 3", "missing"}},
		"text":                    {"separator: comma, header: true", "a,b,c\n1,2,3\n4,high,6\n", []string{"a.csv:3", "column 2 (b)", `"high" is not a number`}},
		"long text":               {"separator: comma", "1,2\n1," + strings.Repeat("x", 100) + "\n", []string{"a.csv:2", "xxx…"}},
		"header not declared":     {"separator: comma", "a,b,c\n1,2,3\n", []string{"a.csv:1", "column 1", `"a" is not a number`, "parse.header"}},
		"header declared":         {"separator: comma, header: true", "1,2,3\n4,5,6\n", []string{"a.csv:1", "numbers only", "parse.header"}},
		"short header":            {"separator: comma, header: true", "a,b\n1,2,3\n", []string{"a.csv:2", "3 fields", "header has 2"}},
		"names twice":             {"separator: comma, header: true", "a,a,c\n1,2,3\n", []string{"a.csv", `"a"`, "parse.columns"}},
		"number of names":         {"separator: comma, columns: [a, b]", "1,2,3\n", []string{"a.csv:1", "3 fields", "names 2"}},
		"drop":                    {"separator: comma, header: true, drop: [id]", "a,b,c\n1,2,3\n", []string{"own.yaml", "a.csv", `"id"`, "a, b, c"}},
		"NaN":                     {"separator: comma", "1,2,3\n4,NaN,6\n", []string{"a.csv:2", "column 2", "NaN is not finite"}},
		"infinity":                {"separator: comma", "1,2,3\n4,-Inf,6\n", []string{"a.csv:2", "-Inf is not finite"}},
		"overflow":                {"separator: comma", "1,2,3\n4,1e999,6\n", []string{"a.csv:2", "1e999 is too large"}},
		"nothing":                 {"separator: comma", "", []string{"a.csv", "no rows"}},
		"header alone":            {"separator: comma, header: true", "a,b,c\n", []string{"a.csv", "no rows"}},
		"wrong separator":         {"separator: semicolon", "1,2,3\n4,5,6\n", []string{"a.csv:1", `"1,2,3" is not a number`}},
		"one column":              {"separator: comma", "1\n2\n", []string{"a.csv", "beside the target", "separator"}},
		"UTF-16":                  {"separator: comma", "\xff\xfe1\x00,\x00", []string{"a.csv:1", "UTF-16", "UTF-8"}},
		"old line ends":           {"separator: whitespace", "1 2\r3 4\r", []string{"a.csv:1", "carriage return"}},
		"quote":                   {"separator: comma", "1,2\n3,\"4\n", []string{"a.csv:", "quote"}},
		"page":                    {"separator: comma", "<!DOCTYPE html>\n<html>1,2</html>", []string{"a.csv", "HTML page"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, dir, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {"+c.parse+"}, target: last}}", map[string]string{"a.csv": c.text})
			if err != nil {
				t.Fatal(err)
			}
			_, err = l.Load("mine")
			wants(t, err, append(c.words, dir)...)
			var asked *usage.Error
			if name == "drop" && !errors.As(err, &asked) {
				t.Errorf("%v is not an error about what was asked", err)
			} else if name != "drop" && !errors.Is(err, record.ErrDamaged) {
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
		l, _, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma, header: true}, "+rules+"}}", table)
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Load("mine")
		if c.words != nil {
			wants(t, err, c.words...)
			continue
		}
		if err != nil || d.Target != c.target {
			t.Errorf("%s: target %v, want %d (%v)", rules, d, c.target, err)
			continue
		}
		// Column c has one value; a and b have in the first row alone.
		if k := d.ConstantColumns(nil); !slices.Equal(k, []int{2}) {
			t.Errorf("constant columns %v, want c", k)
		}
		if k := d.ConstantColumns([]int{1}); len(k) != 3 {
			t.Errorf("constant columns %v of one row, want all", k)
		}
		if got := d.Column(1); !slices.Equal(got, []float64{2, 5}) {
			t.Errorf("column b is %v", got)
		}
	}
}

func TestBadManifests(t *testing.T) {
	const rest = "parse: {separator: comma}, target: last"
	for text, words := range map[string][]string{
		"":              {"own.yaml", "empty"},
		"datasets:\n":   {"own.yaml", "no data set"},
		"a: [":          {"own.yaml", "line 1"},
		"dataset: {}\n": {"own.yaml, line 1", `"dataset"`, `"datasets"`},
		"datasets:\n  mine:\n    files: [{name: a}]\n    titel: x\n":                                     {"own.yaml, line 4", `"titel"`, `"title"`},
		"datasets:\n  mine:\n    files:\n    - {name: a}\n    - {nam: b}\n":                              {"own.yaml, line 5", `"nam"`, `"name"`},
		"datasets:\n  mine:\n    parse:\n      seperator: comma\n":                                       {"own.yaml, line 4", `"seperator"`, `"separator"`},
		"datasets:\n  mine:\n    rows: many\n":                                                           {"own.yaml", "line 3", "many"},
		"datasets:\n  mine: {}\n  mine: {}\n":                                                            {"own.yaml", "mine", "already defined"},
		"datasets:\n  boston: {files: [{name: a}], " + rest + "}":                                        {"own.yaml, line 2", "boston", "datasets/manifest.yaml"},
		"datasets:\n  Mine: {files: [{name: a}], " + rest + "}":                                          {"own.yaml, line 2", "Mine", "lower-case"},
		"datasets:\n  all: {files: [{name: a}], " + rest + "}":                                           {"own.yaml, line 2", "all"},
		"datasets:\n  mine: {" + rest + "}":                                                              {"own.yaml, line 2", "mine", "files"},
		"datasets:\n  mine: {files: [{role: table}], " + rest + "}":                                      {"own.yaml, line 2", "name"},
		"datasets:\n  mine: {files: [{name: a, role: tabel}], " + rest + "}":                             {"own.yaml, line 2", `"tabel"`, "table"},
		"datasets:\n  mine: {files: [{name: a, role: train}], " + rest + "}":                             {"own.yaml, line 2", "one table"},
		"datasets:\n  mine: {files: [{name: a}, {name: b}], " + rest + "}":                               {"own.yaml, line 2", "one table"},
		"datasets:\n  mine: {files: [{name: a, sha256: 12}], " + rest + "}":                              {"own.yaml, line 2", "sha256", "64"},
		"datasets:\n  mine: {files: [{name: a, bytes: -1}], " + rest + "}":                               {"own.yaml, line 2", "bytes"},
		"datasets:\n  mine: {source: 'http://x', files: [{name: a}]}":                                    {"own.yaml, line 2", "sha256", "bytes"},
		"datasets:\n  mine: {folder: ../x, files: [{name: a}], " + rest + "}":                            {"own.yaml, line 2", "../x"},
		"datasets:\n  mine: {files: [{name: a}], target: last}":                                          {"own.yaml, line 2", "separator"},
		"datasets:\n  mine: {files: [{name: a}], parse: {separator: ','}}":                               {"own.yaml, line 2", `","`, "comma"},
		"datasets:\n  mine: {files: [{name: a}], parse: {separator: comma}}":                             {"own.yaml, line 2", "target"},
		"datasets:\n  mine: {files: [{name: a}], task: classify, " + rest + "}":                          {"own.yaml, line 2", "classify", "binary"},
		"datasets:\n  mine: {files: [{name: a}], task: none, " + rest + "}":                              {"own.yaml, line 2", "none"},
		"datasets:\n  mine: {files: [{name: a}], rows: -1, " + rest + "}":                                {"own.yaml, line 2", "rows"},
		"datasets:\n  mine: {files: [{name: a}], target: z, parse: {separator: comma, columns: [x, y]}}": {"own.yaml, line 2", `"z"`},
		"datasets:\n  mine: {files: [{name: a}], target: x, parse: {separator: comma, columns: [x, x]}}": {"own.yaml, line 2", `"x"`},
		"datasets:\n  mine: {source: 'ftp://x', files: [{name: a, bytes: 1, sha256: " +
			strings.Repeat("a", 64) + "}], " + rest + "}": {"own.yaml, line 2", "ftp://x", "https://"},
		"datasets:\n  mine: {source: 'http://x', files: [{name: ../a, bytes: 1, sha256: " +
			strings.Repeat("a", 64) + "}], " + rest + "}": {"own.yaml, line 2", "../a"},
	} {
		_, _, err := own(t, text, nil)
		wants(t, err, words...)
		var u *usage.Error
		if !errors.As(err, &u) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is not a mistake of usage in one line", err)
		}
	}
	_, err := Open(Options{Manifest: datasets.Manifest, Files: []string{"nowhere.yaml"}})
	wants(t, err, "--datasets nowhere.yaml", "no such file")
}

// TestManifest: the project's own entries are complete, and all but meg-full can be fetched.
func TestManifest(t *testing.T) {
	l, err := Open(Options{Manifest: datasets.Manifest})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Names()) != 13 {
		t.Errorf("%d data sets: %v", len(l.Names()), l.Names())
	}
	paths := map[string]string{}
	for _, name := range l.Names() {
		e, err := l.Entry(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Title == name || e.Note == "" || e.Licence == "" || e.Citation == "" || e.Rows == 0 {
			t.Errorf("%s lacks a title, note, licence, citation or number of rows", name)
		}
		for _, f := range e.Files {
			path := l.cached(e, &f)
			if paths[path] != "" {
				t.Errorf("%s is a file of %s and of %s", path, paths[path], name)
			}
			paths[path] = name
			if (f.Source == "") != (name == "meg-full") || f.Source != "" && !strings.HasPrefix(f.Source, "https://") {
				t.Errorf("%s: the source of %s is %q", name, f.Name, f.Source)
			}
		}
		if _, err := l.Digest(name); name != "meg-full" && err != nil { // needs no file
			t.Error(err)
		}
	}
	_, err = l.Entry("protien")
	wants(t, err, `"protien"`, `"protein"`)
}

// torchSave writes a ZIP as torch.save does, with the pickle of an array of the given item type.
func torchSave(t *testing.T, width string, values []int, change func([]byte) []byte) string {
	t.Helper()
	var raw []byte
	for _, v := range values {
		if width == "8" {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
		}
	}
	var text strings.Builder
	for _, b := range raw {
		text.WriteRune(rune(b))
	}
	p := []byte(beforeLength)
	if len(values) < 256 {
		p = append(p, 'K', byte(len(values)))
	} else {
		p = binary.LittleEndian.AppendUint16(append(p, 'M'), uint16(len(values)))
	}
	p = append(append(append(p, beforeType...), width...), beforeBytes...)
	p = append(append(binary.LittleEndian.AppendUint32(p, uint32(text.Len())), text.String()...), afterBytes...)
	if change != nil {
		p = change(p)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create("archive/data.pkl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPyTorch: arrays of both item types and lengths are read back, negative values and bytes above 127 included; a
// pickle that differs anywhere outside the array is refused.
func TestPyTorch(t *testing.T) {
	long := make([]int, 300)
	for i := range long {
		long[i] = i*i - 200
	}
	for _, values := range [][]int{{2, 0, 1}, {-1, 255, 65536}, long} {
		for _, width := range []string{"4", "8"} {
			got, err := parseIndices("p.pt", []byte(torchSave(t, width, values, nil)))
			if err != nil || !slices.Equal(got, values) {
				t.Errorf("i%s: %v, want %v (%v)", width, got, values, err)
			}
		}
	}
	size := 0
	torchSave(t, "4", []int{2, 0, 1}, func(p []byte) []byte { size = len(p); return p })
	values := len(beforeLength) + 2 + len(beforeType) + 1 + len(beforeBytes) + 4
	for i := range size {
		if i >= values && i < size-len(afterBytes) {
			continue // the array itself
		}
		for _, change := range []func([]byte) []byte{
			func(p []byte) []byte { p[i] ^= 1; return p },
			func(p []byte) []byte { return p[:i] },
		} {
			if got, err := parseIndices("p.pt", []byte(torchSave(t, "4", []int{2, 0, 1}, change))); err == nil {
				t.Fatalf("a pickle changed at byte %d of %d was read as %v", i, size, got)
			}
		}
	}
	_, err := parseIndices("p.pt", []byte("PK\x03\x04"))
	wants(t, err, "p.pt", "zip")
}

func TestIndices(t *testing.T) {
	const head = "datasets: {mine: {parse: {separator: comma}, target: last, files: [{name: a.csv}, "
	const permuted, divided = head + "{name: p, role: permutation}]}}", head + "{name: p, role: train}, {name: q, role: test}]}}"
	for name, c := range map[string]struct {
		manifest, p, q string
		words          []string
	}{
		"permutation":    {permuted, "2\n0\r\n1\n", "", nil},
		"floats":         {permuted, "2.0\n0.0\n1.0\n", "", nil},
		"from torch":     {permuted, torchSave(t, "8", []int{2, 0, 1}, nil), "", nil},
		"short":          {permuted, "2\n0\n", "", []string{"p", "2 entries", "3 rows"}},
		"twice":          {permuted, "2\n0\n0\n", "", []string{"p", "entry 3 is 0", "before"}},
		"from one":       {permuted, "1\n2\n3\n", "", []string{"p", "entry 3 is 3", "0 to 2"}},
		"negative":       {permuted, "1\n2\n-1\n", "", []string{"p", "entry 3 is -1"}},
		"text":           {permuted, "1\ntwo\n0\n", "", []string{"p:2", `"two"`}},
		"fraction":       {permuted, "1\n0.5\n0\n", "", []string{"p:2", `"0.5"`}},
		"not a number":   {permuted, "1\nNaN\n0\n", "", []string{"p:2", `"NaN"`}},
		"split":          {divided, "2\n0\n", "1\n", nil},
		"rows left out":  {divided, "2\n", "1\n", nil},
		"overlap":        {divided, "2\n0\n", "0\n", []string{"q", "entry 1 is 0", "other part"}},
		"empty part":     {divided, "2\n0\n", "", []string{"q", "a row in each part"}},
		"outside, split": {divided, "2\n0\n", "7\n", []string{"q", "entry 1 is 7", "0 to 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, _, err := own(t, c.manifest, map[string]string{"a.csv": "1,2\n3,4\n5,6\n", "p": c.p, "q": c.q})
			if err != nil {
				t.Fatal(err)
			}
			d, err := l.Load("mine")
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

// TestDigest: the digest changes with everything that changes the data, and with nothing else.
func TestDigest(t *testing.T) {
	of := func(manifest, table string) string {
		t.Helper()
		l, _, err := own(t, manifest, map[string]string{"a.csv": table})
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Digest("mine")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const entry = "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}"
	base := of(entry, "1,2\n")
	seen := map[string]string{base: "the first"}
	for name, d := range map[string]string{
		"another file":      of(entry, "1,3\n"),
		"another separator": of(strings.ReplaceAll(entry, "comma", "tab"), "1,2\n"),
		"a header":          of(strings.ReplaceAll(entry, "comma", "comma, header: true"), "1,2\n"),
		"another target":    of(strings.ReplaceAll(entry, "last", "c1"), "1,2\n"),
		"names":             of(strings.ReplaceAll(entry, "comma", "comma, columns: [a, b]"), "1,2\n"),
		"a dropped column":  of(strings.ReplaceAll(entry, "comma", "comma, drop: [c1]"), "1,2\n"),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	if of(strings.ReplaceAll(entry, "target", "title: Mine, note: x, licence: y, rows: 1, target"), "1,2\n") != base {
		t.Error("a title changes the digest")
	}
	l, _, err := own(t, entry, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Digest("mine")
	wants(t, err, "mine", "a.csv", "put your copy")
}

// TestChangedFile: a file of the user's own must stay what it was when its digest was taken.
func TestChangedFile(t *testing.T) {
	l, dir, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}", map[string]string{"a.csv": "1,2\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Digest("mine"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.csv"), "1,3\n")
	_, err = l.Load("mine")
	wants(t, err, "a.csv", "changed while the program ran")
}

// TestPinnedSize: a size that is pinned is checked, with a digest or without.
func TestPinnedSize(t *testing.T) {
	const text = "1,2\n"
	digest := fmt.Sprintf(", sha256: %x", sha256.Sum256([]byte(text)))
	for pins, words := range map[string][]string{
		"bytes: 4": nil, "bytes: 4" + digest: nil,
		"bytes: 99": {"a.csv", "4 bytes, want 99", "cut short"}, "bytes: 99" + digest: {"a.csv", "4 bytes, want 99"},
		"bytes: 3": {"a.csv", "4 bytes, want 3"}, "bytes: 3" + digest: {"a.csv", "4 bytes, want 3"},
	} {
		l, _, err := own(t, "datasets: {mine: {files: [{name: a.csv, "+pins+"}], parse: {separator: comma}, target: last}}", map[string]string{"a.csv": text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = l.Load("mine"); words == nil && err != nil {
			t.Error(pins, err)
		} else if words != nil {
			wants(t, err, words...)
			if !errors.Is(err, record.ErrDamaged) || strings.Contains(err.Error(), "changed") {
				t.Errorf("%s: %v", pins, err)
			}
		}
	}
}

// TestLoadOnce: many at once get the same data, parsed once.
func TestLoadOnce(t *testing.T) {
	l, dir, err := own(t, "datasets: {mine: {files: [{name: a.csv}], parse: {separator: comma}, target: last}}", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("mine")
	wants(t, err, filepath.Join(dir, "a.csv"), filepath.Join(dir, "cache", "mine", "a.csv"))
	var u *usage.Error
	if !errors.As(err, &u) {
		t.Errorf("%v is no mistake of usage", err)
	}
	write(t, filepath.Join(dir, "cache", "mine", "a.csv"), "1,2\n") // an error is not kept
	got := make([]*Data, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i], _ = l.Load("mine") })
	}
	wg.Wait()
	for _, d := range got {
		if d == nil || d != got[0] {
			t.Fatal("loaded twice")
		}
	}
	if missing, err := l.Missing(); err != nil || slices.Contains(missing, "mine") {
		t.Error(missing, err)
	}
}

// TestDamagedCache: a file of the cache that is not what is pinned is refused, with the way out, and Verify finds it.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(Options{Manifest: datasets.Manifest, Cache: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Load("boston")
	wants(t, err, "boston_housing.txt", "sifg data fetch boston")
	e, err := l.Entry("boston")
	if err != nil {
		t.Fatal(err)
	}
	write(t, l.cached(e, &e.Files[1]), "x")
	for text, words := range map[string][]string{
		"cut":                                 {"3 bytes, want 49082", "cut short"},
		strings.Repeat("x", 49082):            {"SHA-256", e.Files[0].SHA256},
		strings.Repeat("x", 49083):            {"49083 bytes, want 49082"},
		"<html><body>not found</body></html>": {"HTML page"},
	} {
		write(t, l.cached(e, &e.Files[0]), text)
		_, err := l.Load("boston")
		wants(t, err, append(words, "boston_housing.txt", "sifg data fetch boston")...)
		if !errors.Is(err, record.ErrDamaged) {
			t.Errorf("%v is not an error about damaged data", err)
		}
		bad, err := l.Verify()
		if err != nil || len(bad) != 1 || fmt.Sprint(bad["boston"]) == "" {
			t.Errorf("verify found %v (%v)", bad, err)
		}
	}
}
