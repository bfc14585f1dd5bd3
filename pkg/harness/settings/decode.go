package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Decode decodes an experiment's own options into dst, a pointer to a struct whose fields have mapstructure tags and
// hold the defaults. An unknown key or a value of the wrong type is an error that names it. Several goroutines may
// decode the same map.
func Decode(options map[string]any, dst any) error { return decode("options", options, dst, nil) }

// exact refuses values of another kind than is wanted, numbers that are not finite, and fractions where whole numbers
// are wanted. Where seeds are wanted, it reads them by Seeds.
func exact(from, to reflect.Type, v any) (any, error) {
	x, number := v.(float64)
	number = number || from.Kind() >= reflect.Int && from.Kind() <= reflect.Float64
	want := wanted(to)
	switch kind := to.Kind(); {
	case to == reflect.TypeFor[[]uint64]():
		return Seeds(v)
	case kind >= reflect.Int && kind <= reflect.Float64 && !number,
		(kind == reflect.Bool || kind == reflect.String || kind == reflect.Slice) && from.Kind() != kind,
		(kind == reflect.Struct || kind == reflect.Map) && from.Kind() != reflect.Map && from.Kind() != reflect.Struct:
		return nil, fmt.Errorf("want %s, got %.300s", want, short(v))
	case number && (math.IsNaN(x) || math.IsInf(x, 0)):
		return nil, fmt.Errorf("want a finite number, got %v", x)
	case number && (to.Kind() == reflect.Int || to.Kind() == reflect.Uint64) && x != math.Trunc(x):
		return nil, fmt.Errorf("want a whole number, got %v", x)
	}
	return v, nil
}

// wanted says what a value of a type is.
func wanted(t reflect.Type) string {
	const mapping = "keys with values"
	other := map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Float64: "a number",
		reflect.String: "a text", reflect.Slice: "a list", reflect.Struct: mapping, reflect.Map: mapping}
	return cmp.Or(other[t.Kind()], "a whole number")
}

// short writes a value as JSON, which is YAML.
func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// mostSeeds bounds what a person can mean: more are not computed.
const mostSeeds = 100_000

// Seeds reads seeds as a person writes them, in a text or a YAML list of numbers and texts: 7, 1..20 or 1-20, with
// commas between. They come in rising order, each once: what is made of trials must not hang on the order in which
// somebody named their seeds.
func Seeds(v any) (out []uint64, err error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		if kind := reflect.ValueOf(x).Kind(); kind == reflect.Map || kind == reflect.Slice {
			return nil, usage.Errorf("want whole numbers from 0 and ranges, as in [1, 2, 5-20], got %s", short(x))
		}
		for part := range strings.SplitSeq(fmt.Sprint(x), ",") {
			part = strings.TrimSpace(part)
			low, high, isRange := strings.Cut(strings.Replace(part, "-", "..", 1), "..")
			if !isRange {
				high = low
			}
			a, err1 := strconv.ParseUint(low, 10, 64)
			b, err2 := strconv.ParseUint(high, 10, 64)
			if err1 != nil || err2 != nil || b < a {
				return nil, usage.Errorf("the seeds %q: want whole numbers from 0 and rising ranges, as in 1,2,5-20",
					part)
			}
			if b-a >= mostSeeds || len(out)+int(b-a) >= mostSeeds {
				return nil, usage.Errorf("the seeds %q are too many: want at most %d", part, mostSeeds)
			}
			for i := range b - a + 1 {
				out = append(out, a+i)
			}
		}
	}
	slices.Sort(out)
	return out, usage.Twice("seed", out)
}

// Override is one key=value laid over a settings file. docs/configuration.md, "Overrides", says what keys there are.
type Override struct {
	Text string // key=value; the value is YAML
	From string // "--set", or the name of a file
}

func (o Override) String() string { return fmt.Sprintf("%s %.80s", o.From, o.Text) }

