package harness

import (
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Beyond is what is made of the protocol beyond, in place of the paper's figures, tables and claims: a table and a finding for each
// comparison, and claims of this project's own.
type Beyond struct {
	Figures []Figure
	Compare []claim.Versus
	Claims  []claim.Claim
}

// Under returns what is made of the records of a protocol. Only those that the paper's claims are judged by have claims.
func (e *Experiment) Under(protocol string) ([]Figure, []Table, []claim.Claim) {
	if protocol != settings.Beyond {
		return e.Figures, e.Tables, e.Claims
	}
	var tables []Table
	for _, v := range e.Beyond.Compare {
		tables = append(tables, Table{Name: "versus-" + v.Problem, Title: v.Title, Make: v.Table})
	}
	if e.Beyond.Claims != nil {
		tables = append(tables, Table{Name: "own-claims", Title: "Claims of our own, not the paper's", Make: e.own})
	}
	return e.Beyond.Figures, tables, nil
}

// Say returns what the experiment finds.
func (e *Experiment) Say() []Finding {
	out := e.Findings
	for _, v := range e.Beyond.Compare {
		out = append(out, func(by map[string]*record.Set) *Statement {
			s := by[settings.Beyond]
			if s == nil || s.Methods(v.Problem) == nil {
				return nil
			}
			title, text := v.Words(s)
			return &Statement{Title: title, Text: text}
		})
	}
	return out
}

// own is the table of this project's own claims.
func (e *Experiment) own(s *record.Set) (*table.Table, error) {
	words := map[claim.Verdict]string{claim.Reproduced: "holds", claim.NotReproduced: "does not hold"}
	t := &table.Table{Columns: []table.Column{{Header: "Claim"}, {Header: "Rule"}, {Header: "Verdict"}, {Header: "Evidence"}}}
	for _, c := range e.Beyond.Claims {
		out := c.Check(s)
		verdict := words[out.Verdict]
		if verdict == "" {
			verdict = out.Verdict.String()
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(c.Statement), table.Text(c.Rule), table.Text(verdict), table.Text(out.Evidence)})
	}
	return t, nil
}
