package posteriors

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// values are components of metrics at a trial's last iteration.
type values map[string][]float64

// with returns the values with others in their place.
func (v values) with(others values) values {
	out := maps.Clone(v)
	maps.Copy(out, others)
	return out
}

// exact is a trial with the errors of exact draws, 0.1, and their width.
var exact = values{
	"floor-error-sd":   {0, 0.1},
	"floor-error-mean": {0, 0.1},
	"error-sd":         {0, 0.1},
	"error-mean":       {0, 0.1},
	"sd-ratio":         {1, 0, 1},
}

// off is a trial whose errors are times those of exact draws.
func off(times float64) values {
	return exact.with(values{"error-sd": {0, 0.1 * times}, "error-mean": {0, 0.1 * times}})
}

// add adds a trial of the next seed, 10 particles and 20 iterations. Without values it diverged.
func add(s *record.Set, problem, method string, v values) {
	key := fmt.Sprint(len(s.Trials))
	trial := record.Trial{
		Key:        key,
		Problem:    problem,
		Method:     method,
		Seed:       uint64(len(s.Trials)),
		Status:     record.StatusOK,
		Dim:        3,
		Particles:  10,
		Iterations: 20,
	}
	if v == nil {
		trial.Status = record.StatusDiverged
	}
	s.Trials = append(s.Trials, trial)
	for metric, components := range v {
		for i, x := range components {
			row := record.Trace{Key: key, Iteration: 20, Metric: metric, Index: i, Value: x}
			s.Traces[key] = append(s.Traces[key], row)
		}
	}
}

func empty() *record.Set {
	return &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
}

// row returns the texts of a table's row by the text of its first cell.
func row(t *testing.T, of *table.Table, name string) string {
	t.Helper()
	for _, cells := range of.Rows {
		if cells[0].Text == name {
			var texts []string
			for _, c := range cells[1:] {
				texts = append(texts, c.Text)
			}
			return strings.Join(texts, " | ")
		}
	}
	t.Errorf("no row %s", name)
	return ""
}

func wantRow(t *testing.T, of *table.Table, name, want string) {
	t.Helper()
	if got := row(t, of, name); got != want {
		t.Errorf("%s: %s, want %s", name, got, want)
	}
}

func wantTitle(t *testing.T, made *harness.Finding, want string) {
	t.Helper()
	if made.Title != want {
		t.Errorf("%q, want %q", made.Title, want)
	}
}

// TestEqualGradients: all draws of HMC are 0.4 as far off as exact ones, as many as there are particles 1. On ark,
// where L2-GF is also the flow of the pilot, it beats both; on diamonds it beats the fewer, and the flow of the pilot
// neither. With 100 particles nothing counts.
func TestEqualGradients(t *testing.T) {
	s := empty()
	for _, x := range []struct {
		name        string
		flow, pilot float64
	}{{"ark", 0.3, 9}, {"diamonds", 0.8, 2}} {
		for _, kind := range []string{"-1000", "-100"} {
			add(s, x.name+kind, "hmc", exact.with(values{"all-error-sd": {0, 0.04}}))
			if kind == "-100" {
				x.flow, x.pilot = 0.1, 0.1
			}
			add(s, x.name+kind, "l2-gf", off(x.flow))
			add(s, x.name+kind, "interpolated", off(x.pilot))
		}
	}
	made := equalGradients(s)
	wantTitle(t, made, "At equal gradients L2-GF's particles beat as many draws of HMC on every posterior, "+
		"all its draws on ark")
	if want := "is nearer than as many draws on ark, all draws on ark."; !strings.Contains(made.Text, want) {
		t.Errorf("%q, want %q", made.Text, want)
	}
	wantRow(t, made.Table, "ark", "L2-GF | 0.30 | 0.30 | 1.0 | 0.40 | 0.10 | 0.10 | 1.0 | 0.40")
	wantRow(t, made.Table, "diamonds", "Interpolated | 0.80 | 2.0 | 1.0 | 0.40 | 0.10 | 0.10 | 1.0 | 0.40")
}

// TestCollapse: SVGD is too narrow on two posteriors with 1000 particles, SIFG on one, and a ratio of 0.9 is not too
// narrow. SIFG diverged on one posterior, with both numbers of particles.
func TestCollapse(t *testing.T) {
	ratio := func(r float64) values { return exact.with(values{"sd-ratio": {r, 0, r}}) }
	s := empty()
	for _, name := range []string{"ark", "blr", "diamonds"} {
		for _, kind := range []string{"-1000", "-100"} {
			add(s, name+kind, "hmc", off(2.1))
			sifg, svgd := ratio(0.9), ratio(0.5)
			switch name + kind {
			case "ark-1000", "ark-100":
				sifg = nil
			case "blr-1000":
				sifg = ratio(0.89)
			case "diamonds-1000":
				svgd = ratio(1)
			}
			add(s, name+kind, "sifg", sifg)
			add(s, name+kind, "svgd", svgd)
		}
	}
	made := collapse(s)
	wantTitle(t, made, "SVGD is too narrow most often, with 1000 particles on all posteriors but diamonds")
	wantRow(t, made.Table, figure.Label("hmc"), "0 | 0 | 0 | 0 | 0")
	wantRow(t, made.Table, "SIFG", "0 | 1 | 2 | 2 | 1")
	wantRow(t, made.Table, "SVGD", "3 | 2 | 3 | 3 | 0")

	s = empty()
	add(s, "ark-1000", "sifg", exact)
	add(s, "ark-100", "sifg", ratio(0.5))
	wantTitle(t, collapse(s), "No method is too narrow with 1000 particles")
}

