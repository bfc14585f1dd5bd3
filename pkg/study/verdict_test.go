package study

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// TestVerdict: with ten seeds SIFG is 1 above SGLD, which has the lowest mean together with pSGLD, and 1 below SVGD;
// Ada-SIFG is not told from SGLD, with one seed far off. pSGLD is faster than SGLD. Blind SIFG is 0.01 above SIFG,
// Ascent 1, and there is no exact score.
func TestVerdict(t *testing.T) {
	at := map[string]float64{
		"sgld":       1,
		"psgld":      1.001,
		"svgd":       3,
		"sifg":       2,
		"ada-sifg":   1,
		"sifg-blind": 2.01,
		"ascent":     3,
	}
	value := func(method string, seed int) float64 {
		if method == "ada-sifg" && seed == 0 {
			return 9
		}
		return at[method] + 0.01*float64(seed%3)
	}
	s := made([]string{"sgld", "psgld", "svgd", "sifg", "ada-sifg", "sifg-blind", "ascent"}, 10, value)
	s.Timings = map[string]record.Timing{}
	for _, trial := range s.Trials {
		seconds := 10.0
		if trial.Method == "psgld" {
			seconds = 1
		}
		s.Timings[trial.Key] = record.Timing{Key: trial.Key, Seconds: seconds}
	}
	above := func(method string, seed int) float64 { return value(method, seed) + 1 }
	fast := made([]string{"sgld", "psgld"}, 10, above)
	fast.Title = "with its seconds"
	v := Versus{Problem: "p", Title: "A problem", Metrics: []Measure{{Head: "energy", Metric: "m"}}, Margin: 0.1}
	c := Comparing{Protocol: "matched", Seconds: "clock", Where: "Somewhere", Problems: []Versus{v}}
	s.Title = "every method at its best"
	by := map[string]*record.Set{"matched": s, "clock": fast}

	x := c.Verdicts(by)[0]
	if !slices.Equal(x.Use, []string{"psgld", "sgld"}) || x.Strongest != "sgld" || x.None != "" {
		t.Errorf("use %v, strongest %s, none %q", x.Use, x.Strongest, x.None)
	}
	c.Problems = append(c.Problems, Versus{Problem: "not computed", Metrics: v.Metrics})
	got := c.Finding(by)
	title := "Somewhere: against its strongest rival SIFG is worse on A problem"
	if got.Title != title {
		t.Errorf("%q, want %q", got.Title, title)
	}
	want := "Use pSGLD on A problem, by energy (every method at its best)."
	if got.Text != want {
		t.Errorf("%q, want %q", got.Text, want)
	}
	quick := maps.Clone(s.Timings)
	for _, trial := range s.Trials {
		if trial.Method == "ada-sifg" {
			quick[trial.Key] = record.Timing{Key: trial.Key, Seconds: 0.5}
		}
	}
	slow := s.Timings
	s.Timings = quick
	want = "No advice on A problem, where a faster method cannot be told apart from the lowest " +
		"(every method at its best)."
	if text := c.Finding(by).Text; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	s.Timings = slow
	row := []string{
		"A problem", "pSGLD, SGLD; open: Ada-SIFG", "SGLD", "worse 1 [1, 1]", "open 0.8 [−1.01, 2.61]",
		"equal 0 [0, 0] against SGLD", "–", "equal −0.01 [", "better −1 [−1, −1]",
	}
	for i, want := range row {
		if cell := got.Table.Rows[0][i].Text; !strings.HasPrefix(cell, want) {
			t.Errorf("column %d: %q, want %q", i, cell, want)
		}
	}
	if len(got.Table.Comparisons) != 8 { // two flows against four rivals
		t.Errorf("%d comparisons", len(got.Table.Comparisons))
	}
	c.Problems = []Versus{v}
	got = c.AtSeconds(by)
	title = "Somewhere of SIFG, rivals with its seconds: against the strongest SIFG is equal"
	if got.Title != title || got.Protocol != "clock" {
		t.Errorf("%q of %s, want %q", got.Title, got.Protocol, title)
	}
	if rows := got.Table.Rows; len(rows) != 2 || rows[1][1].Text != "pSGLD" || rows[1][4].Text[:6] != "equal " {
		t.Errorf("at equal seconds: %+v", rows)
	}
	c.Problems[0].Trivial = 0.9
	got = c.Finding(by)
	none := got.Text == "No problem has a verdict (every method at its best)."
	if !strings.HasSuffix(got.Title, "SIFG is without a verdict") || !none {
		t.Errorf("where nobody is better than something trivial: %q, %q", got.Title, got.Text)
	}
	if cell := got.Table.Rows[0][3].Text; cell != "open 1 [1, 1]" || got.Table.Comparisons != nil {
		t.Errorf("compared without a verdict: %q, drawn %v", cell, got.Table.Comparisons)
	}
	if c.Finding(nil) != nil || c.Finding(map[string]*record.Set{"matched": made(nil, 0, nil)}) != nil {
		t.Error("a verdict of nothing")
	}
}

// seeds are tries 0, 1, 2, … with these values.
func seeds(values ...float64) map[uint64]float64 {
	out := map[uint64]float64{}
	for i, v := range values {
		out[uint64(i)] = v
	}
	return out
}

