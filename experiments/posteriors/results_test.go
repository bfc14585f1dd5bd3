package posteriors

import (
	"fmt"
	"math"
	"slices"
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
	if _, err := valuesTable(s); err == nil || err.Error() != "no trial began" {
		t.Errorf("without values: %v", err)
	}
	for i, metric := range []string{"mean", "sd", "low", "high"} {
		s.Traces["1"] = append(s.Traces["1"], record.Trace{
			Key:    "1",
			Metric: "reference-value-" + metric,
			Value:  float64(i + 1),
		})
	}
	made, err := valuesTable(s)
	if err != nil {
		t.Fatal(err)
	}
	if row := made.Rows[0]; row[0].Text != "x" || row[1].Value != "1" || row[4].Value != "4" {
		t.Errorf("%v", row)
	}
}

// TestVerdict: what the notes say of a method that is good, by what the long chains' diagnostics are.
func TestVerdict(t *testing.T) {
	fine := map[string]float64{"rhat": 1.001, "ess": 5000, "ebfmi": 0.9, "divergences": 0, "laplace": 1, "far": 5}
	const good, centred, mode, sign = "it is good, and its errors", "write the model non-centred",
		"No mode with a positive curvature was found from 0", "the density does not fall off: is its sign wrong?"
	for _, c := range []struct {
		name  string
		facts map[string]float64 // that are other
		want  []string           // one a note
	}{
		{"fine", nil, []string{good}},
		{"R-hat", map[string]float64{"rhat": 1.02}, []string{"None can be trusted: the long chains"}},
		{"few draws", map[string]float64{"ess": 399}, []string{"None can be trusted: the long chains"}},
		{"E-BFMI", map[string]float64{"ebfmi": 0.2}, []string{good, centred}},
		{"divergences", map[string]float64{"divergences": 0.01}, []string{good, centred}},
		{"no mode", map[string]float64{"laplace": 0}, []string{good, mode}},
		{"far, and well", map[string]float64{"laplace": 0, "far": 6000}, []string{good, mode}},
		{"ran away", map[string]float64{"laplace": 0, "far": 6000, "rhat": 3, "divergences": 0.01},
			[]string{"None can be trusted", sign, mode}},
	} {
		s := madeUp(map[string][][3]float64{"hmc": {{1, 0.3, 0.09}}})
		for name, v := range fine {
			if other, ok := c.facts[name]; ok {
				v = other
			}
			s.Traces["hmca"] = append(s.Traces["hmca"], record.Trace{Metric: "reference-" + name, Value: v})
		}
		notes := verdict(s)
		for i, want := range c.want {
			if len(notes) != len(c.want) || !strings.Contains(notes[i], want) {
				t.Errorf("%s: %q, want %q", c.name, notes, c.want)
				break
			}
		}
	}
	s := madeUp(map[string][][3]float64{"hmc": {{1, 0.3, 0.09}}})
	s.Trials[0].Status, s.Trials[0].Reason = record.StatusFailed, "making its reference: the program died"
	want := []string{"Nothing was judged: making its reference: the program died"}
	if notes := verdict(s); !slices.Equal(notes, want) {
		t.Errorf("without a reference: %q, want %q", notes, want)
	}
}

// TestUnsettled: a flow that is to be taken and still moves is said to. Of others nothing is known.
func TestUnsettled(t *testing.T) {
	s := madeUp(map[string][][3]float64{"sifg": {{1, 0.3, 0.09}}})
	s.Trials[0].Iterations = 500
	key := s.Trials[0].Key
	for name, v := range map[string]float64{"reference-rhat": 1, "reference-ess": 5000} {
		s.Traces[key] = append(s.Traces[key], record.Trace{Metric: name, Value: v})
	}
	note := func() string { return strings.Join(verdict(s), " ") }
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
	shift, second := float32(0), s.Trials[1].Key
	s.Load = func(key, name string) (*record.Array, error) {
		stream := rng.New(1, key).Rand()
		a := &record.Array{Shape: []int{400, 3}}
		for range 400 {
			a.Data = append(a.Data, float32(stream.NormFloat64()), float32(stream.NormFloat64()), 7)
		}
		if key == second {
			for i := range 400 {
				a.Data[3*i+1] += shift
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
