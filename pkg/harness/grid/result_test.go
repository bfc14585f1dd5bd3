package grid

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// gap is what the trials of these tests measure: 0 at step 0.02, and for SIFG more where the network is small; the seed
// is noise.
func gap(t *harness.Trial) float64 {
	v := math.Abs(math.Log10(t.Config.Sampler.Step/0.02)) + float64(t.Seed)/1000
	if h := t.Config.Sampler.Hidden; h > 0 {
		v += 1 / float64(h)
	}
	return v
}

// result is what a trial leaves behind; with step 0.5 it diverges, with step 0.7 it measures no number. The first
// checkpoint would choose otherwise than the last.
func result(x *harness.Trial) *record.Result {
	row := record.Trial{
		Key: x.Key, Experiment: x.Experiment, Protocol: "released", Scale: "quick", Problem: x.Problem,
		Method: x.Method, Seed: x.Seed,
		Status: record.StatusOK, Particles: x.Config.Particles, Dim: 1, Iterations: x.Config.Iterations,
	}
	last := gap(x)
	switch x.Config.Sampler.Step {
	case 0.5:
		row.Status, row.Reason = record.StatusDiverged, "diverged at iteration 3"
	case 0.7:
		last = math.NaN()
	}
	return &record.Result{
		Trial:  row,
		Timing: record.Timing{Key: x.Key, Seconds: 1, Started: "2026-01-01T00:00:00Z"},
		Traces: []record.Trace{
			{
				Key:       x.Key,
				Iteration: 0,
				Metric:    "gap",
				Value:     -last,
			}, {Key: x.Key, Iteration: 8, Metric: "cover", Index: 1, Value: last},
			{Key: x.Key, Iteration: 8, Metric: "gap", Value: last},
		},
	}
}

