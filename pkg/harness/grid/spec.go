// Package grid makes a plan with axes over an experiment's settings, and ranks its cells by one metric.
//
// A grid is a run with more methods: a cell is values for some settings of a method, the method sgld@step=0.05. Its
// trials are those that a run with these settings has, under the same keys. So a grid computes nothing twice, shares
// the store with every run, and continues where it was interrupted.
package grid

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Spec is a grid as it was written. docs/grids.md describes the file.
type Spec struct {
	// of the file, without folder and extension; without a file of the axes
	Name     string `yaml:"-"`
	file     string // that errors name
	Select   string `yaml:"select"`   // min METRIC or max METRIC; "": the caller must say
	Protocol string `yaml:"protocol"` // "": the caller's
	Seeds    seeds  `yaml:"seeds"`    // nil: those of the settings
	Halving  int    `yaml:"halving"`  // seeds of the first round of successive halving; 0: every cell has all seeds
	Parts    []part `yaml:"parts"`    // the cells of all of them
	Whole    part   `yaml:",inline"`  // of a file without parts
}

// part is the product of its product, zip and ablate, for some problems and methods.
type part struct {
	Problems []string `yaml:"problems"` // names or patterns; nil: all
	Methods  []string `yaml:"methods"`  // nil: those that an axis concerns
	Product  axes     `yaml:"product"`  // every combination
	Zip      axes     `yaml:"zip"`      // first values together, second values together, …
	Ablate   axes     `yaml:"ablate"`   // one at a time, the others as in product or as they are
}

type axes []*axis

// seeds are written as those of settings.
type seeds []uint64

// axis is a setting with its values.
type axis struct {
	key    string
	from   string   // where it was written: "step.yaml, line 3"
	values []string // YAML
	used   bool     // a method has the setting
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// ReadSpec parses a grid file; file is its name in errors.
func ReadSpec(file string, text []byte) (*Spec, error) {
	s := &Spec{Name: strings.TrimSuffix(path.Base(file), path.Ext(file)), file: file}
	if err := settings.Document(text, s); err != nil {
		return nil, usage.Errorf("%s: %v", file, err)
	}
	if s.Halving == 1 || s.Halving < 0 {
		return nil, usage.Errorf("%s: halving: %d: want the seeds of the first round, at least 2", file, s.Halving)
	}
	if s.Parts == nil {
		s.Parts = []part{s.Whole}
	} else if w := s.Whole; len(w.Problems)+len(w.Methods)+len(w.all()) > 0 {
		return nil, usage.Errorf("%s: in a grid with parts, only select, protocol, seeds and halving stand "+
			"outside of them", file)
	}
	if !slices.ContainsFunc(s.Parts, func(p part) bool { return len(p.all())+len(p.Methods) > 0 }) {
		return nil, usage.Errorf("%s: the grid is empty: want axes, as in product: {step: [0.01, 0.1]}", file)
	}
	for _, p := range s.Parts {
		for _, a := range p.all() {
			a.from = file + ", " + a.from
		}
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Shipped returns the names of the grids that come with an experiment.
func Shipped(e *harness.Experiment) []string {
	if e.Grids == nil {
		return nil
	}
	files, _ := fs.Glob(e.Grids, "grids/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Find reads the grid of that name that comes with an experiment, else the file.
func Find(e *harness.Experiment, file string) (s *Spec, err error) {
	var text []byte
	if slices.Contains(Shipped(e), file) {
		file = "grids/" + file + ".yaml"
		text, err = fs.ReadFile(e.Grids, file)
	} else if text, err = safe.Read(file, 1<<20); errors.Is(err, fs.ErrNotExist) && filepath.Ext(file) == "" {
		return nil, usage.Unknown("grid", file, "--grid", Shipped(e))
	}
	if err != nil {
		return nil, usage.Errorf("--grid: %v", err)
	}
	return ReadSpec(file, text)
}

// FromAxes makes the grid of every combination of the values of axes, each KEY=VALUES.
func FromAxes(texts []string) (*Spec, error) {
	file := "product:\n"
	for _, text := range texts {
		key, values, ok := strings.Cut(text, "=")
		if !ok || strings.TrimSpace(key) == "" {
			return nil, usage.Errorf("--axis %s: want KEY=VALUES, such as step=[0.01, 0.1]", text)
		}
		if !strings.HasPrefix(values, "[") {
			values = "[" + values + "]"
		}
		file += fmt.Sprintf(" %s: %s\n", key, values)
	}
	s, err := ReadSpec("--axis", []byte(file))
	if err == nil {
		s.Name = nameOf(s.Whole.Product)
	}
	return s, err
}

// wants reports whether the part is about a method on a problem.
func (p *part) wants(problem, method string) bool {
	is := func(pattern string) bool { ok, err := path.Match(pattern, problem); return ok && err == nil }
	return (p.Problems == nil || slices.ContainsFunc(p.Problems, is)) &&
		(p.Methods == nil || slices.Contains(p.Methods, method))
}

func (p *part) all() axes { return slices.Concat(p.Product, p.Zip, p.Ablate) }

// check refuses a setting with two axes (ablate may vary one of product), a zip of unequal lists, and seeds.
func (p *part) check() error {
	for _, list := range []axes{slices.Concat(p.Product, p.Zip), p.Ablate} {
		seen := map[string]bool{}
		for _, a := range list {
			switch {
			case a.key == "seeds" || strings.HasSuffix(a.key, ".seeds"):
				return usage.Errorf("%s: seeds are no axis: write seeds: [1, 2] beside the axes, or --seeds", a.from)
			case seen[a.key]:
				return usage.Errorf("%s: %s is there twice", a.from, a.key)
			case slices.Contains(p.Zip, a) && len(a.values) != len(p.Zip[0].values):
				first := p.Zip[0]
				return usage.Errorf("%s: zip pairs values, but %s has %d and %s has %d",
					a.from, first.key, len(first.values), a.key, len(a.values))
			}
			seen[a.key] = true
		}
	}
	return nil
}

// UnmarshalYAML reads a mapping of settings to values, or to one.
func (x *axes) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want settings with values, such as step: [0.01, 0.1]", n.Line)
	}
	for i := 0; i < len(n.Content); i += 2 {
		a := &axis{key: n.Content[i].Value, from: fmt.Sprintf("line %d", n.Content[i].Line)}
		var value any
		err := n.Content[i+1].Decode(&value)
		values, several := value.([]any)
		if !several {
			values = []any{value}
		}
		for _, v := range values {
			b, wrong := json.Marshal(v) // JSON is YAML
			a.values, err = append(a.values, string(b)), cmp.Or(err, wrong)
		}
		if err != nil || len(values) == 0 || value == nil { // null in a list takes the setting away
			return fmt.Errorf("%s: %s: want values, such as [0.01, 0.1]", a.from, a.key)
		}
		*x = append(*x, a)
	}
	return nil
}

// UnmarshalYAML reads a list, a range, or a list with ranges.
func (s *seeds) UnmarshalYAML(n *yaml.Node) error {
	var v any
	err := n.Decode(&v)
	if err == nil {
		*s, err = settings.Seeds(v)
	}
	return err
}
