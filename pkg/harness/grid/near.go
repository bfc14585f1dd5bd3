package grid

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// nearPublished is the rule that asks which settings print the published numbers of a method on a problem. The distance
// of a cell is that of the metric that is farthest, in standard errors of the difference of means (claim.Gap).
const nearPublished = "near published"

// near gives the groups their published numbers and the settings of the protocols, and leaves out groups that have no
// number.
func (b *builder) near(a *plan.Admitted) error {
	published := a.Experiments[0].Published
	var groups []Group
	b.Trials = nil
	for _, g := range b.Groups {
		for _, p := range published {
			if p.Problem == g.Problem && p.Method == g.Method && !p.Copied { // a copied one says nothing of its cell
				g.Published = append(g.Published, p)
			}
		}
		if g.Published == nil {
			continue
		}
		if err := b.others(a, &g); err != nil {
			return err
		}
		groups = append(groups, g)
		for _, c := range g.Cells {
			b.Trials = append(b.Trials, c.planned...)
		}
	}
	if b.Groups = groups; groups == nil {
		return usage.Errorf("--select %q: no number is published of these methods on these problems; --published FILE "+
			"gives others", nearPublished)
	}
	return nil
}

// others finds what settings the group's method has under each protocol that checks claims: the labels of cells, by
// protocol. A protocol without the method or the problem is left out.
func (b *builder) others(a *plan.Admitted, g *Group) error {
	g.Protocols = map[string]string{}
	for _, name := range a.Files[0].Protocols {
		if !a.Files[0].Protocol(name).Claims {
			continue
		}
		all := *a
		all.Protocols, all.Problems, all.Methods = []string{name}, nil, nil
		layout, err := all.Layout()
		if err != nil {
			return err
		}
		for p, m := range layout.Wanted() {
			if p.Name == g.Problem && m.Name == g.Method {
				g.Protocols[name] = g.label(g.settings(&m.Config))
			}
		}
	}
	return nil
}

// far returns the cell's distance from the published numbers.
func (c *Cell) far(published []claim.Published) (distance float64) {
	for i, p := range published {
		gap := p.Gap(c.Samples[i].Numbers())
		distance = max(distance, math.Abs(gap.Difference)/gap.Error)
	}
	return distance
}

// nearest lists for each method on each problem the cells that may have printed its numbers.
func (r *Result) nearest() *table.Table {
	t := table.Of(r.Groups)
	t.Title = "The cells that print the published numbers, of " + r.title()
	t.Notes = []string{
		fmt.Sprintf("A cell is within %d standard errors if each of the method's published metrics is; the "+
			"distance is that of the farthest. The standard error is that of the difference of two means of as many "+
			"trials as the grid has; a spread that is printed as zero counts as half a unit of its last digit.",
			claim.Marked),
		"With few seeds the spread of a cell is hardly known: confirm the cell with the seeds of the protocol.",
		"Of the protocols these settings alone were taken: all else, where a distance stands, is that of the grid.",
	}
	t.Words("problem", func(g *Group) string { return g.Problem })
	t.Words("method", func(g *Group) string { return g.Method })
	t.Words(fmt.Sprintf("within %d SE", claim.Marked), func(g *Group) string { return g.within() })
	t.Words("nearest", func(g *Group) string {
		if len(g.Rank) == 0 {
			return "none: " + g.Cells[len(g.Cells)-1].Reason
		}
		return g.ranked(0).Label
	})
	t.Column("distance in SE", func(g *Group) table.Cell {
		if len(g.Rank) == 0 {
			return table.Text("–")
		}
		return table.Fixed(g.ranked(0).Mean, 1)
	})
	t.Words("measured there, printed", func(g *Group) string {
		var out []string
		for i, p := range g.Published {
			if len(g.Rank) > 0 {
				mean := stats.Mean(g.ranked(0).Samples[i].Numbers())
				out = append(out, fmt.Sprintf("%s %s, %s", p.Metric, table.Significant(mean, 4), p.Text))
			}
		}
		return strings.Join(out, "; ")
	})
	t.Words("settings of the protocols", func(g *Group) string {
		var out []string
		for _, name := range slices.Sorted(maps.Keys(g.Protocols)) {
			out = append(out, fmt.Sprintf("%s: %s, %s", name, g.Protocols[name], g.distance(g.Protocols[name])))
		}
		return strings.Join(out, "; ")
	})
	return &t.Table
}

// within names the cells within claim.Marked standard errors of every number, the nearest first.
func (g *Group) within() string {
	var out []string
	for place := range g.Rank {
		if c := g.ranked(place); c.Mean <= claim.Marked {
			out = append(out, c.Label)
		}
	}
	switch len(out) {
	case 0:
		return "none"
	case 1:
		return out[0] + " alone"
	}
	return strings.Join(out, " and ")
}

// distance says how far the cell of this label is.
func (g *Group) distance(label string) string {
	for i := range g.Cells {
		switch c := &g.Cells[i]; {
		case c.Label != label:
		case c.Reason != "":
			return c.Reason
		default:
			return table.Significant(c.Mean, 2) + " SE"
		}
	}
	return "not tried"
}
