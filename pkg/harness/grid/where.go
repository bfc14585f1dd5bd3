package grid

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// condition is an expression over a cell's settings, in the language of github.com/expr-lang/expr.
type condition struct {
	text    string
	program *vm.Program
}

// env returns the names that conditions may use: the settings of the sampler with its defaults in place, particles, iterations,
// data, options, problem and method.
func env(problem, method string, c settings.Config) map[string]any {
	out := map[string]any{
		"problem": problem, "method": method, "particles": c.Particles, "iterations": c.Iterations, "data": c.Data, "options": c.Options,
	}
	for f, value := range reflect.ValueOf(c.Sampler).Fields() {
		out[f.Tag.Get("mapstructure")] = value.Interface()
	}
	return out
}

var unknownName = regexp.MustCompile(`unknown name (\w+)`)

// UnmarshalYAML reads a condition.
func (c *condition) UnmarshalYAML(n *yaml.Node) (err error) {
	names := env("", "", settings.Config{Options: map[string]any{}})
	c.text = n.Value
	if c.program, err = expr.Compile(c.text, expr.Env(names), expr.AsBool()); err == nil {
		return nil
	}
	if m := unknownName.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("line %d: %w", n.Line, usage.Unknown("setting", m[1], c.text, slices.Sorted(maps.Keys(names))))
	}
	return fmt.Errorf("line %d: the condition %q: %s", n.Line, c.text, firstLine(err))
}

// holds reports whether a cell stays in the grid.
func (c *condition) holds(env map[string]any) (bool, error) {
	if c == nil {
		return true, nil
	}
	v, err := expr.Run(c.program, env)
	if err != nil {
		return false, usage.Errorf("the condition %q for %v on %v: %s", c.text, env["method"], env["problem"], firstLine(err))
	}
	return v.(bool), nil
}

// firstLine leaves out what expr draws below its errors.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
