package table

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func sample() *Table {
	t := &Table{
		Title: "KL & coverage, 10-D_mixture",
		Columns: []Column{
			{Header: "method"}, {Header: "KL", Align: Right, Group: "released"}, {Header: "σ", Align: Right, Group: "released"},
			{Header: "KL", Align: Right, Group: "matched"}, {Header: "status", Align: Center},
		},
		Rows: [][]Cell{
			{Text("L2-GF"), PlusMinus(6.612, 0.31), Number(math.NaN(), 2), PlusMinus(0.5, math.NaN()), Text("ok")},
			{Text("Ada-SIFG | 50% <b>"), PlusMinus(0.78, 0.043), Fixed(0.28, 2), PlusMinus(0.5, 0.01), Text("ok")},
			{Text(`C:\a_b {x} "q"`), PlusMinus(math.Inf(1), 1), Fixed(-0.001, 2), PlusMinus(12345678, 54321), Text("diverged, 1")},
		},
		Notes: []string{"mean ± standard deviation of 5 seeds; bold: the smallest"},
	}
	t.MarkBest(-1, 1, 3)
	return t
}

func TestGolden(t *testing.T) {
	s := sample()
	for name, got := range map[string]string{
		"table.md": s.Markdown(), "table.tex": s.LaTeX(), "table.csv": s.CSV(), "table.html": s.HTML(),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from the golden file (go test -update writes it anew):\n%s", name, got)
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(sample().CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"method", "released: KL", "released: KL spread", "released: σ", "matched: KL", "matched: KL spread", "status"},
		{"L2-GF", "6.612", "0.31", "", "0.5", "", "ok"},
		{"Ada-SIFG | 50% <b>", "0.78", "0.043", "0.28", "0.5", "0.01", "ok"},
		{`C:\a_b {x} "q"`, "inf", "1", "-0.001", "1.2345678e+07", "54321", "diverged, 1"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q\nwant %q", rows, want)
	}
}

func TestNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{PlusMinus(1.23456, 0.0561).Text, "1.235 ± 0.056"},
		{PlusMinus(-1.23456, 0.0561).Text, "−1.235 ± 0.056"},
		{PlusMinus(123.4, 12.34).Text, "123 ± 12"},
		{PlusMinus(1234, 123).Text, "1230 ± 120"},
		{PlusMinus(0.99, 0.0996).Text, "0.99 ± 0.10"},
		{PlusMinus(1.5, 0).Text, "1.50 ± 0.00"},
		{PlusMinus(0, 0).Text, "0.00 ± 0.00"},
		{PlusMinus(1, 1e-9).Text, "1.00000 ± 0.00000"},
		{PlusMinus(-1e-9, 0.1).Text, "0.00 ± 0.10"},
		{PlusMinus(1234567, 8900).Text, "(1.2346 ± 0.0089)e6"},
		{PlusMinus(0.0000123, 0.0000004).Text, "(1.230 ± 0.040)e−5"},
		{PlusMinus(2.345, nan).Text, "2.35"},
		{PlusMinus(nan, 1).Text, "–"},
		{Significant(0.012345, 3), "0.0123"},
		{Significant(-12345, 2), "−12000"},
		{Significant(9.996, 3), "10.0"},
		{Significant(1234567, 3), "1.23e6"},
		{Significant(0.0000123, 2), "1.2e−5"},
		{Significant(0, 3), "0"},
		{Significant(-inf, 3), "−∞"},
		{Fixed(2.5, 0).Text, "2"}, // half to even, as all formatting of Go
		{Fixed(-0.004, 2).Text, "0.00"},
		{Fixed(inf, 2).Text, "∞"},
		{PValue(0.0316).Text, "0.032"},
		{PValue(0.0003).Text, "< 0.001"},
		{PValue(nan).Text, "–"},
		{Int(-3).Text, "−3"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestMarkBest(t *testing.T) {
	tab := &Table{Columns: make([]Column, 2), Rows: [][]Cell{
		{Fixed(1.001, 2), Text("a")}, {Fixed(1.002, 2), Fixed(5, 0)}, {Fixed(math.NaN(), 2), Fixed(7, 0)}, {Fixed(2, 2), Fixed(math.Inf(1), 0)},
	}}
	bold := func(j int) (out []bool) {
		for _, r := range tab.Rows {
			out = append(out, r[j].Bold)
		}
		return out
	}
	tab.MarkBest(-1, 0)
	if got := bold(0); !reflect.DeepEqual(got, []bool{true, true, false, false}) {
		t.Errorf("smallest: %v; both that read 1.00 are best", got)
	}
	tab.MarkBest(1, 0, 1)
	if got := bold(0); !reflect.DeepEqual(got, []bool{false, false, false, true}) {
		t.Errorf("largest: %v", got)
	}
	if got := bold(1); !reflect.DeepEqual(got, []bool{false, false, true, false}) {
		t.Errorf("largest finite number: %v", got)
	}
}

func TestShortRowPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "table: a row is not as long as the columns" {
			t.Errorf("panic %v", r)
		}
	}()
	(&Table{Columns: make([]Column, 2), Rows: [][]Cell{{Text("a")}}}).Markdown()
}

func TestCount(t *testing.T) {
	for n, want := range []string{"0 trials", "1 trial", "2 trials"} {
		if got := Count(n, "trial"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