// TestRelate, by hand. Six differences of −1 have the two-sided p-value 2/64 of the sign-flip test, five 2/32. With
// one try lost of seven, six lower and one higher have 2·(1 + 7)/128 of the sign test, and no verdict; with seven
// lost, 2/128. With one of ten lost and nine lower 2·(1 + 10)/1024 tells that the method is mostly lower, which it
// cannot be for the try that it lost, so it is neither better nor worse. Differences −1.2, −0.8 in turns have a mean
// of −1 and s = 0.2·√(6/5), so with an overlap of 1/9 the interval is 1.6667 = 1 + 6/9 times wider in its square.
func TestRelate(t *testing.T) {
	const lost = 1e308
	inf := math.Inf(1)
	one := []float64{2, 2, 2, 2, 2, 2}
	seven, ten := append(one, 2), slices.Repeat([]float64{2}, 10)
	none := []float64{inf, inf, inf, inf, inf, inf, inf}
	equalLow := 0.01 + 0.005 - 3.182*0.005773/2
	splitsLow := -1 - 2.5706*0.2*math.Sqrt(1.2*(1.0/6+1.0/9))
	threeLow := -1 - 4.3027*0.01*math.Sqrt(1.0/3+1.0/9)
	for _, c := range []struct {
		name       string
		x, y       []float64
		overlap, p float64
		verdict    string
		low        float64
	}{
		{"six lower", []float64{1, 1, 1, 1, 1, 1}, one, 0, 2.0 / 64, better, -1},
		{"six higher", []float64{3, 3, 3, 3, 3, 3}, one, 0, 2.0 / 64, worse, 1},
		{"five lower are too few", []float64{1, 1, 1, 1, 1}, one[:5], 0, 2.0 / 32, open, -1},
		{"within the margin", []float64{2.01, 2.02, 2.01, 2.02}, one[:4], 0, 2.0 / 16, equal, equalLow},
		{"one try lost", []float64{1, 1, 1, 1, 1, 1, inf}, seven, 0, 2 * 8.0 / 128, open, -1},
		{"one of ten lost", append(slices.Repeat([]float64{1}, 9), inf), ten, 0, 2 * 11.0 / 1024, open, -1},
		{"the rival lost one of ten", ten, append(slices.Repeat([]float64{1}, 9), inf), 0, 2 * 11.0 / 1024, open, 1},
		{"all tries lost", none, seven, 0, 2.0 / 128, worse, math.NaN()},
		{"the rival lost all", seven, none, 0, 2.0 / 128, better, math.NaN()},
		{"both lost the same one", []float64{1, 1, 1, 1, 1, 1, inf}, append(one, inf), 0, 2.0 / 64, better, -1},
		{"overlapping splits", []float64{0.8, 1.2, 0.8, 1.2, 0.8, 1.2}, one, 1.0 / 9, lost, better, splitsLow},
		{"three splits", []float64{1, 1.01, 0.99}, one[:3], 1.0 / 9, lost, open, threeLow},
	} {
		r := relate(seeds(c.x...), seeds(c.y...), c.overlap)
		r.margin = 0.1
		r.decide(r.p, c.overlap)
		if r.verdict != c.verdict {
			t.Errorf("%s: %s, want %s (p = %g)", c.name, r.verdict, c.verdict, r.p)
		}
		if c.p != lost && math.Abs(r.p-c.p) > 1e-12 {
			t.Errorf("%s: p = %g, want %g", c.name, r.p, c.p)
		}
		if !(math.Abs(r.low-c.low) < 1e-4 || math.IsNaN(r.low) && math.IsNaN(c.low)) {
			t.Errorf("%s: the interval begins at %g, want %g", c.name, r.low, c.low)
		}
	}
	words := relate(seeds(1, inf, 2), seeds(2, 3, inf), 0).words()
	if words != " −1; lost 1 of 3 tries; the rival lost 1 of 3 tries" {
		t.Errorf("in words: %q", words)
	}
}

// TestFloorMargin: without a margin of its own a comparison takes the standard deviation of what exact draws
// score, 1 of 1, 2, 3, counted once a seed.
func TestFloorMargin(t *testing.T) {
	s := made([]string{"sifg", "sgld"}, 3, func(string, int) float64 { return 1 })
	for _, trial := range s.Trials {
		floor := record.Trace{Key: trial.Key, Metric: "floor-m", Value: float64(trial.Seed)}
		s.Traces[trial.Key] = append(s.Traces[trial.Key], floor)
	}
	v := Versus{Problem: "p", Sides: Ours, Metrics: []Measure{{Head: "energy", Metric: "m"}}}
	if found := v.relations(s); len(found) != 1 || math.Abs(found[0].margin-1) > 1e-12 {
		t.Errorf("%+v", found)
	}
}

// TestTries: a try that diverged, failed or cannot be judged is lost, and one that was stopped is none.
func TestTries(t *testing.T) {
	s := made([]string{"sifg"}, 5, func(_ string, seed int) float64 {
		if seed == 3 {
			return math.NaN()
		}
		return float64(seed)
	})
	s.Trials[1].Status = record.StatusDiverged
	s.Trials[2].Status = record.StatusFailed
	s.Trials[4].Status = record.StatusTimeout
	got := tries(s, "p", "m", "sifg")
	if len(got) != 4 || got[0] != 0 || !math.IsInf(got[1], 1) || !math.IsInf(got[2], 1) || !math.IsInf(got[3], 1) {
		t.Errorf("%v", got)
	}
}

// TestEnough: n pairs give p = 2¹⁻ⁿ at best, times the number of tests.
func TestEnough(t *testing.T) {
	for tests, want := range map[int]int{1: 6, 4: 8, 6: 8, 7: 9} {
		best := float64(tests) * math.Pow(2, 1-float64(Enough(tests)))
		if got := Enough(tests); got != want || best > rule.Level || 2*best <= rule.Level {
			t.Errorf("Enough(%d) = %d, want %d", tests, got, want)
		}
	}
}
