package figure

import (
	"fmt"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func pictureOf(t *testing.T, tab *table.Table) *Figure {
	t.Helper()
	f, err := Picture(tab)
	if err != nil {
		t.Fatal(err)
	}
	if _, hidden := encode(t, f); hidden != 0 && tab.Picture == nil {
		t.Errorf("%d values are not shown", hidden)
	}
	checkBorder(t, tab.Columns[0].Header, render(t, f))
	return f
}

// TestHeat: the first row is at the top; a cell without a number has its words and no colour.
func TestHeat(t *testing.T) {
	f := pictureOf(t, &table.Table{
		Columns: table.Columns(1, "posterior", "SIFG", "HMC"),
		Rows: [][]table.Cell{
			{table.Text("first"), table.Number(0.123, 3), table.Number(12, 2)},
			{table.Text("second"), table.Text("diverged"), table.Number(100, 2)},
		},
		Picture: &table.Picture{Kind: table.Heat, Label: "error"},
	})
	h := f.Panels[0].Layers[0].(HeatMap)
	got := fmt.Sprint(h.Z, h.Text, f.Panels[0].Y.Categories)
	if want := "[NaN 100 0.123 12] [diverged 100 0.12 12] [second first]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShares: the parts of a bar follow each other.
func TestShares(t *testing.T) {
	f := pictureOf(t, &table.Table{
		Columns: table.Columns(1, "method", "mode 1", "mode 2"),
		Rows: [][]table.Cell{
			{table.Text("SIFG"), table.Fixed(0.25, 2), table.Fixed(0.75, 2)},
			{table.Text("SGLD"), table.Fixed(1, 2), table.Fixed(0, 2)},
		},
		Picture: &table.Picture{Kind: table.Shares, Label: "share"},
	})
	got := ""
	for _, layer := range f.Panels[0].Layers {
		b := layer.(Band)
		got += fmt.Sprintf("%s %.2f at %.2f; ", b.Style.Label, b.X, (b.Lo[0]+b.Hi[0])/2)
	}
	const want = "mode 1 [0.00 0.25] at 1.00; mode 1 [0.00 1.00] at 0.00; " +
		"mode 2 [0.25 1.00] at 1.00; mode 2 [1.00 1.00] at 0.00; "
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := Picture(&table.Table{Picture: &table.Picture{Kind: "pie"}}); err == nil {
		t.Error("a pie was drawn")
	}
}

// TestEnds: a line that reaches the right edge is labelled there, and what has no such line stays in the legend.
func TestEnds(t *testing.T) {
	line := func(m string, x, y float64) Layer {
		return Line{X: []float64{0, x}, Y: []float64{0, y}, Style: Method(m)}
	}
	const long = "a label that is longer than any label should be"
	l, err := (&Figure{Panels: []Panel{{Layers: []Layer{
		line("sifg", 1, 5), line("svgd", 1, 5.01), line("sgld", 0.5, 3),
		Line{X: []float64{0, 1}, Y: []float64{0, 1}, Style: Style{Label: long}},
	}}}}).layout()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range l.ends {
		got += e.Label + " "
	}
	for _, row := range l.keys {
		for _, k := range row {
			got += "| " + k.Label
		}
	}
	if want := "SIFG SVGD | SGLD| " + long; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
