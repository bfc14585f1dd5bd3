package grid

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// noisy are made-up values of cells by step, one a seed. With the first two seeds 0.03 is the best, with eight 0.02;
// with four these two are not apart: their differences are 0.10, 0.12, −0.20, −0.19, of mean −0.04 and error 0.09.
var noisy = map[float64][]float64{
	0.02: {0.30, 0.34, 0.10, 0.12, 0.08, 0.11, 0.09, 0.10},
	0.03: {0.20, 0.22, 0.30, 0.31, 0.29, 0.33, 0.28, 0.32},
	0.05: {0.60, 0.62, 0.61, 0.60, 0.63, 0.60, 0.61, 0.60},
	0.1:  {0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87}, // in use
	0.2:  {0.90, 0.91, 0.90, 0.91, 0.90, 0.91, 0.90, 0.91},
}

const halved = "{problems: [small], methods: [svgd], seeds: 1..8, halving: 2, product: {step: [0.2, 0.05, %s]}}"

// halves computes at most some trials of each round of a grid before it asks again, and returns its choice with the
// seeds of each cell. With whole, all trials of the grid are there from the start.
func halves(t *testing.T, text string, some int, whole bool) string {
	t.Helper()
	all, q, err1 := layOut(text, "min gap")
	s, err2 := ReadSpec("steps.yaml", []byte(text))
	have, err3 := store.Open(t.TempDir())
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	compute := func(p *plan.Plan, most int) {
		for i := range p.Trials {
			if x := &p.Trials[i]; !there[x.Key] && most > 0 {
				r := result(x)
				r.Traces[2].Value = noisy[x.Config.Sampler.Step][x.Seed-1]
				put(t, have, r)
				there[x.Key], most = true, most-1
			}
		}
	}
	if whole {
		compute(all, len(all.Trials))
	}
	for {
		p, err := s.Round(all, q, have)
		if err != nil {
			t.Fatal(err)
		}
		n := len(there)
		if compute(p, some); len(there) > n {
			continue
		}
		set := collect(t, p, q, have).Experiments[0].Sets[0]
		text := best(q, set)
		for _, c := range q.groups(set)[0].cells {
			text += fmt.Sprintf(", %s %d", c.settings["sampler.step"], len(c.samples[0]))
		}
		return text
	}
}

// TestHalving: two seeds choose wrongly, halving does not, wherever it was stopped and whatever the store has of other
// cells. It ends before the seeds do where four tell the best two apart, and the settings in use have all seeds.
func TestHalving(t *testing.T) {
	two := strings.Replace(halved, "1..8", "1..2", 1)
	for _, c := range []struct{ text, steps, want string }{
		{two, "0.03, 0.02", "step 0.03 at 0.2100, 0.03 2, 0.02 2, 0.05 2, 0.1 2, 0.2 2"},
		{halved, "0.03, 0.02", "step 0.02 at 0.1550, 0.02 8, 0.03 8, 0.1 8, 0.05 4, 0.2 2"},
		{halved, "0.03", "step 0.03 at 0.2575, 0.03 4, 0.05 4, 0.1 4, 0.2 2"},
	} {
		for _, some := range []int{1, 3, 1000} {
			for _, whole := range []bool{false, true} {
				if got := halves(t, fmt.Sprintf(c.text, c.steps), some, whole); got != "small/svgd: "+c.want {
					t.Errorf("%d trials at a time, all there %v: %s, want %s", some, whole, got, c.want)
				}
			}
		}
	}
}
