package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/authors"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func compareCommand(e *env) *cobra.Command {
	var s selection
	var against string
	var all bool
	cmd := &cobra.Command{
		Use:   "compare [EXPERIMENT...|all]",
		Short: "Sets the report beside published numbers, or beside those of the authors' code",
		Long:  compare.Tolerance,
		Example: `  sifg compare uci-bnn
  sifg compare uci-bnn --protocol all --all`,
		RunE: func(_ *cobra.Command, args []string) error {
			ours, err := s.read(e, args)
			if err != nil {
				return err
			}
			if scale := ours.Rehearsal(); scale != "" {
				fmt.Fprintf(e.out, "A rehearsal at %s scale, which decides nothing about a paper.\n\n", scale)
			}
			switch against {
			case "published":
				return comparePublished(e, s.Request, ours, all)
			case "authors":
				if ours.Scripts == nil {
					return exitf(exitStopped, "no numbers of the authors' code in %s: make authors runs them", ours.Dir)
				}
				_, err := fmt.Fprint(e.out, authors.Table(ours.BesideScripts(), all).Markdown())
				return err
			}
			return usage.Unknown("numbers", against, "--against", []string{"published", "authors"})
		},
	}
	f := cmd.Flags()
	s.protocolFlag(f)
	s.reportFlags(cmd)
	f.StringVar(&against, "against", "published",
		"published: the paper's numbers; authors: those of the authors' code (docs/authors.md)")
	f.BoolVar(&all, "all", false, "print every number, also those that cannot be compared or agree with the authors'")
	return cmd
}

// comparePublished prints the numbers of each wanted protocol that can be compared with published ones, or all.
func comparePublished(e *env, r plan.Request, ours *report.Results, all bool) error {
	wanted := func(protocol string) bool {
		return r.Protocols == nil || slices.Contains(r.Protocols, plan.All) || slices.Contains(r.Protocols, protocol)
	}
	none := true
	for _, x := range ours.Experiments { // which publish nothing on what is a person's own
		for _, set := range x.Sets {
			rows := compare.Published(x.Published, set)
			if len(rows) == 0 || !wanted(set.Protocol) || harness.ByName(r.Experiments, x.Name) == nil {
				continue
			}
			none = false
			fmt.Fprintf(e.out, "%s %s: %s\n\n", x.Name, set.Protocol, compare.Count(rows))
			if !all {
				rows = slices.DeleteFunc(rows, func(r compare.Row) bool { return r.Verdict == compare.NotComparable })
			}
			if len(rows) > 0 {
				fmt.Fprintln(e.out, compare.Table(rows).Markdown())
			}
		}
	}
	if none {
		return exitf(exitStopped, "nothing in %s can be compared with published numbers", ours.Dir)
	}
	return nil
}
