package grid

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// condition is an expression over a cell's settings, in the language of github.com/expr-lang/expr.
type condition struct {
	text, from string
	exclude    bool // the cells for which it holds are left out
	program    *vm.Program
}

// env returns the names that conditions may use: the settings of the sampler, with its defaults in place, particles,
// iterations, data, options.…, problem and method.
func env(problem, method string, c harness.TrialConfig) map[string]any {
	out := map[string]any{
		"problem": problem, "method": method, "particles": c.Particles, "iterations": c.Iterations, "data": c.Data, "options": c.Options,
	}
	v := reflect.ValueOf(c.Sampler)
	for i := range v.NumField() {
		out[v.Type().Field(i).Tag.Get("mapstructure")] = v.Field(i).Interface()
	}
	return out
}

var unknownName = regexp.MustCompile(`unknown name (\w+)`)

func newCondition(text, from string, exclude bool) (*condition, error) {
	names := env("", "", harness.TrialConfig{Options: map[string]any{}, Sampler: sifg.Config{}})
	program, err := expr.Compile(text, expr.Env(names), expr.AsBool())
	if err != nil {
		if m := unknownName.FindStringSubmatch(err.Error()); m != nil {
			return nil, harness.Unknown("setting", m[1], from+" ("+text+")", slices.Sorted(maps.Keys(names)))
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, harness.Usagef("%s: the condition %q: %s", from, text, first)
	}
	return &condition{text, from, exclude, program}, nil
}

// keeps reports whether a cell with this environment stays in the grid.
func (c *condition) keeps(env map[string]any) (bool, error) {
	v, err := expr.Run(c.program, env)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return false, harness.Usagef("%s: the condition %q for %v on %v: %s", c.from, c.text, env["method"], env["problem"], first)
	}
	return v.(bool) != c.exclude, nil
}
