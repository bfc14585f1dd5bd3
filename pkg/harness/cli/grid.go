package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// gridFlags are the flags of grid.
type gridFlags struct {
	selection
	options      run.Options
	file, choose string
	axes         []string
	dry          bool
}

func gridCommand(e *env) *cobra.Command {
	var g gridFlags
	cmd := &cobra.Command{
		Use:   "grid EXPERIMENT",
		Short: "Runs a grid over the settings and ranks the configurations",
		Long: "Configurations run as ordinary trials: what is in the store is not computed again, and the same " +
			"command continues. docs/grids.md has all of it.",
		Example: "  sifg grid gmm --axis 'step=[1e-3, 1e-2, 1e-1]' --select 'min knn-kl' --scale smoke --dry-run\n" +
			"  sifg grid gmm --grid tuned --scale smoke",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x := harness.ByName(e.experiments, args[0])
			if x == nil {
				return usage.Unknown("experiment", args[0], "", e.names())
			}
			var spec *grid.Spec
			var err error
			if g.axes != nil {
				spec, err = grid.FromAxes(g.axes)
			} else {
				spec, err = grid.Find(x, g.file)
			}
			if err != nil {
				return err
			}
			if spec.Protocol != "" && !cmd.Flags().Changed("protocol") {
				g.Protocols = []string{spec.Protocol}
			}
			return g.run(e, x, spec)
		},
	}
	g.selection.flags(cmd)
	runFlags(cmd, &g.options)
	f := cmd.Flags()
	f.StringVar(&g.file, "grid", "", "grid `FILE`, or the name of one that comes with the experiment")
	f.StringArrayVar(&g.axes, "axis", nil,
		"`KEY=VALUES`, such as 'step=[0.01, 0.1]'; every combination where it is repeated")
	f.StringVar(&g.choose, "select", "",
		"`RULE` of the choice: min METRIC or max METRIC, at the last iteration, or near published")
	f.BoolVar(&g.dry, "dry-run", false, "only show what would run")
	cmd.MarkFlagsMutuallyExclusive("grid", "axis")
	cmd.MarkFlagsOneRequired("grid", "axis")
	return cmd
}

// run lays the grid out, runs what is missing and chooses cells.
func (g *gridFlags) run(e *env, x *harness.Experiment, spec *grid.Spec) error {
	if err := g.request(e, []string{x.Name}); err != nil {
		return err
	}
	spec.Name = cmp.Or(g.name, spec.Name) // of the grid, not of the report
	question, err := grid.Ask(spec.Name, cmp.Or(g.choose, spec.Select), g.Experiments[0])
	if err != nil {
		return err
	}
	laid, err := grid.New(g.Request, spec, question)
	if err != nil {
		return err
	}
	g.name = ""
	changed := plan.Request{Overrides: g.Overrides, Custom: g.Custom, Program: g.Program}
	g.changed = changed.Set() // methods and seeds are the grid's
	results := g.resultsDir()
	if own := !slices.Contains(grid.Shipped(x), g.file); own && g.results == "" && results == "results" {
		results = filepath.Join(results, "custom", "grids") // apart from those that come with the experiment
	}
	w := &work{Plan: laid, results: results}
	if w.store, err = openStore(g.storeDir(), results, !g.dry); err == nil {
		w, err = w.round(e, spec, question, laid)
	}
	if err != nil {
		return err
	}
	if g.dry {
		w.print(e)
		return nil
	}
	if err := report.Writable(w.results); err != nil {
		return err
	}
	for next := w; next != nil && err == nil; {
		w, next = next, nil
		err = w.run(e, g.options, func() (err error) {
			next, err = w.round(e, spec, question, laid)
			if err == nil && len(next.Trials) == len(w.Trials) {
				next = nil
				err = report.Alone(w.results, func() error { return w.choose(e, question) })
			}
			return err
		})
	}
	return err
}

// round is the work on the trials that a grid asks for, as far as it is decided.
func (w *work) round(e *env, spec *grid.Spec, q grid.Question, all *plan.Plan) (*work, error) {
	p, err := spec.Round(all, q, w.store)
	if err != nil {
		return nil, err
	}
	next := &work{Plan: p, results: w.results, store: w.store}
	return next, next.look()
}

// choose shows the best cells of a grid, and writes its results and the pages about all.
func (w *work) choose(e *env, q grid.Question) error {
	results, grids, err := readAll(e, w.results)
	if err != nil {
		return err
	}
	dir := filepath.Join(w.results, report.Grids, q.Name)
	r, err := w.merge(e, cmp.Or(grids[q.Name], &report.Results{Dir: dir}))
	if err != nil || r.Experiment(w.Experiments[0].Name) == nil {
		return err
	}
	x := r.Experiment(w.Experiments[0].Name)
	q.On(x)
	x.Records.AtEnd(q.Text())
	for _, set := range x.Sets {
		if p := x.Part(set.Protocol, "best"); set.Protocol == w.Trials[0].Protocol && p != nil && p.Made != nil {
			_, notes := q.Chosen(set)
			fmt.Fprintln(e.out, strings.Join(append([]string{p.Made.Markdown()}, notes...), "\n"))
		}
	}
	grids[q.Name] = r
	if err := w.write(e, results, grids); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "results: %s\npage: %s\n", filepath.Join(dir, x.Name), filepath.Join(w.results, page.Grids))
	return nil
}
