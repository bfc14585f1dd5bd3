package posteriors

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{on(equalGradients), others, on(collapse), on(widths), on(preconditioning)}

// on makes a finding of what the records of the protocol say.
func on(f func(s *record.Set) *harness.Statement) harness.Finding {
	return func(by map[string]*record.Set) *harness.Statement {
		s := by["matched"]
		if s == nil || len(s.Methods("diamonds-1000")) == 0 || len(s.Methods("diamonds-100")) == 0 ||
			len(s.Methods("diamonds-raw")) == 0 {
			return nil
		}
		return f(s)
	}
}

// equalGradients compares flows that were named before their results with HMC.
func equalGradients(s *record.Set) *harness.Statement {
	type pair struct{ fewer, all int } // posteriors on which a flow beats as many draws of HMC, and all of them
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
			if kind == "1000" {
				p.fewer, p.all = p.fewer+count(own < sd(name, "hmc")), p.all+count(own < every(name))
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
	return &harness.Statement{
		Title: fmt.Sprintf("At equal gradients L2-GF's particles beat as many draws of HMC on %d of %d real "+
			"posteriors, all draws of HMC on %d", flow.fewer, len(t.Rows), flow.all),
		Text: fmt.Sprintf("With a thousand particles. The flow that a pilot run names beats as many draws on %d, all "+
			"draws on %d. A flow lays its particles more evenly than independent draws lie, but HMC makes many more "+
			"draws than a flow has particles.", pilot.fewer, pilot.all),
		Table: &t.Table,
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// counted is the number of posteriors on which a method's outcome has a property, for some number of particles or
// coordinates.
func counted(s *record.Set, kind string, has func(o outcome) bool) func(method string) int {
	return func(method string) (n int) {
		for _, name := range names(s) {
			n += count(has(outcomeOf(s, name+"-"+kind, method)))
		}
		return n
	}
}

func tooNarrow(o outcome) bool { return o.ratio < narrow }

func diverged(o outcome) bool { return o.ended < o.seeds }

// collapse counts the posteriors on which a method is too narrow.
func collapse(s *record.Set) *harness.Statement {
	all := names(s)
	methods := s.Methods(all[0] + "-1000")
	t := table.Of(methods)
	t.Words("Method", figure.Label)
	add := func(header string, number func(method string) int) {
		t.Column(header, func(m string) table.Cell { return table.Int(number(m)) })
	}
	add("too narrow, 100", counted(s, "100", tooNarrow))
	add("too narrow, 1000", counted(s, "1000", tooNarrow))
	add("good, 100", counted(s, "100", outcome.good))
	add("good, 1000", counted(s, "1000", outcome.good))
	add("diverged", func(m string) (n int) {
		for _, name := range all {
			n += count(diverged(outcomeOf(s, name+"-100", m)) || diverged(outcomeOf(s, name+"-1000", m)))
		}
		return n
	})
	t.Notes = []string{fmt.Sprintf("Posteriors. Too narrow: standard deviations below %v of the reference's, mean "+
		"over values, median over seeds. Good: errors of means and standard deviations at most %d times those of as "+
		"many exact draws. Diverged: in any seed, with 100 or 1000 particles.", narrow, near)}
	title, most := "No method is too narrow with 1000 particles", 0
	for _, m := range methods {
		if n := counted(s, "1000", tooNarrow)(m); n > most {
			most = n
			title = fmt.Sprintf("%s is most often too narrow: on %d of %d posteriors with 1000 particles",
				figure.Label(m), n, len(all))
		}
	}
	return &harness.Statement{
		Title: title,
		Text:  "A cloud that is too narrow says too much: its intervals cover less than they promise.",
		Table: &t.Table,
	}
}

// widths sets σ beside the narrowest direction of a posterior.
func widths(s *record.Set) *harness.Statement {
	all := names(s)
	width, sigma, below := map[string]float64{}, map[string]float64{}, 0
	for _, name := range all {
		w := record.Series{Set: s, Problem: name + "-raw"}.At("hmc", "narrowest", 0, 0)
		v := record.Series{Set: s, Problem: name + "-100"}.Final("sifg", "sigma", 0)
		if len(w) == 0 || len(v) == 0 {
			return nil
		}
		width[name], sigma[name] = w[0], v[0]
		below += count(w[0] < v[0])
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
	return &harness.Statement{
		Title: fmt.Sprintf("σ is wider than the narrowest direction of %d of %d posteriors as they are",
			below, len(all)),
		Text: "A smoothed sample z + σw is never narrower than σ. In the coordinates of the Laplace approximation " +
			"every direction is about 1 wide.",
		Table: &t.Table,
	}
}

// preconditioning compares coordinates.
func preconditioning(s *record.Set) *harness.Statement {
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
		number := counted(s, x.kind, x.has)
		t.Column(x.header, func(m string) table.Cell { return table.Int(number(m)) })
	}
	t.Notes = []string{"Posteriors, 100 particles. Good and diverged as above."}
	gain := fmt.Sprintf("%s is good on %d of %d posteriors instead of %d", figure.Label("sifg"),
		counted(s, "100", outcome.good)("sifg"), len(all), counted(s, "raw", outcome.good)("sifg"))
	return &harness.Statement{
		Title: "Preconditioned by the Laplace approximation, " + gain,
		Text: "In the coordinates as they are one step must suit the narrowest direction, and then the others hardly " +
			"move. HMC adapts a scale to each coordinate itself.",
		Table: &t.Table,
	}
}
