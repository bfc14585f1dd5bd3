package compare

import (
	"math"
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
		got[0].Text != "2.000 ± 0.10" {
		t.Errorf("%+v\n%+v", got[0], got[1])
	}
	// where there are printed numbers, that no trial gave one is a difference
	if got[2].Verdict != Differs || got[2].Why != "ours diverged" || got[3].Why != "not computed" ||
		len(got[3].Ours) != 0 {
		t.Errorf("%+v\n%+v", got[2], got[3])
	}
	if text := Table(got).CSV(); !strings.Contains(text, "differs ✗: ours diverged") ||
		!strings.Contains(text, "not computed") {
		t.Errorf("%s", text)
	}
	const count = "1 of 3 agree (0 marked, by chance alone 0), 1 not comparable: ours diverged; not computed"
	if said := Count(got); said != count {
		t.Error(said)
	}
	for _, c := range []struct {
		mean, verdict string
		marked        bool
	}{{"-1", Agrees, false}, {"3.01", Agrees, true}, {"-2.29", Agrees, true}, {"4.31", Differs, false}} {
		text := "dataset,metric,method,mean,se\np,rmse,a," + c.mean + ",1e-9\n"
		one := made("full", values{"a", []float64{0, 2}}) // 1, with a standard error of 1
		if r := Published(claim.MustPublished([]byte(text)), one)[0]; r.Verdict != c.verdict || r.Marked != c.marked {
			t.Errorf("%s: %+v", c.mean, r)
		}
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
