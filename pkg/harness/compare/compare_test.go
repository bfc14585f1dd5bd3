package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// values are the last values of a method on a problem, the first of them of seed 1.
type values struct {
	problem, method string
	of              []float64
}

// report builds a report of trials with one metric at two checkpoints, the first of which must not count.
func report(protocol, scale string, all ...values) harness.Report {
	r := harness.Report{Info: harness.RunInfo{Experiment: "e", Protocol: protocol, Scale: scale}, Set: &record.Set{}}
	for _, v := range all {
		for i, x := range v.of {
			t := record.Trial{
				Key: v.problem + v.method + string(rune('a'+i)), Problem: v.problem, Method: v.method, Seed: uint64(i + 1),
				Status: record.StatusOK, Config: `{"particles":10,"sampler":{"step":0.1}}`,
			}
			r.Set.Trials = append(r.Set.Trials, t)
			for _, iter := range []int{0, 10} {
				r.Set.Traces = append(r.Set.Traces, record.Trace{
					Key: t.Key, Problem: v.problem, Method: v.method, Seed: t.Seed, Iteration: iter, Metric: "rmse", Value: x + float64(10-iter),
				})
			}
		}
	}
	return r
}

const header = "dataset,metric,method,mean,std,source,note\n"

func TestPublished(t *testing.T) {
	e := &harness.Experiment{
		Name: "e", Unlike: map[string]string{"standard": "other data"},
		Published: []byte(header + "p,rmse,a,2.000,0.10,Table 1,\np,rmse,b,2.00,0.00,Table 1,a copy\np,rmse,c,1.0,0.1,Table 1,\n"),
	}
	// a: mean 2.1, sd 0.1: pooled 0.1, one unit away. b: 0.5 away, 25 %, with a spread of at most 0.005 in print.
	a, b := values{"p", "a", []float64{2.0, 2.1, 2.2}}, values{"p", "b", []float64{2.5, 2.5, 2.5}}
	got, err := Published(e, report("released", "full", a, b))
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	near := func(what string, got Number, want float64) {
		if math.Abs(float64(got)-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", what, float64(got), want)
		}
	}
	near("mean", got[0].Ours.Mean, 2.1)
	near("difference", got[0].Difference, 0.1)
	near("units", got[0].Units, 1)
	near("share", got[0].Share, 0.05)
	near("uncertainty", got[0].Uncertainty, 0.1*math.Sqrt(2.0/3))
	// the bootstrap of three values ends at the smallest and the largest of them: each is all three draws with chance 1/27 > 2.5 %
	near("low", got[0].Low, 0)
	near("high", got[0].High, 0.2)
	for i, want := range []string{Agrees, Differs, NotComparable} {
		if got[i].Verdict != want {
			t.Errorf("%s: %s (%s), want %s", got[i].Method, got[i].Verdict, got[i].Why, want)
		}
	}
	if got[1].Note != "a copy" || got[1].Text != "2.00 ± 0.00" || !got[2].Missing || got[2].Why != "no trial of it" {
		t.Errorf("%+v\n%+v", got[1], got[2])
	}
	for why, r := range map[string]harness.Report{
		"other data":   report("standard", "full", a),
		"quick scale:": report("released", "quick", a),
	} {
		if got, _ := Published(e, r); got[0].Verdict != NotComparable || !strings.HasPrefix(got[0].Why, why) || got[0].Missing {
			t.Errorf("%s: %+v", why, got[0])
		}
	}
	changed := report("released", "full", a)
	changed.Info.Set = []string{"step=1"}
	for i := range changed.Set.Trials[:2] {
		changed.Set.Trials[i].Status = record.StatusDiverged
	}
	got, _ = Published(e, changed)
	if got[0].Ours.N != 1 || !strings.Contains(got[0].Why, "step=1") {
		t.Errorf("changed settings, two of three diverged: %+v", got[0])
	}
	changed.Set.Trials[2].Status = record.StatusTimeout
	if got, _ = Published(e, changed); got[0].Why != "of 3 trials 2 diverged, 1 timeout" {
		t.Errorf("no trial ended well: %q", got[0].Why)
	}
	if _, err := json.Marshal(got); err != nil { // with numbers that there are not
		t.Error(err)
	}
}

