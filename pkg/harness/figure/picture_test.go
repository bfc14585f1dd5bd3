package figure

import (
	"fmt"
	"slices"
	"strings"
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
		b, ok := layer.(Band)
		if !ok { // the guide of equal parts
			got += fmt.Sprint("half at ", layer.(Line).X)
			continue
		}
		got += fmt.Sprintf("%s %.2f at %.2f; ", b.Style.Label, b.X, (b.Lo[0]+b.Hi[0])/2)
	}
	const want = "mode 1 [0.00 0.25] at 1.00; mode 1 [0.00 1.00] at 0.00; " +
		"mode 2 [0.25 1.00] at 1.00; mode 2 [1.00 1.00] at 0.00; half at [0.5 0.5]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := Picture(&table.Table{Picture: &table.Picture{Kind: "pie"}}); err == nil {
		t.Error("a pie was drawn")
	}
}

// TestEnds: a line that reaches the right edge of each panel with it is labelled there, and what has no such line, or
// two in a panel, stays in the legend; a figure with more labels than have room, or with rows, has them all there.
func TestEnds(t *testing.T) {
	line := func(m string, x, y float64) Layer {
		return Line{X: []float64{0, x}, Y: []float64{0, y}, Style: Method(m)}
	}
	const long = "a label that is longer than any label should be"
	one := Panel{Layers: []Layer{
		line("sifg", 1, 5), line("svgd", 1, 5.01), line("sgld", 0.5, 3), line("l2-gf", 1, 1), line("l2-gf", 1, 2),
		Line{X: []float64{0, 1}, Y: []float64{0, 1}, Style: Style{Label: long}},
		HLine{Y: 4, Style: Style{Label: "exact"}},
	}}
	other := Panel{Layers: []Layer{line("sifg", 1, 5), line("svgd", 0.5, 5), line("sgld", 1, 3)}}
	var many Panel
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprint("m", i))
		many.Layers = append(many.Layers, line(names[i], 1, float64(i)))
	}
	for want, f := range map[string]Figure{
		"SIFG SVGD exact | L2-GF SGLD " + long:      {Panels: []Panel{one}},
		"SIFG exact SIFG | L2-GF SVGD SGLD " + long: {Panels: []Panel{one, other}},
		" | SIFG SVGD SGLD":                         {Panels: []Panel{other, other}, Cols: 1},
		" | " + strings.Join(names, " "):            {Panels: []Panel{many}},
	} {
		l, err := f.layout()
		if err != nil {
			t.Fatal(err)
		}
		var ends, keys []string
		for _, p := range l.panels {
			for _, e := range p.ends {
				ends = append(ends, e.Label)
			}
		}
		for _, k := range slices.Concat(l.keys...) {
			keys = append(keys, k.Label)
		}
		if got := strings.Join(ends, " ") + " | " + strings.Join(keys, " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSaidOnce: panels that share a label of an axis have it once in a row, and once in a column.
func TestSaidOnce(t *testing.T) {
	p := Panel{X: Axis{Label: "iteration"}, Y: Axis{Label: "error"}}
	q := Panel{X: Axis{Label: "iteration"}, Y: Axis{Label: "σ"}}
	l, err := (&Figure{Panels: []Panel{p, p, q, p, p}, Cols: 3}).layout()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range l.panels {
		got += p.x.Label + "," + p.y.Label + " "
	}
	if want := ",error , iteration,σ iteration,error iteration, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