// ReadOverrides reads a file of settings in the shape of a protocol and returns an override for each of its keys, those
// of single problems last, since they win.
func ReadOverrides(path string) ([]Override, error) {
	text, err := safe.Read(path, 1<<20)
	if err != nil {
		return nil, usage.Errorf("--config: %v", err)
	}
	var root map[string]any
	if err := Document(text, &root); err != nil {
		return nil, usage.Errorf("%s: %v", path, err)
	}
	var out []Override
	last := func(key string) int { return slices.Index([]string{"methods", "problems"}, key) }
	order := func(a, b string) int { return cmp.Or(last(a)-last(b), strings.Compare(a, b)) }
	for _, key := range slices.SortedFunc(maps.Keys(root), order) {
		for above := range root {
			if strings.HasPrefix(key, above+".") {
				return nil, usage.Errorf("%s: %s is there, and %s: write all of it below %[3]s", path, key, above)
			}
		}
		b, err := json.Marshal(root[key]) // JSON is YAML
		if err != nil {
			return nil, usage.Errorf("%s: %s: want finite numbers, and texts as keys", path, key)
		}
		out = append(out, Override{Text: key + "=" + string(b), From: path})
	}
	return out, nil
}

// Docs says what each setting of a sampler is and what its 0 means, by key.
var Docs = map[string]string{
	"sampler": "a name that sifg list prints",
	"mover": "how particles move: euler (default), adam, rmsprop, adagrad; sgld, psgld and baoab have " +
		"their own",
	"step":           "particle step size h > 0, in time of the flow; 0: 0.01 (svgd 0.1, sgld 0.001)",
	"friction":       "baoab: friction γ > 0, a rate in the time of the flow; 0: 1",
	"divide_by_n":    "velocity divided by n, as the released toy baselines do; euler and adam heed it",
	"sigma":          "initial smoothing σ₀ > 0, in the unit of the coordinates; 0: 0.1",
	"sigma_rule":     "how σ adapts: kl-w (default), kl-eps, kl-mean, dsm-in, dsm-out, none",
	"sigma_rate":     "learning rate η̃ of σ; 0: 0.001",
	"sigma_min":      "lower bound of σ, heeded from the first adaptation on; 0: 0.001",
	"sigma_max":      "upper bound of σ, likewise; 0: none",
	"hidden":         "width of both hidden layers; 0: 32",
	"activation":     "of the network: tanh (default), leaky-relu",
	"inner":          "network steps an outer iteration; 0: 5",
	"warmup":         "network steps before the first iteration; 0: none",
	"optimizer":      "of the network: sgd, nesterov (default) or adam",
	"lr":             "learning rate of the network; 0: 0.001",
	"lr_decay_every": "network steps between decays; 0: never",
	"lr_decay":       "factor of one decay, in (0, 1]; for lr_decay_every, ignored without",
	"redraw":         "noise drawn anew at every network step",
	"independent":    "f and s evaluated at two further independent draws for the update",
	"probe":          "draws of Hutchinson's estimate: rademacher (default), gaussian",
	"p":              "initial exponent p of the Stein loss, above 1 and below 100; 0: 2",
	"p_rule":         "how p adapts: text, toy (default), ica, bnn, none",
	"p_rate":         "learning rate η̃ of p; 0: 5e-7",
	"p_clip":         "for the rule text: bound of p's gradient, clipped in the paper on ICA and networks; 0: none",
	"p_start":        "p adapts in outer iterations whose index, from 0, exceeds this; -1: in all",
	"bandwidth":      "SVGD: kernel exp(−‖x−y‖²/(2·bandwidth)); 0: median heuristic",
}

var words = regexp.MustCompile(`[A-Za-z]+`)

// keyed is the text of an error of sifg.Config with the keys of settings in the place of the names of its fields.
func keyed(err error) string {
	return words.ReplaceAllStringFunc(err.Error(), func(word string) string {
		if f, ok := reflect.TypeFor[sifg.Config]().FieldByName(word); ok {
			return f.Tag.Get("mapstructure")
		}
		return word
	})
}
