package gmm

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// TestSurface: a line goes through the means of a sampler's methods in order of their median seconds, whatever the
// order of the methods; one that lost a try has no point, and a row of the table all the same.
func TestSurface(t *testing.T) {
	s := &record.Set{
		Protocol: "surface",
		Traces:   map[string][]record.Trace{},
		Timings:  map[string]record.Timing{},
	}
	for _, m := range []struct {
		method, sampler string
		seconds, energy float64
		status          string
	}{
		{"sifg-50", "sifg", 10, 0.2, record.StatusOK},
		{"sifg", "sifg", 1, 0.4, record.StatusOK},
		{"sifg-500", "sifg", 100, 0.1, record.StatusDiverged},
		{"sgld", "sgld", 0.1, 0.3, record.StatusOK},
	} {
		c := settings.Config{Iterations: 2000, Sampler: sifg.Config{Sampler: m.sampler, Step: 0.01}}
		c.Options = map[string]any{"target": "gmm-2d"}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 3 {
			key := fmt.Sprint(m.method, seed)
			s.Trials = append(s.Trials, record.Trial{
				Key:     key,
				Problem: "gmm-2d",
				Method:  m.method,
				Seed:    uint64(seed),
				Status:  m.status,
				Config:  string(text),
			})
			s.Timings[key] = record.Timing{Key: key, Seconds: m.seconds * float64(1+seed)}
			at := record.Trace{Key: key, Iteration: 2000, Metric: "energy", Value: m.energy + 0.1*float64(seed-1)}
			floor := record.Trace{Key: key, Iteration: 2000, Metric: "floor-energy", Value: 0.01}
			s.Traces[key] = []record.Trace{at, floor}
		}
	}
	f, err := surfaceFigure(s)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]figure.Line{}
	for _, l := range f.Panels[0].Layers {
		if line, ok := l.(figure.Line); ok {
			lines[line.Style.Label] = line
		}
	}
	sifgs := lines["SIFG"]
	for i, want := range [][2]float64{{2, 0.4}, {20, 0.2}} { // the median of 1, 2 and 3 times the seconds
		if x, y := sifgs.X[i], sifgs.Y[i]; x != want[0] || !(y > want[1]-1e-9 && y < want[1]+1e-9) {
			t.Errorf("point %d of SIFG at %g, %g; want %v", i, x, y, want)
		}
	}
	if len(f.Panels) != 1 || len(sifgs.X) != 2 || len(lines) != 2 || !slices.Equal(lines["SGLD"].X, []float64{0.2}) {
		t.Errorf("%d panels with %v", len(f.Panels), lines)
	}
	tab, err := surfaceTable("gmm-2d")(s)
	if err != nil {
		t.Fatal(err)
	}
	if row := tab.Rows[0]; row[0].Text != "SIFG with 50 network steps" || row[1].Text != "2000" || len(tab.Rows) != 4 {
		t.Errorf("%d rows, the first %v", len(tab.Rows), row)
	}
	if _, err := surfaceFigure(&record.Set{}); err == nil {
		t.Error("a figure of nothing")
	}
}
