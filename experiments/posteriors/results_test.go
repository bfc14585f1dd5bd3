package posteriors

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
)

// madeUp is a set of two methods on one problem, 50 particles, two seeds. A lone curve is the error of the means and of
// the standard deviations at iterations 0, 10 and 20; exact draws have 0.05.
func madeUp(curves map[string][][3]float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
	for method, seeds := range curves {
		for i, curve := range seeds {
			key := method + string(rune('a'+i))
			s.Trials = append(s.Trials, record.Trial{
				Key: key, Problem: "p-1000", Method: method, Seed: uint64(i), Status: record.StatusOK,
				Particles: 50, Iterations: 20,
			})
			s.Timings[key] = record.Timing{Key: key, Seconds: 4}
			for _, metric := range []string{"error-mean", "error-sd"} {
				s.Traces[key] = append(s.Traces[key], record.Trace{
					Key: key, Metric: "floor-" + metric, Index: 1, Value: 0.05,
				})
				for k, v := range curve {
					s.Traces[key] = append(s.Traces[key], record.Trace{
						Key: key, Iteration: 10 * k, Metric: metric, Index: 1, Value: v,
					})
				}
			}
		}
	}
	return s
}

// TestOutcome: errors are those over exact draws, time and gradients run to the first small error, and one divergence
// is enough.
func TestOutcome(t *testing.T) {
	s := madeUp(map[string][][3]float64{
		"sifg": {{1, 0.1, 0.08}, {1, 0.09, 0.06}},
		"hmc":  {{1, 0.3, 0.09}, {1, 0.3, 0.09}},
		"svgd": {{1, 0.5, 0.4}, {1, 0.5, 0.4}},
		"sgld": {{1, 0.1, 0.5}, {1, 0.3, 0.1}}, // the median of two is their mean
		"nuts": {{1, 0.1, 0.1}, {1, 0.1, math.NaN()}},
	})
	inf := math.Inf(1)
	for method, want := range map[string]outcome{
		"sifg": {seeds: 2, ended: 2, sd: 1.4, mean: 1.4, gradients: 500, seconds: 2},
		"hmc":  {seeds: 2, ended: 2, sd: 1.8, mean: 1.8, gradients: 1000, seconds: 4},
		"svgd": {seeds: 2, ended: 2, sd: 8, mean: 8, gradients: inf, seconds: inf},
		"sgld": {seeds: 2, ended: 2, sd: 6, mean: 6, gradients: 750, seconds: 3},
		"nuts": {seeds: 2, ended: 1, sd: inf, mean: inf, gradients: inf, seconds: inf},
	} {
		o := outcomeOf(s, "p-1000", method)
		if o.seeds != want.seeds || o.ended != want.ended || math.Abs(o.sd-want.sd) > 1e-9 ||
			math.Abs(o.mean-want.mean) > 1e-9 ||
			o.gradients != want.gradients || o.seconds != want.seconds {
			t.Errorf("%s: %+v, want %+v", method, o, want)
		}
	}
	if m, _ := choice(s, "p-1000"); m != "sifg" {
		t.Errorf("the choice is %q, want sifg", m)
	}
	for i := range s.Trials {
		if s.Trials[i].Key == "sifga" {
			s.Trials[i].Status = record.StatusDiverged
		}
	}
	if o := outcomeOf(s, "p-1000", "sifg"); o.ended != 1 || o.good() {
		t.Errorf("after a divergence: %+v", o)
	}
	if m, _ := choice(s, "p-1000"); m != "hmc" {
		t.Errorf("the choice is %q, want hmc", m)
	}
}

