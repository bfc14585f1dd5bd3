package megica

import (
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{axis}

// axis says what exact draws score on the axis of Figure 4, and why, and how many methods are nearer to W₀ than they
// are, which is no success: the Amari distance does not see the lengths of W's rows.
func axis(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: table.Columns(1, "Protocol", "W₀", "exact draws", "random matrices",
		"methods nearer than exact draws", "of these farther by energy distance", "halves of a chain",
		"modes visited, each chain")}
	title, modes := "", 1
	for _, protocol := range protocols {
		s := by[protocol]
		if s == nil || otherData(s) != "" {
			continue
		}
		_, o, _ := configOf(s, few)
		exact, random := floorOf(s, few, "floor-amari"), floorOf(s, few, "random-amari")
		if len(exact) == 0 || len(random) == 0 {
			continue
		}
		if title == "" {
			title = fmt.Sprintf("On the axis of Figure 4 exact draws score %s and random matrices %s (%s)",
				table.Num(median(exact)), table.Num(median(random)), protocol)
			for k := 1; k <= o.Channels; k++ {
				modes *= 2 * k // signs and orders of the rows
			}
		}
		nearer, farther, all := 0, 0, methods(s, few)
		for _, m := range all {
			if median(final(s, few, m, "amari")) < median(exact) {
				nearer++
				if median(final(s, few, m, "energy")) > median(floorOf(s, few, "floor-energy")) {
					farther++
				}
			}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(protocol), table.Text(strings.ReplaceAll(o.Truth, "-", " ")),
			table.Number(median(exact), 3), table.Number(median(random), 3),
			table.Text(fmt.Sprintf("%d of %d", nearer, len(all))), table.Int(farther),
			table.Text(listed(fact(s, "amari-halves"))), table.Text(listed(fact(s, "modes")))})
	}
	if title == "" {
		return nil
	}
	t.Notes = []string{"10 particles. Amari distances to W₀: medians of draws of the reference chains and of N(0, 1) " +
		"matrices, and between the means of a chain's two halves. Energy distance of aligned particles to the " +
		"reference draws."}
	return &harness.Statement{
		Lead: true, Title: title, Table: t,
		Text: fmt.Sprintf("By symmetry the posterior has %d equivalent modes and the mean 0. A chain that visits many "+
			"of them averages to nearly 0, whatever it samples, so the distance to its mean says little.",
			modes),
	}
}
