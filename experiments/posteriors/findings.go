package posteriors

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
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

// equalGradients compares flows with HMC.
func equalGradients(s *record.Set) *harness.Statement {
	t := &table.Table{Columns: table.Columns(1, "Posterior", "best flow, 1000", "L2-GF", "HMC", "HMC, all draws",
		"best flow, 100", "L2-GF", "HMC", "HMC, all draws"),
		Notes: []string{"Error of the standard deviations as a multiple of that of as many exact draws as there are particles; medians over seeds. " +
			"HMC: as many of its draws. All draws: the second half of its chains. " + resolution}}
	fewer, all := 0, 0
	for _, name := range names(s) {
		row := []table.Cell{table.Text(name)}
		for _, kind := range []string{"1000", "100"} {
			problem := name + "-" + kind
			m, f := best(s, problem, flows)
			one, h := outcomeOf(s, problem, "l2-gf"), outcomeOf(s, problem, "hmc")
			e := claim.Series{Set: s, Problem: problem}
			every := stats.Median(e.Final("hmc", "all-error-sd", 1)) / stats.Median(e.Final("hmc", "floor-error-sd", 1))
			if kind == "1000" {
				fewer, all = fewer+count(f.sd < h.sd), all+count(f.sd < every)
			}
			cell := table.Number(f.sd, 2)
			if m != "" {
				cell.Text += " (" + claim.Label(m) + ")"
			}
			row = append(row, cell, table.Number(one.sd, 2), table.Number(h.sd, 2), table.Number(every, 2))
		}
		t.Rows = append(t.Rows, row)
	}
	return &harness.Statement{
		Title: fmt.Sprintf("At equal gradients a flow's particles beat as many draws of HMC on %d of %d real posteriors, all draws of HMC on %d",
			fewer, len(t.Rows), all),
		Text: "With a thousand particles, and the flow picked by the result. A flow lays its particles more evenly than independent draws " +
			"lie, but HMC makes many more draws than a flow has particles.",
		Table: t}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// collapse counts the posteriors on which a method is too narrow.
func collapse(s *record.Set) *harness.Statement {
	t := &table.Table{Columns: table.Columns(1, "Method", "too narrow, 100", "too narrow, 1000", "good, 100",
		"good, 1000", "diverged"), Notes: []string{fmt.Sprintf("Posteriors. Too narrow: standard deviations below %v of the "+
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
	t := &table.Table{Columns: table.Columns(1, "Posterior", "narrowest direction", "σ", "raw: widest sd",
		"preconditioned: widest sd"), Notes: []string{"SIFG, 100 particles. Widest sd: the largest standard deviation of a value as a " +
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
			cell := multiple(o.most)
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
	t := &table.Table{Columns: table.Columns(1, "Method", "good, raw", "good, preconditioned", "diverged, raw",
		"diverged, preconditioned"), Notes: []string{"Posteriors, 100 particles. Good and diverged as above."}}
	gain := ""
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
		if m == "sifg" {
			gain = fmt.Sprintf("%s is good on %d of %d posteriors instead of %d", claim.Label(m), good["100"], len(all), good["raw"])
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(claim.Label(m)), table.Int(good["raw"]), table.Int(good["100"]),
			table.Int(lost["raw"]), table.Int(lost["100"])})
	}
	return &harness.Statement{
		Title: "Preconditioned by the Laplace approximation, " + gain,
		Text:  "In the coordinates as they are one step must suit the narrowest direction, and then the others hardly move. HMC adapts a scale to each coordinate itself.",
		Table: t}
}
