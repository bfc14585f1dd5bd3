package table

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

var nan, inf = math.NaN(), math.Inf(1)

func sample() *Table {
	best := PlusMinus(0.78, 0.043)
	best.Bold = true
	return &Table{
		Title: "KL & coverage, 10-D_mixture",
		Columns: []Column{
			{Header: "method"}, {Header: "KL", Align: Right}, {Header: "σ <b>", Align: Right}, {Header: "status"},
		},
		Rows: [][]Cell{
			{Text("L2-GF"), PlusMinus(6.612, 0.31), Number(nan, 2), Text("ok")},
			{Text("Ada-SIFG | 50% <b>"), best, Fixed(0.28, 2), Text("ok")},
			{Text(`C:\a_b {x} "q" [a](b)`), PlusMinus(inf, nan), Fixed(-0.001, 2), Text("diverged, 1")},
		},
		Spread: "standard deviation over 5 seeds",
		Notes:  []string{"Bold: the smallest <script>."},
	}
}

func TestGolden(t *testing.T) {
	s := sample()
	for name, got := range map[string]string{
		"table.md": s.Markdown(), "table.csv": s.CSV(),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			must(0, os.WriteFile(path, []byte(got), 0o644))
		}
		if want, err := os.ReadFile(path); err != nil || got != string(want) {
			t.Errorf("%s differs from the golden file (%v; go test -update writes it anew):\n%s", name, err, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{PlusMinus(1.23456, 0.0561).Text, "1.235 ± 0.056"},
		{PlusMinus(-1.23456, 0.0561).Text, "−1.235 ± 0.056"},
		{PlusMinus(123.4, 12.34).Text, "123 ± 12"},
		{PlusMinus(1234, 123).Text, "1230 ± 120"},
		{PlusMinus(0.99, 0.0996).Text, "0.99 ± 0.10"},
		{PlusMinus(0.119985, 0).Text, "0.1200 ± 0"},
		{PlusMinus(0, 5e-324).Text, "0 ± 5e−324"},
		{PlusMinus(0.119985, 3.4e-9).Text, "0.119985 ± 3e−9"},
		{PlusMinus(0.119985, 3.4e-5).Text, "0.119985 ± 0.000034"},
		{PlusMinus(4.0044, 0.00043).Text, "4.00440 ± 0.00043"},
		{PlusMinus(-1e-9, 0.1).Text, "0.00 ± 0.10"},
		{PlusMinus(1234567, 8900).Text, "(1.2346 ± 0.0089)e6"},
		{PlusMinus(0.0000123, 0.0000004).Text, "(1.230 ± 0.040)e−5"},
		{PlusMinus(2.345, nan).Text, "2.35"},
		{PlusMinus(nan, 1).Text, "–"},
		{PlusMinus(1, inf).Text, "1.00"},
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
		{Num(0), "0"},
		{Num(12.345), "12.3"},
		{Num(0.00123), "0.00123"},
		{Num(0.000123), "1.23e−4"},
		{Num(-0.0001), "−1e−4"},
		{Num(12345), "12345"},
		{Num(99999), "99999"},
		{Num(100000), "1e5"},
		{Num(-inf), "−∞"},
		{Num(nan), "–"},
		{Spread(nil), "–"},
		{Spread([]float64{2, 2, 2}), "2"},
		{Spread([]float64{3, 1, 2}), "2 (1 … 3)"},
		{Spread([]float64{-inf, 0, inf}), "0 (−∞ … ∞)"},
		{Spread([]float64{1, nan}), "undefined"},
		{PValue(0.0316).Text, "0.032"},
		{PValue(0.0003).Text, "< 0.001"},
		{PValue(nan).Text, "–"},
		{Int(-3).Text, "−3"},
		{Count(0, "trial") + ", " + Count(1, "trial"), "0 trials, 1 trial"},
		{Counts(map[string]int{"ok": 9, "diverged": 1, "failed": 0}), "1 diverged, 9 ok"},
		{Counts(map[string]int{"a": 1, "b": 2}, "b", "a"), "2 b, 1 a"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Names of other people neither control a terminal nor are formulas of a spreadsheet.
func TestHostileText(t *testing.T) {
	table := &Table{Columns: []Column{{Header: "name"}, {Header: "value"}}}
	for _, name := range []string{
		"\x1b[31mred", "a\nb", "=cmd|' /C calc'!A0", "+1", "-x", "@SUM(1)", "right\u202eleft",
	} {
		table.Rows = append(table.Rows, []Cell{Text(name), Number(-1.5, 2)})
	}
	for _, text := range []string{table.CSV(), table.Markdown()} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "a\nb") {
			t.Errorf("a name controls the terminal: %q", text)
		}
	}
	rows := must(csv.NewReader(strings.NewReader(table.CSV())).ReadAll())
	for _, row := range rows[1:] {
		if strings.ContainsAny(row[0][:1], "=+-@") || row[1] != "-1.5" {
			t.Errorf("the row %q", row)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
