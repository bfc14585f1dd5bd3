package study

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
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
	fast := made([]string{"sgld", "psgld", "sifg"}, 10, value)
	fast.Title = "with its seconds"
	fast.Timings = s.Timings
	v := energy()
	c := Comparison{Protocol: "matched", Seconds: "clock", Where: "Somewhere", Problems: []Problem{v}}
	s.Title = "every method at its best"
	by := map[string]*record.Set{"matched": s, "clock": fast}

	x := c.Verdicts(by)[0]
	if !slices.Equal(x.Use, []string{"psgld", "sgld"}) || x.Strongest != "sgld" || x.None != "" {
		t.Errorf("use %v, strongest %s, none %q", x.Use, x.Strongest, x.None)
	}
	c.Problems = append(c.Problems, Problem{Name: "not computed", Metrics: v.Metrics})
	got := c.Finding(by)
	title := "Somewhere: against the strongest method that the paper compares with SIFG is worse on A problem"
	if got.Title != title {
		t.Errorf("%q, want %q", got.Title, title)
	}
	const others = "Against the strongest of the others (pSGLD, Ascent, KDE flow) it is worse on A problem. "
	want := others + "Use pSGLD on A problem, by energy (every method at its best)."
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
	want = others + "No advice on A problem, where the data do not separate a faster method from the lowest " +
		"(every method at its best)."
	if text := c.Finding(by).Text; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	s.Timings = slow
	row := []string{
		"A problem", "pSGLD, SGLD; open: Ada-SIFG", "SGLD", "worse 1 [1, 1]", "open 0.8 [−1.01, 2.61], sees 3.",
		"pSGLD", "worse 0.999 [0.999, 0.999]", "open 0.799 [−1.01, 2.61], sees 3.",
		"worse 1 [1, 1] against SGLD", "–", "equal −0.01 [",
		"better −1 [−1, −1]",
	}
	for i, want := range row {
		if cell := got.Table.Rows[0][i].Text; !strings.HasPrefix(cell, want) {
			t.Errorf("column %d: %q, want %q", i, cell, want)
		}
	}
	if len(got.Table.Comparisons) != 8 { // two flows against four rivals
		t.Errorf("%d comparisons", len(got.Table.Comparisons))
	}
	c.Problems = []Problem{v}
	got = c.AtSeconds(by)
	title = "Somewhere of SIFG, with its seconds: against the strongest SIFG is worse"
	if got.Title != title || got.Protocol != "clock" {
		t.Errorf("%q of %s, want %q", got.Title, got.Protocol, title)
	}
	if rows := got.Table.Rows; len(rows) != 2 || rows[1][1].Text != "pSGLD" || rows[1][4].Text[:6] != "worse " {
		t.Errorf("at equal seconds: %+v", rows)
	} else if last := rows[1][len(rows[1])-1].Text; last != "0.100" {
		t.Errorf("pSGLD took a tenth of SIFG's seconds, not %s", last)
	}
	c.Problems[0].None = func(*record.Set) string { return "it is so" }
	got = c.Finding(by)
	const silent = " it is without a verdict. No problem has a verdict (every method at its best)."
	none := strings.HasSuffix(got.Text, silent)
	if !strings.HasSuffix(got.Title, "SIFG is without a verdict") || !none {
		t.Errorf("where nobody is better than something trivial: %q, %q", got.Title, got.Text)
	}
	if cell := got.Table.Rows[0][3].Text; cell != "no verdict 1 [1, 1]" || got.Table.Comparisons != nil {
		t.Errorf("compared without a verdict: %q, drawn %v", cell, got.Table.Comparisons)
	}
	const order = "A problem, from the lowest mean on: by energy SGLD, pSGLD, Ada-SIFG, SIFG, SVGD, Ascent."
	if !slices.Contains(got.Table.Notes, order) {
		t.Errorf("the notes %q lack %q", got.Table.Notes, order)
	}
	if c.Finding(nil) != nil || c.Finding(map[string]*record.Set{"matched": made(nil, 0, nil)}) != nil {
		t.Error("a verdict of nothing")
	}
}

// seeds are tries 0, 1, 2, … with these values; +∞ is lost.
func seeds(values ...float64) (out record.Sample) {
	for i, v := range values {
		x := record.Value{Seed: uint64(i), Number: v}
		if math.IsInf(v, 1) {
			x = record.Value{Seed: uint64(i), Why: record.Diverged}
		}
		out = append(out, x)
	}
	return out
}

