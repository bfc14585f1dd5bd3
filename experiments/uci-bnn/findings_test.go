package ucibnn

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestFindingsFollowTheRecords: what a finding says changes with the numbers.
func TestFindingsFollowTheRecords(t *testing.T) {
	factor := func(problem, method string, by float64) *made {
		return asInPrint().but(func(v float64, p, me, _ string, _ int) float64 {
			if me == method && (problem == "" || p == problem) {
				v *= by
			}
			return v
		})
	}
	spread := func(by float64) *made { // the printed spreads times by
		return asInPrint().but(func(v float64, problem, method, metric string, seed int) float64 {
			if p := inPrint(problem, metric, method); p.Text != "" {
				return p.Mean + by*p.AtMost()*wobble(method, seed)
			}
			return v
		})
	}
	all := func(v float64) *made {
		return asInPrint().but(func(float64, string, string, string, int) float64 { return v })
	}
	for _, c := range []struct {
		what  string
		f     harness.Finding
		made  *made
		paper *made
		want  string
	}{
		{"as in print", leadership, asInPrint(), nil, "leads 9 of 12 cells in print, and 9 of 12 under released"},
		{"Ada-SIFG a fifth worse", leadership, factor("", "ada-sifg", 1.2), nil, "and 0 of 12 under released"},
		{"bad least squares", beaten, all(100), nil, ""},
		{"perfect least squares", beaten, all(0.01), nil, "60 of 60 printed cells"},
		{"as in print", steps, asInPrint(), nil, "SGLD on 6 of 6 data sets, those of SVGD on 6"},
		{"SGLD 2 % off on Wine", steps, factor("wine", "sgld", 1.02), nil, "SGLD on 5 of 6"},
		{"one step of SVGD off", steps, factor("", "svgd", 1.02), nil, "SVGD on 6"},
		{"spreads as in print, paper's ten times", spreads, spread(1), spread(10), "± 10 times that of one split"},
		{"spreads as in print, paper's ten times", spreads, spread(1), spread(10), "nearer to that of trials that share one split"},
		{"spreads a tenth of those in print", spreads, spread(0.1), spread(1), "nearer to that of trials with a split of their own"},
		{"one protocol", spreads, spread(1), nil, ""},
		{"settled", restless, asInPrint(), nil, ""},
		{"Boston's test part 0.5 worse", optimism, asInPrint().shift("boston", "", "test-nll", 0.5), nil, "nats better"},
		{"σ falls", sigmas, asInPrint(), nil, "fallen in 6 of 6 settings"},
		{"SIFG better on Boston", sigmas, asInPrint().shift("boston", "sifg", "test-rmse", -0.5), nil, "higher in 1 "},
	} {
		by := map[string]*record.Set{"released": c.made.set(t)}
		if c.paper != nil {
			c.paper.protocol = "paper"
			by["paper"] = c.paper.set(t)
		}
		st := c.f(by)
		switch {
		case st == nil && c.want != "":
			t.Errorf("%s: nothing is said, want %q", c.what, c.want)
		case st != nil && (c.want == "" || !strings.Contains(st.Title+" "+st.Text, c.want)):
			t.Errorf("%s: %q, %q; want %q", c.what, st.Title, st.Text, c.want)
		}
		if st != nil && strings.Contains(st.Table.Markdown(), "NaN") {
			t.Errorf("%s: %s", c.what, st.Table.Markdown())
		}
	}
}

// TestUnsettled: a run whose last checkpoints jump by more than a tenth is listed with its range.
func TestUnsettled(t *testing.T) {
	s := asInPrint().set(t)
	const key = "power-sgld-0"
	s.Traces[key] = nil
	for k := range 100 {
		s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Iteration: k, Metric: "rmse", Value: 4 + math.Mod(float64(k), 2)})
	}
	st := restless(map[string]*record.Set{"released": s})
	if st == nil || len(st.Table.Rows) != 1 {
		t.Fatalf("%+v", st)
	}
	if row := st.Table.Rows[0]; row[0].Text != "released, SGLD, Power" || row[1].Text != "4.000" || row[2].Text != "5.000" {
		t.Errorf("%+v", row)
	}
}
