package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func explainCommand(e *env) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:     "explain KEY",
		Short:   "Says what came out of a trial and why: final metrics, origin of its settings, how to repeat it",
		Long:    "KEY may be the beginning of a key. The page, sifg plan --json and trials.parquet have the keys.",
		Example: "  sifg explain KEY",
		Args:    arguments("one key", 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := s.request(e, nil); err != nil {
				return err
			}
			st, err := openStore(s.storeDir(), s.resultsDir(nil), false)
			if err != nil {
				return err
			}
			x, err := report.Explain(s.resultsDir(nil), st, e.experiments, e.data, args[0])
			if err != nil {
				return err
			}
			columns(e.out, explanation(x))
			return nil
		},
	}
	s.reportFlags(cmd.Flags())
	return cmd
}

func explanation(x *report.Explained) [][]string {
	t := x.Trial
	name := fmt.Sprintf("%s/%s, %s, %s, seed %d, scale %s",
		t.Experiment, t.Protocol, t.Problem, t.Method, t.Seed, t.Scale)
	size := fmt.Sprintf("%d particles in %d dimensions, %d iterations, %s",
		t.Particles, t.Dim, t.Iterations, table.Seconds(x.Timing.Seconds))
	rows := [][]string{
		{t.Key, name},
		{"status", t.Status + " " + t.Reason},
		{"size", size},
		{"repeat", x.Repeat},
		{"from", x.From},
		{},
		{"final metrics"},
	}
	for _, name := range slices.Sorted(maps.Keys(x.Final)) {
		components := strings.Trim(fmt.Sprintf("%.6g", x.Final[name]), "[]")
		rows = append(rows, []string{"  " + name, strings.ReplaceAll(components, " ", ", ")})
	}
	rows = append(rows, []string{}, []string{"settings"})
	for _, s := range x.Settings {
		rows = append(rows, []string{"  " + s.Key, s.Value, s.Layer})
	}
	return append(rows, []string{}, []string{"build"}, []string{"  processor", x.Timing.CPU},
		[]string{"  kernels", x.Timing.Kernel}, []string{"  commit", x.Timing.Commit})
}
