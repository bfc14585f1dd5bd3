package page

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// toyPaper is what the experiments reproduce.
var toyPaper = harness.Paper{
	Title:   "A paper",
	Address: "https://arxiv.org/abs/2410.17935",
	Summary: "It says much.",
	Parts: []harness.Part{
		{
			Name: "Figure 3", Title: "KL",
			Shows:  []harness.Shown{{Experiment: "gmm", ID: "figure3", Protocol: "second"}},
			Claims: []string{"2", "1"},
		},
		{Name: "Table 1", Shows: []harness.Shown{{Experiment: "gmm", ID: "kl", Protocol: "nowhere"}}},
		{Name: "Figure 9", Shows: []harness.Shown{{Experiment: "toy", ID: "none"}}, Claims: []string{"3"}},
	},
}

// draw draws two points, and one that no axis holds.
func draw(*record.Set) (*figure.Figure, error) {
	points := figure.Scatter{X: []float64{1, 2, 3}, Y: []float64{2, 1, math.Inf(1)}, Style: figure.Method("sifg")}
	return &figure.Figure{Panels: []figure.Panel{{Layers: []figure.Layer{points}}}}, nil
}

// wide is a table of two methods that no phone has the width for.
func wide(*record.Set) (*table.Table, error) {
	tab := &table.Table{
		Columns: []table.Column{
			{Header: "method"},
			{Header: "KL", Align: table.Right},
			{Header: "mode coverage", Align: table.Right},
		},
		Rows: [][]table.Cell{{table.Text("L2-GF"), table.PlusMinus(6.61, 0.31), table.Fixed(0.4, 2)},
			{table.Text("SIFG <ours>"), table.PlusMinus(1.31, 0.12), table.Fixed(1, 2)}},
		Notes: []string{"mean ± standard deviation over 5 seeds"},
	}
	for range 12 {
		tab.Columns = append(tab.Columns, table.Column{Header: "and one more", Align: table.Right})
		for i := range tab.Rows {
			tab.Rows[i] = append(tab.Rows[i], table.Number(1234.5, 5))
		}
	}
	return tab, nil
}

// finds is a claim's check that finds one thing under each protocol.
func finds(evidence string, verdicts ...claim.Verdict) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		at := slices.Index([]string{"first", "second", "third"}, s.Protocol)
		return claim.Outcome{
			Verdict:  verdicts[at%len(verdicts)],
			Evidence: evidence,
			Keys:     []string{s.Trials[0].Key},
		}
	}
}

const toySettings = `
base:
  problems: {p: {particles: 4, iterations: 2}}
  methods: {sifg: {sampler: sifg}}
  seeds: [1]
protocols:
`

// toyExperiments are two experiments.
func toyExperiments() []*harness.Experiment {
	fails := func(*record.Set) (*figure.Figure, error) { return nil, errors.New("no trials of Ada-GWG") }
	none := func(*record.Set) (*figure.Figure, error) { return nil, harness.ErrNoTrials }
	claims := harness.Claims([]claim.Claim{
		{
			ID:        "1",
			Statement: "SIFG reaches a lower KL than the other flows on the mixture in ten dimensions.",
			Rule:      "paired by seed",
			Check: finds("SIFG 1.31, L2-GF 6.61 <b>.",
				claim.NotReproduced, claim.Reproduced, claim.NotDecided),
		},
		{
			ID: "2", Statement: "Ada-SIFG moves σ to the right scale.", Rule: "σ at the end",
			Check: finds("No trial of Ada-SIFG.", claim.NotTestable),
		},
		{
			ID: "4", Statement: "A question of our own.", Rule: "ours", Custom: true,
			Check: finds("It is so.", claim.Reproduced),
		},
	})
	return []*harness.Experiment{
		{
			Name:    "gmm",
			Title:   "Gaussian mixtures",
			Summary: "Five modes on a circle.",
			Paper:   &toyPaper,
			Metrics: []harness.Metric{
				{Name: "knn-kl", Unit: "nats", Meaning: "The distance of a sample from the target."},
				{Name: "unused"},
			},
			Settings: []byte(toySettings + "  first: {claims: true, title: by the text}\n  second: {claims: true}\n" +
				"  third: {claims: true}\n  study: {}\n"),
			Sections: slices.Concat([]harness.Section{
				{
					ID:    "figure3",
					Title: "Figure 3",
					Text:  "KL against iterations, n = 1.5. The band is the range.",
					Draw:  draw,
				},
				{ID: "figure1", Title: "Figure 1", Draw: fails},
				{ID: "absent", Title: "Of another problem", Draw: none},
				{ID: "kl", Title: "KL at the end", Table: wide},
				{ID: "compare-p", Title: "p: KL of each seed", Text: "A point is a seed.", Draw: draw, Table: wide},
				{ID: "third-only", Title: "Elsewhere", Table: func(s *record.Set) (*table.Table, error) {
					if s.Protocol != "third" {
						return nil, harness.ErrNoTrials
					}
					return wide(s)
				}},
			}, claims),
		},
		{
			Name:     "toy",
			Title:    "Toy <b>",
			Settings: []byte(toySettings + "  first: {}\n  study: {}\n"),
			Sections: append(harness.Claims([]claim.Claim{{ID: "3", Statement: "Nobody looked."}}),
				harness.Section{ID: "compare-p", Title: "p of the toy", Draw: draw}),
		},
	}
}

