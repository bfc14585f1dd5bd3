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
			r, rep, err := s.read(e, names)
			if err != nil {
				return err
			}
			// a claim may rest on others
			ledger := slices.DeleteFunc(rep.Ledger(e.experiments), func(row claim.Row) bool {
				chosen := harness.ByName(r.Experiments, row.Experiment) != nil && (names != nil || ids == nil)
				return !slices.Contains(ids, row.ID) && (!chosen || len(row.Under) == 0)
			})
			if ids != nil {
				for _, row := range ledger {
					whole(e, row)
				}
			} else if err := list(e, ledger); err != nil {
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

const width = 100 // columns of a terminal that the list takes

// marks are how a line of the list shows verdicts.
var marks = map[claim.Verdict]string{
	claim.Reproduced: "+", claim.NotContradicted: "≤", claim.NotReproduced: "−", claim.NotDecided: "?",
}

// list prints a line for each claim: its ID, a mark for each protocol of the line above, the sentence, and the number
// that decides under the experiment's default protocol.
func list(e *env, ledger claim.Ledger) error {
	fmt.Fprintln(e.out, "+ reproduced, ≤ within a bound, − not reproduced, ? not decided, · not testable")
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
			fmt.Fprintln(e.out, line)
			above = line
		}
		head := fmt.Sprintf("  %-4s %-3s ", row.ID, verdicts)
		room := width - utf8.RuneCountInString(head) - utf8.RuneCountInString(number) - 1
		sentence := []rune(row.Statement)
		if len(sentence) > room {
			sentence = append(sentence[:room-1], '…')
		}
		fmt.Fprintln(e.out, strings.TrimRight(fmt.Sprintf("%s%-*s %s", head, room, string(sentence), number), " "))
	}
	return nil
}

// whole prints a claim with rule, evidence and trials.
func whole(e *env, row claim.Row) {
	fmt.Fprintf(e.out, "%s. %s\n    %s (%s)\n", row.ID, row.Statement, row.Summary, row.Experiment)
	fmt.Fprintf(e.out, "    rule: %s\n", row.Rule)
	var under [][]string
	for _, o := range row.Under {
		under = append(under, []string{"    " + o.Protocol, o.Verdict.String(), o.Evidence})
		if o.Keys != nil {
			under = append(under, []string{"", "rests on", table.Count(len(o.Keys), "trial")})
		}
	}
	columns(e.out, under)
}
