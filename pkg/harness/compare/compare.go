// Package compare sets the numbers of a report beside those that the paper prints, or beside another report's. A cell is one metric of
// one method on one problem under one protocol: a value per seed, at the last checkpoint.
package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Verdicts on a cell.
const (
	Agrees        = "agrees"
	Differs       = "differs"
	NotComparable = "not comparable"
)

// Tolerance is the rule in words.
const Tolerance = "Two means agree if they differ by at most 2 pooled standard deviations, √((sd² + sd²)/2), or by 3 %."

// Name is what a cell is the numbers of.
type Name struct {
	Experiment string `json:"experiment"`
	Protocol   string `json:"protocol"`
	Problem    string `json:"problem"`
	Method     string `json:"method"`
	Metric     string `json:"metric"`
	Index      int    `json:"index"` // component of a vector metric, else 0
}

// Row is a cell beside another's numbers, theirs.
type Row struct {
	Name
	Ours        Summary `json:"ours"`
	Theirs      Summary `json:"theirs"`
	Printed     string  `json:"printed,omitempty"` // theirs, as the paper prints them
	Source      string  `json:"source,omitempty"`  // where
	Pairs       int     `json:"pairs,omitempty"`   // seeds that both reports have
	Difference  Number  `json:"difference"`        // ours − theirs; over the pairs, if there are any
	Uncertainty Number  `json:"uncertainty"`       // standard error of the difference
	Units       Number  `json:"units"`             // difference in pooled standard deviations
	Share       Number  `json:"share"`             // difference over their mean
	Identical   bool    `json:"identical,omitempty"`
	Verdict     string  `json:"verdict"`
	Why         string  `json:"why,omitempty"`  // it cannot be compared
	Note        string  `json:"note,omitempty"` // settings that differ; what is known of a printed number
}

// Number is a number for JSON, null where it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Summary is one side's values.
type Summary struct {
	Mean Number `json:"mean"`
	SD   Number `json:"sd"` // over seeds; null of one value
	N    int    `json:"n"`  // 0: unknown, or no value
}

func summary(v []float64) Summary {
	return Summary{Number(stats.Mean(v)), Number(stats.SD(v)), len(v)}
}

// ordered returns values in order of seed.
func ordered(values map[uint64]float64) []float64 {
	var out []float64
	for _, seed := range slices.Sorted(maps.Keys(values)) {
		out = append(out, values[seed])
	}
	return out
}

// Published compares a protocol with the numbers that the paper prints of the experiment, in their order. Of a person's own data it
// prints none.
func Published(e *harness.Experiment, p *report.Protocol) []Row {
	finals := claim.ReadFinals(p.Records)
	var out []Row
	if p.Selected("data") != nil {
		return nil
	}
	for _, printed := range e.Published {
		r := unknown(Name{e.Name, p.Name, printed.Problem, printed.Method, printed.Metric, 0}, "")
		r.Printed, r.Source, r.Note = printed.Text, printed.Source, printed.Note
		r.Theirs = Summary{Number(printed.Mean), Number(printed.SD), 0}
		v := finals.Values(printed.Problem, printed.Metric, printed.Method)
		r.Ours = summary(v)
		g := printed.Gap(v)
		r.Difference, r.Units, r.Share = Number(g.Difference), Number(g.Units), Number(g.Share)
		if len(v) > 0 { // if theirs is a mean of as many trials
			r.Uncertainty = Number(g.Pooled * math.Sqrt(2/float64(len(v))))
		}
		switch why := p.Records.Incomparable; {
		case len(v) == 0:
			r.Why = lacking(p, r.Name)
		case why != "":
			r.Why = why
		case !p.Complete():
			r.Why = "trials are missing"
		case g.Agrees():
			r.Verdict = Agrees
		default:
			r.Verdict = Differs
		}
		out = append(out, r)
	}
	return out
}

