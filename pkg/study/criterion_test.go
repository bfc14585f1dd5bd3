package study

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestByOther: by energy SIFG is 1 below SGLD and 1 above SVGD. By the other metric, whose exact draws vary by 1, it is
// 5 above SGLD, so that comparison is open, and 0.1 below SVGD, which equals it and is no contradiction.
func TestByOther(t *testing.T) {
	methods := []string{"sgld", "svgd", "sifg"}
	draw := func(at map[string]float64) *record.Set {
		return made(methods, 10, func(method string, seed int) float64 { return at[method] + 0.01*float64(seed%3) })
	}
	main := draw(map[string]float64{"sgld": 3, "svgd": 1, "sifg": 2})
	other := draw(map[string]float64{"sgld": 1, "svgd": 6.1, "sifg": 6})
	for _, trial := range other.Trials {
		floor := record.Trace{Metric: "floor-m", Value: float64(trial.Seed % 2)}
		other.Traces[trial.Key] = append(other.Traces[trial.Key], floor)
	}
	c := Comparison{
		Protocol: "matched",
		Other:    Other{"matched-kl", Measure{Head: "k-NN KL", Metric: "m"}},
		Where:    "Here",
		Problems: []Problem{energy()},
	}
	by := map[string]*record.Set{"matched": main}
	if got := c.Verdicts(by)[0].scores[0].words(); !strings.HasPrefix(got, "better −1 ") || c.ByOther(by) != nil {
		t.Errorf("without the other protocol: %q", got)
	}
	by["matched-kl"] = other
	scores := c.Verdicts(by)[0].scores
	if got := scores[0].words(); !strings.HasPrefix(got, "open −1 [") || !strings.HasSuffix(got, "; worse by k-NN KL") {
		t.Errorf("against SGLD: %q", got)
	}
	if got := scores[1].words(); !strings.HasPrefix(got, "worse 1 [") || strings.Contains(got, "KL") {
		t.Errorf("against SVGD: %q", got)
	}
	got := c.ByOther(by)
	want := "Here by k-NN KL: against the strongest method that the paper compares with SIFG is worse"
	if got.Title != want || got.Protocol != "matched-kl" {
		t.Errorf("%q of %s, want %q", got.Title, got.Protocol, want)
	}
	if rows := got.Table.Rows; len(rows) != 2 || !strings.HasPrefix(rows[1][5].Text, "equal ") {
		t.Errorf("%+v", rows)
	}
}
