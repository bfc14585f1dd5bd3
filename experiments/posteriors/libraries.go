package posteriors

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// beside is the protocol that sets the samplers of another library beside ours.
const beside = "libraries"

// Programs of that protocol, which run where the command is given them.
const (
	nuts       = "blackjax-nuts"
	theirsSVGD = "blackjax-svgd"
)

// apart is what is made of the records of that protocol.
var apart = map[string]harness.Contents{beside: {Tables: []harness.Table{
	words.Table("chains-1000", func(s *record.Set) (*table.Table, error) { return chainsTable(s, "1000") }),
	words.Table("chains-100", func(s *record.Set) (*table.Table, error) { return chainsTable(s, "100") }),
	words.Table("svgd", svgdTable),
}}}

// chainsTable shows HMC and NUTS side by side.
func chainsTable(s *record.Set, kind string) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(1, "Posterior")}
	methods := []string{"hmc", nuts}
	for _, m := range methods {
		name := figure.Label(m) + ": "
		t.Columns = append(t.Columns, table.Columns(0, name+"spread", "thinned", "all", "draws", "R-hat")...)
	}
	t.Columns = append(t.Columns, table.Columns(0, "HMC: E-BFMI")...)
	for _, name := range names(s) {
		row := []table.Cell{table.Text(name)}
		e := record.Series{Set: s, Problem: name + "-" + kind}
		for _, m := range methods {
			first, ok := record.First(s, e.Problem, m)
			if !ok {
				return nil, fmt.Errorf("%s has not run on %s: see docs/posteriors.md", figure.Label(m), e.Problem)
			}
			o := outcomeOf(s, e.Problem, m)
			exact := stats.Median(e.Final(m, "floor-error-sd", 1))
			thousands := float64(first.Particles*first.Iterations) / 1000
			row = append(row, multiple(o.sd), multiple(stats.Median(e.Final(m, "thinned-error-sd", 1))/exact),
				multiple(stats.Median(e.Final(m, "all-error-sd", 1))/exact),
				table.Number(stats.Median(e.Final(m, "ess", 0))/thousands, 2),
				table.Number(slices.Max(append(e.Final(m, "rhat", 0), 1)), 4))
		}
		t.Rows = append(t.Rows, append(row, table.Number(slices.Min(append(e.Final("hmc", "ebfmi", 0),
			math.Inf(1))), 2)))
	}
	t.Notes = []string{"R-hat: the largest, E-BFMI: the least, over seeds. " + resolution}
	return t, nil
}

// agree is the rule of docs/compare.md: two implementations agree if no error differs by more than a share of itself,
// or a little.
func agree(a, b float64) bool { return math.Abs(a-b) <= max(0.05*max(a, b), 0.005) }

func svgdTable(s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(1, "Posterior", "means: ours", "theirs", "standard deviations: ours",
		"theirs", "agree")}
	for _, name := range names(s) {
		row := []table.Cell{table.Text(name)}
		e, same := record.Series{Set: s, Problem: name + "-100"}, "yes"
		for _, metric := range []string{"error-mean", "error-sd"} {
			ours, theirs := stats.Median(e.Final("svgd", metric, 1)), stats.Median(e.Final(theirsSVGD, metric, 1))
			row = append(row, table.Number(ours, 3), table.Number(theirs, 3))
			if !agree(ours, theirs) {
				same = "no"
			}
		}
		t.Rows = append(t.Rows, append(row, table.Text(same)))
	}
	return t, nil
}

// others is the finding about the samplers of the other library: which sampler where with NUTS among the candidates,
// and whether SVGD agrees.
func others(by map[string]*record.Set) *harness.Finding {
	ours, theirs := by["matched"], by[beside]
	if ours == nil || theirs == nil || !slices.Contains(theirs.Methods("diamonds-1000"), nuts) {
		return nil
	}
	both := *ours
	both.Trials, both.Traces = slices.Clone(ours.Trials), maps.Clone(ours.Traces)
	for _, t := range theirs.Trials {
		if t.Method == nuts {
			both.Trials = append(both.Trials, t)
			both.Traces[t.Key] = theirs.Traces[t.Key]
		}
	}
	t := &table.Table{Columns: table.Columns(1, "Posterior", "without NUTS, take", "error", "gradients to 0.1",
		"with NUTS, take", "error", "gradients to 0.1", "NUTS: error", "gradients to 0.1")}
	var taken, changed, same []string
	for _, name := range names(ours) {
		problem := name + "-1000"
		row := []table.Cell{table.Text(name)}
		before, _ := choice(ours, problem)
		after, _ := choice(&both, problem)
		for _, m := range []string{before, after} {
			if m == "" {
				row = append(row, table.Text("none is good"), table.Text("–"), table.Text("–"))
				continue
			}
			o, label := outcomeOf(&both, problem, m), figure.Label(m)
			row = append(row, table.Text(label), table.Number(o.sd, 2), table.Number(o.gradients, 2))
		}
		if after == nuts {
			taken = append(taken, name)
		}
		if after != before {
			changed = append(changed, name)
		}
		o := outcomeOf(&both, problem, nuts)
		t.Rows = append(t.Rows, append(row, table.Number(o.sd, 2), table.Number(o.gradients, 2)))
	}
	t.Notes = []string{"1000 particles; the rule and the words of Which sampler where. NUTS's warm-up is counted."}
	svgd, _ := svgdTable(theirs)
	for _, row := range svgd.Rows {
		if row[len(row)-1].Text == "yes" {
			same = append(same, row[0].Text)
		}
	}
	return &harness.Finding{
		Title: "With NUTS of BlackJAX among the candidates, it is the sampler to take on " + among(names(ours), taken),
		Text: fmt.Sprintf("The choice changes on %s. SVGD of BlackJAX agrees with ours on %s.",
			among(names(ours), changed), among(names(ours), same)),
		Table: t}
}
