package study

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// last are the last energies of a method on the problem p, the first of them of seed 1. NaN is a run that diverged.
type last struct {
	method string
	of     []float64
}

func setOf(all ...last) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
	for _, l := range all {
		for i, v := range l.of {
			key := fmt.Sprint(l.method, i)
			row := record.Trial{
				Key: key, Problem: "p", Method: l.method, Seed: uint64(i + 1), Status: record.StatusOK,
			}
			if math.IsNaN(v) {
				row.Status = record.StatusDiverged
			} else {
				s.Traces[key] = []record.Trace{
					{Key: key, Iteration: 0, Metric: "energy", Value: -v},
					{Key: key, Iteration: 9, Metric: "energy", Value: v},
				}
			}
			s.Trials = append(s.Trials, row)
			s.Timings[key] = record.Timing{Key: key, Seconds: float64(i + 1)}
		}
	}
	return s
}

// to is n values, of which the first have these and the others the last of these.
func to(n int, first ...float64) []float64 {
	for len(first) < n {
		first = append(first, first[len(first)-1])
	}
	return first
}

var energy = Comparison{Problem: "p", Title: "P", Measure: Measure{Head: "energy distance", Metric: "energy"}}

// cells are what the table of a comparison has in a column, by method.
func cells(t *testing.T, c Comparison, s *record.Set, head string) map[string]string {
	t.Helper()
	made, err := c.table(s)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, row := range made.Rows {
		for i, cell := range row {
			if made.Columns[i].Header == head {
				out[row[0].Text] = cell.Text
			}
		}
	}
	return out
}

// TestVerdicts: SIFG has 1 with every seed. With n seeds the two-sided sign-flip test gives 2¹⁻ⁿ at best.
func TestVerdicts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		of       []float64
		rivals   int // others with the same values, for which Holm corrects
		overlap  float64
		verdict  string
		ahead    string
		lessSIFG string // the begin of the difference
	}{
		{"lower with six seeds: p = 1/32", to(6, 0.5), 0, 0, "better", "100 %", "−0.500 ["},
		{"lower with five seeds: p = 1/16", to(5, 0.5), 0, 0, "inconclusive", "100 %", "−0.500 ["},
		{"higher with six seeds", to(6, 3), 0, 0, "worse", "0 %", "2.00 ["},
		{"two of them: p = 2/32", to(6, 0.5), 1, 0, "inconclusive", "100 %", ""},
		{"two of them with eight seeds: p = 2/128", to(8, 0.5), 1, 0, "better", "100 %", ""},
		{"equal", to(8, 1), 0, 0, "inconclusive", "50 %", "0 ["},
		// Differences of 0 change no p-value, and count as half: (6 + 4/2)/10 are ahead.
		{"six lower, four ties", to(10, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1), 0, 0, "better", "80 %", "−0.300 ["},
		{"six lower, seven ties: the median is 0", to(13, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1), 0, 0, "inconclusive",
			"73 %", ""},
		{"one seed", to(1, 0.5), 0, 0, "inconclusive", "100 %", "−0.500"},
		// The sums of all patterns that give the eight one sign are as extreme: p = 32/4096.
		{"told apart by eight of twelve seeds", to(12, 11, 11, 11, 11, 11, 11, 11, 11, 0.9), 0, 0, "inconclusive",
			"33 %", "6.63 ["},
		// The sign test: 2·(1 + 8)/2⁸ = 0.070, 2·(1 + 10)/2¹⁰ = 0.021.
		{"one of eight lost", to(8, nan, 0.5), 0, 0, "inconclusive", "88 %", "−0.500 ["},
		{"one of ten lost", to(10, nan, 0.5), 0, 0, "better", "90 %", "−0.500 ["},
		{"all lost", to(6, nan), 0, 0, "worse", "0 %", "–"},
		// 1 to 5 more: 0.0625 of sign flips; with an overlap of 1/9 t = 3.40 and p = 0.027, of 1 t = √3 and p = 0.16.
		{"independent seeds", []float64{2, 3, 4, 5, 6}, 0, 0, "inconclusive", "0 %", "3.00 ["},
		{"overlapping splits", []float64{2, 3, 4, 5, 6}, 0, 1.0 / 9, "worse", "0 %", "3.00 [0.551, 5.45]"},
		{"splits that overlap much", []float64{2, 3, 4, 5, 6}, 0, 1, "inconclusive", "0 %", "3.00 ["},
	} {
		all := []last{{"svgd", c.of}, {"sifg", to(len(c.of), 1)}}
		for i := range c.rivals {
			all = append(all, last{fmt.Sprint("rival", i), c.of})
		}
		comparison := energy
		comparison.Overlap = func(*record.Set) float64 { return c.overlap }
		s := setOf(all...)
		verdict, ahead := cells(t, comparison, s, "than SIFG"), cells(t, comparison, s, "seeds ahead of SIFG")
		difference := cells(t, comparison, s, "minus SIFG [95 %]")["SVGD"]
		if verdict["SVGD"] != c.verdict || c.ahead != "" && ahead["SVGD"] != c.ahead ||
			!strings.HasPrefix(difference, c.lessSIFG) || verdict["SIFG"] != "–" {
			t.Errorf("%s: %s, %s ahead, minus SIFG %s; want %+v", c.name, verdict, ahead, difference, c)
		}
	}
}

