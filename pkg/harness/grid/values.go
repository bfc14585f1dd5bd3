package grid

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Generators of values. Both ends are among the values. Values that are not whole are rounded to 12 significant digits, so that
// what should be 0.001 is 0.001, and the same trial as if it had been typed.
var generators = map[string]func(args []float64) ([]float64, error){
	"range": func(a []float64) ([]float64, error) { // range(first, last[, step])
		step := 1.0
		switch len(a) {
		case 3:
			step = a[2]
		case 2:
		default:
			return nil, errors.New("want range(first, last) or range(first, last, step)")
		}
		n := math.Floor((a[1]-a[0])/step + 1e-9)
		if step == 0 || n < 0 || n >= most {
			return nil, fmt.Errorf("range from %v to %v in steps of %v has no end or no value", a[0], a[1], step)
		}
		return spaced(int(n)+1, func(i int) float64 { return a[0] + float64(i)*step }), nil
	},
	"linspace": func(a []float64) ([]float64, error) { // linspace(first, last, count)
		n, err := count("linspace", a)
		if err != nil {
			return nil, err
		}
		return spaced(n, func(i int) float64 { return a[0] + (a[1]-a[0])*float64(i)/float64(n-1) }), nil
	},
	"logspace": func(a []float64) ([]float64, error) { // logspace(first, last, count); the ends, not their exponents
		n, err := count("logspace", a)
		if err != nil {
			return nil, err
		}
		if !(a[0] > 0 && a[1] > 0) {
			return nil, fmt.Errorf("the ends of logspace must be above 0, got %v and %v", a[0], a[1])
		}
		return spaced(n, func(i int) float64 { return a[0] * math.Pow(a[1]/a[0], float64(i)/float64(n-1)) }), nil
	},
}

func count(name string, a []float64) (int, error) {
	if len(a) != 3 || a[2] != math.Trunc(a[2]) || a[2] < 2 || a[2] > most {
		return 0, fmt.Errorf("want %s(first, last, count) with a whole count of 2 or more", name)
	}
	return int(a[2]), nil
}

func spaced(n int, at func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		if out[i] = at(i); out[i] != math.Trunc(out[i]) {
			out[i], _ = strconv.ParseFloat(strconv.FormatFloat(out[i], 'e', 11, 64), 64)
		}
	}
	return out
}

var call = regexp.MustCompile(`^(\w+)\((.*)\)$`)

// generate evaluates a call of a generator; ok is false for any other text.
func generate(text string) (out []any, ok bool, err error) {
	m := call.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		for name := range generators {
			if strings.HasPrefix(text, name+"(") {
				return nil, true, fmt.Errorf("%q is cut: a generator within [ ] needs quotes, '%s(…)'", text, name)
			}
		}
		return nil, false, nil
	}
	f := generators[m[1]]
	if f == nil {
		return nil, true, fmt.Errorf("unknown generator %q: valid are range, linspace, logspace", m[1])
	}
	var args []float64
	whole := m[1] == "range"
	for part := range strings.SplitSeq(m[2], ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, true, fmt.Errorf("%s: %q is not a number", text, strings.TrimSpace(part))
		}
		args, whole = append(args, v), whole && v == math.Trunc(v) && math.Abs(v) < 1<<53
	}
	list, err := f(args)
	if err != nil {
		return nil, true, err
	}
	for _, v := range list {
		if whole {
			out = append(out, int(v))
		} else {
			out = append(out, v)
		}
	}
	return out, true, nil
}

// values reads a list of values, a single one, or a call of a generator, which may also be among a list's values.
func values(y *yaml.Node) ([]any, error) {
	items := []*yaml.Node{y}
	if y.Kind == yaml.SequenceNode {
		items = y.Content
	}
	var out []any
	for _, item := range items {
		if item.Kind == yaml.ScalarNode && item.Tag == "!!str" {
			list, ok, err := generate(item.Value)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, list...)
				continue
			}
		}
		var v any
		if err := item.Decode(&v); err != nil {
			return nil, err
		}
		if v == nil {
			return nil, errors.New("a value is missing")
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, errors.New("there are no values")
	}
	return out, nil
}

// parseValues reads the values of the command line: a call of a generator, or YAML, where the brackets of a list may be
// left out.
func parseValues(text string) ([]any, error) {
	if out, ok, err := generate(text); ok && call.MatchString(strings.TrimSpace(text)) {
		return out, err
	}
	if t := strings.TrimSpace(text); !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "{") {
		text = "[" + text + "]"
	}
	var doc, next yaml.Node
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("there are no values")
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind the list: want values with commas between them, or one list in [ ]")
	}
	return values(doc.Content[0])
}
