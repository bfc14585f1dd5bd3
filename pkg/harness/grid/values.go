package grid

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// most bounds the cells of one method on one problem: a slip of the pen soon makes billions.
const most = 100_000

const generators = "range(first, last), range(first, last, step), linspace(first, last, count), logspace(first, last, count)"

var call = regexp.MustCompile(`^(range|linspace|logspace)\((.*)\)?$`)

// generate evaluates one of the generators, whose values include both ends; isCall is false for any other text. Values are rounded
// to 12 digits, so that what should be 0.001 is 0.001, and the same trial as if it had been typed.
func generate(text string) (out []string, isCall bool, err error) {
	m := call.FindStringSubmatch(text)
	if m == nil {
		return nil, false, nil
	}
	var a []float64
	for part := range strings.SplitSeq(strings.TrimSuffix(m[2], ")"), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			break
		}
		a = append(a, v)
	}
	if m[1] == "range" && len(a) == 2 {
		a = append(a, 1)
	}
	if len(a) != 3 || !strings.HasSuffix(text, ")") {
		return nil, true, fmt.Errorf("%q: want one of %s; in a list, in quotation marks", text, generators)
	}
	n := a[2]
	if m[1] == "range" {
		n = math.Floor((a[1]-a[0])/a[2]+1e-9) + 1
	}
	if !(n >= 1 && n <= most) || n != math.Trunc(n) || m[1] != "range" && n < 2 {
		return nil, true, fmt.Errorf("%s has no end or too few values", text)
	}
	if m[1] == "logspace" && !(a[0] > 0 && a[1] > 0) {
		return nil, true, fmt.Errorf("%s: the ends must be above 0", text)
	}
	for i := range int(n) {
		share := float64(i) / (n - 1)
		v := a[0] + (a[1]-a[0])*share
		switch m[1] {
		case "range":
			v = a[0] + float64(i)*a[2]
		case "logspace":
			v = a[0] * math.Pow(a[1]/a[0], share)
		}
		out = append(out, strconv.FormatFloat(v, 'g', 12, 64))
	}
	return out, true, nil
}

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

func (c *condition) compile(text string) (err error) {
	names := env("", "", settings.Config{Options: map[string]any{}})
	c.text = text
	if c.program, err = expr.Compile(text, expr.Env(names), expr.AsBool()); err == nil {
		return nil
	}
	if m := unknownName.FindStringSubmatch(err.Error()); m != nil {
		return usage.Unknown("setting", m[1], text, slices.Sorted(maps.Keys(names)))
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("the condition %q: %s", text, first)
}

// UnmarshalYAML reads a condition.
func (c *condition) UnmarshalYAML(n *yaml.Node) error {
	if err := c.compile(n.Value); err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	return nil
}

// holds reports whether a cell stays in the grid.
func (c *condition) holds(env map[string]any) (bool, error) {
	if c == nil {
		return true, nil
	}
	v, err := expr.Run(c.program, env)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return false, usage.Errorf("the condition %q for %v on %v: %s", c.text, env["method"], env["problem"], first)
	}
	return v.(bool), nil
}