func TestFolders(t *testing.T) {
	ours := report("released", "full", values{"p", "a", []float64{1, 2, 3}}, values{"p", "b", []float64{1, 2, 3}},
		values{"p", "c", []float64{1, 2, 3}}, values{"p", "only", []float64{1}})
	theirs := report("released", "full", values{"p", "a", []float64{1, 2, 3}}, values{"p", "b", []float64{1.5, 2.5, 3.5}},
		values{"p", "c", []float64{11, 12, 13}}, values{"p", "other", []float64{1}})
	for i := range theirs.Set.Trials {
		if theirs.Set.Trials[i].Method == "b" {
			theirs.Set.Trials[i].Config = `{"particles":10,"sampler":{"step":0.2,"hidden":3}}`
		}
	}
	got := map[string]Matched{}
	for _, m := range Folders(ours, theirs) {
		got[m.Method] = m
	}
	if len(got) != 5 || !got["a"].Identical || got["a"].Verdict != Agrees {
		t.Fatalf("%+v", got)
	}
	// every pair differs by the same half: no uncertainty; half a pooled standard deviation
	b := got["b"]
	if b.Identical || b.Verdict != Agrees || b.Difference != -0.5 || b.Uncertainty != 0 || b.Pairs != 3 ||
		b.Note != `sampler.hidden not set, theirs 3; sampler.step 0.1, theirs 0.2` {
		t.Errorf("b: %+v", b)
	}
	if got["c"].Verdict != Differs || got["only"].Why != "theirs: no trial of it" || got["other"].Why != "ours: no trial of it" {
		t.Errorf("c %+v\nonly %+v\nother %+v", got["c"], got["only"], got["other"])
	}
	theirs.Info.Scale = "quick"
	if m := Folders(ours, theirs)[0]; m.Verdict != NotComparable || !strings.Contains(m.Why, "quick") {
		t.Errorf("of two scales: %+v", m)
	}
	// infinite values are as far from a finite one as can be; two of one seed are alike
	inf := math.Inf(1)
	two := Folders(report("released", "full", values{"p", "a", []float64{1, 2}}, values{"p", "b", []float64{inf, 2}}, values{"p", "c", []float64{inf, 2}}),
		report("released", "full", values{"p", "a", []float64{inf, 2}}, values{"p", "b", []float64{1, 2}}, values{"p", "c", []float64{inf, 2.5}}))
	for i, want := range []float64{-inf, inf, -0.25} {
		if m := two[i]; m.Verdict != Differs || float64(m.Difference) != want {
			t.Errorf("%s, with infinite values: %s, difference %v, want %v", m.Method, m.Verdict, float64(m.Difference), want)
		}
	}
	// without shared seeds: two independent means
	for i := range theirs.Set.Trials {
		theirs.Set.Trials[i].Seed += 100
	}
	for i := range theirs.Set.Traces {
		theirs.Set.Traces[i].Seed += 100
	}
	if m := Folders(ours, theirs)[0]; m.Pairs != 0 || m.Identical || math.Abs(float64(m.Uncertainty)-math.Sqrt(2.0/3)) > 1e-12 {
		t.Errorf("other seeds: %+v, want uncertainty √(1/3 + 1/3)", m)
	}
}

