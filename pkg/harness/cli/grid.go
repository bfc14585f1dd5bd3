package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
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
	f.StringVar(&o.file, "grid", "", "grid file, or the name of one that comes with the experiment")
	f.StringArrayVar(&o.args.Axes, "axis", nil, "KEY=VALUES over the configuration, such as 'step=[0.01, 0.1]' or 'lr=logspace(1e-4, 1e-2, 3)'; repeatable")
	f.StringVar(&o.args.Combine, "combine", "product", "how the axes are combined: product, zip, or ablate (one at a time)")
	f.StringArrayVar(&o.args.Include, "include", nil, "only cells of which the condition holds, such as 'step * hidden < 1'; repeatable")
	f.StringArrayVar(&o.args.Exclude, "exclude", nil, "no cells of which the condition holds; repeatable")
	f.StringSliceVar(&o.args.Problems, "problems", nil, "only these problems")
	f.StringSliceVar(&o.args.Methods, "methods", nil, "these methods, also if no axis is about them")
	f.StringVar(&o.seeds, "seeds", "", "repetitions of each cell, such as 1,2,3 or 'range(1, 5)' (default the experiment's)")
	f.StringVar(&o.choose, "select", "", "rule of the choice: min METRIC or max METRIC, at the last iteration")
	f.StringVar(&o.name, "name", "", "name of the folder of the results (default that of the file)")
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
		fmt.Fprintf(a.out, "%d trials: %d already there, %d computed\n", len(g.survey), there, computed)
	}
	if o.there && missing > 0 && damaged == 0 {
		return exitf(exitStopped, "%d of %d trials are missing: the same command without --no-run computes them", missing, len(g.survey))
	}
	return verdict(g.survey, caught)
}

// layOut reads the grid and lays it out under each protocol. dir is the folder of the results, without the protocol.
func (a *app) layOut(cmd *cobra.Command, e *harness.Experiment, o *gridOptions) (g *gridRun, dir string, err error) {
	var spec *grid.Spec
	if o.file != "" {
		if spec, err = readGrid(e, o.file); err != nil {
			return nil, "", err
		}
	}
	if spec, err = spec.With(o.args); err != nil {
		return nil, "", err
	}
	if o.file == "" && len(o.args.Axes) == 0 {
		return nil, "", harness.Usagef("sifg grid %s: want --grid FILE or --axis KEY=VALUES; grids that come with it: %s", e.Name,
			strings.Join(orNone(harness.GridNames(e)), ", "))
	}
	if o.name != "" {
		if !plainName.MatchString(o.name) {
			return nil, "", harness.Usagef("--name %q: want letters, digits, '.', '_', '-'", o.name)
		}
		spec.Name = o.name
	}
	if o.choose != "" {
		spec.Select = o.choose
	}
	if spec.Protocol != "" && !cmd.Flags().Changed("protocol") {
		a.opt.protocol = spec.Protocol
	}
	if o.seeds != "" {
		if spec.Seeds, err = grid.Seeds(o.seeds); err != nil {
			return nil, "", err
		}
	}
	g = &gridRun{}
	switch {
	case spec.Select != "":
		if g.objective, err = grid.ParseObjective(spec.Select); err != nil {
			return nil, "", err
		}
		if err := knownMetric(e, g.objective); err != nil {
			return nil, "", err
		}
	case !o.dry:
		return nil, "", harness.Usagef("sifg grid %s: want --select 'min METRIC' or 'max METRIC'; metrics: %s", e.Name, strings.Join(e.Metrics, ", "))
	}
	r, err := a.request([]string{e.Name})
	if err != nil {
		return nil, "", err
	}
	if r.Protocols == nil {
		names, err := harness.Contents(e)
		if err != nil {
			return nil, "", err
		}
		r.Protocols = names.Protocols
	}
	g.Plan = &harness.Plan{Experiments: r.Experiments, Scale: r.Scale}
	for _, s := range r.Set {
		g.Plan.Set = append(g.Plan.Set, s.Text)
	}
	g.record(r, spec, o)
	if spec.Seeds != nil {
		text := strings.Join(strings.Fields(fmt.Sprint(spec.Seeds)), ",")
		r.Set = append(r.Set, harness.Override{Text: "problems.*.seeds=" + text, From: "the grid's"})
	}
	protocols := r.Protocols
	for _, p := range protocols {
		r.Protocols = []string{p}
		cells, err := harness.NewCells(r)
		if err != nil {
			return nil, "", err
		}
		plan, err := grid.New(cells, spec)
		if err != nil {
			return nil, "", err
		}
		g.plans = append(g.plans, plan)
		g.Plan.Trials = append(g.Plan.Trials, plan.Trials()...)
	}
	return g, filepath.Join(a.resultsDir(), "grid", e.Name+"-"+spec.Name), nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func orNone(names []string) []string {
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

// readGrid reads a grid file, or one that comes with the experiment.
func readGrid(e *harness.Experiment, name string) (*grid.Spec, error) {
	text, err := os.ReadFile(name)
	if err == nil {
		return grid.Read(name, text)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, harness.Usagef("--grid: %v", err)
	}
	known := harness.GridNames(e)
	plain := strings.TrimSuffix(filepath.Base(name), ".yaml")
	if !slices.Contains(known, plain) {
		return nil, harness.Unknown("grid", name, "--grid: it is no file, and "+e.Name+" comes with no such", orNone(known))
	}
	file := path.Join("grids", plain+".yaml")
	if text, err = fs.ReadFile(e.Grids, file); err != nil {
		return nil, err
	}
	return grid.Read(file, text)
}

// knownMetric refuses a metric that is misspelt. The experiment's list need not have all that its trials measure, so that
// one without a name near to it is left to the trials.
func knownMetric(e *harness.Experiment, o grid.Objective) error {
	known := append(slices.Clone(e.Metrics), "sigma", "p", "loss")
	if slices.Contains(known, o.Metric) || usage.Nearest(o.Metric, known) == "" {
		return nil
	}
	return harness.Unknown("metric", o.Metric, fmt.Sprintf("--select %q", o), known)
}

// record keeps the flags that the results depend on.
func (g *gridRun) record(r harness.Request, spec *grid.Spec, o *gridOptions) {
	c := []string{"grid", r.Experiments[0].Name}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				c = append(c, flag, v)
			}
		}
	}
	add("--grid", o.file)
	add("--axis", o.args.Axes...)
	if o.args.Combine != "product" {
		add("--combine", o.args.Combine)
	}
	add("--include", o.args.Include...)
	add("--exclude", o.args.Exclude...)
	add("--problems", strings.Join(o.args.Problems, ","))
	add("--methods", strings.Join(o.args.Methods, ","))
	add("--seeds", o.seeds)
	add("--name", o.name)
	add("--select", spec.Select)
	var config []string
	for _, s := range r.Set {
		if s.From != "--set" && s.From != "SIFG_SET" {
			if !slices.Contains(config, s.From) {
				config = append(config, s.From)
				g.use = append(g.use, "--config", s.From)
			}
			continue
		}
		g.use = append(g.use, "--set", s.Text)
	}
	g.commands = append(c, g.use...)
}