func related(x, y []float64, overlap float64) relation {
	r := relation{Difference: record.Pair(seeds(x...), seeds(y...), overlap), margin: 0.1, tests: 1}
	r.p = r.P(stats.TwoSided)
	r.verdict = r.judge(r.margin)
	return r
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
		r := related(c.x, c.y, c.overlap)
		low, _ := r.Interval(0.95)
		if r.verdict != c.verdict {
			t.Errorf("%s: %s, want %s (p = %g)", c.name, r.verdict, c.verdict, r.p)
		}
		if c.p != lost && math.Abs(r.p-c.p) > 1e-12 {
			t.Errorf("%s: p = %g, want %g", c.name, r.p, c.p)
		}
		if !(math.Abs(low-c.low) < 1e-4 || math.IsNaN(low) && math.IsNaN(c.low)) {
			t.Errorf("%s: the interval begins at %g, want %g", c.name, low, c.low)
		}
	}
	words := related([]float64{1, inf, 2}, []float64{2, 3, inf}, 0).words()
	const want = "open −1, sees no lead for certain: tries are lost or infinite; lost 1 of 3 tries; " +
		"the rival lost 1 of 3 tries"
	if words != want {
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
	v := energy()
	v.Margin = 0
	if found := v.relate(s, proposed, rivals); len(found) != 1 || math.Abs(found[0].margin-1) > 1e-12 {
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
	got := energy().last(s, "sifg")
	if got.Lost() != 3 || got[0].Why != "" || got[3].Why != record.Undefined || got[4].Tried() {
		t.Errorf("%v", got)
	}
}

// TestEveryMethodLostOne: where each method lost a try of ten there is no lowest mean, and that is the reason given.
func TestEveryMethodLostOne(t *testing.T) {
	s := made([]string{"sgld", "sifg"}, 10, func(method string, seed int) float64 {
		return float64(len(method)) + 0.01*float64(seed%3)
	})
	s.Timings, s.Title = map[string]record.Timing{}, "every method at its best"
	s.Trials[0].Status, s.Trials[10].Status = record.StatusDiverged, record.StatusDiverged
	c := Comparison{Protocol: "matched", Where: "Somewhere", Problems: []Problem{energy()}}
	by := map[string]*record.Set{"matched": s}
	if x := c.Verdicts(by)[0]; x.Use != nil || x.None != "every method lost a try" {
		t.Errorf("use %q, no verdict since %q", x.Use, x.None)
	}
	got := c.Finding(by)
	if !strings.Contains(got.Text, "No advice on A problem, where every method lost a try") {
		t.Errorf("%q", got.Text)
	}
	for i, cell := range got.Table.Rows[0] {
		if cell.Text == "" {
			t.Errorf("the column %s is empty", got.Table.Columns[i].Header)
		}
	}
}

// TestTimesOfAnotherProtocol: without the report whose times say which method is the fastest, its own times do.
func TestTimesOfAnotherProtocol(t *testing.T) {
	s := made([]string{"sgld", "psgld", "sifg"}, 10, func(string, int) float64 { return 1 })
	s.Timings = map[string]record.Timing{}
	took := map[string]float64{"sgld": 3, "psgld": 1, "sifg": 2}
	for _, trial := range s.Trials {
		s.Timings[trial.Key] = record.Timing{Seconds: took[trial.Method]}
	}
	c := Comparison{Protocol: "start", Times: "matched", Where: "Somewhere", Problems: []Problem{energy()}}
	x := c.Verdicts(map[string]*record.Set{"start": s})[0]
	if !slices.Equal(x.Use, []string{"psgld", "sifg", "sgld"}) {
		t.Errorf("use %v", x.Use)
	}
}

// TestPredictedMisaligned: of seed 1 the loss was 0 at every checkpoint, so that it has a σ and no loss. Seed 2 has
// 1 − 0.1·2² = 0.6.
func TestPredictedMisaligned(t *testing.T) {
	s := made([]string{"sifg"}, 2, func(string, int) float64 { return 1 })
	for i := range s.Trials {
		trial := &s.Trials[i]
		trial.Iterations, trial.Dim = 10, 1
		at := record.Trace{Key: trial.Key, Iteration: 10, Metric: "sigma", Value: float64(i + 1)}
		s.Traces[trial.Key] = append(s.Traces[trial.Key], at)
	}
	last := s.Trials[1].Key
	s.Traces[last] = append(s.Traces[last], record.Trace{Key: last, Iteration: 10, Metric: "loss", Value: 0.1})
	got := predicted(s, "p", "sifg")
	if len(got) != 2 || got[0].Why != record.NotMeasured || math.Abs(got[1].Number-0.6) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// TestMarginZero: a difference of 0.01 within the margin of 0.1 is equal, and at margin 0 it is worse. Without a margin
// of one's own nothing is said of margin 0.
func TestMarginZero(t *testing.T) {
	s := made([]string{"sgld", "sifg"}, 10, func(method string, seed int) float64 {
		return 0.01*float64(len(method)-len("sgld")) + 0.001*float64(seed%3)*float64(len(method)%2) +
			map[string]float64{"sifg": 0.01}[method]
	})
	r := energy().relate(s, []string{"sifg"}, []string{"sgld"})[0]
	if got := r.words(); r.strict != worse || !strings.HasPrefix(got, "equal 0.01 ") ||
		!strings.HasSuffix(got, ", at margin 0 worse") {
		t.Errorf("%q", got)
	}
	r.own = false
	if got := r.words(); strings.Contains(got, "margin") {
		t.Errorf("%q", got)
	}
}

// TestSameLosses: what two methods lost with the same seeds at the same iterations is told once, as one event.
func TestSameLosses(t *testing.T) {
	a := made([]string{"ada-sifg"}, 3, func(string, int) float64 { return 1 })
	b := made([]string{"sifg"}, 3, func(string, int) float64 { return 1 })
	a.Protocol = "matched"
	for _, s := range []*record.Set{a, b} {
		s.Trials[1].Status, s.Trials[1].Iterations = record.StatusDiverged, 17
	}
	const want = "SIFG lost the same tries here (1 seed) as Ada-SIFG under matched, at the same iterations: one event."
	if got := sameLosses(a, b, "p"); !slices.Equal(got, []string{want}) {
		t.Errorf("%q, want %q", got, want)
	}
	b.Trials[1].Iterations = 16
	if got := sameLosses(a, b, "p"); got != nil {
		t.Errorf("at another iteration: %q", got)
	}
}
