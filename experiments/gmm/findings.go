package gmm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

var findings = []harness.Find{
	study.Under("released", collapse), divided, sigmas, study.Under("released", blur), coverages,
}

// divided: the baselines' step is divided by n in the scripts.
func divided(by map[string]*record.Set) *harness.Finding {
	if by["released"] == nil || by["matched"] == nil {
		return nil
	}
	t := table.Of(flowMethods)
	t.Words("Method", figure.Label)
	for _, protocol := range []string{"released", "matched"} {
		e := record.Series{Set: by[protocol], Problem: "gmm-10d"}
		t.Column(protocol+": step", func(m string) table.Cell { return table.Number(step(e.Set, "gmm-10d", m), 3) })
		t.Column(protocol+": final k-NN KL", func(m string) table.Cell {
			return table.Text(rule.Spread(e.Last(m, "knn-kl", 0)))
		})
	}
	t.Notes = []string{"Median over seeds, and the range."}
	return &harness.Finding{
		Title: "The mixtures' scripts divide the baselines' velocity by n",
		Text: "They divide the velocity of L2-GF and Ada-GWG by the number of particles, but not that of SIFG. Under " +
			"matched each takes its own best step; in 2-D, the problem of Figure 1, SIFG is nearer there too.",
		Table: &t.Table,
	}
}

// step is a method's effective step, NaN of none.
func step(s *record.Set, problem, method string) float64 {
	t, ok := record.First(s, problem, method)
	if !ok {
		return math.NaN()
	}
	c, _, err := density.Config(t)
	if err != nil {
		return math.NaN()
	}
	if c.Sampler.DivideByN {
		return c.Sampler.Step / float64(c.Particles)
	}
	return c.Sampler.Step
}

// judged are the protocols under which the paper's claims are checked.
var judged = []string{"paper", "released", "matched"}

// sigmas: which objective σ follows.
func sigmas(by map[string]*record.Set) *harness.Finding {
	if by["released"] == nil || len(by) < 2 {
		return nil
	}
	t := table.Of(slices.DeleteFunc(slices.Clone(judged), func(protocol string) bool { return by[protocol] == nil }))
	t.Words("Protocol", func(protocol string) string { return protocol })
	for _, x := range []struct{ header, problem string }{{"final σ, 2-D", "gmm-2d"}, {"final σ, 10-D", "gmm-10d"}} {
		t.Column(x.header, func(protocol string) table.Cell {
			e := record.Series{Set: by[protocol], Problem: x.problem}
			return table.Text(rule.Spread(e.Last("ada-sifg", "sigma", 0)))
		})
	}
	falls, steps := 0, 0
	for _, problem := range []string{"gmm-2d", "gmm-10d"} {
		for _, c := range by["released"].Curves(problem, "ada-sifg", "sigma", 0) {
			for i := range len(c.Value) - 1 {
				steps++
				if c.Value[i+1] < c.Value[i] {
					falls++
				}
			}
		}
	}
	t.Notes = []string{"Ada-SIFG; median over seeds, and the range."}
	return &harness.Finding{
		Title: "In the scripts σ follows the denoising loss, not the KL",
		Text: fmt.Sprintf("The paper adapts σ by the gradient of the KL; the toy scripts descend the denoising loss "+
			"instead. There σ falls from one checkpoint to the next in %d of %d cases.", falls, steps),
		Table: &t.Table,
	}
}

