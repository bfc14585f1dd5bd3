package figure

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestValues: the file says where on the drawing the values of the curves are, and has nothing of what is no curve.
func TestValues(t *testing.T) {
	var x, y []float64
	for i := range 500 {
		x, y = append(x, float64(i)), append(y, 1/(1+float64(i)))
	}
	y[0] = math.Inf(1)
	f := Figure{Panels: []Panel{
		{X: Axis{Label: "iteration", Min: 0, Max: 499}, Y: Axis{Label: "KL", Scale: Log, Min: 0.001, Max: 1}, Layers: []Layer{
			Band{X: x, Lo: y, Hi: y, Style: Method("sifg")}, Line{X: x, Y: y, Style: Method("sifg")}, Line{X: x, Y: y, Style: Method("svgd")},
			HLine{Y: 0.5}, Line{X: x[:2], Y: y[:2], Style: Method("sgld")},
		}},
		{Layers: []Layer{Scatter{X: x, Y: x, Style: Method("sifg")}}},
	}}
	dir := t.TempDir()
	info, err := f.Save(dir, "f")
	if err != nil || len(info.Files) != len(Formats)+1 {
		t.Fatalf("%v, %v", err, info.Files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "f.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		W, H   float64
		Panels []struct {
			Area  [4]float64
			X, Y  struct{ Min, Max float64 }
			Grid  [][]float64
			Lines []struct {
				Label, Color string
				Grid         int
				Y            []*float64
			}
		}
	}
	if err := json.Unmarshal(text, &v); err != nil || len(v.Panels) != 1 || len(v.Panels[0].Lines) != 2 || len(v.Panels[0].Grid) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	p := v.Panels[0]
	if l := p.Lines[0]; l.Label != "SIFG" || l.Color != "#0072b2" || len(l.Y) != len(p.Grid[0]) || len(l.Y) > mostValues || l.Y[0] != nil || *l.Y[1] != 0.1667 {
		t.Errorf("first curve: %+v", l)
	}
	if !(0 < p.Area[0] && p.Area[0] < p.Area[2] && p.Area[2] < v.W/2 && 0 < p.Area[1] && p.Area[1] < p.Area[3] && p.Area[3] < v.H) {
		t.Errorf("the left panel's area %v on %g×%g", p.Area, v.W, v.H)
	}
	if _, err := (&Figure{Panels: f.Panels[1:]}).Save(dir, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "g.json")); err == nil {
		t.Error("a figure without curves has values")
	}
}
