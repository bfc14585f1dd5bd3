package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// values are the last values of a method on problem p, the first of them of seed 1.
type values struct {
	method string
	of     []float64
}

// made is records of trials with one metric at two checkpoints, the first of which must not count.
func made(scale string, all ...values) *record.Set {
	set := &record.Set{Experiment: "e", Protocol: "paper", Scale: scale, Traces: map[string][]record.Trace{}}
	for _, v := range all {
		for i, x := range v.of {
			t := record.Trial{
				Key: v.method + string(rune('a'+i)), Experiment: "e", Problem: "p", Method: v.method,
				Seed: uint64(i + 1), Status: record.StatusOK, Config: `{"particles":10,"sampler":{"step":0.1}}`,
			}
			set.Trials = append(set.Trials, t)
			for _, iter := range []int{0, 10} {
				set.Traces[t.Key] = append(set.Traces[t.Key],
					record.Trace{Key: t.Key, Iteration: iter, Metric: "rmse", Value: x + float64(10-iter)})
			}
		}
	}
	return set
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

func TestPublished(t *testing.T) {
	numbers := claim.MustPublished([]byte("dataset,metric,method,mean,std,source,note\n" +
		"p,rmse,a,2.000,0.10,Table 1,\np,rmse,b,2.00,0.00,Table 1,a copy\np,rmse,c,1.0,0.1,Table " +
		"1,\np,rmse,d,1.0,0.1,Table 1,\n"))
	// a: mean 2.1, sd 0.1: 1.2 standard errors away. b: 0.5 away, with a spread of at most 0.005 in print.
	p := made("full", values{"a", []float64{2.0, 2.1, 2.2}}, values{"b", []float64{2.5, 2.5, 2.5}},
		values{"c", []float64{1, 2}})
	for i := range p.Trials {
		if p.Trials[i].Method == "c" {
			p.Trials[i].Status = record.StatusDiverged
		}
	}
	got := Published(numbers, p)
	near(t, "mean", stats.Mean(got[0].Ours), 2.1)
	near(t, "difference", got[0].Difference, 0.1)
	near(t, "uncertainty", got[0].Error, 0.1*math.Sqrt(2.0/3))
	if got[0].Verdict != Agrees || got[1].Verdict != Differs || got[1].Note != "a copy" ||
		got[0].Printed != "2.000 ± 0.10" {
		t.Errorf("%+v\n%+v", got[0], got[1])
	}
	// where there are printed numbers, that no trial gave one is a difference
	if got[2].Verdict != Differs || got[2].Note != "ours diverged" || got[3].Why != "no trial of it" ||
		len(got[3].Ours) != 0 {
		t.Errorf("%+v\n%+v", got[2], got[3])
	}
	p.Incomparable = "the settings were changed: step=1"
	if r := Published(numbers, p)[0]; r.Verdict != NotComparable || r.Why != p.Incomparable {
		t.Errorf("with changed settings: %+v", r)
	}
	p.Incomparable, p.Missing = "", p.Trials[:1]
	if r := Published(numbers, p)[0]; r.Verdict != NotComparable || r.Why != "trials are missing" {
		t.Errorf("incomplete: %+v", r)
	}
}

func TestReports(t *testing.T) {
	inf := math.Inf(1)
	ours := made("full", values{"a", []float64{1, inf, 3}}, values{"b", []float64{1, 2, 3}},
		values{"c", []float64{1, 2, 3}}, values{"only", []float64{1}}, values{"d", []float64{1, 2}},
		values{"e", []float64{inf, 2}}, values{"f", []float64{inf, 2}})
	theirs := made("full", values{"a", []float64{1, inf, 3}}, values{"b", []float64{1.5, 2.5, 3.5}},
		values{"c", []float64{11, 12, 13}}, values{"other", []float64{1}}, values{"d", []float64{inf, 2}},
		values{"e", []float64{1, 2}}, values{"f", []float64{inf, 2.5}})
	for i := range theirs.Trials {
		if theirs.Trials[i].Method == "b" {
			theirs.Trials[i].Config = `{"particles":10,"sampler":{"step":0.2,"hidden":3}}`
		}
	}
	got := map[string]Row{}
	for _, r := range Reports(ours, theirs) {
		got[r.Method] = r
	}
	if len(got) != 8 || !got["a"].Identical || got["a"].Verdict != Agrees || got["a"].Difference != 0 {
		t.Fatalf("%+v", got)
	}
	// every pair differs by the same half, so that is no chance
	if b := got["b"]; b.Identical || b.Verdict != Differs || b.Difference != -0.5 || b.Error != 0 ||
		b.Note != `sampler.hidden not set, theirs 3; sampler.step 0.1, theirs 0.2` {
		t.Errorf("b: %+v", b)
	}
	if got["c"].Verdict != Differs || got["only"].Why != "theirs: no trial of it" ||
		got["other"].Why != "ours: no trial of it" {
		t.Errorf("c %+v\nonly %+v\nother %+v", got["c"], got["only"], got["other"])
	}
	// an infinite value beside a finite one is a difference; two of one seed are alike
	for method, want := range map[string]Row{
		"d": {Gap: claim.Gap{Difference: 0}, Verdict: Differs},
		"e": {Gap: claim.Gap{Difference: 0}, Verdict: Differs},
		// the tries that both lost are left out, and one pair is too few
		"f": {Gap: claim.Gap{Difference: -0.5}, Verdict: NotComparable},
	} {
		if r := got[method]; r.Verdict != want.Verdict || r.Difference != want.Difference {
			t.Errorf("%s: %s, difference %v, want %v", method, r.Verdict, r.Difference, want)
		}
	}
	if r := Reports(made("full", values{"a", []float64{1}}), made("full", values{"a", []float64{2}}))[0]; r.Why !=
		"one pair of trials has no standard error" {
		t.Errorf("of one trial: %+v", r)
	}
	undefined := Reports(made("full", values{"a", []float64{1, math.NaN(), 3}}),
		made("full", values{"a", []float64{1, 2, 3}}))[0]
	if undefined.Verdict != Differs || undefined.Note != "ours undefined in 1 of 3 seeds" {
		t.Errorf("undefined in one of three: %+v", undefined)
	}
	for i := range theirs.Trials { // all of c are lost, and no seed is shared
		if t := &theirs.Trials[i]; t.Method == "c" {
			t.Status, t.Seed = record.StatusTimeout, t.Seed+10
		}
	}
	for _, rows := range [][]Row{Reports(ours, theirs), Reports(theirs, ours)} {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Method == "c" })
		if r := rows[i]; r.Verdict != Differs || !strings.HasSuffix(r.Note, "rs stopped") || !math.IsNaN(r.Error) {
			t.Errorf("all tries are lost: %+v", r)
		}
	}
	theirs.Scale = "quick"
	if r := Reports(ours, theirs)[0]; r.Verdict != NotComparable || !strings.Contains(r.Why, "quick") {
		t.Errorf("of two scales: %+v", r)
	}
	for i := range theirs.Trials { // without shared seeds: two independent means
		theirs.Trials[i].Seed += 100
	}
	if r := Reports(ours, theirs)[1]; r.Identical || math.Abs(r.Error-math.Sqrt(2.0/3)) > 1e-12 {
		t.Errorf("other seeds: %+v, want uncertainty √(1/3 + 1/3)", r)
	}
}