// blur: what the k-NN estimate does not see. It is a finding where smoothing costs more than the estimate shows in all.
func blur(s *record.Set) *harness.Finding {
	e := record.Series{Set: s, Problem: "gmm-10d"}
	if !slices.ContainsFunc([]string{"sifg", "ada-sifg"}, func(m string) bool {
		return stats.Median(e.Final(m, "blur-kl", 0)) > stats.Median(e.Final(m, "knn-kl", 0))
	}) {
		return nil
	}
	type row struct{ words, metric string }
	t := table.Of([]row{
		{"σ", "sigma"},
		{"k-NN KL", "knn-kl"},
		{"KL lost to smoothing by σ alone", "blur-kl"},
		{"exact-density KL at its own σ", "exact-kl"},
		{"exact-density KL at σ = 0.1", "smoothed-kl"},
		{"energy distance", "energy"},
	})
	t.Words("", func(r row) string { return r.words })
	for _, x := range []struct{ header, method, prefix string }{
		{"SIFG", "sifg", ""}, {"Ada-SIFG", "ada-sifg", ""}, {"exact draws", "sifg", "floor-"},
	} {
		t.Column(x.header, func(r row) table.Cell {
			return table.Text(rule.Spread(e.Last(x.method, x.prefix+r.metric, 0)))
		})
	}
	t.Notes = []string{"10-D, released settings, last iteration: median over seeds, and the range. The exact-density " +
		"KL compares methods at equal σ only."}
	return &harness.Finding{
		Title: "The k-NN estimate does not see blur",
		Text: "A component narrower than σ cannot be represented by a cloud smoothed with σ. The k-NN estimate does " +
			"not count that loss.",
		Table: &t.Table,
	}
}

