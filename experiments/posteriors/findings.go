package posteriors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Find{on(equalGradients), others, on(collapse), on(widths), on(preconditioning)}

// on makes a finding of what the records of the protocol say.
func on(f func(s *record.Set) *harness.Finding) harness.Find {
	return func(by map[string]*record.Set) *harness.Finding {
		s := by["matched"]
		if s == nil || len(s.Methods("diamonds-1000")) == 0 || len(s.Methods("diamonds-100")) == 0 ||
			len(s.Methods("diamonds-raw")) == 0 {
			return nil
		}
		return f(s)
	}
}

// equalGradients compares flows that were named before their results with HMC.
func equalGradients(s *record.Set) *harness.Finding {
	type pair struct{ fewer, all []string } // posteriors on which a flow beats as many draws of HMC, and all of them
	var flow, pilot pair
	t := table.Of(names(s))
	t.Words("Posterior", func(name string) string { return name })
	t.Words("flow of the pilot", func(name string) string { return figure.Label(piloted[name]) })
	for _, kind := range []string{"1000", "100"} {
		every := func(name string) float64 {
			e := record.Series{Set: s, Problem: name + "-" + kind}
			return stats.Median(e.Final("hmc", "all-error-sd", 1)) / stats.Median(e.Final("hmc", "floor-error-sd", 1))
		}
		sd := func(name, method string) float64 { return outcomeOf(s, name+"-"+kind, method).sd }
		beats := func(p *pair, name, method string) table.Cell {
			own := sd(name, method)
			if kind == "1000" && own < sd(name, "hmc") {
				p.fewer = append(p.fewer, name)
			}
			if kind == "1000" && own < every(name) {
				p.all = append(p.all, name)
			}
			return table.Number(own, 2)
		}
		t.Column("L2-GF, "+kind, func(name string) table.Cell { return beats(&flow, name, plain) })
		t.Column("of the pilot", func(name string) table.Cell { return beats(&pilot, name, piloted[name]) })
		t.Column("HMC", func(name string) table.Cell { return table.Number(sd(name, "hmc"), 2) })
		t.Column("HMC, all draws", func(name string) table.Cell { return table.Number(every(name), 2) })
	}
	t.Notes = []string{"Error of the standard deviations as a multiple of that of as many exact draws as there are " +
		"particles; medians over seeds. HMC: as many of its draws. All draws: the second half of its chains. Flow of " +
		"the pilot: least kernel Stein discrepancy in the runs that chose the steps. " + resolution}
	return &harness.Finding{
		Title: fmt.Sprintf("At equal gradients L2-GF's particles beat as many draws of HMC on %s, all its draws on %s",
			among(names(s), flow.fewer), among(names(s), flow.all)),
		Text: fmt.Sprintf("With a thousand particles. The flow that a pilot run names is nearer than as many draws on "+
			"%s, all draws on %s. A flow lays its particles more evenly than independent draws lie, but HMC makes "+
			"many more draws than a flow has particles.", among(names(s), pilot.fewer), among(names(s), pilot.all)),
		Table: &t.Table,
	}
}

// among says which of all posteriors are named: by those that are not, if they are fewer.
func among(all, named []string) string {
	rest := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(named, name) })
	switch {
	case len(named) == 0:
		return "no posterior"
	case len(rest) == 0:
		return "every posterior"
	case len(rest) < len(named):
		return "all posteriors but " + strings.Join(rest, ", ")
	}
	return strings.Join(named, ", ")
}

// having are the posteriors on which a method's outcome has a property, for some number of particles or coordinates.
func having(s *record.Set, method, kind string, has func(o outcome) bool) []string {
	return slices.DeleteFunc(names(s), func(name string) bool { return !has(outcomeOf(s, name+"-"+kind, method)) })
}

func tooNarrow(o outcome) bool { return o.ratio < narrow }

func diverged(o outcome) bool { return o.ended < o.seeds }