// TestWidths: σ is 0.2; ark's narrowest direction is below it, that of diamonds is not.
func TestWidths(t *testing.T) {
	set := func(sigma values) *record.Set {
		s := empty()
		for name, narrowest := range map[string]float64{"ark": 0.01, "diamonds": 0.2} {
			add(s, name+"-raw", "hmc", exact)
			key := s.Trials[len(s.Trials)-1].Key
			s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Metric: "narrowest", Value: narrowest})
			add(s, name+"-100", "sifg", exact.with(sigma))
		}
		add(s, "ark-raw", "sifg", nil)
		add(s, "diamonds-raw", "sifg", exact.with(values{"sd-ratio": {1, 0, 1.5}}))
		return s
	}
	made := widths(set(values{"sigma": {0.2}}))
	wantTitle(t, made, "In raw coordinates the narrowest direction is narrower than σ on ark")
	wantRow(t, made.Table, "ark", "0.010 | 0.2 | diverged | 1.0")
	wantRow(t, made.Table, "diamonds", "0.20 | 0.2 | 1.5 | 1.0")
	if made := widths(set(nil)); made != nil {
		t.Errorf("without σ: %q", made.Title)
	}
}

// TestChoices: of two good methods the one is taken that was near first, of equals the more accurate; on diamonds none
// is good.
func TestChoices(t *testing.T) {
	early := func(key string, s *record.Set, at int) {
		for _, metric := range []string{"error-sd", "error-mean"} {
			first := record.Trace{Key: key, Iteration: at, Metric: metric, Index: 1, Value: 0.09}
			s.Traces[key] = append([]record.Trace{first}, s.Traces[key]...)
		}
	}
	s := empty()
	add(s, "ark-1000", "hmc", off(1.5))
	add(s, "ark-1000", "sifg", off(2)) // near at iteration 5, so that it is the one to take
	early("1", s, 5)
	add(s, "ark-1000", "l2-gf", off(0.5)) // near at the end
	add(s, "blr-1000", "hmc", off(1))
	add(s, "blr-1000", "ada-gwg", off(0.5))
	add(s, "diamonds-1000", "hmc", off(2.5))
	add(s, "diamonds-1000", "interpolated", nil)
	made, err := choices(s)
	if err != nil {
		t.Fatal(err)
	}
	wantRow(t, made, "ark", "3 | SIFG | 2.0 | 50 | L2-GF | 0.50 | 200 | 1.5")
	wantRow(t, made, "blr", "3 | Ada-GWG | 0.50 | 200 | Ada-GWG | 0.50 | 200 | 1.0")
	wantRow(t, made, "diamonds", "3 | none is good | – | – | Interpolated | ∞ | ∞ | 2.5")

	add(s, "nes-1000", "sifg", exact)
	if _, err := choices(s); err == nil || err.Error() != "HMC has not run on nes-1000" {
		t.Errorf("without HMC: %v", err)
	}
}

// TestChainsTable: 10 particles and 20 iterations are 0.2 thousand gradients. R-hat is the largest of the seeds and at
// least 1, E-BFMI the least.
func TestChainsTable(t *testing.T) {
	s := empty()
	chains := off(2).with(values{"thinned-error-sd": {0, 0.15}, "all-error-sd": {0, 0.05}, "ess": {300}})
	add(s, "ark-1000", "hmc", chains.with(values{"rhat": {1.01}, "ebfmi": {0.9}}))
	add(s, "ark-1000", "hmc", chains.with(values{"rhat": {1.2}, "ebfmi": {0.7}}))
	if _, err := chainsTable(s, "1000"); err == nil || !strings.Contains(err.Error(), "has not run on ark-1000") {
		t.Errorf("without NUTS: %v", err)
	}
	add(s, "ark-1000", nuts, chains.with(values{"rhat": {0.99}, "ess": {30}}))
	made, err := chainsTable(s, "1000")
	if err != nil {
		t.Fatal(err)
	}
	wantRow(t, made, "ark", "2.0 | 1.5 | 0.50 | 1500 | 1.200 | 2.0 | 1.5 | 0.50 | 150 | 1.000 | 0.70")
}
