package megica

import (
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{axis, nearer}

// each calls f for the protocols that have records of the paper's data, in order of presentation.
func each(by map[string]*record.Set, f func(protocol string, s *record.Set, o Options)) {
	for _, protocol := range settings.Judged {
		if s := by[protocol]; s != nil && otherData(s) == "" {
			if _, o, ok := configOf(s, few); ok {
				f(protocol, s, o)
			}
		}
	}
}

// axis says what exact draws score on the axis of Figure 4, and why.
func axis(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Protocol", "W₀", "exact draws", "random matrices", "halves of a chain",
		"modes visited, each chain")}
	title, modes := "", 1
	each(by, func(protocol string, s *record.Set, o Options) {
		exact, random := floorOf(s, few, "floor-amari"), floorOf(s, few, "random-amari")
		if len(exact) == 0 || len(random) == 0 {
			return
		}
		if title == "" {
			title = fmt.Sprintf("On the axis of Figure 4 exact draws score %s and random matrices %s (%s)",
				claim.Num(median(exact)), claim.Num(median(random)), protocol)
			for k := 1; k <= o.Channels; k++ {
				modes *= 2 * k // signs and orders of the rows
			}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(protocol), table.Text(strings.ReplaceAll(o.Truth, "-", " ")),
			table.Number(median(exact), 3), table.Number(median(random), 3),
			table.Text(listed(fact(s, "amari-halves"))), table.Text(listed(fact(s, "modes")))})
	})
	if title == "" {
		return nil
	}
	t.Notes = []string{"Amari distances to W₀: medians of draws of the reference chains and of N(0, 1) matrices, 10 at a time. " +
		"Then between the means of a chain's two halves."}
	return &harness.Statement{
		Lead: true, Title: title, Table: t,
		Text: fmt.Sprintf("By symmetry the posterior has %d equivalent modes and the mean 0. The mean of a chain that changes "+
			"modes is what chance leaves of 0, so the distance to it says little about the posterior.", modes),
	}
}

// nearer sets the Amari distance, which does not see the lengths of W's rows, beside the energy distance.
func nearer(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Nearer than exact draws", "Amari to W₀", "exact draws", "energy distance", "exact draws")}
	farther, all := 0, 0
	each(by, func(protocol string, s *record.Set, _ Options) {
		exact, floor := floorOf(s, few, "floor-amari"), floorOf(s, few, "floor-energy")
		if len(exact) == 0 || len(floor) == 0 {
			return
		}
		for _, m := range s.Methods(few) {
			amari, energy := median(final(s, few, m, "amari")), median(final(s, few, m, "energy"))
			if all++; !(amari < median(exact)) {
				continue
			}
			if energy > median(floor) {
				farther++
			}
			t.Rows = append(t.Rows, []table.Cell{table.Text(protocol + ", " + claim.Label(m)), table.Number(amari, 3),
				table.Number(median(exact), 3), table.Number(energy, 3), table.Number(median(floor), 3)})
		}
	})
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{"10 particles; medians of all tries at the last iteration. Energy distance of aligned particles to the " +
		"reference draws, in the draws' standard deviations."}
	return &harness.Statement{
		Title: fmt.Sprintf("%d of %d samples are nearer to W₀ than exact draws are", len(t.Rows), all), Table: t,
		Text: fmt.Sprintf("%d of these are farther from the posterior than exact draws by energy distance. The Amari distance "+
			"does not see the lengths of W's rows.", farther),
	}
}
