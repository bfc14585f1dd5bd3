package cli

import (
	"math"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// The time that is left goes by what trials of the same kind took in this run, then by what they took earlier at this run's
// pace; a kind that was never measured has no say in the pace.
func TestETA(t *testing.T) {
	of := func(method string, n int) []harness.Trial {
		out := make([]harness.Trial, n)
		for i := range out {
			out[i] = harness.Trial{Experiment: "toy", Problem: "small", Method: method, Seed: uint64(i),
				Config: harness.TrialConfig{Particles: 10, Iterations: 100}}
		}
		return out
	}
	costs := harness.NewCosts()
	for method, seconds := range map[string]float64{"svgd": 2, "sgld": 10} {
		costs.Add(&record.Trial{Experiment: "toy", Problem: "small", Method: method, Particles: 10, Iterations: 100, Status: record.StatusOK}, seconds)
	}
	todo := append(append(of("svgd", 4), of("sgld", 5)...), of("new", 4)...) // new is taken for (2+10)/2 = 6 s
	none := map[*harness.Trial]*running{}
	e := newETA(todo, costs, 2)
	check := func(what string, run map[*harness.Trial]*running, fraction, left float64) {
		t.Helper()
		f, l, known := e.now(run)
		if !known || math.Abs(f-fraction) > 0.01 || math.Abs(l-left) > 0.1 {
			t.Errorf("%s: fraction %.3f, %.2f s left, known %v; want %.3f, %.2f s", what, f, l, known, fraction, left)
		}
	}
	check("start", none, 0, (4*2+5*10+4*6)/2.)
	e.ended(&todo[0], 3, true)
	e.ended(&todo[1], 5, true) // twice as slow as before
	check("slower than before", none, 8/164., (2*4+5*20+4*12)/2.)
	e.ended(&todo[9], 30, true)
	check("the new kind", none, 38/(38+2*4+5*20+3*30.), (2*4+5*20+3*30)/2.)
	e.ended(&todo[10], 1, false)
	check("a failure", none, 68/(68+2*4+5*20+2*30.), (2*4+5*20+2*30)/2.)
	run := map[*harness.Trial]*running{&todo[11]: {since: time.Now().Add(-10 * time.Second), fraction: 0.5}}
	check("a trial that runs", run, 83/(68+15+2*4+5*20+30+10.), (2*4+5*20+30+10)/2.)
	for _, i := range []int{2, 3, 4, 5, 6, 7, 8} {
		e.ended(&todo[i], 10, true)
	}
	e.ended(&todo[12], 30, true)
	check("the last one", run, 1-10/(10+15+2*30+30+4*7+5*10.), 10)

	if _, _, known := newETA(todo, harness.NewCosts(), 2).now(none); known {
		t.Error("a time is given although nothing was ever measured")
	}
}
