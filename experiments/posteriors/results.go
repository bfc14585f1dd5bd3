package posteriors

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
)

// resolution is a note on what 10,000 reference draws can tell.
const resolution = "Below 0.3 with 1000 particles, and 0.1 with 100, the error is that of the 10,000 reference draws " +
	"themselves."

var tables = []harness.Section{
	words.Table("choice", choices),
	scoreCard("1000"),
	scoreCard("100"),
	scoreCard("raw"),
}

// scoreCard is what each method comes to on each posterior.
func scoreCard(kind string) harness.Section {
	return words.Table("card-"+kind, func(s *record.Set) (*table.Table, error) {
		all := names(s)
		methods := s.Methods(all[0] + "-" + kind)
		if len(methods) == 0 {
			return nil, fmt.Errorf("no trials of the problems %s-%s", all[0], kind)
		}
		t := table.Of(all)
		t.Words("Posterior", func(name string) string { return name })
		for _, m := range methods {
			t.Column(figure.Label(m), func(name string) table.Cell { return scoreCell(outcomeOf(s, name+"-"+kind, m)) })
		}
		t.Notes = []string{"Medians over seeds. " + resolution}
		return &t.Table, nil
	})
}

func scoreCell(o outcome) table.Cell {
	switch {
	case o.seeds == 0:
		return table.Text("–")
	case o.ended < o.seeds:
		return table.Text("diverged")
	}
	c := multiple(o.sd)
	c.Bold = o.good()
	if math.IsInf(o.seconds, 1) {
		c.Text += ", –"
	} else {
		c.Text += ", " + table.Significant(o.seconds, 1) + " s"
	}
	return c
}

// multiple is the cell of how many times as large something is.
func multiple(v float64) table.Cell {
	c := table.Number(v, 2)
	if v > 1000 {
		c.Text = "> 1000"
	}
	return c
}

func choices(s *record.Set) (*table.Table, error) {
	type pick struct {
		name, take string
		dim        int
		taken, hmc outcome
	}
	var picks []pick
	for _, name := range names(s) {
		problem := name + "-1000"
		first, ok := record.First(s, problem, "hmc")
		if !ok {
			return nil, fmt.Errorf("HMC has not run on %s", problem)
		}
		p := pick{name: name, dim: first.Dim, hmc: outcomeOf(s, problem, "hmc")}
		p.take, p.taken = choice(s, problem)
		picks = append(picks, p)
	}
	good := func(of func(p pick) table.Cell) func(p pick) table.Cell {
		return func(p pick) table.Cell {
			if p.take == "" {
				return table.Text("–")
			}
			return of(p)
		}
	}
	t := table.Of(picks)
	t.Words("Posterior", func(p pick) string { return p.name })
	t.Column("dimensions", func(p pick) table.Cell { return table.Int(p.dim) })
	t.Words("Recommended", func(p pick) string {
		if p.take == "" {
			return "none is acceptable"
		}
		return figure.Label(p.take)
	})
	t.Column("error", good(func(p pick) table.Cell { return table.Number(p.taken.sd, 2) }))
	t.Column("gradients to 0.1", good(func(p pick) table.Cell { return table.Number(p.taken.gradients, 2) }))
	t.Column("HMC: error", func(p pick) table.Cell { return table.Number(p.hmc.sd, 2) })
	t.Notes = []string{"Medians over seeds, 1000 particles in the coordinates of the Laplace approximation. " +
		resolution}
	return &t.Table, nil
}

// drawn are the methods in the figures.
var drawn = []string{"sifg", "interpolated", "l2-gf", "svgd", "sgld", "hmc"}

func errorFigure(kind string) harness.Section {
	return words.Figure("errors-"+kind, func(s *record.Set) (*figure.Figure, error) { return errorPanels(s, kind) })
}

