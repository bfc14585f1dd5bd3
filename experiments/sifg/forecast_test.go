package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// timed is the fastest of the committed times of a configuration on a processor.
type timed struct {
	harness.Trial
	config, cpu string
	dim         int
	seconds     float64
}

// times returns those of an experiment's report.
func times(experiment string) (out []*timed) {
	at := map[string]*timed{}
	report.Timed("../../results", experiment, func(t *harness.Trial, dim int, cpu string, seconds float64) {
		config := t.Problem + t.Method + t.Row().Config
		x := at[config+cpu]
		if x == nil {
			x = &timed{*t, config, cpu, dim, seconds}
			at[config+cpu], out = x, append(out, x)
		}
		x.seconds = min(x.seconds, seconds)
	})
	return out
}

// TestForecast: the committed time of each configuration is predicted from those of the others of its experiment. Many
// of them are of busy machines, so not all can be right: of an experiment 45 % are within a factor of two, and the sum
// is. While only particles and iterations counted, it was 41 % for gmm and none for funnel.
func TestForecast(t *testing.T) {
	long(t, "forecasts every committed trial")
	for _, e := range experiments {
		all := times(e.Name)
		known, near, sum, truth := 0, 0, 0.0, 0.0
		for _, x := range all {
			costs := run.Costs{Experiments: experiments, CPU: x.cpu}
			for _, y := range all {
				if x.config != y.config {
					costs.Add(&y.Trial, y.dim, y.cpu, y.seconds)
				}
			}
			predicted, ok := costs.Seconds(&x.Trial)
			if !ok {
				continue // a program, or a computation, of which nothing else is known
			}
			known, sum, truth = known+1, sum+predicted, truth+x.seconds
			if ratio := predicted / x.seconds; ratio > 0.5 && ratio < 2 {
				near++
			}
		}
		t.Logf("%s: %d of %d configurations known, %d within a factor of two; sum %.2f times the measured",
			e.Name, known, len(all), near, sum/truth)
		if known == 0 || float64(near) < 0.45*float64(known) || math.Abs(math.Log(sum/truth)) > math.Log(2) {
			t.Errorf("%s: the forecasts are wrong", e.Name)
		}
	}
}

// TestForecastOfInner: up to a hundred times the network steps are forecast, from trials with the usual number, as what
// a grid of them took.
func TestForecastOfInner(t *testing.T) {
	const dir = "../../results/grid/gmm-surface-edges/surface/"
	all := map[string]record.Timing{}
	for _, x := range must(record.Decode[record.Timing](must(os.ReadFile(dir + "timings.parquet")))) {
		all[x.Key] = x
	}
	measured := times("gmm")
	ratios := map[int]float64{} // of the forecast to the fastest, by network steps
	for _, row := range must(record.Decode[record.Trial](must(os.ReadFile(dir + "trials.parquet")))) {
		if !strings.HasPrefix(row.Method, "sifg") {
			continue
		}
		config := must(settings.Of(row))
		costs := run.Costs{CPU: all[row.Key].CPU}
		for _, x := range measured {
			if x.Trial.Protocol != "surface" {
				costs.Add(&x.Trial, x.dim, x.cpu, x.seconds)
			}
		}
		trial := harness.Trial{Experiment: "gmm", Problem: row.Problem, Method: row.Method, Config: &config}
		forecast, _ := costs.Seconds(&trial)
		inner := config.Sampler.Inner
		ratios[inner] = max(ratios[inner], forecast/all[row.Key].Seconds)
	}
	for inner, ratio := range ratios {
		t.Logf("%d network steps: %.2f times the measured", inner, ratio)
		if ratio < 1/1.5 || ratio > 1.5 {
			t.Errorf("%d network steps: the forecast is wrong", inner)
		}
	}
	if len(ratios) != 5 {
		t.Errorf("%d numbers of network steps, want 5", len(ratios))
	}
}
