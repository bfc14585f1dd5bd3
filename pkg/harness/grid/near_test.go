package grid

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
)

// TestNearPublished: at step 0.02 the metric is the seed/1000, mean 0.0025 and standard deviation 0.00129 over four
// seeds. Beside 0.003 ± 0.001 the difference has a standard error of √((0.00129² + 0.001²)/4) = 0.00082, so the cell is
// 0.61 of them away. The other steps are hundreds away. Of two equal cells both are named, a copied number is no
// number, and the settings of each protocol that checks claims are placed among the cells.
func TestNearPublished(t *testing.T) {
	published := []claim.Published{
		{Problem: "small", Method: "svgd", Metric: "gap", Mean: 0.003, SD: 0.001, Text: "0.003 ± 0.001"},
		{Problem: "small", Method: "sifg", Metric: "gap", Mean: 0.25, SD: 0.001, Copied: true},
	}
	lay := func(text string) (*Grid, error) {
		return layOut(text, "near published", func(r *plan.Request) {
			x := toy()
			x.Published = published
			x.Settings = []byte(strings.Replace(toySettings, "protocols: {paper: {}}",
				"protocols: {paper: {claims: true}, "+
					"released: {claims: true, methods: {svgd: {step: 0.02}}}, other: {}}", 1))
			r.Experiments[0] = x
		})
	}
	g, err := lay("product: {step: [0.005, 0.02, 0.1], bandwidth: [1, 2]}\nseeds: [1, 2, 3, 4]")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Groups) != 1 || len(g.Trials) != 28 {
		t.Fatalf("%d groups of %d trials: want svgd on small alone, with six cells and the settings as they are",
			len(g.Groups), len(g.Trials))
	}
	r := compute(t, newStore(t), g, all)
	group := r.Groups[0]
	want := math.Abs(0.0025-0.003) / math.Sqrt((0.005/3*1e-3+1e-6)/4)
	if best := group.ranked(0); best.Label != "step 0.02, bandwidth 1" || math.Abs(best.Mean-want) > 1e-9 {
		t.Errorf("nearest: %s at %v, want step 0.02, bandwidth 1 at %v", best.Label, best.Mean, want)
	}
	if third := group.ranked(2); !(third.Mean > 100) {
		t.Errorf("the third cell, %s, is %v standard errors away", third.Label, third.Mean)
	}
	text := r.Best.Markdown()
	for _, want := range []string{
		"step 0.02, bandwidth 1 and step 0.02, bandwidth 2", "gap 0.002500, 0.003 ± 0.001",
		"paper: step 0.1, bandwidth 0,", "released: step 0.02, bandwidth 0, not tried",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	f := r.figure(group)
	if svg, _, err := f.SVG(); err != nil || len(svg) == 0 || len(f.Panels) != 3 {
		t.Errorf("want a panel for each of two settings and a heat map, got %d: %v", len(f.Panels), err)
	}
	published = published[1:]
	_, err = lay("product: {step: [0.005, 0.02]}")
	if err == nil || !strings.Contains(err.Error(), "--published FILE") {
		t.Errorf("a grid without published numbers: %v", err)
	}
}
