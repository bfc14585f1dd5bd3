package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// gridFlags are the flags of grid alone.
type gridFlags struct {
	file, combine, where, choose string
	axes                         []string
	dry, noRun, asJSON           bool
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
		Args: arguments("experiment", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(e); err != nil {
				return err
			}
			return runGrid(e, cmd, args[0], &s, &r, &g)
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
	f.BoolVar(&g.asJSON, "json", false, "print JSON")
	return cmd
}

// read returns the grid of the flags.
func (g *gridFlags) read(x *harness.Experiment) (*grid.Spec, error) {
	switch {
	case g.file == "" && len(g.axes) == 0:
		return nil, usage.Errorf("give a grid by --grid, or axes by --axis; %s comes with the grids %s", x.Name, strings.Join(gridNames(x), ", "))
	case g.file != "" && (len(g.axes) > 0 || g.where != ""):
		return nil, usage.Errorf("--grid %s has its own axes and conditions: leave --axis and --where out", g.file)
	case g.file == "":
		return grid.FromAxes(g.axes, g.combine, g.where)
	case slices.Contains(gridNames(x), g.file):
		text, err := fs.ReadFile(x.Grids, "grids/"+g.file+".yaml")
		if err != nil {
			return nil, err
		}
		return grid.ReadSpec(g.file+".yaml", text)
	}
	text, err := safe.Read(g.file, 1<<20)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && filepath.Ext(g.file) == "" {
			return nil, usage.Unknown("grid", g.file, "--grid", gridNames(x))
		}
		return nil, usage.Errorf("--grid: %v", err)
	}
	return grid.ReadSpec(g.file, text)
}

// gridDir is the folder of a grid's results.
func gridDir(s *selection, x *harness.Experiment, name string) string {
	base := "results"
	switch {
	case s.results != "":
		base = s.results
	case len(s.config)+len(s.set) > 0:
		base = filepath.Join(base, "custom")
	case s.scale != "full":
		base = filepath.Join(base, s.scale)
	}
	return filepath.Join(base, report.Grids, x.Name+"-"+name)
}

func runGrid(e *env, cmd *cobra.Command, name string, s *selection, r *runner, g *gridFlags) error {
	x, err := e.experiment(name)
	if err != nil {
		return err
	}
	spec, err := g.read(x)
	if err != nil {
		return err
	}
	if s.name != "" {
		spec.Name = s.name
	}
	if spec.Protocol != "" && !cmd.Flags().Changed("protocol") {
		s.protocols = []string{spec.Protocol}
	}
	request, err := s.request(e, []string{name})
	if err != nil {
		return err
	}
	dir := gridDir(s, x, spec.Name)
	var grids []*grid.Grid
	var jobs []*work
	for _, protocol := range s.protocols {
		request.Protocols = []string{protocol}
		laid, err := grid.New(request, spec, g.choose)
		if err != nil {
			return err
		}
		w := &work{Plan: &laid.Plan, results: filepath.Dir(filepath.Dir(dir))}
		if w.store, err = openStore(e, s.storeDir(), w.results, !g.dry && !g.noRun); err == nil {
			err = w.look(e)
		}
		if err != nil {
			return err
		}
		grids, jobs = append(grids, laid), append(jobs, w)
	}
	for i, laid := range grids {
		if g.dry {
			err = showGrid(e, laid, jobs[i], r.jobs, g.asJSON)
		} else {
			err = oneGrid(e, laid, jobs[i], r, g, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// oneGrid runs a grid under one protocol, judges it and writes its results.
func oneGrid(e *env, laid *grid.Grid, w *work, r *runner, g *gridFlags, dir string) error {
	var caught os.Signal
	if !g.noRun {
		if err := w.damage(); err != nil {
			return err
		}
		var err error
		if _, _, caught, err = w.compute(e, r); err != nil {
			return err
		}
		if err := w.look(e); err != nil {
			return err
		}
	}
	if w.store == nil || caught != nil {
		return w.outcome(e, caught)
	}
	result, err := laid.Judge(w.store, report.Quote(append([]string{"sifg"}, e.args...)))
	if err != nil {
		return err
	}
	foreign, kept, err := result.Write(dir)
	if err != nil {
		return err
	}
	for _, name := range foreign {
		fmt.Fprintf(e.err, "%s is not a file of this grid and stays\n", filepath.Join(dir, name))
	}
	if kept {
		fmt.Fprintf(e.err, "%s trials are missing: the earlier, complete result in %s stays\n", fmt.Sprint(result.Missing()), dir)
	}
	if g.asJSON {
		err = writeJSON(e.out, result)
	} else {
		err = showBest(e, result, dir)
	}
	if err != nil {
		return err
	}
	return w.outcome(e, nil)
}

// showGrid prints what would run.
func showGrid(e *env, g *grid.Grid, w *work, jobs int, asJSON bool) error {
	if asJSON {
		return writeJSON(e.out, g.Groups)
	}
	there := map[string]bool{}
	for _, t := range w.with(record.StatusOK, record.StatusDiverged) {
		there[t.Key] = true
	}
	t := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "problem\tmethod\tcells\ttrials\tthere\tfirst … last")
	for _, group := range g.Groups {
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
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\n", group.Problem, group.Method, len(group.Cells), trials, done, ends)
	}
	fmt.Fprintln(t, w.forecast(w.with(todoStatuses...), jobs))
	return t.Flush()
}

// showBest prints the chosen cells beside the settings as they are.
func showBest(e *env, r *grid.Result, dir string) error {
	fmt.Fprintf(e.out, "protocol %s, %s\n", r.Protocol, r.Objective)
	if err := printTable(e, r.Best()); err != nil {
		return err
	}
	_, notes := r.Chosen()
	for _, n := range notes {
		fmt.Fprintln(e.out, n)
	}
	fmt.Fprintf(e.out, "results: %s\n", filepath.Join(dir, r.Protocol))
	return nil
}

// printTable prints a table as columns of text.
func printTable(e *env, t *table.Table) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for i, c := range t.Columns {
		fmt.Fprint(w, strings.Repeat("\t", min(i, 1)), c.Header)
	}
	fmt.Fprintln(w)
	for _, row := range t.Rows {
		for i, c := range row {
			fmt.Fprint(w, strings.Repeat("\t", min(i, 1)), c.Text)
		}
		fmt.Fprintln(w)
	}
	for _, n := range t.Notes {
		fmt.Fprintln(w, n)
	}
	return w.Flush()
}