func TestMethods(t *testing.T) {
	base := []float64{1, 2, 3, 4, 5, 6}
	shifted := func(by float64) []float64 {
		var out []float64
		for i, v := range base {
			out = append(out, v+by+0.01*float64(i))
		}
		return out
	}
	inf := math.Inf(1)
	pairs := Methods(report("released", "full", values{"p", "base", base}, values{"p", "low", shifted(-1)}, values{"p", "high", shifted(1)},
		values{"p", "inf", []float64{inf, inf, inf, inf, inf, inf}}, values{"q", "low", base}), "base", []string{"rmse", "nothing"})
	got := map[string]Pair{}
	for _, p := range pairs {
		got[p.Method] = p
	}
	if len(pairs) != 3 {
		t.Fatalf("%+v", pairs)
	}
	// Six differences of one sign: p = 2/2⁶ = 0.03125, times three comparisons 0.094: seeds are too few.
	low := got["low"]
	if low.P != 0.03125 || low.Corrected != 3*0.03125 || low.Verdict != Few || low.Improvement != 1 || math.Abs(float64(low.Difference)+0.975) > 1e-12 {
		t.Errorf("low: %+v", low)
	}
	if low.Low < -1 || low.High > -0.95 || low.Low > low.Difference || low.High < low.Difference {
		t.Errorf("interval %g … %g of differences from −1 to −0.95", float64(low.Low), float64(low.High))
	}
	if p := got["inf"]; math.Abs(float64(p.P)-0.03125) > 1e-12 || p.Improvement != 0 || !strings.Contains(p.Note, "sign test") {
		t.Errorf("infinite: %+v", p)
	}
	// one comparison alone passes
	one := Methods(report("released", "full", values{"p", "base", base}, values{"p", "high", shifted(1)}), "base", []string{"rmse"})
	// an undefined value leaves nothing to say
	none := Methods(report("released", "full", values{"p", "base", base}, values{"p", "nan", []float64{1, 2, 3, 4, 5, math.NaN()}}), "base", []string{"rmse"})[0]
	if !math.IsNaN(float64(none.P)) || !math.IsNaN(float64(none.Improvement)) || none.Verdict != Undefined {
		t.Errorf("with an undefined value: %+v", none)
	}
	if one[0].Verdict != Higher || one[0].Corrected != 0.03125 || one[0].Improvement != 0 {
		t.Errorf("one comparison: %+v", one[0])
	}
	down := Methods(report("released", "full", values{"p", "base", base}, values{"p", "low", shifted(-1)}), "base", []string{"rmse"})
	if down[0].Verdict != Lower {
		t.Errorf("lower: %+v", down[0])
	}
	same := Methods(report("released", "full", values{"p", "base", base}, values{"p", "same", base}), "base", []string{"rmse"})
	if same[0].Verdict != Same || same[0].P != 1 || same[0].Improvement != 0.5 {
		t.Errorf("equal values: %+v", same[0])
	}
}

func TestAverages(t *testing.T) {
	base := []float64{1, 2, 3, 4}
	r := report("released", "full", values{"p", "base", base}, values{"p", "a", []float64{0, 1, 2, 3}}, values{"q", "base", base},
		values{"q", "a", []float64{0, 1, 4, 5}}, values{"p", "b", []float64{0, 1, 2}}, values{"q", "b", base})
	all := Averages(Methods(r, "base", []string{"rmse"}))
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	// all of 4 seeds of p, 2 of 4 of q: ¾; within q the bootstrap share of 4 draws with chance ½ is 0 … 1, so ½ … 1
	a := all[0]
	if a.Improvement != 0.75 || a.Low != 0.5 || a.High != 1 || a.Over != "2 problems (p, q), 4 seeds each" || a.Problem != "" {
		t.Errorf("%+v", a)
	}
	if b := all[1]; !strings.Contains(b.Refused, "mixed seeds: 1,2,3 on p, 1,2,3,4 on q") {
		t.Errorf("of different seeds: %+v", b)
	}
	other := Methods(report("paper", "full", values{"q", "base", base}, values{"q", "a", base}), "base", []string{"rmse"})
	first := Methods(r, "base", []string{"rmse"})
	for want, pairs := range map[string][]Pair{
		"mixed: e released full rmse a": {first[0], other[0]},
		"one problem only":              first[:1],
		"stands twice":                  {first[0], first[0]},
	} {
		if _, err := average(pairs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	r.Set.Trials[4].Status = record.StatusFailed // method a on p, seed 1
	r.Set.Trials = append(r.Set.Trials, record.Trial{Problem: "q", Method: "a", Seed: 9, Status: record.StatusFailed})
	if all := Averages(Methods(r, "base", []string{"rmse"})); all[0].Refused == "" {
		t.Errorf("a trial failed: %+v", all[0])
	}
}
