package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// gridOptions are the flags of grid alone.
type gridOptions struct {
	file, name, choose, seeds string
	args                      grid.Args
	dry, there                bool
}

func (a *app) grid() *cobra.Command {
	var o gridOptions
	cmd := &cobra.Command{
		Use:   "grid EXPERIMENT",
		Short: "Runs a grid over the configuration and says which cell is best",
		Long: "Runs a grid over the configuration, in a file or given by axes, and says for each method on each problem which cell is best.\n" +
			"Cells are ordinary trials: what is there is not computed again, and the same command continues. docs/grids.md has all of it.",
		Example: "  sifg grid gmm --axis 'methods.sifg.step=logspace(1e-3, 1e-1, 5)' --select 'min knn-kl' --scale quick --dry-run\n" +
			"  sifg grid gmm --grid step --scale smoke",
		Args: one("experiment"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runGrid(cmd, args[0], &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "grid", "", "grid `FILE`, or the name of one that comes with the experiment")
	f.StringArrayVar(&o.args.Axes, "axis", nil, "`KEY=VALUES` over the configuration, such as 'step=[0.01, 0.1]' or 'lr=logspace(1e-4, 1e-2, 3)'; repeatable")
	f.StringVar(&o.args.Combine, "combine", "product", "how the axes are combined, by `NAME`: product, zip, or ablate (one at a time)")
	f.StringArrayVar(&o.args.Include, "include", nil, "only cells of which the `CONDITION` holds, such as 'step * hidden < 1'; repeatable")
	f.StringArrayVar(&o.args.Exclude, "exclude", nil, "no cells of which the `CONDITION` holds; repeatable")
	f.StringSliceVar(&o.args.Problems, "problems", nil, "only these problems, by `NAME`, several with commas")
	f.StringSliceVar(&o.args.Methods, "methods", nil, "only these methods, by `NAME`, several with commas, also if no axis is about them")
	f.StringVar(&o.seeds, "seeds", "", "repetitions of each cell: `LIST` such as 1,2,3 or 'range(1, 5)' (default the experiment's)")
	f.StringVar(&o.choose, "select", "", "`RULE` of the choice: min METRIC or max METRIC, at the last iteration")
	f.StringVar(&o.name, "name", "", "`NAME` of the folder of the results (default that of the file)")
	f.BoolVar(&o.dry, "dry-run", false, "only show what would run")
	f.BoolVar(&o.there, "no-run", false, "compute nothing and judge what is there")
	a.choosing(cmd)
	a.runnerFlags(cmd)
	a.jsonFlag(cmd)
	return cmd
}

// gridRun is a grid laid out under each protocol, with what the store has of it.
type gridRun struct {
	prepared
	plans     []*grid.Plan
	objective grid.Objective
	commands  []string // flags that lead here again, without those that change no result
	use       []string // flags of a run with the same configuration
}

func (a *app) runGrid(cmd *cobra.Command, name string, o *gridOptions) error {
	runner, err := a.runner()
	if err != nil {
		return err
	}
	if o.dry && o.there {
		return harness.Usagef("--dry-run shows what would run, --no-run judges what is there: give one of them")
	}
	e, err := a.experiment(name)
	if err != nil {
		return err
	}
	g, dir, err := a.layOut(cmd, e, o)
	if err != nil {
		return err
	}
	if !o.dry {
		if err := writable(a.resultsDir(), "--results"); err != nil {
			return err
		}
	}
	if g.store, err = a.open(!o.dry && !o.there); err != nil {
		return err
	}
	if g.survey, g.costs, err = harness.Glance(g.store, g.Plan, a.resultsDir()); err != nil {
		return err
	}
	todo := g.survey.Retry(a.opt.retry)
	if o.dry {
		return a.showGrid(g, todo)
	}
	computed, there := 0, len(g.survey.Is(record.StatusOK, record.StatusDiverged))
	var caught os.Signal
	if !o.there {
		fmt.Fprintln(a.err, g.foretell(todo, a.opt.jobs))
		if computed, caught, err = a.compute(runner, g.prepared, todo); err != nil {
			return err
		}
		if g.survey, _, err = harness.Glance(g.store, g.Plan, a.resultsDir()); err != nil {
			return err
		}
	}
	missing, damaged := len(g.survey.Is(harness.Missing)), len(g.survey.Is(harness.Damaged))
	if o.there || missing+damaged == 0 {
		if err := a.judge(g, dir, missing+damaged); err != nil {
			return err
		}
	}
	if !a.opt.json {
		fmt.Fprintf(a.out, "%s: %d already there, %d computed\n", table.Count(len(g.survey), "trial"), there, computed)
	}
	if o.there && missing > 0 && damaged == 0 {
		return exitf(exitStopped, "%d of %d trials are missing: the same command without --no-run computes them", missing, len(g.survey))
	}
	return verdict(g.survey, caught)
}

// judge writes the results of each protocol and prints the best cells. unread is the number of trials that have no records
// as far as a glance at the store can tell.
func (a *app) judge(g *gridRun, dir string, unread int) error {
	var all []any
	for _, p := range g.plans {
		r, err := p.Judge(g.store, g.objective)
		if err != nil {
			return err
		}
		if r.Missing > 0 && unread == 0 {
			return exitf(exitDamaged, "the records of %s are damaged in the store: sifg verify --repair moves them aside and the "+
				"next run computes them again", table.Count(r.Missing, "trial"))
		}
		folder := filepath.Join(dir, p.Protocol)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		labels := []string{"--protocol", p.Protocol, "--scale", p.Scale}
		w, err := r.Write(folder, grid.Commands{
			Choose: "sifg " + harness.Quote(append(slices.Clone(g.commands), labels...)),
			Use: "sifg " + harness.Quote(slices.Concat([]string{"run", p.Experiment}, labels, g.use,
				[]string{"--config", filepath.ToSlash(filepath.Join(folder, "chosen.yaml"))})),
		})
		if err != nil {
			return err
		}
		switch {
		case w.Kept:
			fmt.Fprintf(a.err, "%s is left as it is: it has all trials of its grid, and of this one %d are missing\n", folder, r.Missing)
		case w.Before != nil && w.Before.Command != w.Summary.Command:
			fmt.Fprintf(a.err, "%s had another grid, which this one replaces (--name keeps both): %s\n", folder, w.Before.Command)
		}
		if a.opt.json {
			all = append(all, w.Summary)
			continue
		}
		if err := a.showBest(r); err != nil {
			return err
		}
		if w.Kept {
			continue
		}
		for _, n := range w.Notes {
			fmt.Fprintf(a.err, "left out of the chosen values: %s\n", n)
		}
		fmt.Fprintf(a.out, "report: %s; chosen values: %s\n", filepath.Join(folder, "report.md"), filepath.Join(folder, "chosen.yaml"))
	}
	if a.opt.json {
		return writeJSON(a.out, all)
	}
	return nil
}