// TestValuesTable: the values of the long chains come from a trial that began, not from one that failed before.
func TestValuesTable(t *testing.T) {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for key, status := range []string{record.StatusFailed, record.StatusOK} {
		s.Trials = append(s.Trials, record.Trial{
			Key: fmt.Sprint(key), Problem: "p-1000", Method: "sifg", Seed: uint64(key), Status: status,
			Config: `{"options": {"values": ["x", "y"]}}`,
		})
	}
	if _, err := valuesTable(s); err == nil || !strings.Contains(err.Error(), "no trial began") {
		t.Errorf("without values: %v", err)
	}
	report := judge.Report{Values: []hmc.Coordinate{{Mean: 2459123.4567, SD: 0.002, MCSE: 3e-5, RHat: 1,
		Low: 2459123.4534, High: 2459123.46}, {Mean: 53.2, SD: 600, MCSE: 11, RHat: 1, Low: 0.007234, LowError: 0.0004,
		High: 138.2, HighError: 12}}, Means: []int{1}}
	for metric, v := range numbers(&report) {
		for k, x := range v {
			row := record.Trace{Key: "1", Metric: "reference-" + metric, Index: k, Value: float64(x)}
			s.Traces["1"] = append(s.Traces["1"], row)
		}
	}
	made, err := valuesTable(s)
	if err != nil {
		t.Fatal(err)
	}
	if row := made.Rows[0]; row[0].Text != "x" || row[1].Text != "2459123.45670" || row[3].Text != "0.00200" ||
		row[4].Text != "2459123.45340" {
		t.Errorf("%v", row)
	}
	// a quantile has the digits that its own error leaves, and a mean that draws do not tell has no error
	if row := made.Rows[1]; row[2].Text != "not known" || row[4].Text != "0.00723" || row[5].Text != "138" {
		t.Errorf("%v", row)
	}
}

// TestVerdict: a method is judged by both errors, and not where the chains are not trusted.
func TestVerdict(t *testing.T) {
	good, poor := outcome{seeds: 1, ended: 1, sd: 1.8, mean: 1.2}, outcome{seeds: 1, ended: 1, sd: 1.8, mean: 2.2}
	for _, c := range []struct {
		o              outcome
		taken, trusted bool
		want           string
	}{
		{good, true, true, "acceptable, with the fewest gradients"},
		{good, false, true, "acceptable"},
		{poor, false, true, "not accurate"},
		{good, true, false, "not evaluated"},
		{outcome{seeds: 2, ended: 1}, false, true, "diverged or failed"},
	} {
		if got := verdict(c.o, c.taken, c.trusted); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestNumbers: a report is the same after it has been rows of a trace, but for what is not finite.
func TestNumbers(t *testing.T) {
	one := judge.Report{Chains: 4, Moves: 4000, Divergent: 0.25, EBFMI: 0.5, Constant: []int{1}, Heavy: []int{0},
		Means:      []int{0},
		Values:     []hmc.Coordinate{{Mean: 1, SD: 2, RHat: math.Inf(1), BulkESS: 5}, {Mean: 3, SD: 4, RHat: 1}},
		DivergedAt: -1, Apart: true, Share: []float64{0.7, 0.3}, Visited: []float64{0.5, 0.5}, Passes: 3,
		Names: []string{"a", "c"}, AllNames: []string{"a", "b", "c"}}
	text, err := json.Marshal(numbers(&one))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]number{}
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	got := reportOf(told, one.AllNames)
	if !math.IsNaN(got.Values[0].RHat) {
		t.Errorf("R-hat %v", got.Values[0].RHat)
	}
	got.Values[0].RHat = math.Inf(1)
	if !reflect.DeepEqual(*got, one) {
		t.Errorf("%+v, want %+v", *got, one)
	}
}

// TestHistogram: the density of all numbers in the range integrates to their share, in steps.
func TestHistogram(t *testing.T) {
	at, density := histogram([]float64{-1, 0, 0.1, 0.9, 1.5, 7}, 0, 2, 2)
	if !slices.Equal(at, []float64{0, 1, 1, 2}) || !slices.Equal(density, []float64{0.5, 0.5, 1.0 / 6, 1.0 / 6}) {
		t.Errorf("at %v: %v", at, density)
	}
}
