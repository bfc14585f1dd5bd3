package study

import (
	"fmt"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
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
	v := Versus{Problem: "p", Title: "A problem", Metrics: []Measure{{Head: "energy", Metric: "m"}}, Margin: 0.1}
	s := made([]string{"l2-gf", "sifg", "sifg-a", "sgld", "psgld", "ascent"}, 8, value)
	title, text := v.Words(s)
	if want := "A problem: the lowest energy is that of pSGLD"; title != want {
		t.Errorf("%q, want %q", title, want)
	}
	if want := "SIFG-A beats SGLD; ties with L2-GF; loses to pSGLD; is not told apart from SIFG."; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	tab, err := v.Table(s)
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
	if title, _ := v.Words(lost); title != "A problem: the lowest energy is that of SGLD" {
		t.Errorf("pSGLD lost a try: %q", title)
	}

	v.Margin = 1.5 // larger than the difference, which is smaller than the interval of that from SIFG
	if _, text := v.Words(s); text != "SIFG-A ties with SGLD, pSGLD, L2-GF; is not told apart from SIFG." {
		t.Errorf("with a margin of 1.5: %q", text)
	}
	v.Margin = 0.1
	few := made([]string{"sifg-a", "sgld"}, 5, value)
	if _, text := v.Words(few); text != "SIFG-A is not told apart from SGLD." {
		t.Errorf("five seeds, which cannot tell: %q", text)
	}
	if title, _ := v.Words(made(nil, 0, nil)); title != "" {
		t.Errorf("of nothing: %q", title)
	}
}

// TestClock: a run that is judged at its end alone has no curve, which is said.
func TestClock(t *testing.T) {
	s := made([]string{"sifg"}, 2, func(string, int) float64 { return 1 })
	clock := Clock(Versus{Problem: "p", Metrics: []Measure{{Head: "energy", Metric: "m"}}})
	want := "no trial that ended well has energy along its run"
	if _, err := clock.Draw(s); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("judged at the end alone: %v", err)
	}
	for key, trace := range s.Traces {
		s.Traces[key] = append(trace, record.Trace{Key: key, Iteration: 10, Metric: "m", Value: 0.5})
	}
	for i := range s.Trials {
		s.Trials[i].Iterations = 10
	}
	if f, err := clock.Draw(s); err != nil || len(f.Panels) != 1 || len(f.Panels[0].Layers) != 1 {
		t.Errorf("two checkpoints: %v, %v", f, err)
	}
}
