package page

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

const toyDrawing = `<svg xmlns="http://www.w3.org/2000/svg" width="300pt" height="200pt" viewBox="0 0 300 200">` +
	`<path d="M0 0l300 200" stroke="#00f"/><text x="9" y="99">50 %% of %s &amp; &quot;more&quot;</text></svg>`

// toyPaper is what the experiments reproduce.
var toyPaper = harness.Paper{
	Title:   "A paper",
	Address: "https://arxiv.org/abs/2410.17935",
	Summary: "It says much.",
	Parts: []harness.Part{
		{
			Name: "Figure 3", Title: "KL",
			Shows:  []harness.Shown{{Experiment: "gmm", Name: "figure3", Protocol: "second", Problem: "p"}},
			Claims: []string{"2", "1"},
		},
		{Name: "Table 1", Shows: []harness.Shown{{Experiment: "gmm", Name: "kl", Protocol: "nowhere"}}},
		{Name: "Figure 9", Shows: []harness.Shown{{Experiment: "toy", Name: "none"}}, Claims: []string{"3"}},
	},
}

// toyExperiments are two experiments, of which the first has results.
func toyExperiments() []*harness.Experiment {
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
			Settings: []byte(
				"base:\n  problems: {p: {particles: 4, iterations: 2}}\n  methods: {sifg: {sampler: sifg}}\n" +
					"  seeds: [1]\n" +
					"protocols: {first: {claims: true, title: by the text}, second: {claims: true}, " +
					"third: {claims: true}, study: {}}\n",
			),
			Claims: []claim.Claim{
				{
					ID:        "1",
					Statement: "SIFG reaches a lower KL than the other flows on the mixture in ten dimensions.",
					Rule:      "paired by seed",
				},
				{ID: "2", Statement: "Ada-SIFG moves σ to the right scale.", Rule: "σ at the end"},
				{ID: "4", Statement: "A question of our own.", Rule: "ours", Own: true},
			}},
		{
			Name:   "toy",
			Title:  "Toy <b>",
			Claims: []claim.Claim{{ID: "3", Statement: "Nobody looked."}},
			Settings: []byte(
				"base: {problems: {p: {particles: 4, iterations: 2}}, methods: {sifg: {sampler: sifg}}, seeds: [1]}\n" +
					"protocols: {first: {}, study: {}}\n",
			),
		},
	}
}

// made is results of the first experiment.
func made(name, scale string, verdict claim.Verdict, set ...string) *report.Protocol {
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
	key := fmt.Sprintf("%020x", len(name))
	return &report.Protocol{
		Name: name, Scale: scale, Set: set, Planned: 2,
		Records: &record.Set{Experiment: "gmm", Protocol: name, Scale: scale,
			Trials: []record.Trial{{Key: key, Problem: "p", Method: "sifg", Seed: 1, Status: record.StatusOK,
				Config: fmt.Sprintf(
					`{"particles":4,"iterations":%d,"options":{},"sampler":{"sampler":"sifg","step":0.01,`+
						`"mover":"euler","sigma":0.1,"hidden":32,"activation":"tanh","inner":5,`+
						`"optimizer":"nesterov","lr":0.001},`+
						`"judge":{"every":0,"sample":"particles","snapshots":null,"track":0}}`,
					2+len(set),
				)},
				{
					Key:     "f" + key,
					Problem: "p",
					Method:  "sifg",
					Seed:    2,
					Status:  record.StatusDiverged,
					Reason:  "a value <i> was not finite",
					Config:  `{"sampler":{"sampler":"sifg"}}`,
				}},
			Traces: map[string][]record.Trace{key: {{Key: key, Metric: "knn-kl"}}},
			Timings: map[string]record.Timing{
				key: {Seconds: 4320, CPU: "A processor", Kernel: "avx512", Commit: "f199ae1"},
			}},
		Figures: []report.Item{
			{
				Name:    "figure3",
				Title:   "Figure 3",
				Caption: "KL against iterations, n = 1.5. The band is the range.",
				SVG:     fmt.Appendf(nil, toyDrawing, name),
				CSV:     []byte("x,y\r\n"),
			},
			{Name: "figure1", Title: "Figure 1", Problem: "no trials of Ada-GWG"},
		},
		Tables: []report.Item{{Name: "kl", Title: "KL at the end", Table: tab}},
		Claims: []claim.Outcome{
			{ID: "1", Verdict: verdict, Evidence: "SIFG 1.31, L2-GF 6.61 <b>.", Keys: []string{key}},
			{ID: "2", Verdict: claim.NotTestable, Evidence: "No trial of Ada-SIFG."},
			{ID: "4", Verdict: claim.Reproduced, Evidence: "It is so."},
		},
	}
}

