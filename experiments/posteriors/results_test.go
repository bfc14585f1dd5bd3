package posteriors

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// madeUp is a set of two methods on one problem, 50 particles, two seeds. A lone curve is the error of the means and of
// the standard deviations at iterations 0, 10 and 20; exact draws have 0.05.
func madeUp(curves map[string][][3]float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
	for method, seeds := range curves {
		for i, curve := range seeds {
			key := method + string(rune('a'+i))
			s.Trials = append(s.Trials, record.Trial{
				Key:        key,
				Problem:    "p-1000",
				Method:     method,
				Seed:       uint64(i),
				Status:     record.StatusOK,
				Particles:  50,
				Iterations: 20,
			})
			s.Timings[key] = record.Timing{Key: key, Seconds: 4}
			for _, metric := range []string{"error-mean", "error-sd"} {
				s.Traces[key] = append(s.Traces[key], record.Trace{
					Key:    key,
					Metric: "floor-" + metric,
					Index:  1,
					Value:  0.05,
				})
				for k, v := range curve {
					s.Traces[key] = append(s.Traces[key], record.Trace{
						Key:       key,
						Iteration: 10 * k,
						Metric:    metric,
						Index:     1,
						Value:     v,
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
	})
	for method, want := range map[string]outcome{
		"sifg": {seeds: 2, ended: 2, sd: 1.4, mean: 1.4, gradients: 500, seconds: 2},
		"hmc":  {seeds: 2, ended: 2, sd: 1.8, mean: 1.8, gradients: 1000, seconds: 4},
		"svgd": {seeds: 2, ended: 2, sd: 8, mean: 8, gradients: math.Inf(1), seconds: math.Inf(1)},
		"sgld": {seeds: 2, ended: 2, sd: 6, mean: 6, gradients: 750, seconds: 3},
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
			Key:     fmt.Sprint(key),
			Problem: "p-1000",
			Method:  "sifg",
			Seed:    uint64(key),
			Status:  status,
			Config:  `{"options": {"values": ["x"]}}`,
		})
	}
	if _, err := valuesTable(s); err == nil || !strings.Contains(err.Error(), "no trial began") {
		t.Errorf("without values: %v", err)
	}
	for metric, v := range map[string]float64{"rhat": 1, "value-mean": 2459123.4567, "value-sd": 0.002,
		"value-low": 2459123.4534, "value-high": 2459123.46, "value-mcse": 3e-5} {
		s.Traces["1"] = append(s.Traces["1"], record.Trace{Key: "1", Metric: "reference-" + metric, Value: v})
	}
	made, err := valuesTable(s)
	if err != nil {
		t.Fatal(err)
	}
	if row := made.Rows[0]; row[0].Text != "x" || row[1].Text != "2459123.45670" || row[3].Text != "0.00200" ||
		row[4].Text != "2459123.45340" {
		t.Errorf("%v", row)
	}
}

// TestSay: what is said of chains, by what their diagnostics are.
func TestSay(t *testing.T) {
	fine := map[string][]float64{"rhat": {1.001, 0}, "bulk": {5000, 0}, "tail": {4000, 1}, "ebfmi": {0.9},
		"divergences": {0}, "moves": {4000}, "refused": {0}, "modes": {1, 1}, "searches": {36}, "energy": {0.5, 1, 0},
		"diverged-off": {-1.8, 1}}
	const take, unseen = "Take these draws of NUTS. The chains: R-hat at most 1.001 (a)", "are not seen"
	for _, c := range []struct {
		name  string
		facts map[string][]float64 // that are other
		trust bool
		want  []string // one a note
	}{
		{"fine", nil, true, []string{take, unseen}},
		{"R-hat", map[string][]float64{"rhat": {1.02, 1}}, false, []string{"do not agree about b. The", unseen}},
		{"few draws", map[string][]float64{"tail": {399, 1}}, true, []string{"for rough answers", unseen}},
		{"E-BFMI", map[string][]float64{"ebfmi": {0.2}}, true, []string{"Take these",
			"threatens the tails: means and the middle stand, far quantiles may be too near. The energy " +
				"goes with b", unseen}},
		{"heavy tails", map[string][]float64{"ebfmi": {0.2}, "energy": {0.8, 0, 1}}, true, []string{"Take these",
			"its tails are heavy", unseen}},
		{"no variance", map[string][]float64{"heavy": {1}}, true, []string{take, "The tails of b are heavy", unseen}},
		{"divergences", map[string][]float64{"divergences": {0.01}}, true, []string{"Take these",
			"1 % of the moves diverged, where b is 1.8 standard deviations below its mean", unseen}},
		{"many divergences", map[string][]float64{"divergences": {0.1}}, true,
			[]string{"with care", "10 % of", unseen}},
		{"refusals", map[string][]float64{"refused": {0.07}}, true, []string{"Take these",
			"The model refused 7 %", unseen}},
		{"no mode", map[string][]float64{"modes": {0, 0}}, true, []string{take, "no mode with a positive curvature"}},
		{"two modes, visited", map[string][]float64{"modes": {2, 2}, "passes": {50}, "mode-share": {0.7, 0.3},
			"mode-draws": {0.69, 0.31}}, true, []string{take,
			"2 modes (70 % by Laplace's approximation, 69 % of the draws;"}},
		{"two modes, one visited", map[string][]float64{"modes": {2, 2}, "passes": {0}, "mode-share": {0.7, 0.3},
			"mode-draws": {1, 0}}, false, []string{"Do not take these draws: 2 modes were found", "2 modes"}},
		{"two modes, few passes", map[string][]float64{"modes": {2, 2}, "passes": {3}, "mode-share": {0.7, 0.3},
			"mode-draws": {0.5, 0.5}}, false, []string{"from one to another 3 times", "2 modes"}},
		{"labels", map[string][]float64{"modes": {2, 2}, "passes": {0}, "mode-share": {0.5, 0.5},
			"mode-draws": {0.5, 0.5},
			"swapped":    {0, 1}, "same": {1}}, false, []string{"Do not take", "2 modes",
			"Label switching: modes are each other with a, b swapped"}},
	} {
		j := &judged{values: []string{"a", "b"}, all: []string{"a", "b"}, fact: func(name string, index int) float64 {
			v, ok := c.facts[name]
			if !ok {
				v = fine[name]
			}
			if index >= len(v) {
				return math.NaN()
			}
			return v[index]
		}}
		notes := j.say()
		if j.trusted() != c.trust {
			t.Errorf("%s: trusted %t", c.name, !c.trust)
		}
		for i, want := range c.want {
			if len(notes) != len(c.want) || !strings.Contains(notes[i], want) {
				t.Errorf("%s: %q, want %q", c.name, notes, c.want)
				break
			}
		}
	}
}

// TestUnsettled: a flow that is to be taken and still moves is said to. Of others nothing is known.
func TestUnsettled(t *testing.T) {
	s := madeUp(map[string][][3]float64{"sifg": {{1, 0.3, 0.09}}})
	s.Trials[0].Iterations = 500
	key := s.Trials[0].Key
	s.Traces[key] = append(s.Traces[key], record.Trace{Metric: "reference-rhat", Value: 1})
	note := func() string { return strings.Join(advised(s), " ") }
	if strings.Contains(note(), "converged") {
		t.Errorf("of no drift: %q", note())
	}
	s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Metric: "drift", Value: 0.05},
		record.Trace{Key: key, Metric: "drift", Index: 1, Value: 0.3})
	want := "SIFG has not converged: it still moved by 0.3 standard deviations in the last third of the run. " +
		"Run longer: --set iterations=1000."
	if !strings.Contains(note(), want) {
		t.Errorf("got %q, want %q in it", note(), want)
	}
}

