package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// made has a metric m of one problem, at one checkpoint.
func made(methods []string, seeds int, value func(method string, seed int) float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for _, m := range methods {
		for seed := range seeds {
			key := fmt.Sprint(m, seed)
			s.Trials = append(s.Trials, record.Trial{
				Key:     key,
				Problem: "p",
				Method:  m,
				Seed:    uint64(seed),
				Status:  record.StatusOK,
			})
			s.Traces[key] = []record.Trace{{Key: key, Metric: "m", Value: value(m, seed)}}
		}
	}
	return s
}

// energy is the problem p, judged by the metric m.
func energy() Problem {
	return Problem{Name: "p", Title: "A problem", Metrics: []Measure{{Head: "energy", Metric: "m"}}, Margin: 0.1}
}

// TestVersus: eight seeds of sifg-a, which is 1 below SGLD, 1 above pSGLD, 0.01 above L2-GF, and above SIFG in one
// seed by far. With the margin 0.1 these are the four verdicts.
func TestVersus(t *testing.T) {
	at := map[string]float64{"sgld": 3, "psgld": 1, "l2-gf": 1.99, "sifg": 2, "sifg-a": 2, "ascent": 9}
	value := func(method string, seed int) float64 {
		v := at[method] + 0.01*float64(seed%3)
		if method == "sifg" && seed == 0 {
			v -= 5
		}
		return v
	}
	v := energy()
	s := made([]string{"l2-gf", "sifg", "sifg-a", "sgld", "psgld", "ascent"}, 8, value)
	title := v.says(s)
	if want := "A problem: the lowest energy is that of pSGLD"; title != want {
		t.Errorf("%q, want %q", title, want)
	}
	says := func(s *record.Set) string {
		out := ""
		for _, c := range v.data(v.relate(s, newFlows, newRivals)) {
			out += c.Rival + " " + c.Verdict + "; "
		}
		return out
	}
	if got := says(s); got != "sgld better; psgld worse; l2-gf equal; sifg open; " {
		t.Errorf("compared: %s", got)
	}
	tab, err := Comparison{}.table(s, v)
	if err != nil {
		t.Fatal(err)
	}
	if rule := tab.Notes[1]; len(tab.Rows) != 6 || !strings.Contains(rule, "over the 4 comparisons") {
		t.Errorf("%d rows, rule %q", len(tab.Rows), rule)
	}
	// 2·2⁻⁸ times the four comparisons
	if got := tab.Rows[3][2].Text; got != "better −1 [−1, −1], p = 0.031" {
		t.Errorf("against SGLD %q", got)
	}
	if got := tab.Rows[2][1].Text; got != "2.01 [2, 2.02]" {
		t.Errorf("the mean of SIFG-A is %q", got)
	}

	lost := made([]string{"psgld", "sgld"}, 8, value)
	lost.Trials[3].Status = record.StatusDiverged
	if title := v.says(lost); title != "A problem: the lowest energy is that of SGLD" {
		t.Errorf("pSGLD lost a try: %q", title)
	}

	v.Margin = 1.5 // larger than the difference, which is smaller than the interval of that from SIFG
	if got := says(s); got != "sgld equal; psgld equal; l2-gf equal; sifg open; " {
		t.Errorf("with a margin of 1.5: %s", got)
	}
	v.Margin = 0.1
	few := made([]string{"sifg-a", "sgld"}, 5, value)
	if got := says(few); got != "sgld open; " {
		t.Errorf("five seeds, which cannot tell: %s", got)
	}
	if title := v.says(made(nil, 0, nil)); title != "A problem: no method has a value in every try" {
		t.Errorf("of nothing: %q", title)
	}
}

// TestLostTries: a comparison says the tries that one of the two lost, and the rival's name as its settings have it.
func TestLostTries(t *testing.T) {
	s := made([]string{"sifg-a", "sgld-long"}, 10, func(string, int) float64 { return 1 })
	s.Trials[3].Status = record.StatusDiverged
	v := energy()
	got := v.data(v.relate(s, newFlows, newRivals))
	if len(got) != 1 || got[0].Lost != 1 || got[0].RivalLost != 0 || figure.Label(got[0].Rival) != "longer SGLD" {
		t.Errorf("%+v", got)
	}
	v.None = func(*record.Set) string { return "it is so" }
	if got := v.data(v.relate(s, newFlows, newRivals)); got != nil {
		t.Errorf("without a verdict: %+v", got)
	}
}

// TestTooFewDraws: a margin that cannot be known is not told.
func TestTooFewDraws(t *testing.T) {
	v := energy()
	v.Margin = 0
	if rule := v.rule([]relation{{margin: math.NaN()}}); strings.Contains(rule, "–") {
		t.Errorf("%q", rule)
	}
}

// TestAgainst: one or two rivals with the same verdict are named, more are counted.
func TestAgainst(t *testing.T) {
	var all []table.Comparison
	for _, rival := range []string{"l2-gf", "svgd", "ada-gwg"} {
		all = append(all, table.Comparison{Method: "sifg", Rival: rival, Verdict: "better"})
	}
	all = append(all, table.Comparison{Method: "sifg", Rival: "sgld", Verdict: "open"})
	all = append(all, table.Comparison{Method: "ada-sifg", Rival: "sgld", Verdict: "worse"})
	const want = "SIFG is better than 3 rivals, open against SGLD; Ada-SIFG is worse than SGLD"
	if got := against(all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
