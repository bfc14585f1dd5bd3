package harness

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
)

// check refuses a value that does not fit type t: an unknown key (with the nearest valid one), a value of the wrong
// type. It looks at one layer of a configuration before the layers are merged, so it can say where a mistake was
// written: source turns the path of a key into words such as "the configuration of gmm, line 12".
func check(t reflect.Type, value any, path []string, source func(path []string) string) error {
	switch t.Kind() {
	case reflect.Interface: // free: an experiment's own options, checked when they are decoded
		return nil
	case reflect.Struct, reflect.Map:
		m, ok := value.(map[string]any)
		if !ok && value != nil { // nil: a key with nothing under it
			return wrongType(path, "a mapping of keys to values", value, source)
		}
		fields := fieldsOf(t)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			at := append(slices.Clone(path), key)
			elem := fields[key]
			if t.Kind() == reflect.Map {
				if key != strings.ToLower(key) || strings.ContainsAny(key, ". ") {
					return Usagef("the name %q in %s: names are lower-case, without dots and spaces", key, source(at))
				}
				elem = t.Elem()
			}
			if elem == nil {
				kind := "key"
				if len(path) > 0 {
					kind = strings.Join(path, ".") + " key"
				}
				return Unknown(kind, key, source(at), slices.Sorted(maps.Keys(fields)))
			}
			if err := check(elem, m[key], at, source); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		list, ok := value.([]any)
		if !ok && value != nil {
			return wrongType(path, "a list", value, source)
		}
		for _, v := range list {
			if err := check(t.Elem(), v, path, source); err != nil {
				return err
			}
		}
		return nil
	}
	if want := scalarFits(t.Kind(), value); want != "" {
		return wrongType(path, want, value, source)
	}
	return nil
}

// scalarFits returns "" if value can be a t, otherwise what it should have been.
func scalarFits(t reflect.Kind, value any) string {
	v := reflect.ValueOf(value)
	switch t {
	case reflect.String:
		if v.Kind() != reflect.String {
			return "text"
		}
	case reflect.Bool:
		if v.Kind() != reflect.Bool {
			return "true or false"
		}
	case reflect.Float64:
		if !v.IsValid() || !v.CanInt() && !v.CanUint() && !v.CanFloat() {
			return "a number"
		}
		if v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
			return "a finite number"
		}
	case reflect.Int, reflect.Uint64:
		whole := v.IsValid() && (v.CanInt() || v.CanUint() && (t == reflect.Uint64 || v.Uint() <= math.MaxInt64) ||
			v.CanFloat() && v.Float() == math.Trunc(v.Float()) && math.Abs(v.Float()) < 1<<53)
		if !whole {
			return "a whole number"
		}
		if t == reflect.Uint64 && (v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0) {
			return "a whole number, zero or more"
		}
	default:
		panic("harness: a configuration field of this kind is not supported")
	}
	return ""
}

func wrongType(path []string, want string, value any, source func([]string) string) error {
	return Usagef("%s in %s must be %s, not %v", strings.Join(path, "."), source(path), want, show(value))
}

func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %q", v)
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	}
	return fmt.Sprint(value)
}

// fieldsOf returns the keys of a struct type with their types, those of squashed structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return fields
	}
	for f := range t.Fields() {
		name, flags, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if flags == "squash" {
			maps.Copy(fields, fieldsOf(f.Type))
		} else if name != "" {
			fields[name] = f.Type
		}
	}
	return fields
}

// decode merges the layers, later ones over earlier ones, and decodes them exactly into dst, a pointer to a struct.
// The layers must have been checked. It returns the mapping that they make.
func decode(dst any, layers ...map[string]any) (merged map[string]any, err error) {
	v := viper.New()
	for _, l := range layers {
		if err := v.MergeConfigMap(l); err != nil {
			return nil, err
		}
	}
	return v.AllSettings(), v.UnmarshalExact(dst, strict)
}

// decodeMap decodes one mapping exactly. It neither merges nor changes letters, and is much faster.
func decodeMap(dst any, m map[string]any) error {
	config := mapstructure.DecoderConfig{Result: dst}
	strict(&config)
	d, err := mapstructure.NewDecoder(&config)
	if err != nil {
		return err
	}
	return d.Decode(m)
}

// strict decodes exactly and converts nothing: the text "1" is no number.
func strict(c *mapstructure.DecoderConfig) { c.ErrorUnused, c.WeaklyTypedInput = true, false }

// Decode decodes an experiment's own options (Trial.Config.Options) into dst, a pointer to a struct whose fields have
// mapstructure tags and hold the defaults. An unknown key or a value of the wrong type is an error that names it. It may be
// called for one map by several goroutines.
func Decode(options map[string]any, dst any) error {
	in := func([]string) string { return "options" }
	if err := check(reflect.TypeOf(dst).Elem(), options, nil, in); err != nil {
		return err
	}
	return decodeMap(dst, options) // not by viper, which writes into the map
}
