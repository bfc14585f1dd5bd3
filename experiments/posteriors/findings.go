package posteriors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{on(equalGradients), on(collapse), on(widths), on(preconditioning)}

// on makes a finding of what the records of the protocol say.
func on(f func(s *record.Set) *harness.Statement) harness.Finding {
	return func(by map[string]*record.Set) *harness.Statement {
		s := by["matched"]
		if s == nil || len(s.Methods("diamonds-1000")) == 0 || len(s.Methods("diamonds-100")) == 0 || len(s.Methods("diamonds-raw")) == 0 {
			return nil
		}
		return f(s)
	}
}

func right(header string) table.Column { return table.Column{Header: header, Align: table.Right} }

// equalGradients compares the best flow with HMC.
func equalGradients(s *record.Set) *harness.Statement {
	t := &table.Table{Columns: []table.Column{{Header: "Posterior"}, right("best flow, 1000"), right("HMC, 1000"), right("best flow, 100"),
		right("HMC, 100")}, Notes: []string{"Error of the standard deviations as a multiple of that of as many exact draws; medians over seeds."}}
	wins := map[string]int{}
	for _, name := range names(s) {
		row := []table.Cell{table.Text(name)}
		for _, kind := range []string{"1000", "100"} {
			m, f := best(s, name+"-"+kind, flows)
			h := outcomeOf(s, name+"-"+kind, "hmc")
			if f.sd < h.sd {
				wins[kind]++
			}
			cell := table.Number(f.sd, 2)
			if m != "" {
				cell.Text += " (" + claim.Label(m) + ")"
			}
			row = append(row, cell, table.Number(h.sd, 2))
		}
		t.Rows = append(t.Rows, row)
	}
	return &harness.Statement{Lead: true,
		Title: fmt.Sprintf("At equal gradients the best flow beats HMC on %d of %d posteriors with 1000 particles, on %d with 100",
			wins["1000"], len(t.Rows), wins["100"]),
		Text:  "The best of seven flows, tuned each, against one HMC. HMC uses every gradient for a new draw; a flow moves the same particles again.",
		Table: t}
}

// collapse counts the posteriors on which a method is too narrow.
func collapse(s *record.Set) *harness.Statement {
	t := &table.Table{Columns: []table.Column{{Header: "Method"}, right("too narrow, 100"), right("too narrow, 1000"), right("good, 100"),
		right("good, 1000"), right("diverged")}, Notes: []string{fmt.Sprintf("Posteriors. Too narrow: standard deviations below %v of the "+
		"reference's, mean over values, median over seeds. Good: errors of means and standard deviations at most %d times those of as many "+
		"exact draws. Diverged: in any seed, with 100 or 1000 particles.", narrow, near)}}
	all := names(s)
	worst, most := "", 0
	for _, m := range s.Methods(all[0] + "-1000") {
		thin, good, diverged := map[string]int{}, map[string]int{}, 0
		for _, name := range all {
			lost := false
			for _, kind := range []string{"100", "1000"} {
				o := outcomeOf(s, name+"-"+kind, m)
				if o.ratio < narrow {
					thin[kind]++
				}
				if o.good() {
					good[kind]++
				}
				lost = lost || o.ended < o.seeds
			}
			if lost {
				diverged++
			}
		}
		if thin["1000"] > most {
			worst, most = claim.Label(m), thin["1000"]
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(claim.Label(m)), table.Int(thin["100"]), table.Int(thin["1000"]),
			table.Int(good["100"]), table.Int(good["1000"]), table.Int(diverged)})
	}
	title := "No method is too narrow with 1000 particles"
	if worst != "" {
		title = fmt.Sprintf("%s is most often too narrow: on %d of %d posteriors with 1000 particles", worst, most, len(all))
	}
	return &harness.Statement{Title: title, Text: "A cloud that is too narrow says too much: its intervals cover less than they promise.", Table: t}
}

// widths sets σ beside the narrowest direction of a posterior.
func widths(s *record.Set) *harness.Statement {
	t := &table.Table{Columns: []table.Column{{Header: "Posterior"}, right("narrowest direction"), right("σ"), right("raw: widest sd"),
		right("preconditioned: widest sd")}, Notes: []string{"SIFG, 100 particles. Widest sd: the largest standard deviation of a value as a " +
		"multiple of the reference's, median over seeds. Narrowest direction: width of the Laplace approximation in raw coordinates."}}
	below := 0
	for _, name := range names(s) {
		raw := claim.Series{Set: s, Problem: name + "-raw"}
		width, sigma := raw.At("hmc", "narrowest", 0, 0), claim.Series{Set: s, Problem: name + "-100"}.Final("sifg", "sigma", 0)
		if len(width) == 0 || len(sigma) == 0 {
			return nil
		}
		if width[0] < sigma[0] {
			below++
		}
		cells := []table.Cell{table.Text(name), table.Number(width[0], 2), table.Number(sigma[0], 1)}
		for _, kind := range []string{"-raw", "-100"} {
			o := outcomeOf(s, name+kind, "sifg")
			cell := table.Number(o.most, 3)
			if o.ended < o.seeds {
				cell = table.Text("diverged")
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return &harness.Statement{
		Title: fmt.Sprintf("σ is wider than the narrowest direction of %d of %d posteriors as they are", below, len(t.Rows)),
		Text:  "A smoothed sample z + σw is never narrower than σ. In the coordinates of the Laplace approximation every direction is about 1 wide.",
		Table: t}
}

// preconditioning compares coordinates.
func preconditioning(s *record.Set) *harness.Statement {
	all := names(s)
	t := &table.Table{Columns: []table.Column{{Header: "Method"}, right("good, raw"), right("good, preconditioned"), right("diverged, raw"),
		right("diverged, preconditioned")}, Notes: []string{"Posteriors, 100 particles. Good and diverged as above."}}
	var gains []string
	for _, m := range s.Methods(all[0] + "-raw") {
		good, lost := map[string]int{}, map[string]int{}
		for _, name := range all {
			for _, kind := range []string{"raw", "100"} {
				o := outcomeOf(s, name+"-"+kind, m)
				if o.good() {
					good[kind]++
				}
				if o.ended < o.seeds {
					lost[kind]++
				}
			}
		}
		if slices.Contains([]string{"sifg", "l2-gf"}, m) {
			gains = append(gains, fmt.Sprintf("%s on %d instead of %d", claim.Label(m), good["100"], good["raw"]))
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(claim.Label(m)), table.Int(good["raw"]), table.Int(good["100"]),
			table.Int(lost["raw"]), table.Int(lost["100"])})
	}
	return &harness.Statement{
		Title: fmt.Sprintf("Preconditioned by the Laplace approximation, %s of the %d posteriors", strings.Join(gains, ", "), len(all)),
		Text:  "Number of posteriors on which a method is good. HMC adapts a scale to each coordinate itself.",
		Table: t}
}
