package figure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