// Reports compares the cells of two reports of the same experiment and protocol: ours in their order, then those that only theirs has.
func Reports(ours, theirs *report.Protocol) []Row {
	a, b := claim.ReadFinals(ours.Records), claim.ReadFinals(theirs.Records)
	name := func(c claim.Cell) Name {
		return Name{ours.Records.Experiment, ours.Name, c.Problem, c.Method, c.Metric, c.Index}
	}
	var out []Row
	for _, c := range a.Cells {
		r := unknown(name(c), "theirs: "+lacking(theirs, name(c)))
		r.Ours = summary(ordered(a.BySeed(c)))
		if other := b.BySeed(c); other != nil {
			r.match(a.BySeed(c), other)
			r.Note = changed(config(ours, c), config(theirs, c))
			if r.Why = ""; ours.Scale != theirs.Scale {
				r.Verdict, r.Why = NotComparable, fmt.Sprintf("ours is of %s scale, theirs of %s", ours.Scale, theirs.Scale)
			}
		}
		out = append(out, r)
	}
	for _, c := range b.Cells {
		if a.BySeed(c) == nil {
			r := unknown(name(c), "ours: "+lacking(ours, name(c)))
			r.Theirs = summary(ordered(b.BySeed(c)))
			out = append(out, r)
		}
	}
	return out
}

// config returns the configuration of the first trial that a cell is of, in JSON.
func config(p *report.Protocol, c claim.Cell) string {
	t, _ := claim.First(p.Records, c.Problem, c.Method)
	return t.Config
}

// unknown is a row without numbers.
func unknown(n Name, why string) Row {
	none, nan := summary(nil), Number(math.NaN())
	return Row{Name: n, Ours: none, Theirs: none, Difference: nan, Uncertainty: nan, Units: nan, Share: nan, Verdict: NotComparable, Why: why}
}

// match compares values by seed with theirs.
func (r *Row) match(a, b map[uint64]float64) {
	va, vb := ordered(a), ordered(b)
	r.Theirs = summary(vb)
	var d []float64
	r.Identical = len(va) == len(vb)
	for _, seed := range slices.Sorted(maps.Keys(a)) {
		v := a[seed]
		w, both := b[seed]
		same := v == w || math.IsNaN(v) && math.IsNaN(w)
		r.Identical = r.Identical && both && same
		if both && same {
			d = append(d, 0) // of equal infinities too
		} else if both {
			d = append(d, v-w)
		}
	}
	r.Pairs = len(d)
	if len(d) > 0 {
		r.Difference, r.Uncertainty = Number(stats.Mean(d)), Number(stats.SE(d))
	} else {
		r.Difference, r.Uncertainty = r.Ours.Mean-r.Theirs.Mean, Number(math.Hypot(stats.SE(va), stats.SE(vb)))
	}
	size, mean := math.Abs(float64(r.Difference)), math.Abs(float64(r.Theirs.Mean))
	r.Units = r.Difference / Number(math.Hypot(float64(r.Ours.SD), float64(r.Theirs.SD))/math.Sqrt2)
	r.Share = r.Difference / Number(mean)
	if r.Identical || math.Abs(float64(r.Units)) <= claim.Units || size <= claim.Share*mean && !math.IsInf(mean, 0) {
		r.Verdict = Agrees
	} else {
		r.Verdict = Differs
	}
}

// lacking says why a protocol has no values of a cell.
func lacking(p *report.Protocol, n Name) string {
	bad, all := map[string]int{}, 0
	for _, t := range p.Records.Trials {
		if t.Problem == n.Problem && t.Method == n.Method {
			all++
			if t.Status != record.StatusOK {
				bad[t.Status]++
			}
		}
	}
	var text []string
	for _, s := range slices.Sorted(maps.Keys(bad)) {
		text = append(text, fmt.Sprintf("%d %s", bad[s], s))
	}
	switch {
	case all == 0:
		return "no trial of it"
	case len(text) > 0:
		return fmt.Sprintf("of %d trials %s", all, strings.Join(text, ", "))
	}
	return "its trials do not measure " + n.Metric
}

// changed says which settings differ between two resolved configurations; "" if none does.
func changed(ours, theirs string) string {
	a, b := claim.Flatten([]byte(ours)), claim.Flatten([]byte(theirs))
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a[key] != b[key] {
			out = append(out, fmt.Sprintf("%s %s, theirs %s", key, cmp.Or(a[key], "not set"), cmp.Or(b[key], "not set")))
		}
	}
	return strings.Join(out, "; ")
}
