package grid

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
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
	row := x.Row()
	row.Protocol, row.Scale, row.Method = "released", "quick", x.Method // the labels of who computed it first
	row.Status, row.Dim, row.Iterations = record.StatusOK, 1, x.Config.Iterations
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
			{Key: x.Key, Iteration: 0, Metric: "gap", Value: -last},
			{Key: x.Key, Iteration: 8, Metric: "cover", Index: 1, Value: last},
			{Key: x.Key, Iteration: 8, Metric: "gap", Value: last},
		},
	}
}

func all(*harness.Trial) bool { return true }

// compute computes the trials of a plan that want selects, and collects the records of all.
func compute(t *testing.T, p *plan.Plan, q Question, want func(x *harness.Trial) bool) *report.Results {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range p.Trials {
		if want(&x) {
			put(t, s, result(&x))
		}
	}
	return collect(t, p, q, s)
}

func put(t *testing.T, s *store.Store, r *record.Result) {
	t.Helper()
	if _, err := s.Put(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

func collect(t *testing.T, p *plan.Plan, q Question, s *store.Store) *report.Results {
	t.Helper()
	r, _, err := new(report.Results).Collect(p, s, p.Experiments)
	if err != nil || len(r.Experiments) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	q.On(r.Experiments[0])
	return r
}

// ranked lays a grid out, computes all of it, and returns its records.
func ranked(t *testing.T, text, choose string, change ...func(r *plan.Request)) (*record.Set, Question) {
	t.Helper()
	p, q := laidOut(t, text, choose, change...)
	return compute(t, p, q, all).Experiments[0].Sets[0], q
}

// best are the best cells of groups, with their means.
func best(q Question, s *record.Set) string {
	var out []string
	for _, g := range q.groups(s) {
		text := "none"
		if len(g.ranked()) > 0 {
			text = fmt.Sprintf("%s at %.4f", g.words(g.cells[0]), g.cells[0].mean)
		}
		out = append(out, g.problem+"/"+g.method+": "+text)
	}
	return strings.Join(out, "; ")
}

const example = `
problems: [small]
methods: [svgd, sifg]
product: {step: [0.005, 0.02, 0.1, 0.5], hidden: [2, 4], bandwidth: [1, 2]}
seeds: [4, 2, 1, 3]
`

// TestRanking: four seeds have the mean 0.0025 and the standard deviation 0.00129, so that 95 % are 0.0025 ± 0.00205.
func TestRanking(t *testing.T) {
	s, q := ranked(t, example, "min gap")
	const want = "small/svgd: bandwidth 1, step 0.02 at 0.0025; small/sifg: hidden 4, step 0.02 at 0.2525"
	if got := best(q, s); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	made, err := q.best(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| bandwidth 1, step 0.02 |", "bandwidth 2, step 0.02: 0.002500", "0.0004457 to 0.004554", "0.7015", "7 of 9",
		"hidden 2, step 0.02: 0.5025", "0.6504",
	} {
		if !strings.Contains(made.Markdown(), want) {
			t.Errorf("the table of the best does not say %q:\n%s", want, made.Markdown())
		}
	}
	every, err := q.all(s)
	if err != nil {
		t.Fatal(err)
	}
	csv := every.CSV()
	if strings.Count(csv, "\n") != 1+9+9 || strings.Count(csv, "in use") != 2 ||
		strings.Count(csv, "gap: diverged") != 4 {
		t.Errorf("the table of all cells:\n%s", csv)
	}
	f, err := q.draw(s, strings.ToUpper)
	if err != nil {
		t.Fatal(err)
	}
	if svg, _, err := f.SVG(); err != nil || len(svg) == 0 || len(f.Panels) != 2 {
		t.Fatalf("%d panels: %v", len(f.Panels), err)
	}
	if x := f.Panels[0].X; x.Label != "step" || x.Scale != figure.Log || x.Categories != nil {
		t.Errorf("the most decisive setting: %+v", x)
	}
	i := slices.IndexFunc(f.Panels[0].Layers, func(l figure.Layer) bool { _, ok := l.(figure.Line); return ok })
	if line := f.Panels[0].Layers[i].(figure.Line); slices.ContainsFunc(line.X, func(x float64) bool {
		return !slices.Contains([]float64{0.005, 0.02, 0.1, 0.5}, x)
	}) {
		t.Errorf("steps do not stand at their values: %v", line.X)
	}
}

// TestAsTheyAre: the settings as they are, step 0.1, are a cell, whether an axis has their values or not, so that
// nothing is chosen that is worse; where they failed, or are as good as another, nothing is chosen against them.
func TestAsTheyAre(t *testing.T) {
	for _, c := range []struct{ steps, choose, best string }{
		{"[0.02, 0.03]", "min gap", "step 0.02 at 0.0015"},
		{"[0.9, 2]", "min gap", "step 0.1 at 0.7005"},
		{"[0.1, 0.9]", "min gap", "step 0.1 at 0.7005"},
		{"[0.02, 0.03]", "max gap", "step 0.1 at 0.7005"},
		{"[0.01, 0.2]", "max cover[1]", "step 0.2 at 1.0015"},
		{"[0.7, 0.2]", "min gap", "step 0.1 at 0.7005"},
		{"[0.5]", "min gap", "step 0.1 at 0.7005"},
		{"[0.01, 0.2]", "max many[7]", "none"},
		{"[0.03, 0.2]", "max gap where cover[1] <= 0.5", "step 0.03 at 0.1776"},
		{"[0.2]", "max gap where cover[1] <= 0.5", "step 0.2 at 1.0015"}, // no cell is within the bound
	} {
		s, q := ranked(t, "product: {methods.svgd.step: "+c.steps+"}\nproblems: [small]", c.choose)
		if got, want := best(q, s), "small/svgd: "+c.best; got != want {
			t.Errorf("%s, %s: %s, want %s", c.steps, c.choose, got, want)
		}
		layer, notes := q.Chosen(s)
		if none := c.best == "none"; none != (len(notes) > 0) || none != !strings.Contains(string(layer), "step: ") {
			t.Errorf("%s, %s: %q\n%s", c.steps, c.choose, notes, layer)
		}
	}
	s, q := ranked(t, "product: {methods.svgd.step: [0.02]}\nproblems: [small]", "min gap", func(r *plan.Request) {
		r.Overrides = []settings.Override{{Text: "methods.svgd.step=0.5", From: "--set"}}
	})
	made, _ := q.best(s)
	if got := best(q, s); got != "small/svgd: step 0.02 at 0.0015" || !strings.Contains(made.CSV(), "–") {
		t.Errorf("beside settings that diverge: %s\n%s", got, made.CSV())
	}
}

// TestMissing: a cell without all of its trials is shown and cannot be chosen; without those of the settings as they
// are nothing is chosen.
func TestMissing(t *testing.T) {
	p, q := laidOut(t, "product: {methods.svgd.step: [0.02, 0.03]}\nproblems: [small]", "min gap")
	for lacks, want := range map[string]struct{ best, chosen string }{
		"step=0.02": {"small/svgd: step 0.03 at 0.1776", "methods.svgd.step: 0.03\n"},
		"":          {"small/svgd: step 0.02 at 0.0015", "small: trials of the current settings, which"},
	} {
		for what, want1 := range map[string]func(x *harness.Trial) bool{
			"all":  func(x *harness.Trial) bool { return x.Cell != lacks },
			"some": func(x *harness.Trial) bool { return x.Cell != lacks || x.Seed > 1 },
		} {
			s := compute(t, p, q, want1).Experiments[0].Sets[0]
			layer, _ := q.Chosen(s)
			every, err := q.all(s)
			if err != nil || best(q, s) != want.best || !strings.Contains(string(layer), want.chosen) {
				t.Errorf("%s of %q missing: %s, %v\n%s", what, lacks, best(q, s), err, layer)
			}
			if csv := every.CSV(); strings.Count(csv, "\n") != 4 || strings.Count(csv, "trials are missing") != 1 {
				t.Errorf("%s of %q missing: cells\n%s", what, lacks, csv)
			}
		}
	}
}

// TestChosen: a run with the chosen layer consists of the trials of the chosen cells.
func TestChosen(t *testing.T) {
	const text = "product: {step: [0.01, 0.02], methods.sifg.hidden: [2, 4], particles: [5, 6], " +
		"problems.wide.iterations: [3, 4], methods.svgd.mover: [adam, adagrad]}"
	s, q := ranked(t, text, "min gap")
	layer, notes := q.Chosen(s)
	file := filepath.Join(t.TempDir(), "chosen.yaml")
	if err := os.WriteFile(file, layer, 0o666); err != nil {
		t.Fatal(err)
	}
	over, err := settings.ReadOverrides(file)
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, %v\n%s", err, notes, layer)
	}
	r := request()
	r.Overrides = over
	p, err := plan.New(r)
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]map[string]string{}
	for _, g := range q.groups(s) {
		chosen[g.problem+g.method] = g.cells[0].settings
	}
	for _, x := range p.Trials {
		config, _ := json.Marshal(x.Config)
		want := chosen[x.Problem+x.Method]
		for key, value := range flat(config) {
			if want[key] != value {
				t.Errorf("%s has %s %s, chosen is %q\n%s", x.Name(), key, value, want[key], layer)
			}
		}
	}
	if len(chosen) != 3 {
		t.Errorf("%d cells were chosen", len(chosen))
	}
}

