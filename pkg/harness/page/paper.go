package page

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
)

// printed is a part of a paper with what stands for it.
type printed struct {
	harness.Part
	Items []item
	opinions
}

// opinions are claims with the protocols that say something of them.
type opinions struct {
	Page      string // that has their evidence; "": this one
	Rows      claim.Ledger
	Protocols []*protocol
}

// Printed are the parts of a paper that there are results for; of one experiment, or of all if that is nil.
func (s *site) Printed(paper *harness.Paper, only *part) (out []printed) {
	for i := 0; paper != nil && i < len(paper.Parts); i++ {
		p := printed{Part: paper.Parts[i]}
		for _, x := range p.Shows {
			if only == nil || only.Name == x.Experiment {
				p.Items = append(p.Items, s.shown(x)...)
			}
		}
		var rows claim.Ledger
		for _, row := range s.Ledger {
			if slices.Contains(p.Claims, row.ID) && len(row.Under) > 0 && (only == nil || only.Name == row.Experiment) {
				rows = append(rows, row)
			}
		}
		slices.SortStableFunc(rows, func(a, b claim.Row) int {
			return slices.Index(p.Claims, a.ID) - slices.Index(p.Claims, b.ID)
		})
		if p.opinions = s.Opinions(rows); p.Items != nil || rows != nil {
			out = append(out, p)
		}
	}
	return out
}

// shown is what stands for a figure or a table of a paper, with the same under other protocols; nil if there is none.
// Where the protocol that comes nearest has no results the first takes its place.
func (s *site) shown(x harness.Shown) []item {
	var found []item
	for _, p := range s.Parts {
		for _, under := range p.Protocols {
			for _, it := range under.Items {
				if p.Name == x.Experiment && it.Part.ID == x.ID && !under.Studies {
					if it.Settings = inUse(under.Set, x.Problem); s.Alone() {
						it.Page = "" // this one
					}
					found = append(found, it)
				}
			}
		}
	}
	if found == nil {
		return nil
	}
	first := max(0, slices.IndexFunc(found, func(it item) bool { return it.Under.Protocol == x.Protocol }))
	shown := found[first]
	shown.Others = slices.Delete(found, first, first+1)
	return []item{shown}
}

// Opinions are claims with the protocols that say something of them, in order of presentation.
func (s *site) Opinions(rows claim.Ledger) opinions {
	out := opinions{Rows: rows}
	if !s.Alone() {
		out.Page = claimsPage
	}
	for _, part := range s.Parts {
		for _, p := range part.Protocols {
			speaks := slices.ContainsFunc(rows, func(r claim.Row) bool {
				return r.Experiment == part.Name && opinion(r, p.Protocol) != nil
			})
			named := func(there *protocol) bool { return there.Protocol == p.Protocol }
			if speaks && !slices.ContainsFunc(out.Protocols, named) {
				out.Protocols = append(out.Protocols, p)
			}
		}
	}
	return out
}

// opinion is what a protocol says of a claim; nil if nothing.
func opinion(r claim.Row, protocol string) *claim.Outcome {
	i := slices.IndexFunc(r.Under, func(o claim.Outcome) bool { return o.Protocol == protocol })
	if i < 0 {
		return nil
	}
	return &r.Under[i]
}

// Stated are the claims of the paper, or those of this project's own.
func (s *site) Stated(own bool) claim.Ledger {
	return slices.DeleteFunc(slices.Clone(s.Ledger), func(r claim.Row) bool { return r.Custom != own })
}

// rows are some of the claims of a page.
type rows struct {
	View view
	Rows claim.Ledger
}