// collapse counts the posteriors on which a method is too narrow.
func collapse(s *record.Set) *harness.Finding {
	all := names(s)
	methods := s.Methods(all[0] + "-1000")
	t := table.Of(methods)
	t.Words("Method", figure.Label)
	number := func(kind string, has func(o outcome) bool) func(m string) table.Cell {
		return func(m string) table.Cell { return table.Int(len(having(s, m, kind, has))) }
	}
	t.Column("too narrow, 100", number("100", tooNarrow))
	t.Column("too narrow, 1000", number("1000", tooNarrow))
	t.Column("good, 100", number("100", outcome.good))
	t.Column("good, 1000", number("1000", outcome.good))
	t.Column("diverged", func(m string) table.Cell {
		gone := slices.Concat(having(s, m, "100", diverged), having(s, m, "1000", diverged))
		slices.Sort(gone)
		return table.Int(len(slices.Compact(gone)))
	})
	t.Notes = []string{fmt.Sprintf("Posteriors. Too narrow: standard deviations below %v of the reference's, mean "+
		"over values, median over seeds. Good: errors of means and standard deviations at most %d times those of as "+
		"many exact draws. Diverged: in any seed, with 100 or 1000 particles.", narrow, near)}
	title, most := "No method is too narrow with 1000 particles", 0
	for _, m := range methods {
		if where := having(s, m, "1000", tooNarrow); len(where) > most {
			most = len(where)
			title = fmt.Sprintf("%s is too narrow most often, with 1000 particles on %s", figure.Label(m),
				among(all, where))
		}
	}
	return &harness.Finding{
		Title: title,
		Text:  "A cloud that is too narrow says too much: its intervals cover less than they promise.",
		Table: &t.Table,
	}
}

// widths sets σ beside the narrowest direction of a posterior.
func widths(s *record.Set) *harness.Finding {
	all := names(s)
	width, sigma := map[string]float64{}, map[string]float64{}
	var below []string
	for _, name := range all {
		w := record.Series{Set: s, Problem: name + "-raw"}.Final("hmc", "narrowest", 0)
		v := record.Series{Set: s, Problem: name + "-100"}.Final("sifg", "sigma", 0)
		if len(w) == 0 || len(v) == 0 {
			return nil
		}
		width[name], sigma[name] = w[0], v[0]
		if w[0] < v[0] {
			below = append(below, name)
		}
	}
	widest := func(kind string) func(name string) table.Cell {
		return func(name string) table.Cell {
			o := outcomeOf(s, name+kind, "sifg")
			if diverged(o) {
				return table.Text("diverged")
			}
			return multiple(o.most)
		}
	}
	t := table.Of(all)
	t.Words("Posterior", func(name string) string { return name })
	t.Column("narrowest direction", func(name string) table.Cell { return table.Number(width[name], 2) })
	t.Column("σ", func(name string) table.Cell { return table.Number(sigma[name], 1) })
	t.Column("raw: widest sd", widest("-raw"))
	t.Column("preconditioned: widest sd", widest("-100"))
	t.Notes = []string{"SIFG, 100 particles. Widest sd: the largest standard deviation of a value as a multiple of " +
		"the reference's, median over seeds. Narrowest direction: width of the Laplace approximation in raw " +
		"coordinates."}
	return &harness.Finding{
		Title: "In raw coordinates the narrowest direction is narrower than σ on " + among(all, below),
		Text: "No smoothed sample z + σw is narrower than σ. In the coordinates of the Laplace approximation " +
			"every direction is about 1 wide.",
		Table: &t.Table,
	}
}

// preconditioning compares coordinates.
func preconditioning(s *record.Set) *harness.Finding {
	all := names(s)
	t := table.Of(s.Methods(all[0] + "-raw"))
	t.Words("Method", figure.Label)
	for _, x := range []struct {
		header, kind string
		has          func(o outcome) bool
	}{
		{"good, raw", "raw", outcome.good},
		{"good, preconditioned", "100", outcome.good},
		{"diverged, raw", "raw", diverged},
		{"diverged, preconditioned", "100", diverged},
	} {
		t.Column(x.header, func(m string) table.Cell { return table.Int(len(having(s, m, x.kind, x.has))) })
	}
	t.Notes = []string{"Posteriors, 100 particles. Good and diverged as above."}
	good := func(kind string) string { return among(all, having(s, "sifg", kind, outcome.good)) }
	return &harness.Finding{
		Title: fmt.Sprintf("Preconditioned by the Laplace approximation, %s is good on %s, instead of on %s",
			figure.Label("sifg"), good("100"), good("raw")),
		Text: "In the coordinates as they are one step must suit the narrowest direction, and then the others hardly " +
			"move. HMC adapts a scale to each coordinate itself.",
		Table: &t.Table,
	}
}