// ran are the records of an experiment's protocol: a trial that ended well, and one that diverged.
func ran(d *report.Records, experiment, protocol, scale string, set ...string) {
	key := fmt.Sprintf("%020x", len(protocol))
	config := fmt.Sprintf(`{"particles":4,"iterations":%d,"options":{},"sampler":{"sampler":"sifg","step":0.01,`+
		`"mover":"euler","sigma":0.1,"hidden":32,"activation":"tanh","inner":5,"optimizer":"nesterov","lr":0.001},`+
		`"judge":{"every":0,"sample":"particles","snapshots":null,"track":0}}`, 2+len(set))
	well := record.Trial{
		Key: key, Experiment: experiment, Protocol: protocol, Scale: scale, Problem: "p", Method: "sifg", Seed: 1,
		Status: record.StatusOK, Config: config,
	}
	lost := well
	lost.Key, lost.Seed, lost.Status, lost.Reason = "f"+key[1:], 2, record.StatusDiverged, "a value <i> was not finite"
	timing := record.Timing{
		Key: key, Seconds: 4320, CPU: "A processor", Kernel: "avx512", Commit: "f199ae1",
		Started: "2026-01-01T00:00:00Z",
	}
	d.Add(well, []record.Trace{{Key: key, Metric: "knn-kl"}}, timing)
	d.Add(lost, nil, record.Timing{})
	d.Set[protocol] = set
}

// written writes the records of experiments to a results folder, and reads it.
func written(t *testing.T, all []*harness.Experiment, of map[string]*report.Records) *report.Results {
	t.Helper()
	files := report.NewFiles()
	for name, d := range of {
		files.Data[name] = must(d.Encode())
	}
	dir := t.TempDir()
	r, err := (*report.Results)(nil), files.Write(dir)
	if err == nil {
		r, err = report.Read(dir, all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// toyRecords are those of the first experiment under three protocols.
func toyRecords() map[string]*report.Records {
	d := report.NewRecords()
	ran(d, "gmm", "first", "full")
	ran(d, "gmm", "second", "full")
	ran(d, "gmm", "third", "quick", "p.iterations=3")
	return map[string]*report.Records{"gmm": d}
}

// twoRecords are also those of the second experiment, under a study.
func twoRecords() map[string]*report.Records {
	all := toyRecords()
	all["toy"] = report.NewRecords()
	ran(all["toy"], "toy", "study", "full")
	return all
}

// toyGrids are two grids, of which one cannot be shown.
func toyGrids() []report.Grid {
	f, _ := draw(nil)
	svg, _, _ := f.SVG()
	best := &table.Table{Columns: table.Columns(1, "best cell"), Rows: [][]table.Cell{{table.Text("step <0.1>")}}}
	return []report.Grid{
		{
			Name: "sigma",
			Set:  &record.Set{Experiment: "gmm", Protocol: "first"},
			Best: &report.Part{Failure: "it is cut"},
		},
		{
			Name: "steps",
			Rule: "min energy",
			Dir:  "grid/steps/gmm/third",
			Set:  &record.Set{Experiment: "gmm", Protocol: "third"},
			Best: &report.Part{SVG: svg, Made: best},
		},
	}
}

// TestToy writes the pages with their drawings, where TOY says for the tests that look at them in a browser: those of
// two experiments, and in the folder alone those of one.
func TestToy(t *testing.T) {
	folder := cmp.Or(os.Getenv("TOY"), t.TempDir())
	for at, of := range map[string]map[string]*report.Records{"": twoRecords(), "alone": toyRecords()} {
		r := written(t, toyExperiments(), of)
		files := must(r.Files())
		pages := must(Render(r, toyGrids(), toyExperiments()))
		for _, made := range []map[string][]byte{files.Made, pages, {
			"grid/steps/gmm/third/best.svg": toyGrids()[1].Best.SVG,
		}} {
			for name, b := range made {
				name = filepath.Join(folder, at, name)
				must(0, errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b, 0o666)))
			}
		}
	}
}
