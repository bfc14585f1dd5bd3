// Package study is what experiments share: the comparison of methods pair by pair, with its rules, the control by a
// network that has nothing to learn, curves, and summaries.
package study

import (
	"cmp"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// NewFlows is what an experiment has under a protocol of this project, in place of the paper's figures, tables and
// claims.
type NewFlows struct {
	Protocol string // "": beyond
	Figures  []harness.Figure
	Compare  []Versus
	Claims   []claim.Claim // of this project's own, shown as a table
}

func (p NewFlows) protocol() string { return cmp.Or(p.Protocol, "beyond") }

// Apart returns the figures and tables, for harness.Experiment.Apart.
func (p NewFlows) Apart() map[string]harness.Contents {
	out := harness.Contents{Figures: p.Figures}
	for _, v := range p.Compare {
		out.Tables = append(out.Tables, harness.Table{Name: "versus-" + v.Problem, Title: v.Title, Make: v.Table})
	}
	if p.Claims != nil {
		title := "Claims of our own, not the paper's"
		out.Tables = append(out.Tables, harness.Table{Name: "own-claims", Title: title, Make: p.own})
	}
	return map[string]harness.Contents{p.protocol(): out}
}

// Findings returns what is found, of each comparison.
func (p NewFlows) Findings() []harness.Finding {
	var out []harness.Finding
	for _, v := range p.Compare {
		out = append(out, func(by map[string]*record.Set) *harness.Statement {
			s := by[p.protocol()]
			if s == nil || s.Methods(v.Problem) == nil {
				return nil
			}
			title, text := v.Words(s)
			return &harness.Statement{Title: title, Text: text, Protocol: p.protocol()}
		})
	}
	return out
}

// own is the table of this project's own claims.
func (p NewFlows) own(s *record.Set) (*table.Table, error) {
	words := map[claim.Verdict]string{claim.Reproduced: "holds", claim.NotReproduced: "does not hold"}
	outcomes := map[string]claim.Outcome{}
	for _, c := range p.Claims {
		outcomes[c.Statement] = c.Check(s)
	}
	t := table.Of(p.Claims)
	t.Words("Claim", func(c claim.Claim) string { return c.Statement })
	t.Words("Rule", func(c claim.Claim) string { return c.Rule })
	t.Words("Verdict", func(c claim.Claim) string {
		verdict := outcomes[c.Statement].Verdict
		return cmp.Or(words[verdict], verdict.String())
	})
	t.Words("Evidence", func(c claim.Claim) string { return outcomes[c.Statement].Evidence })
	return &t.Table, nil
}