// extra adds a table that no other protocol has.
func extra(p *report.Protocol) *report.Protocol {
	p.Tables = append(p.Tables, report.Item{Name: "third-only", Title: "Elsewhere", Table: p.Tables[0].Table})
	return p
}

var drawnCells = report.Item{
	Name:  "2d-sifg",
	Title: "2d, SIFG",
	SVG:   fmt.Appendf(nil, toyDrawing, "cells"),
	CSV:   []byte("panel"),
}

// toyReport is results of the first experiment under three protocols, with findings and grids.
func toyReport() *report.Report {
	return &report.Report{Experiments: []*report.Experiment{{
		Name: "gmm",
		Protocols: []*report.Protocol{
			made("first", "full", claim.NotReproduced),
			made("second", "full", claim.Reproduced),
			extra(made("third", "quick", claim.NotDecided, "p.iterations=3")),
		},
		Findings: []harness.Finding{
			{
				Title: "Dividing by n decides",
				Text:  "It is so.",
				Lead:  true,
				Table: &table.Table{Columns: []table.Column{{Header: "n"}}, Rows: [][]table.Cell{{table.Int(7)}}},
			},
			{Title: "A second one", Text: "It matters less."},
			{
				Title:    "The answer",
				Text:     "SIFG is better than SVGD.",
				Lead:     true,
				Protocol: "third",
				Table: table.Comparisons([]table.Comparison{
					{Problem: "2-D", Method: "sifg", Rival: "svgd", Difference: -1, Margin: 0.1, Verdict: "better"},
					{Problem: "10-D", Method: "sifg", Rival: "sgld", Difference: -1, Margin: 0.1, Verdict: table.Open},
				}, func(method string) string { return method }),
			},
		},
	}}, Grids: []report.Grid{{Name: "grid/gmm-sigma/first", Problem: "it is cut"}, {
		Name:       "steps",
		Experiment: "gmm",
		Protocol:   "third",
		Command:    "sifg grid",
		Dir:        "grid/gmm-steps/third",
		Figures:    []report.Item{drawnCells},
		Best: &table.Table{
			Columns: []table.Column{{Header: "note"}},
			Rows:    [][]table.Cell{{table.Text("step at the lower <edge>")}},
		},
	}}}
}

// twoReports is a report of two experiments, the second with a study of its own.
func twoReports() *report.Report {
	r := toyReport()
	study := made("study", "full", claim.NoResult)
	study.Claims = nil
	r.Experiments = append(r.Experiments, &report.Experiment{Name: "toy", Protocols: []*report.Protocol{study}})
	return r
}

// TestToy writes the pages with their drawings, where TOY says for the tests that look at them in a browser: those of
// two experiments, and in the folder alone those of one.
func TestToy(t *testing.T) {
	folder := cmp.Or(os.Getenv("TOY"), t.TempDir())
	drawing := regexp.MustCompile(`img src="([^"]+)"`)
	for _, x := range []struct {
		folder string
		r      *report.Report
	}{{folder, twoReports()}, {filepath.Join(folder, "alone"), toyReport()}} {
		for name, text := range render(t, x.r) {
			files := map[string]string{name: text}
			for _, m := range drawing.FindAllStringSubmatch(text, -1) {
				files[m[1]] = fmt.Sprintf(toyDrawing, "it")
			}
			for name, text := range files {
				at := filepath.Join(x.folder, name)
				err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666))
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
