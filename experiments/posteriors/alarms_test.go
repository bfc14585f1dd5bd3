package posteriors

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// instruments are what may warn of a run.
var instruments = []string{"Summarize", "Watch", "Summarize of two seeds"}

// TestAlarms counts warnings on runs with 300 particles under tuned, of seeds 1 and 2: false alarms on samples that
// are good by the reference draws, and what is said of those that are not. By itself it looks at one posterior;
// ALARMS=all looks at all, method by method.
func TestAlarms(t *testing.T) {
	problems := []string{"garch-1000"}
	methods := []string{"l2-gf"}
	all := os.Getenv("ALARMS") == "all"
	if all {
		problems, methods = nil, []string{"sifg", "l2-gf", "svgd", "sgld"}
	} else if testing.Short() {
		t.Skip("two runs of three seconds")
	}
	data, err := dataset.Open(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	harness.Register(Experiment)
	planned, err := plan.New(plan.Request{Experiments: []*harness.Experiment{Experiment}, Data: data, Scale: "full",
		Protocols: []string{"tuned"}, Problems: problems, Methods: methods, Seeds: []uint64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]*[2][4]int{} // by method: runs that are not good and that are; of those warned of by each
	first := map[string]*sifg.Cloud{} // runs of seed 1
	for i := range planned.Trials {
		x := &planned.Trials[i]
		if !strings.HasSuffix(x.Problem, "-1000") {
			continue
		}
		x.Config.Particles = 300
		x.Data = func() (*dataset.Data, error) { return data.Load("posteriordb") }
		c, moved, good, off := watched(t, x)
		pair := x.Problem + " " + x.Method
		said := [][]string{diagnose.Summarize(c).Warnings, moved, nil}
		if first[pair] == nil {
			first[pair] = c
		} else {
			said[2] = diagnose.Summarize(first[pair], c).Warnings
		}
		t.Logf("%s, seed %d: errors %s those of exact draws; %q", pair, x.Seed, off, said)
		n := counts[x.Method]
		if n == nil {
			n = new([2][4]int)
			counts[x.Method] = n
		}
		n[count(good)][3]++
		for k, warnings := range said {
			n[count(good)][k] += count(len(warnings) > 0)
		}
		sure := strings.Contains(strings.Join(moved, " "), "has not converged")
		if good && !all && (len(said[0]) > 0 || len(said[2]) > 0 || sure) {
			t.Errorf("%s is good and raises %q", pair, said)
		}
	}
	for _, m := range methods {
		for good, what := range []string{"not good", "good"} {
			n := counts[m][good]
			line := fmt.Sprintf("%s: %d runs are %s", m, n[3], what)
			for k, name := range instruments {
				line += fmt.Sprintf(", %s warns of %d", name, n[k])
			}
			t.Log(line)
		}
	}
}

// watched runs a trial, and judges its sample.
func watched(t *testing.T, x *harness.Trial) (c *sifg.Cloud, moved []string, good bool, off string) {
	t.Helper()
	p, err := build(x)
	if err != nil {
		t.Fatal(err)
	}
	_, row, err := options(x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := x.Data()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := truthOf(data, row)
	if err != nil {
		t.Fatal(err)
	}
	var w diagnose.Watch
	c, err = sifg.Sample(context.Background(), x.Config.Sampler, p.Target, sifg.Options{
		Particles: x.Config.Particles, Iterations: x.Config.Iterations, Seed: x.Seed, Init: p.Init,
		Every: x.Config.Iterations / 40, Callback: w.Look,
	})
	if err != nil {
		t.Fatal(err)
	}
	values := metric.NewPoints(c.X.Rows, tr.draws.D)
	sample := metric.FromBatch(c.X)
	for i := range values.N {
		tr.posterior.Constrain(values.Row(i), tr.laplace.Forward(sample.Row(i)))
	}
	e, exact := tr.reference.Errors(values), tr.reference.ExactErrors(values.N, 20, rng.New(0, "posteriors-exact"))
	mean, sd := e.AverageMean/exact.AverageMean, e.AverageSD/exact.AverageSD
	return c, w.Warnings(), max(mean, sd) <= near, fmt.Sprintf("%.2g and %.2g times", mean, sd)
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