// compute puts the results of the trials that want selects into a store and chooses cells of the grid.
func compute(t *testing.T, s *store.Store, g *Grid, want func(x *harness.Trial) bool) *Result {
	t.Helper()
	for _, x := range g.Trials {
		config, err := json.Marshal(x.Config)
		if err == nil && want(&x) {
			r := result(&x)
			r.Trial.Config = string(config)
			_, err = s.Put(context.Background(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.Choose(s, "sifg grid toy")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(*harness.Trial) bool { return true }

func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ranked lays out a grid, computes it and chooses.
func ranked(t *testing.T, text, choose string) *Result {
	t.Helper()
	g, err := layOut(text, choose)
	if err != nil {
		t.Fatal(err)
	}
	return compute(t, newStore(t), g, all)
}

const example = `
problems: [small]
methods: [svgd, sifg]
product: {step: [0.005, 0.02, 0.1, 0.5], hidden: [2, 4], bandwidth: [1, 2]}
seeds: [1, 2, 3, 4]
`

func TestChoice(t *testing.T) {
	r := ranked(t, example, "min gap")
	for _, g := range r.Groups {
		best, next, now := &g.Cells[g.Rank[0]], &g.Cells[g.Rank[1]], &g.Cells[0]
		want := map[string]string{"svgd": "step 0.02, bandwidth 1", "sifg": "step 0.02, hidden 4"}[g.Method]
		mean := 0.0025 + map[string]float64{"svgd": 0, "sifg": 0.25}[g.Method]
		if best.Label != want || math.Abs(best.Mean-mean) > 1e-12 {
			t.Fatalf("%s: chosen %+v, want %s with mean %v", g.Method, best, want, mean)
		}
		for _, c := range g.Cells {
			diverged, reason := strings.HasPrefix(c.Label, "step 0.5"), ""
			if diverged {
				reason = "seed 1: diverged at iteration 3"
			}
			if diverged != (c.Status == record.StatusDiverged) || diverged && c.eligible() || c.Reason != reason {
				t.Errorf("%s: cell %+v", g.Method, c)
			}
		}
		switch g.Method {
		case "svgd":
			// The gap does not depend on the bandwidth; the settings as they are (bandwidth 0) are outside the grid.
			if next.Label != "step 0.02, bandwidth 2" || pValue(best, next) != 1 || !now.Outside || now.eligible() {
				t.Errorf("svgd: next %+v, now %+v", next, now)
			}
		case "sifg": // 1/2 − 1/4 for all four seeds: p = 2/2⁴
			if next.Label != "step 0.02, hidden 2" || math.Abs(pValue(best, next)-0.125) > 1e-12 ||
				len(g.edges()) != 0 {
				t.Errorf("sifg: next %s with p %v, edges %v", next.Label, pValue(best, next), g.edges())
			}
		}
		svg, _, err := r.figure(g).SVG()
		if err != nil || len(svg) == 0 || len(r.figure(g).Panels) != 3 {
			t.Errorf("%s: want a figure with two effects and a heat map: %v", g.Method, err)
		}
	}
	best := r.Best.Markdown()
	for _, want := range []string{"| step 0.02, hidden 4    |", "0.2525", "step 0.02, hidden 2: " +
		"0.5025", "6/8", "0.6504", "0.2510 to 0.2540"} {
		if !strings.Contains(best, want) {
			t.Errorf("the table of the best does not say %q:\n%s", want, best)
		}
	}
	if csv := r.all().CSV(); strings.Count(csv, "\n") < 1+9+9 || !strings.Contains(csv, "the settings as they are") {
		t.Errorf("the table of all cells:\n%s", csv)
	}
}

// TestRules: edges, components, largest values, values that are no numbers, and where nothing can be chosen.
func TestRules(t *testing.T) {
	for _, c := range []struct{ steps, choose, best, edges, reason string }{
		{"[0.001, 0.005, 0.01]", "min gap", "step 0.01", "[step 0.01 is the largest tried]", ""},
		{"[0.03, 0.2, 0.3]", "min gap", "step 0.03", "[step 0.03 is the smallest tried]", ""},
		{"[0.1, 0.2]", "max gap", "step 0.2", "[]", ""}, // two values have no inside
		{"[0.01, 0.2]", "max cover[1]", "step 0.2", "[]", ""},
		{"[0.01, 0.2]", "max cover[7]", "none", "[]", "seed 1: cover[7] is not measured"},
		{"[0.7, 0.2]", "min gap", "step 0.2", "[]", "seed 1: gap is undefined"},
		// the settings as they are cannot be chosen
		{"[0.5]", "min gap", "none", "[]", "seed 1: diverged at iteration 3"},
	} {
		r := ranked(t, "product: {methods.svgd.step: "+c.steps+"}\nproblems: [small]", c.choose)
		g, best, edges := r.Groups[0], "none", []string(nil)
		if len(g.Rank) > 0 {
			best, edges = g.Cells[g.Rank[0]].Label, g.edges()
		}
		if best != c.best || fmt.Sprint(edges) != c.edges || !strings.Contains(r.all().CSV(), c.reason) {
			t.Errorf("%s, %s: chose %s, edges %v; want %+v\n%s", c.steps, c.choose, best, edges, c, r.all().CSV())
		}
		// of two seeds
		if text := r.Best.Markdown(); !strings.Contains(text, best) ||
			best != "none" && !strings.Contains(text, "range ") {
			t.Errorf("%s, %s: %s", c.steps, c.choose, text)
		}
	}
}

// TestAgainst: the table, the picture and the layer say where the chosen cell is not better than the settings as they
// are, which are step 0.1, beyond chance.
func TestAgainst(t *testing.T) {
	six := "[1, 2, 3, 4, 5, 6]"
	for _, c := range []struct{ seeds, steps, choose, want string }{
		{six, "[0.02, 0.03]", "min gap", "better"}, // with every seed: p = 2/2⁶
		{"[1, 2, 3, 4, 5]", "[0.02, 0.03]", "min gap", "not better beyond chance"},
		{"[1]", "[0.02, 0.03]", "min gap", "not better beyond chance"},
		{six, "[0.02, 0.03]", "max gap", "not better: its mean is worse"},
		{six, "[0.8, 0.9]", "max gap", "better"},
		{six, "[0.1, 0.9]", "min gap", "as now"},
		{six, "[0.5]", "min gap", "–"}, // diverged
	} {
		text := "{product: {step: " + c.steps + "}, seeds: " + c.seeds + ", problems: [small], methods: [svgd]}"
		r := ranked(t, text, c.choose)
		g := r.Groups[0]
		layer, _ := r.Chosen()
		if !strings.Contains(r.Best.Markdown(), "| "+c.want+" ") ||
			strings.Contains(string(layer), c.want+".\n") != strings.HasPrefix(c.want, "not") {
			t.Errorf("%+v:\n%s\n%s", c, r.Best.Markdown(), layer)
		}
		below := "chosen against now: " + c.want
		if c.want == "as now" {
			below = "the chosen settings are those in use"
		}
		if f := r.figure(g); c.want != "–" && f.Below != below {
			t.Errorf("%+v: the picture says %q", c, f.Below)
		}
		if g.Cells[0].Reason = "seed 1: diverged"; c.want == "better" && r.against(g) != "now failed" {
			t.Errorf("%+v: %s", c, r.against(g))
		}
	}
	// Six seeds, of which one is worse by far.
	sample := func(values ...float64) []record.Sample {
		var out record.Sample
		for i, v := range values {
			out = append(out, record.Value{Seed: uint64(i), Number: v})
		}
		return []record.Sample{out}
	}
	now := Cell{Samples: sample(1, 1, 1, 1, 1, 1), Mean: 1}
	best := Cell{Samples: sample(0, 0, 0, 0, 0, 5), Mean: 5.0 / 6}
	g := Group{Cells: []Cell{now, best}, Rank: []int{1}}
	if got := (&Result{}).against(&g); got != "not better beyond chance" {
		t.Errorf("better with five of six seeds, worse by far with one: %s", got)
	}
}

// TestChosen: a run with the chosen layer consists of the chosen cells' trials.
func TestChosen(t *testing.T) {
	text := "product: {step: [0.01, 0.02], methods.sifg.hidden: [2, 4], particles: [5, 6], problems.wide.iterations: " +
		"[3, 4]}"
	r := ranked(t, text, "min gap")
	layer, notes := r.Chosen()
	file := filepath.Join(t.TempDir(), "chosen.yaml")
	if err := os.WriteFile(file, layer, 0o666); err != nil {
		t.Fatal(err)
	}
	over, err := settings.ReadOverrides(file)
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, %v\n%s", err, notes, layer)
	}
	q := request()
	q.Overrides = over
	p, err := plan.New(q)
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]bool{}
	for _, g := range r.Groups {
		for _, key := range g.Cells[g.Rank[0]].Trials {
			chosen[key] = true
		}
	}
	for _, x := range p.Trials {
		if !chosen[x.Key] {
			t.Errorf("%s was not chosen:\n%s", x.Name(), layer)
		}
	}
	if len(p.Trials) != len(chosen) {
		t.Errorf("%d trials, %d chosen", len(p.Trials), len(chosen))
	}
	// Methods that share a setting and differ in what is best of it.
	for _, g := range r.Groups {
		for k, key := range g.Keys {
			if g.Problem == "small" && g.Method == "svgd" && key == "particles" {
				g.Cells[g.Rank[0]].Settings[k] = json.RawMessage("7")
			}
		}
	}
	layer, notes = r.Chosen()
	const note = "problems.small.particles: the methods share it, and their best values differ"
	if fmt.Sprint(notes) != "["+note+"]" || !strings.Contains(string(layer), "# Left out: "+note) ||
		strings.Count(string(layer), "particles: ") != 2 {
		t.Errorf("%v\n%s", notes, layer)
	}
}

// TestWrite: the folder is the same in however many pieces the grid was computed; a complete result is not replaced by
// an incomplete one; files of others stay.
func TestWrite(t *testing.T) {
	g, err := layOut("product: {step: [0.01, 0.02], hidden: [2, 8]}\nproblems: [small]", "min gap")
	if err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	dir := filepath.Join(results, "grid", "toy-"+g.Name)
	seal := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "paper", report.GridIndex))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if foreign, kept, err := compute(t, newStore(t), g, all).Write(results); err != nil || kept || len(foreign) > 0 {
		t.Fatal(foreign, kept, err)
	}
	whole := seal()
	names := []string{
		"tables/best.md", "tables/cells.csv", "figures/small-sifg.svg", "figures/small-sifg.csv",
		"chosen.yaml", "trials.parquet",
	}
	for _, name := range names {
		if !strings.Contains(whole, `"name": "`+name+`"`) {
			t.Errorf("%s is not in the index:\n%s", name, whole)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "paper", "mine.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newStore(t)
	partial := compute(t, s, g, func(x *harness.Trial) bool { return x.Seed > 1 })
	if len(partial.Groups[0].Rank) > 0 || !strings.Contains(partial.all().CSV(), "seed 1: not computed") ||
		partial.Missing != len(g.Trials)/2 {
		t.Errorf("%d trials are missing, and %s was chosen", partial.Missing, partial.Best.Markdown())
	}
	if _, kept, err := partial.Write(results); err != nil || !kept || seal() != whole {
		t.Errorf("an incomplete grid took the place of a complete one: %v", err)
	}
	if foreign, kept, err := compute(t, s, g, all).Write(results); err != nil || kept ||
		fmt.Sprint(foreign) != "[mine.txt]" ||
		seal() != whole {
		t.Errorf("computed in two pieces: %v, %v, %v\n%s", foreign, kept, err, seal())
	}
	// A damaged result is no reason to keep it.
	if err := os.Truncate(filepath.Join(dir, "paper", report.GridIndex), 10); err != nil {
		t.Fatal(err)
	}
	if _, kept, err := partial.Write(results); err != nil || kept {
		t.Error(kept, err)
	}
}
