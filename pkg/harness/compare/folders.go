package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Matched is a cell of two reports.
type Matched struct {
	Name
	Ours        Summary `json:"ours"`
	Theirs      Summary `json:"theirs"`
	Pairs       int     `json:"pairs"`       // seeds that both have
	Difference  Number  `json:"difference"`  // ours − theirs; over the pairs, if there are any
	Uncertainty Number  `json:"uncertainty"` // its standard error: of the paired differences, or of two independent means
	Identical   bool    `json:"identical"`   // the same values of the same seeds
	Verdict     string  `json:"verdict"`
	Why         string  `json:"why,omitempty"`  // it is not comparable
	Note        string  `json:"note,omitempty"` // settings that differ
}

// Folders compares the cells of two reports of the same experiment and protocol. Cells of one side alone are not comparable.
func Folders(ours, theirs harness.Report) []Matched {
	other := map[Name]*cell{}
	for _, c := range cellsOf(theirs) {
		c.Scale = "" // may differ, and is said then
		other[c.Name] = c
	}
	var out []Matched
	for _, c := range cellsOf(ours) {
		n := c.Name
		n.Scale = ""
		out = append(out, match(c, other[n], theirs))
		delete(other, n)
	}
	for _, c := range cellsOf(theirs) { // what is left, in order
		n := c.Name
		n.Scale = ""
		if other[n] != nil {
			out = append(out, Matched{
				Name: c.Name, Ours: summary(nil), Theirs: summary(c.ordered()), Difference: Number(math.NaN()), Uncertainty: Number(math.NaN()),
				Verdict: NotComparable, Why: "ours: " + lacking(ours, c.Problem, c.Method, c.Metric),
			})
		}
	}
	return out
}

func match(a, b *cell, theirs harness.Report) Matched {
	m := Matched{
		Name: a.Name, Ours: summary(a.ordered()), Theirs: summary(nil), Difference: Number(math.NaN()), Uncertainty: Number(math.NaN()),
		Verdict: NotComparable,
	}
	if b == nil {
		m.Why = "theirs: " + lacking(theirs, a.Problem, a.Method, a.Metric)
		return m
	}
	m.Theirs = summary(b.ordered())
	m.Note = changed(a.Config, b.Config)
	d := differences(a, b)
	m.Pairs, m.Identical = len(d), len(d) == len(a.Values) && len(d) == len(b.Values)
	for seed, v := range a.Values {
		w := b.Values[seed]
		m.Identical = m.Identical && (v == w || math.IsNaN(v) && math.IsNaN(w))
	}
	switch sa, sb := stats.SE(a.ordered()), stats.SE(b.ordered()); {
	case m.Identical:
		m.Difference, m.Uncertainty = 0, 0
	case len(d) > 0:
		m.Difference, m.Uncertainty = Number(stats.Mean(d)), Number(stats.SE(d))
	default:
		m.Difference, m.Uncertainty = m.Ours.Mean-m.Theirs.Mean, Number(math.Hypot(sa, sb))
	}
	pooled := math.NaN()
	if !math.IsNaN(float64(m.Ours.SD)) && !math.IsNaN(float64(m.Theirs.SD)) {
		pooled = math.Hypot(float64(m.Ours.SD), float64(m.Theirs.SD)) / math.Sqrt2
	}
	size, share := math.Abs(float64(m.Difference)), Share*math.Abs(float64(m.Theirs.Mean))
	switch {
	case theirs.Info.Scale != a.Scale:
		m.Why = fmt.Sprintf("ours is of %s scale, theirs of %s", a.Scale, theirs.Info.Scale)
	case m.Identical, size <= Units*pooled, size <= share && !math.IsInf(share, 1): // a share of infinity is no limit
		m.Verdict = Agrees
	default:
		m.Verdict = Differs
	}
	return m
}

// differences returns a − b for the seeds that both have, in their order.
func differences(a, b *cell) []float64 {
	var out []float64
	for _, seed := range slices.Sorted(maps.Keys(a.Values)) {
		if v, ok := b.Values[seed]; ok {
			out = append(out, difference(a.Values[seed], v))
		}
	}
	return out
}

// difference returns v − w, 0 of two equal values, infinite ones too.
func difference(v, w float64) float64 {
	if v == w {
		return 0
	}
	return v - w
}

// changed says which settings differ between two resolved configurations, "" if none does.
func changed(ours, theirs string) string {
	var a, b map[string]any
	if json.Unmarshal([]byte(ours), &a) != nil || json.Unmarshal([]byte(theirs), &b) != nil {
		return ""
	}
	var out []string
	var walk func(at string, a, b any)
	walk = func(at string, a, b any) {
		x, isX := a.(map[string]any)
		y, isY := b.(map[string]any)
		if !isX || !isY {
			if !reflect.DeepEqual(a, b) {
				out = append(out, fmt.Sprintf("%s %s, theirs %s", strings.TrimPrefix(at, "."), plain(a), plain(b)))
			}
			return
		}
		all := maps.Clone(x)
		maps.Copy(all, y)
		for _, k := range slices.Sorted(maps.Keys(all)) {
			walk(at+"."+k, x[k], y[k])
		}
	}
	walk("", a, b)
	return strings.Join(out, "; ")
}

func plain(v any) string {
	if v == nil {
		return "not set"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