// planned is what a grid has of one method on one problem.
type planned struct {
	Protocol string  `json:"protocol"`
	Problem  string  `json:"problem"`
	Method   string  `json:"method"`
	Cells    int     `json:"cells"`
	Trials   int     `json:"trials"`
	There    int     `json:"there"`
	Excluded int     `json:"excluded,omitempty"`
	Same     int     `json:"same,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"` // predicted for all its trials, one after another
	Detail   []cell  `json:"detail"`
}

type cell struct {
	Label string   `json:"label"`
	Keys  []string `json:"keys"`
	There int      `json:"there"`
}

// showGrid prints what would run.
func (a *app) showGrid(g *gridRun, todo []harness.Trial) error {
	there := map[string]bool{}
	for _, f := range g.survey.Is(record.StatusOK, record.StatusDiverged) {
		there[f.Trial.Key] = true
	}
	var all []planned
	for _, p := range g.plans {
		for _, group := range p.Groups {
			l := planned{Protocol: p.Protocol, Problem: group.Problem, Method: group.Method, Cells: len(group.Cells),
				Excluded: group.Excluded, Same: group.Same}
			for i := range group.Cells {
				c := cell{Label: group.Cells[i].Label}
				for j := range group.Cells[i].Trials {
					t := &group.Cells[i].Trials[j]
					seconds, _ := g.costs.Seconds(t)
					l.Seconds += seconds
					l.Trials++
					c.Keys = append(c.Keys, t.Key)
					if there[t.Key] {
						c.There++
					}
				}
				l.There += c.There
				l.Detail = append(l.Detail, c)
			}
			all = append(all, l)
		}
	}
	if a.opt.json {
		return writeJSON(a.out, all)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "protocol\tproblem\tmethod\tcells\ttrials\tthere\tall\tfirst … last")
	for _, l := range all {
		all := "?"
		if l.Seconds > 0 {
			all = harness.Span(l.Seconds)
		}
		ends := "no cell: conditions leave none"
		if n := len(l.Detail); n > 0 {
			ends = l.Detail[0].Label
			if n > 1 {
				ends += " … " + l.Detail[n-1].Label
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", l.Protocol, l.Problem, l.Method, l.Cells, l.Trials, l.There, all, ends)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.out, g.foretell(todo, a.opt.jobs))
	return nil
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
			return exitf(exitDamaged, "the records of %d trials are damaged in the store: sifg verify --repair moves them aside and the "+
				"next run computes them again", r.Missing)
		}
		folder := filepath.Join(dir, p.Protocol)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		labels := []string{"--protocol", p.Protocol, "--scale", p.Scale}
		summary, notes, err := r.Write(folder, grid.Commands{
			Choose: "sifg " + harness.Quote(append(slices.Clone(g.commands), labels...)),
			Use: "sifg " + harness.Quote(slices.Concat([]string{"run", p.Experiment}, labels, g.use,
				[]string{"--config", filepath.ToSlash(filepath.Join(folder, "chosen.yaml"))})),
		})
		if err != nil {
			return err
		}
		if a.opt.json {
			all = append(all, summary)
			continue
		}
		if err := a.showBest(r); err != nil {
			return err
		}
		for _, n := range notes {
			fmt.Fprintf(a.err, "left out of the chosen values: %s\n", n)
		}
		fmt.Fprintf(a.out, "report: %s; chosen values: %s\n", filepath.Join(folder, "report.md"), filepath.Join(folder, "chosen.yaml"))
	}
	if a.opt.json {
		return writeJSON(a.out, all)
	}
	return nil
}

// showBest prints the table of the best, and the cells that cannot win.
func (a *app) showBest(r *grid.Result) error {
	fmt.Fprintf(a.out, "protocol %s, %s\n", r.Protocol, r.Objective)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	best := r.BestTable()
	for i, c := range best.Columns {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, c.Header)
	}
	fmt.Fprintln(w)
	for _, row := range best.Rows {
		for i, c := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c.Text)
		}
		fmt.Fprintln(w)
	}
	if lost := r.Losers(5); lost != nil {
		fmt.Fprintln(w, "\ncannot win")
		for _, row := range lost.Rows {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row[0].Text, row[1].Text, row[2].Text, row[4].Text)
		}
		for _, n := range lost.Notes {
			fmt.Fprintln(w, n)
		}
	}
	return w.Flush()
}