// TestAgreement: R-hat of two seeds that sampled alike, and of two of which one is elsewhere in one value. A value that
// does not vary says nothing.
func TestAgreement(t *testing.T) {
	s := madeUp(map[string][][3]float64{"sifg": {{1, 0.3, 0.09}, {1, 0.3, 0.09}}})
	shift, second := 0.0, s.Trials[1].Key
	s.Load = func(key, name string) (*record.Array, error) {
		stream := rng.New(1, key).Rand()
		a := &record.Array{Shape: []int{400, 3}}
		for range 400 {
			a.Double = append(a.Double, stream.NormFloat64(), stream.NormFloat64(), 7)
		}
		if key == second {
			for i := range 400 {
				a.Double[3*i+1] += shift
			}
		}
		return a, nil
	}
	if r := agreement(s, "p-1000", "sifg"); !(r < 1.01) {
		t.Errorf("alike: R-hat %.4f", r)
	}
	shift = 1
	if r := agreement(s, "p-1000", "sifg"); !(r > 1.1) {
		t.Errorf("one elsewhere: R-hat %.4f", r)
	}
	s.Trials = s.Trials[:1]
	if r := agreement(s, "p-1000", "sifg"); !math.IsNaN(r) {
		t.Errorf("one seed: %v", r)
	}
}

func TestAmong(t *testing.T) {
	all := []string{"a", "b", "c", "d"}
	for want, named := range map[string][]string{
		"no posterior":         nil,
		"b":                    {"b"},
		"a, d":                 {"a", "d"},
		"all posteriors but d": {"a", "b", "c"},
		"every posterior":      all,
	} {
		if got := among(all, named); got != want {
			t.Errorf("among %v: got %q, want %q", named, got, want)
		}
	}
}

// TestOthers: NUTS of the other protocol is judged by its own records, and taken where it is good first.
func TestOthers(t *testing.T) {
	set := func(curves map[string][][3]float64) *record.Set {
		s := madeUp(curves)
		for i := range s.Trials {
			s.Trials[i].Problem = "diamonds-1000"
		}
		return s
	}
	by := map[string]*record.Set{
		"matched": set(map[string][][3]float64{"hmc": {{1, 0.3, 0.09}}}),
		beside:    set(map[string][][3]float64{nuts: {{1, 0.08, 0.08}}}),
	}
	made := others(by)
	want := "With NUTS of BlackJAX among the candidates, it is the sampler to take on every posterior"
	if row := made.Table.Rows[0]; made.Title != want || row[7].Text != "1.6" || row[8].Text != "500" {
		t.Errorf("%q %v", made.Title, row)
	}
	by[beside] = set(map[string][][3]float64{nuts: {{1, 0.3, 0.2}}})
	if made := others(by); !strings.HasSuffix(made.Title, "on no posterior") {
		t.Errorf("%q", made.Title)
	}
}