func errorPanels(s *record.Set, kind string) (*figure.Figure, error) {
	f := &figure.Figure{Cols: min(3, len(names(s)))}
	for _, name := range names(s) {
		problem := name + "-" + kind
		p := figure.Panel{Title: name, X: figure.Axis{Label: "gradients, thousands"},
			Y: figure.Axis{Label: "error of sd", Scale: figure.Log, Min: 0.002, Max: 5}}
		for _, m := range s.Methods(problem) {
			if !slices.Contains(drawn, m) {
				continue
			}
			particles := 0.0
			if t, ok := record.First(s, problem, m); ok {
				particles = float64(t.Particles)
			}
			across := func(iteration int) float64 { return float64(iteration) * particles / 1000 }
			curves := s.Curves(problem, m, "error-sd", 1)
			p.Layers = append(p.Layers, study.MeanAndRange(curves, figure.Method(m), across)...)
		}
		exact := record.View{Set: s, Problem: problem}.Final("hmc", "floor-error-sd", 1)
		if len(exact) > 0 {
			p.Layers = append(p.Layers, figure.HLine{Y: exact[0], Style: figure.Method("truth").As("exact draws")})
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// The rules of tables and findings.
const (
	reached = 0.1 // error of means and standard deviations, mean over values, in reference sds
	near    = 2   // times the error of as many exact draws: below it a sample counts as good
)

// names returns the posteriors' short names, in order.
func names(s *record.Set) (out []string) {
	for _, t := range s.Trials {
		name := t.Problem[:strings.LastIndex(t.Problem, "-")]
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// outcome is how a method came out on a problem: medians over seeds; infinite errors where a trial did not end well.
type outcome struct {
	seeds, ended       int
	sd, mean           float64 // errors over those of exact draws
	ratio              float64 // of standard deviations to the reference, mean over values
	gradients, seconds float64 // until both errors are at most reached; infinite if never
}

func (o outcome) good() bool { return max(o.sd, o.mean) <= near }

func outcomeOf(s *record.Set, problem, method string) outcome {
	e := record.View{Set: s, Problem: problem}
	means, sds := s.Curves(problem, method, "error-mean", 1), s.Curves(problem, method, "error-sd", 1)
	floorMeans, floorSDs := e.Final(method, "floor-error-mean", 1), e.Final(method, "floor-error-sd", 1)
	_, all := e.Ended(method)
	o := outcome{seeds: all, ended: len(slices.DeleteFunc(e.Final(method, "error-sd", 1), math.IsNaN))}
	if o.ended < o.seeds || o.seeds == 0 {
		inf := math.Inf(1)
		o.sd, o.mean, o.ratio, o.gradients, o.seconds = inf, inf, math.NaN(), inf, inf
		return o
	}
	var mean, sd, gradients, seconds []float64
	for i, c := range sds {
		mean, sd = append(mean, means[i].Last()/floorMeans[i]), append(sd, c.Last()/floorSDs[i])
		t := s.Trials[slices.IndexFunc(s.Trials, func(t record.Trial) bool {
			return t.Problem == problem && t.Method == method && t.Seed == c.Seed
		})]
		at := firstWithin(means[i], c)
		gradients = append(gradients, at*float64(t.Particles))
		seconds = append(seconds, at/float64(t.Iterations)*s.Timings[t.Key].Seconds)
	}
	o.mean, o.sd, o.ratio = stats.Median(mean), stats.Median(sd), stats.Median(e.Final(method, "sd-ratio", 0))
	o.gradients, o.seconds = stats.Median(gradients), stats.Median(seconds)
	return o
}

// firstWithin returns the first iteration at which both errors are small enough, infinity if there is none.
func firstWithin(mean, sd record.Curve) float64 {
	for i, at := range mean.Iteration {
		if max(mean.Value[i], sd.Value[i]) <= reached {
			return float64(at)
		}
	}
	return math.Inf(1)
}

// choice returns the method to take on a problem: of the good ones that which reached the error with the fewest
// gradients, the more accurate of two. "" if none is good.
func choice(s *record.Set, problem string) (string, outcome) {
	name, taken := "", outcome{}
	for _, m := range s.Methods(problem) {
		if m == chainsName { // they judge
			continue
		}
		o := outcomeOf(s, problem, m)
		fewer := cmp.Or(cmp.Compare(o.gradients, taken.gradients), cmp.Compare(o.sd, taken.sd)) < 0
		if o.good() && (name == "" || fewer) {
			name, taken = m, o
		}
	}
	return name, taken
}
