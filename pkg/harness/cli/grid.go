package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// gridFlags are the flags of grid.
type gridFlags struct {
	selection
	runner
	file, choose string
	published    string
	axes         []string
	dry, named   bool
}

func gridCommand(e *env) *cobra.Command {
	var g gridFlags
	cmd := &cobra.Command{
		Use:   "grid EXPERIMENT",
		Short: "Runs a grid over the settings and says which cell is best",
		Long: "Cells are ordinary trials: what is there is not computed again, and the same command continues. " +
			"docs/grids.md has all of it.",
		Example: "  sifg grid gmm --axis 'step=[1e-3, 1e-2, 1e-1]' --select 'min knn-kl' --scale smoke --dry-run\n" +
			"  sifg grid gmm --grid sigma --scale smoke",
		Args: arguments("one experiment", 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x := harness.ByName(e.experiments, args[0])
			if x == nil {
				return usage.Unknown("experiment", args[0], "", e.names())
			}
			spec, err := g.read(x)
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
	g.runner.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&g.file, "grid", "", "grid `FILE`, or the name of one that comes with the experiment")
	f.StringArrayVar(&g.axes, "axis", nil,
		"`KEY=VALUES`, such as 'step=[0.01, 0.1]'; every combination where it is repeated")
	f.StringVar(&g.choose, "select", "",
		"`RULE` of the choice: min METRIC or max METRIC, at the last iteration, or near published")
	f.StringVar(&g.published, "published", "",
		"published numbers in place of the experiment's, a CSV `FILE` (docs/grids.md), for near published")
	f.BoolVar(&g.dry, "dry-run", false, "only show what would run")
	return cmd
}

// read returns the grid of the flags.
func (g *gridFlags) read(x *harness.Experiment) (*grid.Spec, error) {
	switch {
	case g.file == "" && len(g.axes) == 0:
		return nil, usage.Errorf("give a grid by --grid, or axes by --axis; %s comes with the grids %s", x.Name,
			strings.Join(grid.Shipped(x), ", "))
	case g.file != "" && len(g.axes) > 0:
		return nil, usage.Errorf("--grid %s has its own axes: leave --axis out", g.file)
	case g.file == "":
		return grid.FromAxes(g.axes)
	}
	return grid.Find(x, g.file)
}

// readPublished reads the published numbers of a file for an experiment that can measure them.
func readPublished(file string, x *harness.Experiment) ([]claim.Published, error) {
	text, err := safe.Read(file, 1<<20)
	if err != nil {
		return nil, usage.Errorf("--published: %v", err)
	}
	out, err := claim.ReadPublished(file, text)
	if err != nil {
		return nil, usage.Errorf("--published: %v", err)
	}
	settings, err := x.File()
	if err != nil {
		return nil, err
	}
	var metrics []string
	for _, m := range x.Metrics {
		metrics = append(metrics, m.Name)
	}
	for _, p := range out {
		where := "--published " + file
		err := errors.Join(usage.Among("data set", []string{p.Problem}, where, settings.Problems),
			usage.Among("metric", []string{p.Metric}, where, metrics),
			usage.Among("method", []string{p.Method}, where, settings.Methods))
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// run lays the grid out, runs what is missing and chooses cells.
func (g *gridFlags) run(e *env, x *harness.Experiment, spec *grid.Spec) error {
	request, err := g.request(e, []string{x.Name})
	if err != nil {
		return err
	}
	if g.name != "" {
		spec.Name, g.named, g.name = g.name, true, ""
	}
	if g.published != "" {
		own := *request.Experiments[0]
		if own.Published, err = readPublished(g.published, &own); err != nil {
			return err
		}
		request.Experiments = []*harness.Experiment{&own}
	}
	laid, err := grid.New(request, spec, g.choose)
	if err != nil {
		return err
	}
	if g.published != "" && !laid.Objective.Published {
		return usage.Errorf("--published %s: it is for --select 'near published', not for '%v'", g.published,
			laid.Objective)
	}
	changed := plan.Admitted{Request: plan.Request{
		Overrides: request.Overrides, Own: request.Own, Program: request.Program,
	}}
	results := g.resultsDir(changed.Set())
	if own := !slices.Contains(grid.Shipped(x), g.file); own && g.results == "" && results == "results" {
		results = filepath.Join(results, "custom") // apart from the grids that come with the experiment
	}
	w, err := g.look(&laid.Plan, results, !g.dry)
	if err != nil {
		return err
	}
	w.measure(e)
	if g.dry {
		w.print(e)
		return nil
	}
	return w.run(e, &g.runner, func() error { return w.choose(e, laid, g.again(laid)) })
}

// again returns the command that makes a grid again, without where its files are and how it is computed: that belongs
// to one machine.
func (g *gridFlags) again(laid *grid.Grid) string {
	var flags []string
	if g.file != "" {
		flags = append(flags, "--grid", g.file)
	}
	for _, axis := range g.axes {
		flags = append(flags, "--axis", axis)
	}
	if g.choose != "" {
		flags = append(flags, "--select", g.choose)
	}
	if g.published != "" {
		flags = append(flags, "--published", g.published)
	}
	if g.named {
		flags = append(flags, "--name", laid.Name)
	}
	first := laid.Trials[0]
	return plan.Command("grid", first.Experiment, first.Protocol, first.Scale, laid.Set, flags...)
}

// choose ranks the cells of a grid and writes its results.
func (w *work) choose(e *env, laid *grid.Grid, again string) error {
	result, err := laid.Choose(w.store, again)
	if err != nil {
		return err
	}
	foreign, kept, err := result.Write(w.results)
	if err != nil {
		return err
	}
	dir := filepath.Join(w.results, report.Grids, w.Experiments[0].Name+"-"+laid.Name, result.Protocol)
	for _, name := range foreign {
		path := safe.Text(filepath.Join(dir, name))
		fmt.Fprintf(e.err, "%s is not a file of this grid and was kept\n", path)
	}
	if kept {
		fmt.Fprintf(e.err, "%s missing: the earlier, complete result in %s was kept\n",
			table.Count(result.Missing, "trial"), dir)
	}
	fmt.Fprintln(e.out, result.Best.Markdown())
	_, notes := result.Chosen()
	for _, n := range notes {
		fmt.Fprintln(e.out, n)
	}
	if result.Damage != nil {
		return result.Damage
	}
	fmt.Fprintf(e.out, "results: %s\n", dir)
	if _, err := w.update(e, &plan.Plan{}, true); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "page: %s\n", filepath.Join(w.results, page.Grids))
	return err
}
