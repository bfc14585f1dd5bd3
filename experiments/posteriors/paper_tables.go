package posteriors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/study"
)

// compute makes the experiment compute problems that are programs, and those that are tables as p.tables does.
func (p *paper) compute() {
	e, tables := p.e, p.tables
	e.Version, e.Measuring, e.Problem, e.Reference, e.Check = "1", measuring, build, reference, check
	if tables == nil {
		return
	}
	programs := *e
	of := func(t *harness.Trial) *harness.Experiment {
		if t.Config.Options["program"] == nil {
			return tables
		}
		return &programs
	}
	e.Version += ", tables " + tables.Version
	e.Measuring = harness.Measuring{
		Version: strings.Trim(measuring.Version+" "+tables.Measuring.Version, " "),
		Options: slices.Concat(measuring.Options, tables.Measuring.Options),
	}
	e.Problem = func(t *harness.Trial) (*harness.Problem, error) { return of(t).Problem(t) }
	e.Check = func(t *harness.Trial) error { return of(t).Check(t) }
	e.Reference = func(t *harness.Trial) (*harness.Reference, error) {
		if of(t) == tables {
			return nil, nil
		}
		return reference(t)
	}
}

// table puts the name of a data set in place of a file, which it becomes. What says how it is read is taken out.
func (p *paper) table(key, name, file string, problem *yaml.Node) error {
	if p.tables == nil {
		return usage.Errorf("%s: %s.data: this program has no experiment on tables: want program", p.path, key)
	}
	var target string
	if x := take(problem, "target"); x != nil {
		target = x.Value
	}
	var rules dataset.Parse
	parse := take(problem, "parse")
	for i := 0; parse != nil && i+1 < len(parse.Content); i += 2 {
		value := parse.Content[i+1]
		texts := []string{value.Value}
		if value.Kind == yaml.SequenceNode {
			texts = nil
			for _, one := range value.Content {
				texts = append(texts, one.Value)
			}
		}
		if err := rules.Set(parse.Content[i].Value + "=" + strings.Join(texts, ",")); err != nil {
			return usage.Errorf("%s: %s.parse: %s", p.path, key, strings.ReplaceAll(err.Error(), " in --parse", ""))
		}
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	_, absent := os.Stat(path)
	_, unknown := p.data.Entry(file)
	switch {
	case errors.Is(absent, fs.ErrNotExist) && unknown != nil:
		return usage.Errorf("%s: %s.data: there is no file %s, and %v", p.path, key, path, unknown)
	case absent == nil:
		added, err := p.data.Add(path, target, rules)
		if err != nil {
			return usage.Errorf("%s: %s: %s", p.path, key, strings.NewReplacer("--target names it", "target: names it",
				"--parse ", "parse: ").Replace(err.Error()))
		}
		file = added
	}
	if p.tabled == nil {
		known := func(m harness.Metric) bool {
			return slices.ContainsFunc(p.e.Metrics, func(x harness.Metric) bool { return x.Name == m.Name })
		}
		p.e.Metrics = append(p.e.Metrics, slices.DeleteFunc(slices.Clone(p.tables.Metrics), known)...)
		p.e.Scores = slices.Insert(p.e.Scores, 1, p.tables.Scores...) // the first of each kind come first
	}
	p.tabled = append(p.tabled, name)
	options := node(p.tables.Custom.Options)
	if own := take(problem, "options"); own != nil {
		for i := 0; i+1 < len(own.Content); i += 2 {
			take(options, own.Content[i].Value)
		}
		options.Content = append(options.Content, own.Content...)
	}
	problem.Content = append(problem.Content, node("data"), node(file), node("options"), options)
	return nil
}

// measures refuses a metric that a problem, which there is, does not have.
func (p *paper) measures(metric, problem, from string) error {
	x := &harness.Experiment{Metrics: words.Metrics}
	if slices.Contains(p.tabled, problem) {
		x = p.tables
	}
	if err := x.Metrics.Known(metric, from); err != nil {
		return usage.Errorf("%v (on the problem %s)", err, problem)
	}
	return nil
}

// tableSections are what the page has of a problem that is a table: curves and final errors.
func (p *paper) tableSections(problem string) []harness.Section {
	curves := words.Curves("paper-errors", problem,
		study.Panel{Metric: "rmse", Label: "test RMSE", Scale: figure.AutoLog})
	final := words.Table("paper-table", func(s *record.Set) (*table.Table, error) { return p.errorsOf(s, problem) })
	curves.ID, curves.Title = "curves-"+problem, problem+": "+curves.Title
	final.ID, final.Title = "final-"+problem, problem+": "+final.Title
	return []harness.Section{curves, final}
}

// errorsOf is what each method and each baseline has at the end on a table.
func (p *paper) errorsOf(s *record.Set, problem string) (*table.Table, error) {
	if s.Methods(problem) == nil {
		return nil, harness.ErrNoTrials
	}
	var measures []study.Measure
	for _, metric := range p.tables.Scores {
		measures = append(measures, study.Measure{Head: strings.ReplaceAll(metric, "-", " "), Metric: metric})
	}
	t := study.Finals(s, problem, table.MeanSD, measures...)
	for _, b := range p.tables.Baselines {
		row := []table.Cell{table.Text(b.Name)}
		for _, metric := range b.Metrics {
			row = append(row, table.MeanSD(record.View{Set: s, Problem: problem}.Shared(metric)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Spread = "standard deviation over seeds"
	return t, nil
}