// TestLostRuns: a run that failed counts as the largest value where values are ordered, and is no value of a mean.
func TestLostRuns(t *testing.T) {
	nan := math.NaN()
	s := setOf(last{"sifg", to(4, 1)}, last{"svgd", []float64{nan, 2, 4, 3}}, last{"sgld", []float64{nan, nan, nan, 2}})
	for head, want := range map[string]string{
		"seeds":   "map[SGLD:1 of 4 SIFG:4 SVGD:3 of 4]",
		"median":  "map[SGLD:∞ SIFG:1.00 SVGD:3.50]", // of 2, 3, 4, ∞
		"mean":    "map[SGLD:2.00 SIFG:1.00 SVGD:3.00]",
		"seconds": "map[SGLD:2.50 SIFG:2.50 SVGD:2.50]",
	} {
		if got := fmt.Sprint(cells(t, energy, s, head)); got != want {
			t.Errorf("%s: %s, want %s", head, got, want)
		}
	}
	f, err := energy.draw(s)
	if err != nil {
		t.Fatal(err)
	}
	var points []int
	for _, l := range f.Panels[0].Layers {
		if x, ok := l.(figure.Scatter); ok {
			points = append(points, len(x.X))
		} else {
			points = append(points, 0) // a median
		}
	}
	if want := []int{1, 3, 0, 4, 0}; !slices.Equal(points, want) {
		t.Errorf("from below %v points, want %v: those of SGLD without a median", points, want)
	}
}

// TestMinimumDetectable: differences of −0.5 and 1.5 in turn, six of them, see 1.56 at the level of one side (see
// rule.TestSees); seeds that differ by nothing, too few seeds and lost runs say why they see no lead.
func TestMinimumDetectable(t *testing.T) {
	for want, of := range map[string][]float64{
		"1.56":                        {0.5, 2.5, 0.5, 2.5, 0.5, 2.5},
		"does not vary over seeds":    to(6, 3),
		"too few seeds":               {0.5, 2.5, 0.5, 2.5, 0.5},
		"runs failed or are infinite": {0.5, 2.5, 0.5, 2.5, 0.5, math.NaN()},
	} {
		s := setOf(last{"sifg", to(len(of), 1)}, last{"svgd", of})
		if got := cells(t, energy, s, "minimum detectable")["SVGD"]; got != want {
			t.Errorf("%v: %s, want %s", of, got, want)
		}
	}
}

// TestOrder: the seeds of trials in another order give the same table and the same figure.
func TestOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 0))
	var all []last
	for _, m := range []string{"svgd", "sifg", "sgld"} {
		l := last{method: m}
		for range 8 {
			l.of = append(l.of, draw.ExpFloat64())
		}
		all = append(all, l)
	}
	all[0].of[3] = math.NaN()
	made := func(s *record.Set) string {
		tab, err := energy.table(s)
		f, wrong := energy.draw(s)
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		return tab.CSV() + string(f.CSV())
	}
	s := setOf(all...)
	want := made(s)
	draw.Shuffle(8, func(i, j int) { // of each method
		for m := range all {
			s.Trials[8*m+i], s.Trials[8*m+j] = s.Trials[8*m+j], s.Trials[8*m+i]
		}
	})
	if s.Trials[0].Seed == 1 && s.Trials[1].Seed == 2 {
		t.Fatal("the order is the same")
	}
	if got := made(s); got != want {
		t.Errorf("another order of seeds gives\n%s\nwant\n%s", got, want)
	}
}

// TestNothingToCompare: without trials of SIFG, or of another method, there is no comparison; a method that does not
// measure what is compared is told from none, and counts as no test.
func TestNothingToCompare(t *testing.T) {
	for _, s := range []*record.Set{setOf(), setOf(last{"svgd", to(6, 1)}), setOf(last{"sifg", to(6, 1)})} {
		if _, err := energy.table(s); !errors.Is(err, harness.ErrNoTrials) {
			t.Errorf("the table of nothing: %v", err)
		}
		if _, err := energy.draw(s); !errors.Is(err, harness.ErrNoTrials) {
			t.Errorf("the figure of nothing: %v", err)
		}
	}
	s := setOf(last{"sifg", to(6, 1)}, last{"svgd", to(6, 0.5)}, last{"sgld", to(6, 2)})
	for i := range s.Traces["sgld0"] {
		for seed := range 6 {
			s.Traces[fmt.Sprint("sgld", seed)][i].Metric = "other"
		}
	}
	verdict, median := cells(t, energy, s, "than SIFG"), cells(t, energy, s, "median")
	if verdict["SVGD"] != "better" || verdict["SGLD"] != "–" || median["SGLD"] != "not measured" {
		t.Errorf("verdicts %v, medians %v", verdict, median)
	}
}

// TestExactDraws: exact draws have a row of their own, the last, where they were measured.
func TestExactDraws(t *testing.T) {
	s := setOf(last{"sifg", to(2, 1)}, last{"svgd", to(2, 2)})
	for i, key := range []string{"sifg0", "sifg1"} {
		floor := record.Trace{Key: key, Iteration: 9, Metric: "floor-energy", Value: float64(i)}
		s.Traces[key] = append(s.Traces[key], floor)
	}
	f, err := energy.draw(s)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0]
	if want := []string{"exact draws", "SVGD", "SIFG"}; !slices.Equal(p.Y.Categories, want) {
		t.Errorf("rows from below %q, want %q", p.Y.Categories, want)
	}
	draws, bar := p.Layers[0].(figure.Scatter), p.Layers[1].(figure.Line)
	if !slices.Equal(draws.X, []float64{0, 1}) || !slices.Equal(draws.Y, []float64{0, 0}) || bar.X[0] != 0.5 {
		t.Errorf("points %+v, median %v", draws, bar.X)
	}
}