// TestSharedSetting: a setting that methods share is left out where what is best of it differs.
func TestSharedSetting(t *testing.T) {
	s, q := ranked(t, "{product: {particles: [6, 7], step: [0.02]}, problems: [small]}", "min gap")
	for i := range s.Trials { // SIFG is better with more particles
		if x := &s.Trials[i]; x.Particles == 7 && strings.HasPrefix(x.Method, "sifg") {
			s.Traces[x.Key][2].Value -= 0.1
		}
	}
	layer, notes := q.Chosen(s)
	const note = "problems.small.particles: the methods share it, and their best values differ"
	if !slices.Equal(notes, []string{note}) || !strings.Contains(string(layer), "# Left out: "+note+".\n") ||
		strings.Contains(string(layer), "\nproblems.small.particles") {
		t.Errorf("%q\n%s", notes, layer)
	}
}

// TestNearPublished: at step 0.02 the metric is the seed/1000, mean 0.0025 and standard deviation 0.00129 over four
// seeds. Beside 0.003 ± 0.001 the difference has a standard error of √((0.00129² + 0.001²)/4) = 0.00082, so the cell is
// 0.61 of them away. The other steps are hundreds away. A copied number is no number, and what has none is not run.
func TestNearPublished(t *testing.T) {
	published := []claim.Published{
		{Problem: "small", Method: "svgd", Metric: "gap", Mean: 0.003, SD: 0.001, Text: "0.003 ± 0.001"},
		{Problem: "small", Method: "sifg", Metric: "gap", Mean: 0.25, SD: 0.001, Excluded: true},
	}
	on := func(r *plan.Request) { r.Experiments[0].Published = published }
	const text = "product: {step: [0.005, 0.02, 0.1], bandwidth: [1, 2]}\nseeds: [1, 2, 3, 4]"
	p, q := laidOut(t, text, "near  published", on)
	if got := cells(p); len(p.Trials) != 28 || strings.Contains(got, "\n") || !strings.HasPrefix(got, "small/svgd") {
		t.Fatalf("%d trials of %s: want six cells of svgd on small and the settings as they are", len(p.Trials), got)
	}
	set := compute(t, p, q, all).Experiments[0].Sets[0]
	g := q.groups(set)[0]
	want := math.Abs(0.0025-0.003) / math.Sqrt((0.005/3*1e-3+1e-6)/4)
	if c := g.cells[0]; g.words(c) != "bandwidth 1, step 0.02" || math.Abs(c.mean-want) > 1e-9 {
		t.Errorf("nearest: %s at %v, want %v", g.words(c), c.mean, want)
	}
	if third := g.cells[2]; !(third.mean > 100) {
		t.Errorf("the third cell, %s, is %v standard errors away", g.words(third), third.mean)
	}
	f, err := q.draw(set, strings.ToUpper)
	if err != nil {
		t.Fatal(err)
	}
	if csv := string(f.CSV()); !strings.Contains(csv, "published") || !strings.Contains(csv, "0.004") {
		t.Errorf("no band of the published number:\n%s", csv)
	}
	made, err := q.best(set)
	if err != nil || made.Columns[3].Header != "distance in standard errors" || made.Rows[0][3].Text != "0.6124" {
		t.Errorf("%v\n%s", err, made.Markdown())
	}
	// the settings as they are, step 0.1, compete: at 0.7015 they are nearer than the only cell
	published[0].Mean = 0.7
	set, q = ranked(t, "product: {step: [0.005]}\nseeds: [1, 2, 3, 4]", "near published", on)
	if got := best(q, set); !strings.HasPrefix(got, "small/svgd: step 0.1 at ") {
		t.Errorf("nearest: %s", got)
	}
	published = published[1:]
	_, _, err = layOut(text, "near published", on)
	if err == nil || !strings.Contains(err.Error(), "is published") {
		t.Errorf("a grid without published numbers: %v", err)
	}
}
