package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// gridFlags are the flags of grid alone.
type gridFlags struct {
	file, combine, where, choose string
	axes                         []string
	dry, noRun                   bool
}

func gridCommand(e *env) *cobra.Command {
	var s selection
	var r runner
	var g gridFlags
	cmd := &cobra.Command{
		Use:   "grid EXPERIMENT",
		Short: "Runs a grid over the settings and says which cell is best",
		Long: "Runs a grid over the settings and says, for each method on each problem, which cell is best. Cells are ordinary trials: what is " +
			"there is not computed again, and the same command continues. docs/grids.md has all of it.",
		Example: "  sifg grid gmm --axis 'step=logspace(1e-3, 1e-1, 5)' --select 'min knn-kl' --scale smoke --dry-run\n" +
			"  sifg grid gmm --grid step --scale smoke",
		Args: arguments("experiment", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(e); err != nil {
				return err
			}
			x, err := e.experiment(args[0])
			if err != nil {
				return err
			}
			spec, err := g.read(x)
			if err != nil {
				return err
			}
			if spec.Protocol != "" && !cmd.Flags().Changed("protocol") {
				s.protocols = []string{spec.Protocol}
			}
			return g.run(e, &s, &r, x, spec)
		},
	}
	s.flags(cmd)
	r.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&g.file, "grid", "", "grid `FILE`, or the name of one that comes with the experiment")
	f.StringArrayVar(&g.axes, "axis", nil, "`KEY=VALUES`, such as 'step=[0.01, 0.1]' or 'lr=logspace(1e-4, 1e-2, 3)'; repeatable")
	f.StringVar(&g.combine, "combine", grid.Combinations[0], "how the axes are combined, by `NAME`: "+strings.Join(grid.Combinations, ", "))
	f.StringVar(&g.where, "where", "", "only cells for which the `CONDITION` holds, such as 'step * hidden < 1'")
	f.StringVar(&g.choose, "select", "", "`RULE` of the choice: min METRIC or max METRIC, at the last iteration")
	f.BoolVar(&g.dry, "dry-run", false, "only show what would run")
	f.BoolVar(&g.noRun, "no-run", false, "compute nothing and judge what is there")
	return cmd
}

// read returns the grid of the flags.
func (g *gridFlags) read(x *harness.Experiment) (*grid.Spec, error) {
	switch {
	case g.file == "" && len(g.axes) == 0:
		return nil, usage.Errorf("give a grid by --grid, or axes by --axis; %s comes with the grids %s", x.Name, strings.Join(grid.Shipped(x), ", "))
	case g.file != "" && (len(g.axes) > 0 || g.where != ""):
		return nil, usage.Errorf("--grid %s has its own axes and conditions: leave --axis and --where out", g.file)
	case g.file == "":
		return grid.FromAxes(g.axes, g.combine, g.where)
	}
	return grid.Find(x, g.file)
}

// run lays the grid out under every protocol, and then runs and judges it under one after another.
func (g *gridFlags) run(e *env, s *selection, r *runner, x *harness.Experiment, spec *grid.Spec) error {
	request, err := s.request(e, []string{x.Name})
	if err != nil {
		return err
	}
	if s.name != "" {
		spec.Name = s.name
	}
	changed := plan.Request{Overrides: request.Overrides}
	s.name = ""
	results := s.resultsDir(changed.Set())
	st, err := openStore(s.storeDir(), results, !g.dry && !g.noRun)
	if err != nil {
		return err
	}
	protocols := request.Protocols
	if protocols == nil {
		file, err := settings.Read(x.Name, x.Settings)
		if err != nil {
			return err
		}
		protocols = file.Protocols
	}
	var grids []*grid.Grid
	for _, protocol := range protocols {
		request.Protocols = []string{protocol}
		laid, err := grid.New(request, spec, g.choose)
		if err != nil {
			return err
		}
		grids = append(grids, laid)
	}
	for _, laid := range grids {
		w := &work{Plan: &laid.Plan, results: results, store: st}
		if err := w.status(); err != nil {
			return err
		}
		w.measure(e)
		if g.dry {
			err = g.show(e, laid, w, r.jobs)
		} else {
			err = g.one(e, laid, w, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one runs a grid under one protocol, judges it and writes its results.
func (g *gridFlags) one(e *env, laid *grid.Grid, w *work, r *runner) error {
	if err := w.damage(); err != nil {
		return err
	}
	if !g.noRun {
		there := len(w.with(record.StatusOK, record.StatusDiverged))
		computed, _, caught, err := w.compute(e, r)
		if err != nil {
			return err
		}
		if caught != nil {
			return w.outcome(e, caught)
		}
		fmt.Fprintf(e.err, "%s: %d already there, %d computed\n", table.Count(len(w.found), "trial"), there, computed)
	}
	if w.store == nil {
		return w.outcome(e, nil)
	}
	result, err := laid.Judge(w.store, report.Quote(append([]string{"sifg"}, e.args...)))
	if err != nil {
		return err
	}
	dir := filepath.Join(w.results, report.Grids, w.Experiments[0].Name+"-"+laid.Name)
	foreign, kept, err := result.Write(dir)
	if err != nil {
		return err
	}
	for _, name := range foreign {
		fmt.Fprintf(e.err, "%s is not a file of this grid and was kept\n", filepath.Join(dir, name))
	}
	if kept {
		fmt.Fprintf(e.err, "%s missing: the earlier, complete result in %s was kept\n", table.Count(result.Missing(), "trial"), dir)
	}
	fmt.Fprintln(e.out, result.Best().Markdown())
	_, notes := result.Chosen()
	for _, n := range notes {
		fmt.Fprintln(e.out, n)
	}
	fmt.Fprintf(e.out, "results: %s\n", filepath.Join(dir, result.Protocol))
	return w.outcome(e, nil)
}

// show prints what would run.
func (g *gridFlags) show(e *env, laid *grid.Grid, w *work, jobs int) error {
	there := map[string]bool{}
	for _, t := range w.with(record.StatusOK, record.StatusDiverged) {
		there[t.Key] = true
	}
	rows := [][]string{{"problem", "method", "cells", "trials", "there", "first … last"}}
	for _, group := range laid.Groups {
		trials, done := 0, 0
		for _, c := range group.Cells {
			for _, key := range c.Trials {
				if trials++; there[key] {
					done++
				}
			}
		}
		ends := "no cell fulfils the condition"
		if n := len(group.Cells); n > 0 {
			ends = group.Cells[0].Label + " … " + group.Cells[n-1].Label
		}
		rows = append(rows, []string{group.Problem, group.Method, fmt.Sprint(len(group.Cells)), fmt.Sprint(trials), fmt.Sprint(done), ends})
	}
	err := columns(e.out, rows)
	fmt.Fprintln(e.out, w.forecast(w.with(todoStatuses...), jobs))
	return err
}