// TestTable: identical cells of a problem and metric are one row, and a reason stands once.
func TestTable(t *testing.T) {
	same := values{"a", []float64{1, 2}}
	rows := Reports(
		made("full", same, values{"b", []float64{1, 2}}, values{"c", []float64{1, 2}}, values{"d", []float64{3, 4}}),
		made("full", same, values{"b", []float64{1, 2}}, values{"c", []float64{9, 9}}, values{"x", []float64{1}}),
	)
	text := Table("", rows).CSV()
	if got := strings.Count(text, "\n") - 1; got != 4 || !strings.Contains(text, "2 cells") ||
		!strings.Contains(text, "not comparable (1)") {
		t.Errorf("%s", text)
	}
	parts := []Row{{Cell: record.Cell{Metric: "m"}}, {Cell: record.Cell{Metric: "m", Index: 1}}}
	if text := Table("", parts).CSV(); !strings.Contains(text, ",m[0],") || !strings.Contains(text, ",m[1],") {
		t.Errorf("components of a metric: %s", text)
	}
	if notes := Table("", rows).Notes; len(notes) != 2 || notes[0] != "(1) theirs: no trial of it" {
		t.Errorf("notes %q", notes)
	}
	const want = "2 identical, 1 differs, 2 not comparable: " +
		"theirs: no trial of it; ours: no trial of it"
	if got := Count(rows); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSeeds: the means are those of the seeds that both have; a single pair among several trials is not one of them.
func TestSeeds(t *testing.T) {
	for _, c := range []struct {
		ours, theirs []float64
		first        uint64 // seed of theirs
		seeds        string
		mine, others float64 // means
		verdict      string
		identical    bool
	}{
		{[]float64{1, 2, 3, 4, 9}, []float64{4.5, 9, 7, 7, 7, 7}, 4, "2 of 5", 6.5, 6.75, Agrees, false},
		{[]float64{1, 2}, []float64{1, 2, 9}, 1, "2 of 3", 1.5, 1.5, Agrees, true},
		{[]float64{1, 2, 9}, []float64{1, 2}, 1, "2 of 3", 1.5, 1.5, Agrees, true},
		{[]float64{1, 2, 3}, []float64{9, 9, 9.3}, 3, "3 and 3 others", 2, 9.1, Differs, false},
		{[]float64{1, 2, 3}, []float64{3, 9}, 3, "1 of 3", 3, 3, Agrees, true},
		{[]float64{1, 2, 3}, []float64{2, 3}, 7, "3 and 2 others", 2, 2.5, Agrees, false},
		{[]float64{1, 2, 3}, []float64{1, 2, 4}, 1, "3", 2, 7. / 3, Agrees, false},
	} {
		theirs := made("full", values{"a", c.theirs})
		for i := range theirs.Trials {
			theirs.Trials[i].Seed += c.first - 1
		}
		r := Reports(made("full", values{"a", c.ours}), theirs)[0]
		if r.Seeds != c.seeds || stats.Mean(r.Ours) != c.mine || math.Abs(stats.Mean(r.Theirs)-c.others) > 1e-12 ||
			r.Verdict != c.verdict || r.Identical != c.identical {
			t.Errorf("%+v, want %+v", r, c)
		}
		if text := Table("", []Row{r}).CSV(); !strings.Contains(text, ","+c.seeds+",") {
			t.Errorf("the table does not say %q: %s", c.seeds, text)
		}
	}
}
