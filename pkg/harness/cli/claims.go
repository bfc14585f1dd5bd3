package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func claimsCommand(e *env) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "claims [EXPERIMENT...|CLAIM...|all]",
		Short: "Prints a line for each claim of the paper, from the report",
		Long:  "CLAIM is the number of one, such as 8 or T16, which is then shown with its rule and evidence.",
		Example: `  sifg claims gmm --scale smoke
  sifg claims 8 T16`,
		RunE: func(_ *cobra.Command, args []string) error {
			names, ids := e.split(args)
			rep, err := s.read(e, names)
			if err != nil {
				return err
			}
			// a claim may rest on others
			ledger := slices.DeleteFunc(rep.Ledger(e.experiments), func(row claim.Row) bool {
				chosen := harness.ByName(s.Experiments, row.Experiment) != nil && (names != nil || ids == nil)
				return !slices.Contains(ids, row.ID) && (!chosen || len(row.Under) == 0)
			})
			if err := printClaims(e, ledger, ids != nil); err != nil {
				return err
			}
			if names != nil || ids == nil {
				none := "no claim was decided: protocols with claims: true in the settings check them, and sifg " +
					"claims ID says what a claim that is not testable lacks"
				if scale := rep.Rehearsal(); scale != "" {
					none = "no claim is decided at " + scale + " scale, which is a rehearsal"
				}
				fmt.Fprintln(e.out, cmp.Or(ledger.Count(), none))
			}
			return nil
		},
	}
	s.reportFlags(cmd)
	return cmd
}

// split tells the IDs of claims from names of experiments.
func (e *env) split(args []string) (names, ids []string) {
	claims := map[string]string{} // IDs in lower case, and as they are
	for _, x := range e.experiments {
		for _, c := range x.Claims() {
			claims[strings.ToLower(c.ID)] = c.ID
		}
	}
	for _, arg := range args {
		if id, ok := claims[strings.ToLower(arg)]; ok {
			ids = append(ids, id)
		} else if arg != e.paper { // which is all that there is
			names = append(names, arg)
		}
	}
	return names, ids
}

// marks are how a line of the list shows verdicts.
var marks = map[claim.Verdict]string{
	claim.Reproduced: "+", claim.NotContradicted: "≤", claim.NotReproduced: "−", claim.NotDecided: "?",
}

// printClaims prints a line for each claim: its ID, a mark for each protocol of the line above, the number that decides
// under the experiment's default protocol, and the sentence; where whole, its rule, evidence and trials too.
func printClaims(e *env, ledger claim.Ledger, whole bool) error {
	rows := [][]string{{"+ reproduced, ≤ within a bound, − not reproduced, ? not decided, · not testable"}}
	above := ""
	for _, row := range ledger {
		file, err := harness.ByName(e.experiments, row.Experiment).File()
		if err != nil {
			return err
		}
		var protocols []string
		verdicts, number := "", ""
		for _, o := range row.Under {
			protocols = append(protocols, o.Protocol)
			if verdicts += cmp.Or(marks[o.Verdict], "·"); o.Protocol == file.Default {
				number = o.Number
			}
		}
		line := fmt.Sprintf("%s: %s; numbers of %s", row.Experiment, strings.Join(protocols, ", "), file.Default)
		if line != above {
			rows = append(rows, []string{line})
			above = line
		}
		sentence := row.Statement
		if !whole && utf8.RuneCountInString(sentence) > 58 { // so that a line fits a terminal
			sentence = fmt.Sprintf("%.57s…", sentence)
		}
		rows = append(rows, []string{"  " + row.ID, verdicts, number, sentence})
		if !whole {
			continue
		}
		rows = append(rows, []string{"    " + row.Summary}, []string{"    rule: " + row.Rule})
		for _, o := range row.Under {
			rows = append(rows, []string{"    " + o.Protocol, o.Verdict.String(), o.Evidence})
			if o.Keys != nil {
				rows = append(rows, []string{"", "rests on", table.Count(len(o.Keys), "trial")})
			}
		}
	}
	columns(e.out, rows)
	return nil
}
