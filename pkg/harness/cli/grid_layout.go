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

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

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
		return nil, "", harness.Usagef("grid %s: want --grid FILE or --axis KEY=VALUES; grids that come with it: %s", e.Name,
			strings.Join(orNone(harness.GridNames(e)), ", "))
	}
	if o.name != "" {
		if !plainName.MatchString(o.name) {
			return nil, "", harness.Usagef("--name %q: want 1 to 100 letters, digits, '.', '_', '-'", o.name)
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
		return nil, "", harness.Usagef("grid %s: want --select 'min METRIC' or 'max METRIC'; metrics: %s", e.Name, strings.Join(e.Metrics, ", "))
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

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

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
