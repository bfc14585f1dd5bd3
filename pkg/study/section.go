// Package study is what experiments share: the comparison of methods pair by pair, with its rules, the control by a network that has
// nothing to learn, curves, and summaries.
package study

import (
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// NewFlows is what an experiment has under the protocol beyond, in place of the paper's figures, tables and claims.
type NewFlows struct {
	Figures []harness.Figure
	Compare []Versus
	Claims  []claim.Claim // of this project's own, shown as a table
}

// Apart returns the figures and tables, for harness.Experiment.Apart.
func (p NewFlows) Apart() map[string]harness.Contents {
	out := harness.Contents{Figures: p.Figures}
	for _, v := range p.Compare {
		out.Tables = append(out.Tables, harness.Table{Name: "versus-" + v.Problem, Title: v.Title, Make: v.Table})
	}
	if p.Claims != nil {
		out.Tables = append(out.Tables, harness.Table{Name: "own-claims", Title: "Claims of our own, not the paper's", Make: p.own})
	}
	return map[string]harness.Contents{"beyond": out}
}

// Findings returns what is found, of each comparison.
func (p NewFlows) Findings() []harness.Finding {
	var out []harness.Finding
	for _, v := range p.Compare {
		out = append(out, func(by map[string]*record.Set) *harness.Statement {
			s := by["beyond"]
			if s == nil || s.Methods(v.Problem) == nil {
				return nil
			}
			title, text := v.Words(s)
			return &harness.Statement{Title: title, Text: text, Protocol: "beyond"}
		})
	}
	return out
}

// own is the table of this project's own claims.
func (p NewFlows) own(s *record.Set) (*table.Table, error) {
	words := map[claim.Verdict]string{claim.Reproduced: "holds", claim.NotReproduced: "does not hold"}
	t := &table.Table{Columns: table.Columns(4, "Claim", "Rule", "Verdict", "Evidence")}
	for _, c := range p.Claims {
		out := c.Check(s)
		verdict := words[out.Verdict]
		if verdict == "" {
			verdict = out.Verdict.String()
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(c.Statement), table.Text(c.Rule), table.Text(verdict), table.Text(out.Evidence)})
	}
	return t, nil
}
