package gmm

import (
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestFigures: the samples and the marks of the trajectories are those of the records, at the iterations that the
// legend says.
func TestFigures(t *testing.T) {
	s := records(t, asInPaper)
	f, err := scatter(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != len(methods)+1 {
		t.Errorf("%d panels of %d methods and exact draws", len(f.Panels), len(methods))
	}
	if got := scatters(f.Panels[0])[0]; !slices.Equal(got.X, []float64{1, 3}) || !slices.Equal(got.Y, []float64{2, 4}) {
		t.Errorf("sample at %v, %v", got.X, got.Y)
	}
	if f, err = trajectories(s); err != nil {
		t.Fatal(err)
	}
	marks := scatters(f.Panels[0])
	for i, want := range []struct {
		label string
		x     float64
	}{{"start", 0}, {"iteration 1600", 16}, {"iteration 2000", 20}} {
		if marks[i].Style.Label != want.label || !slices.Equal(marks[i].X, []float64{want.x, want.x}) ||
			!slices.Equal(marks[i].Y, []float64{0.5, -0.5}) {
			t.Errorf("%q at %v, %v; want %q at %g", marks[i].Style.Label, marks[i].X, marks[i].Y, want.label, want.x)
		}
	}
	for _, fig := range figures[2:] {
		drawn, err := fig.Draw(s)
		// Metrics that these records do not have.
		if strings.Contains(fig.ID, "judged") || fig.ID == "sigma-10d" || fig.ID == "population" {
			if err == nil {
				t.Errorf("%s is drawn of nothing", fig.ID)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", fig.ID, err)
		} else if _, _, err := drawn.SVG(); err != nil {
			t.Errorf("%s: %v", fig.ID, err)
		}
	}
	tab, err := occupancies("gmm-2d")(s)
	if err != nil || tab.Rows[0][4].Text != "0.23" {
		t.Errorf("occupancy of mode 4: %v, error %v", tab.Rows[0], err)
	}
	if _, err := trajectories(&record.Set{}); err == nil {
		t.Error("trajectories of nothing")
	}
}

func scatters(p figure.Panel) []figure.Scatter {
	var out []figure.Scatter
	for _, l := range p.Layers {
		if s, ok := l.(figure.Scatter); ok {
			out = append(out, s)
		}
	}
	return out
}
