package grid

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// gap is what the trials of these tests measure: 0 at step 0.02, and for SIFG more where the network is small; the seed is noise.
func gap(t *harness.Trial) float64 {
	v := math.Abs(math.Log10(t.Config.Sampler.Step/0.02)) + float64(t.Seed)/1000
	if h := t.Config.Sampler.Hidden; h > 0 {
		v += 1 / float64(h)
	}
	return v
}

// result is what a trial leaves behind; with step 0.5 it diverges. The first checkpoint would choose otherwise than the last.
func result(x *harness.Trial) *record.Result {
	row := record.Trial{
		Key: x.Key, Experiment: x.Experiment, Protocol: "released", Scale: "quick", Problem: x.Problem, Method: x.Method, Seed: x.Seed,
		Status: record.StatusOK, Particles: x.Config.Particles, Dim: 1, Iterations: x.Config.Iterations,
	}
	if x.Config.Sampler.Step == 0.5 {
		row.Status, row.Reason = record.StatusDiverged, "diverged at iteration 3"
	}
	return &record.Result{Trial: row, Timing: record.Timing{Key: x.Key, Seconds: 1, Started: "2026-01-01T00:00:00Z"}, Traces: []record.Trace{
		{Key: x.Key, Iteration: 0, Metric: "gap", Value: -gap(x)}, {Key: x.Key, Iteration: 8, Metric: "cover", Index: 1, Value: gap(x)},
		{Key: x.Key, Iteration: 8, Metric: "gap", Value: gap(x)},
	}}
}

