package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Decode decodes an experiment's own options into dst, a pointer to a struct whose fields have mapstructure tags and
// hold the defaults. An unknown key or a value of the wrong type is an error that names it. Several goroutines may
// decode the same map.
func Decode(options map[string]any, dst any) error { return decode("options", options, dst, nil) }

// decode fills out from in. where says in errors where in was written. The keys of a map in out, or the texts, may be
// of a type whose values names lists.
func decode(where string, in, out any, names map[reflect.Type][]string) error {
	var seen mapstructure.Metadata
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:     out,
		Metadata:   &seen,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(among(names), exact),
		MatchName:  func(key, field string) bool { return key == field },
	})
	if err == nil {
		err = d.Decode(in)
	}
	switch {
	case err != nil:
		if at, ok := errors.AsType[*mapstructure.DecodeError](err); ok { // the first of those that err joins
			err = fmt.Errorf("%s: %w", at.Name(), at.Unwrap())
		}
		return usage.Errorf("%s: %v", where, err)
	case len(seen.Unused) > 0:
		return unknown(where, &seen)
	}
	return nil
}

// among refuses a text of a type of names that is none of them.
func among(names map[reflect.Type][]string) mapstructure.DecodeHookFuncType {
	return func(_, to reflect.Type, v any) (any, error) {
		if have := names[to]; have != nil && !known(have, fmt.Sprint(v)) {
			return nil, usage.Unknown(strings.TrimSuffix(to.Name(), "Name"), fmt.Sprint(v), "", have)
		}
		return v, nil
	}
}

// exact refuses values of another kind than is wanted, numbers that are not finite, and fractions where whole numbers
// are wanted. Where seeds are wanted, it reads them by SeedsOf.
func exact(from, to reflect.Type, v any) (any, error) {
	x, number := v.(float64)
	number = number || from.Kind() >= reflect.Int && from.Kind() <= reflect.Float64
	want := wanted(to)
	switch kind := to.Kind(); {
	case to == reflect.TypeFor[[]uint64]():
		return SeedsOf(v)
	case kind >= reflect.Int && kind <= reflect.Float64 && from.Kind() == reflect.Slice:
		return nil, fmt.Errorf("want %s, got %v: sifg grid takes several", want, v)
	case kind >= reflect.Int && kind <= reflect.Float64 && !number,
		(kind == reflect.Bool || kind == reflect.String || kind == reflect.Slice) && from.Kind() != kind,
		(kind == reflect.Struct || kind == reflect.Map) && from.Kind() != reflect.Map && from.Kind() != reflect.Struct:
		return nil, fmt.Errorf("want %s, got %s", want, short(v))
	case number && (math.IsNaN(x) || math.IsInf(x, 0)):
		return nil, fmt.Errorf("want a finite number, got %v", x)
	case number && (to.Kind() == reflect.Int || to.Kind() == reflect.Uint64) && x != math.Trunc(x):
		return nil, fmt.Errorf("want a whole number, got %v", x)
	}
	return v, nil
}

// unknown is the error for a key that the shape does not have. It offers the keys of the same mapping.
func unknown(where string, seen *mapstructure.Metadata) error {
	key := slices.Min(seen.Unused)
	at := strings.LastIndex(key, ".") + 1
	var valid []string
	for _, other := range slices.Sorted(slices.Values(slices.Concat(seen.Keys, seen.Unset))) {
		if name, ok := strings.CutPrefix(other, key[:at]); ok && name != "-" && !strings.ContainsAny(name, ".[") {
			valid = append(valid, name)
		}
	}
	if at > 0 {
		where = key[:at-1] + " of " + where
	}
	return usage.Unknown("key", key[at:], where, valid)
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

// known reports whether a name, or one that matches a pattern, is among those that there are.
func known(have []string, name string) bool {
	return slices.ContainsFunc(have, func(x string) bool { return matches(name, x) })
}

// parse reads the one document of a YAML text. where says in errors where it was written.
func parse(where string, text []byte, out any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(out); err != nil && !errors.Is(err, io.EOF) {
		return usage.Errorf("%s: %s", where, usage.YAML(err))
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return usage.Errorf("%s: only one document is read: remove the line ---", where)
	}
	return nil
}

// mostSeeds bounds what a person can mean: more are not computed.
const mostSeeds = 100_000

// Seeds reads seeds as a person writes them: 7, 1..20 or 1-20, with commas between.
func Seeds(text string) (out []uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.Replace(strings.TrimSpace(part), "-", "..", 1), "..")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 64)
		b, err2 := strconv.ParseUint(high, 10, 64)
		if err1 != nil || err2 != nil || b < a {
			return nil, usage.Errorf("the seeds %q: want whole numbers from 0 and rising ranges, as in 1,2,5-20", text)
		}
		if b-a >= mostSeeds || len(out)+int(b-a) >= mostSeeds {
			return nil, usage.Errorf("the seeds %q are too many: want at most %d", text, mostSeeds)
		}
		for i := range b - a + 1 {
			out = append(out, a+i)
		}
	}
	return out, nil
}

// SeedsOf reads the seeds of a YAML value, a text or a list of numbers and texts, by Seeds.
func SeedsOf(v any) (out []uint64, err error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		if kind := reflect.ValueOf(x).Kind(); kind == reflect.Map || kind == reflect.Slice {
			return nil, usage.Errorf("want whole numbers from 0 and ranges, as in [1, 2, 5-20], got %s", short(x))
		}
		seeds, err := Seeds(fmt.Sprint(x))
		if err != nil {
			return nil, err
		}
		out = append(out, seeds...)
	}
	return out, nil
}