// coverages: in 2-D the settings decide who covers all modes.
func coverages(by map[string]*record.Set) *harness.Finding {
	protocols := slices.DeleteFunc(slices.Clone(judged), func(protocol string) bool { return by[protocol] == nil })
	if len(protocols) < 2 {
		return nil
	}
	var methods []string
	for _, protocol := range protocols {
		for _, m := range by[protocol].Methods("gmm-2d") {
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	t := table.Of(methods)
	t.Words("Method", figure.Label)
	for _, protocol := range protocols {
		e := record.Series{Set: by[protocol], Problem: "gmm-2d"}
		header := protocol
		if first, ok := record.First(e.Set, e.Problem, "sifg"); ok {
			if c, o, err := density.Config(first); err == nil {
				header += fmt.Sprintf(" (σ %s, start sd %s)", table.Num(c.Sampler.Sigma), table.Num(o.InitSD))
			}
		}
		t.Column(header, func(m string) table.Cell {
			all, _ := coverage(e, m)
			if len(all) == 0 {
				return table.Text("–")
			}
			return table.Text(fmt.Sprintf("%d of %d", rule.Count(all), len(all)))
		})
	}
	t.Notes = []string{"Seeds in which every mode has at least 5 % of the sample within 3 standard deviations of its " +
		"mean. σ is that of SIFG."}
	return &harness.Finding{
		Title: "In 2-D, coverage depends on the start and on σ",
		Text: "The released start straddles three modes; the other start covers none. Under matched every method " +
			"has its own best step, SIFG its own best σ.",
		Table: &t.Table,
	}
}

// kept returns the modes of the 10-D mixture, from 0, that a method keeps, and its share of each: a mode is kept if its
// occupancy, mean over seeds, is 0.05 or more.
func kept(e record.Series, method string) (modes []int, share []float64) {
	for k := range 5 {
		if v := e.Final(method, "occupancy", k); len(v) > 0 {
			share = append(share, stats.Mean(v))
			if share[k] >= 0.05 {
				modes = append(modes, k)
			}
		}
	}
	return modes, share
}

// levels are lines at the k-NN KL of as many exact draws as there are particles of those modes alone that some method
// keeps in 10-D: as they are, and with the largest σ of a method added. nil where no mode is lost.
func levels(s *record.Set) (lines []figure.HLine) {
	e, sigma := record.Series{Set: s, Problem: "gmm-10d"}, 0.0
	var modes []int
	for _, m := range s.Methods("gmm-10d") {
		own, _ := kept(e, m)
		modes = append(modes, own...)
		if v := e.Final(m, "sigma", 0); len(v) > 0 {
			sigma = max(sigma, stats.Median(v))
		}
	}
	slices.Sort(modes)
	modes = slices.Compact(modes)
	t, ok := record.First(s, "gmm-10d", "sifg")
	c, o, err := density.Config(t)
	mixture := density.Mixture(s, "gmm-10d")
	if !ok || err != nil || mixture == nil || len(modes) == 0 || len(modes) == 5 {
		return nil
	}
	var names []string
	for _, k := range modes {
		names = append(names, fmt.Sprint(k+1))
	}
	label := "exact draws of modes " + strings.Join(names, " and ")
	style := figure.Method("truth").As(label)
	style.Dash = []float64{6, 2}
	lines = append(lines, figure.HLine{Y: score(mixture, modes, 0, c.Particles, o.Reference), Style: style})
	style.Label, style.Dash = label+", blurred by σ = "+table.Num(sigma), []float64{1.5, 1.5}
	return append(lines, figure.HLine{Y: score(mixture, modes, sigma, c.Particles, o.Reference), Style: style})
}

// score is the k-NN KL of n draws of some modes of a mixture, blurred by sigma, to as many draws of the mixture
// as reference says: the mean of five, which have a standard deviation of about 0.05 each. NaN of too few draws.
func score(mixture *target.Mixture, modes []int, sigma float64, n, reference int) float64 {
	_, means, sds := mixture.Components()
	var values []float64
	for i := range uint64(5) {
		r, d := rng.New(1, "some modes", i), mixture.Dim()
		x, all := sifg.NewBatch(n, d), sifg.NewBatch(reference, d)
		r.Normal(x.Data)
		for j := range x.Data {
			k := modes[j/x.Cols%len(modes)] // of equal weight
			x.Data[j] = float32(means[k][j%x.Cols] + float64(math.Hypot(sds[k], sigma)*float64(x.Data[j])))
		}
		mixture.Sample(all, rng.New(1, "all modes", i))
		kl, err := metric.KNNKL(metric.FromBatch(x), metric.FromBatch(all), 3)
		if err != nil {
			return math.NaN()
		}
		values = append(values, kl)
	}
	return stats.Mean(values)
}

// withLevels adds the levels to a figure of k-NN KL in 10-D.
func withLevels(f harness.Figure) harness.Figure {
	draw := f.Draw
	f.Draw = func(s *record.Set) (*figure.Figure, error) {
		out, err := draw(s)
		if err == nil {
			for _, l := range levels(s) {
				out.Panels[0].Layers = append(out.Panels[0].Layers, l)
			}
		}
		return out, err
	}
	return f
}

// collapse: in 10-D nearly all mass is on a few modes, so the curves rank collapsed samplers.
func collapse(s *record.Set) *harness.Finding {
	e := record.Series{Set: s, Problem: "gmm-10d"}
	type keeper struct {
		label     string
		kept      int // modes; 0: it is not a method
		two, last float64
	}
	var rows []keeper
	most := 0
	for _, m := range s.Methods("gmm-10d") {
		modes, share := kept(e, m)
		if len(share) < 5 {
			continue
		}
		most = max(most, len(modes))
		slices.Sort(share)
		rows = append(rows, keeper{
			figure.Label(m), len(modes), share[3] + share[4], stats.Median(e.Final(m, "knn-kl", 0)),
		})
	}
	if rows == nil || most == 5 {
		return nil
	}
	text := "Figure 3 left therefore ranks samplers that have collapsed."
	perfect := levels(s)
	if perfect != nil {
		text += fmt.Sprintf(" A perfect sampler of the kept modes alone scores %.2f nats, and %.2f when it is "+
			"blurred, which makes it worse.", perfect[0].Y, perfect[1].Y)
	}
	for _, l := range perfect {
		rows = append(rows, keeper{label: l.Style.Label, last: l.Y})
	}
	ofMethod := func(of func(k keeper) table.Cell) func(k keeper) table.Cell {
		return func(k keeper) table.Cell {
			if k.kept == 0 {
				return table.Text("")
			}
			return of(k)
		}
	}
	t := table.Of(rows)
	t.Words("Method", func(k keeper) string { return k.label })
	t.Column("modes kept", ofMethod(func(k keeper) table.Cell { return table.Int(k.kept) }))
	t.Column("share of the two largest", ofMethod(func(k keeper) table.Cell { return table.Fixed(k.two, 2) }))
	t.Column("final k-NN KL", func(k keeper) table.Cell { return table.Fixed(k.last, 2) })
	t.Notes = []string{"Mean over seeds of the mean responsibility of each mode at the last iteration, released " +
		"settings; a mode is kept if its share is 0.05 or more. Exact draws of the whole mixture keep all five. k-NN " +
		"KL: median over seeds."}
	return &harness.Finding{
		Lead:  true,
		Title: fmt.Sprintf("In 10-D no method of the paper keeps more than %d of the five modes", most),
		Text:  text,
		Table: &t.Table,
	}
}