// ranked lays out a grid and ranks it by the results of its trials.
func ranked(t *testing.T, text, choose string) *Result {
	t.Helper()
	g, err := layOut(text, choose)
	if err != nil {
		t.Fatal(err)
	}
	set := &record.Set{Experiment: "toy", Protocol: "paper", Scale: "full", Traces: map[string][]record.Trace{}}
	for _, x := range g.Trials {
		r := result(&x)
		set.Trials, set.Traces[x.Key] = append(set.Trials, r.Trial), lastRows(r.Traces)
	}
	r, err := g.Rank(set, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const example = `
problems: [small]
methods: [svgd, sifg]
product: {step: [0.005, 0.02, 0.1, 0.5], hidden: [2, 4], bandwidth: [1, 2]}
seeds: [1, 2, 3, 4]
`

func TestChoice(t *testing.T) {
	r := ranked(t, example, "min gap")
	for i := range r.Judged {
		j := &r.Judged[i]
		best := j.Best()
		want := map[string]string{"svgd": "step 0.02, bandwidth 1", "sifg": "step 0.02, hidden 4"}[j.Method]
		mean := 0.0025 + map[string]float64{"svgd": 0, "sifg": 0.25}[j.Method]
		if best < 0 || j.Cells[best].Label != want || math.Abs(j.Outcomes[best].Mean-mean) > 1e-12 {
			t.Fatalf("%s: chosen %d of %+v, want %s with mean %v", j.Method, best, j.Cells, want, mean)
		}
		lo, hi, _ := j.Outcomes[best].interval()
		if !(lo < mean && mean < hi) {
			t.Errorf("%s: interval %v to %v", j.Method, lo, hi)
		}
		for c, o := range j.Outcomes {
			diverged, reason := strings.HasPrefix(j.Cells[c].Label, "step 0.5"), ""
			if diverged {
				reason = "seed 1: diverged at iteration 3; and 3 more of 4 seeds"
			}
			if diverged != (o.Status == record.StatusDiverged) || diverged && j.eligible(c) || o.Reason != reason {
				t.Errorf("%s: cell %s is %+v", j.Method, j.Cells[c].Label, o)
			}
		}
		next, now := j.Next(), j.Current()
		switch j.Method {
		case "svgd": // the gap does not depend on the bandwidth; the settings as they are (bandwidth 0) are outside the grid
			if j.Ties != 2 || j.Cells[next].Label != "step 0.005, bandwidth 1" || !j.Cells[now].Outside || j.eligible(now) {
				t.Errorf("svgd: %d ties, next %s, now %+v", j.Ties, j.Cells[next].Label, j.Cells[now])
			}
		case "sifg": // 1/2 − 1/4 for all four seeds: p = 2/2⁴
			if j.Ties != 1 || j.Cells[next].Label != "step 0.02, hidden 2" || math.Abs(j.Against(next)-0.125) > 1e-12 || len(j.Edges()) != 0 {
				t.Errorf("sifg: %d ties, next %s with p %v, edges %v", j.Ties, j.Cells[next].Label, j.Against(next), j.Edges())
			}
		}
	}
	best := r.Best().Markdown()
	for _, want := range []string{"| step 0.02, hidden 4    |", "0.2525", "step 0.02, hidden 2: 0.5025", "6/8", "2 cells tie", "0.6504"} {
		if !strings.Contains(best, want) {
			t.Errorf("the table of the best does not say %q:\n%s", want, best)
		}
	}
	if csv := r.All().CSV(); strings.Count(csv, "\n") < 1+9+9 || !strings.Contains(csv, "the settings as they are") {
		t.Errorf("the table of all cells:\n%s", csv)
	}
	if len(r.Figures) != 3 {
		t.Errorf("%d figures, want the effects and two heat maps", len(r.Figures))
	}
	for _, f := range r.Figures {
		if f.Problem != "" || len(f.SVG) == 0 {
			t.Errorf("figure %s: %s", f.Name, f.Problem)
		}
	}
}

// TestRules: edges, indices, largest values, ties with the settings as they are, and where nothing can be chosen.
func TestRules(t *testing.T) {
	for _, c := range []struct{ text, choose, best, edges string }{
		{"product: {methods.svgd.step: [0.001, 0.005, 0.01]}\nproblems: [small]", "min gap", "step 0.01", "[step 0.01 is the largest tried]"},
		{"product: {methods.svgd.step: [0.03, 0.2, 0.3]}\nproblems: [small]", "min gap", "step 0.03", "[step 0.03 is the smallest tried]"},
		{"product: {methods.svgd.step: [0.1, 0.2]}\nproblems: [small]", "max gap", "step 0.2", "[]"}, // two values have no inside
		{"product: {methods.svgd.step: [0.01, 0.2]}\nproblems: [small]", "max cover[1]", "step 0.2", "[]"},
		{"product: {methods.svgd.step: [0.5]}\nproblems: [small]", "min gap", "none", "[]"}, // diverges; the settings as they are cannot be chosen
	} {
		r := ranked(t, c.text, c.choose)
		j, best := &r.Judged[0], "none"
		if j.Best() >= 0 {
			best = j.Cells[j.Best()].Label
		}
		if best != c.best || fmt.Sprint(j.Edges()) != c.edges {
			t.Errorf("%s, %s: chose %s, edges %v; want %s, %s", c.text, c.choose, best, j.Edges(), c.best, c.edges)
		}
	}
	r := ranked(t, "product: {methods.svgd.step: [0.01, 0.2]}", "min gap")
	key := r.Groups[0].Cells[1].Trials[1]
	r.Records.Traces[key][1].Value = math.NaN()
	if j, err := judge(r.Groups, r.Objective, r.Records); err != nil || j[0].Best() == 1 || j[0].Outcomes[1].Reason != "seed 2: gap is NaN" {
		t.Errorf("a cell with a value that is not a number: %+v, %v", j[0].Outcomes, err)
	}
	_, err := judge(r.Groups, Objective{Metric: "gap", Index: 7}, r.Records)
	if want := "no trial has gap[7] at its last checkpoint; they have cover, gap"; !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("a component that is not measured: %v", err)
	}
}

// TestInterval: of fewer than four seeds the table says range, not interval.
func TestInterval(t *testing.T) {
	for n, want := range map[int]string{1: "–", 2: "range 1.000 to 2.000", 3: "range 1.000 to 3.000"} {
		if got := interval(&Outcome{Values: []float64{1, 2, 3, 4}[:n]}); got != want {
			t.Errorf("%d seeds: %s, want %s", n, got, want)
		}
	}
	if got := interval(&Outcome{Values: []float64{1, 2, 3, 4}}); strings.Contains(got, "range") {
		t.Errorf("4 seeds: %s", got)
	}
}

// TestChosen: a run with the chosen layer consists of the chosen cells' trials.
func TestChosen(t *testing.T) {
	text := "product: {step: [0.01, 0.02], methods.sifg.hidden: [2, 4], particles: [5, 6], problems.wide.iterations: [3, 4]}"
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
	for _, j := range r.Judged {
		for _, key := range j.Cells[j.Best()].Trials {
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
	for i := range r.Judged {
		j := &r.Judged[i]
		if j.Problem == "small" && j.Method == "svgd" {
			for k, key := range j.Keys {
				if key == "particles" {
					j.Cells[j.Best()].Values[k] = 7.0
				}
			}
		}
	}
	layer, notes = r.Chosen()
	if len(notes) != 1 || !strings.Contains(notes[0], "particles on small") || !strings.Contains(string(layer), "# Left out: particles on small") {
		t.Errorf("%v\n%s", notes, layer)
	}
	if n := strings.Count(string(layer), "particles: "); n != 1 {
		t.Errorf("particles stands %d times, want once, of wide:\n%s", n, layer)
	}
}
