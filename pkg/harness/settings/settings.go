package settings

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// File is an experiment's settings file, read and checked.
type File struct {
	Problems, Methods, Protocols []string // that it declares, in its order; protocols in order of presentation

	name string
	root map[string]any
}

// Shapes of the YAML. They say which keys there are; the values are merged as plain mappings.
type (
	fileShape struct {
		Base      layerShape               `mapstructure:"base"`
		Protocols map[string]protocolShape `mapstructure:"protocols"`
		Scales    map[string]layerShape    `mapstructure:"scales"`
	}
	protocolShape struct {
		layerShape `mapstructure:",squash"`
		Scales     map[string]layerShape `mapstructure:"scales"`
	}
	layerShape struct {
		Seeds    []uint64                `mapstructure:"seeds"`
		Methods  map[string]sifg.Config  `mapstructure:"methods"`
		Problems map[string]problemShape `mapstructure:"problems"`
	}
	problemShape struct {
		Particles    int                    `mapstructure:"particles"`
		Iterations   int                    `mapstructure:"iterations"`
		IterationsOf map[string]int         `mapstructure:"iterations_of"`
		Judge        Judge                  `mapstructure:"judge"`
		Options      map[string]any         `mapstructure:"options"`
		Data         string                 `mapstructure:"data"`
		Methods      map[string]sifg.Config `mapstructure:"methods"`
		Include      []string               `mapstructure:"include"`
		Seeds        []uint64               `mapstructure:"seeds"`
	}
)

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Read reads and checks an experiment's YAML (docs/configuration.md). name says in errors whose settings they are.
func Read(name string, text []byte) (*File, error) {
	f := &File{name: name}
	source := "the settings of " + name
	doc, err := mapping.Parse(source, text)
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	f.Problems, f.Methods = mapping.Keys(doc, "base", "problems"), mapping.Keys(doc, "base", "methods")
	has := mapping.Keys(doc, "protocols")
	for _, p := range Protocols {
		if slices.Contains(has, p) {
			f.Protocols = append(f.Protocols, p)
		}
	}
	for _, n := range slices.Concat(f.Problems, f.Methods) {
		if !plainName.MatchString(n) {
			return nil, usage.Errorf("%s: the name %q: want lower-case letters, digits, '-' and '_'", source, n)
		}
	}
	if len(doc.Content) > 0 {
		c := f.checker(func(n *yaml.Node) string { return fmt.Sprintf("%s, line %d", source, n.Line) })
		if err := c.check(reflect.TypeFor[fileShape](), doc.Content[0]); err != nil {
			return nil, err
		}
		if err := doc.Decode(&f.root); err != nil {
			return nil, usage.Errorf("%s: %s", source, strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	if len(f.Problems) == 0 || len(f.Methods) == 0 || len(f.Protocols) == 0 {
		return nil, usage.Errorf("%s: base.problems, base.methods and protocols must name at least one each", source)
	}
	return f, nil
}

// Settings are the trials' settings under one protocol at one scale, every layer merged, defaults in place.
type Settings struct {
	Problems []Problem

	file   *File
	where  string
	layers []*layer
}

// Problem is the settings of one problem: the methods that run on it, in order.
type Problem struct {
	Name    string
	Seeds   []uint64
	Methods []Method
}

// Method is the resolved configuration of one method on one problem.
type Method struct {
	Name   string
	Config Config
}

// resolved is what the merged layers say of one method on one problem.
type resolved struct {
	Config  `mapstructure:",squash"`
	Seeds   []uint64 `mapstructure:"seeds"`
	Include []string `mapstructure:"include"`
}

// Resolve merges the layers in order: base, protocol, scale, the protocol's own scale, overrides.
func (f *File) Resolve(protocol, scale string, over []Override) (*Settings, error) {
	if !slices.Contains(Scales, scale) {
		return nil, usage.Unknown("scale", scale, "", Scales)
	}
	if !slices.Contains(f.Protocols, protocol) {
		return nil, usage.Errorf("experiment %s has no protocol %q: it has %s", f.name, protocol, strings.Join(f.Protocols, ", "))
	}
	own := child(f.root, "protocols", protocol)
	s := &Settings{file: f, where: fmt.Sprintf("experiment %s, protocol %s, scale %s", f.name, protocol, scale), layers: []*layer{
		{name: "base", root: child(f.root, "base")},
		{name: "protocol " + protocol, root: own},
		{name: "scale " + scale, root: child(f.root, "scales", scale)},
		{name: fmt.Sprintf("protocol %s, scale %s", protocol, scale), root: child(own, "scales", scale)},
	}}
	for _, o := range over {
		l, err := f.parse(o)
		if err != nil {
			return nil, err
		}
		s.layers = append(s.layers, l)
	}
	for _, name := range f.Problems {
		p, err := s.problem(name)
		if err != nil {
			return nil, err
		}
		s.Problems = append(s.Problems, p)
	}
	for i, l := range s.layers[4:] {
		if !l.used {
			return nil, usage.Errorf("%s changes nothing: no method of %s that runs has this setting",
				over[i].source(over[i].value), f.name)
		}
	}
	return s, nil
}

func (s *Settings) problem(name string) (Problem, error) {
	p := Problem{Name: name}
	all, _, err := s.merge(name, "")
	if err != nil {
		return p, err
	}
	if p.Seeds = all.Seeds; len(p.Seeds) == 0 {
		return p, usage.Errorf("problems.%s (%s): seeds: at least one is needed", name, s.where)
	}
	methods := all.Include
	if methods == nil {
		methods = s.file.Methods
	}
	for i, seed := range p.Seeds {
		if slices.Contains(p.Seeds[:i], seed) {
			return p, usage.Errorf("problems.%s (%s): seeds: %d is there twice", name, s.where, seed)
		}
	}
	for i, m := range methods {
		if slices.Contains(methods[:i], m) {
			return p, usage.Errorf("problems.%s (%s): include: %s is there twice", name, s.where, m)
		}
		if !slices.Contains(s.file.Methods, m) {
			return p, usage.Unknown("method", m, fmt.Sprintf("problems.%s.include (%s)", name, s.where), s.file.Methods)
		}
		method, err := s.Method(name, m)
		if err != nil {
			return p, err
		}
		p.Methods = append(p.Methods, method)
	}
	return p, nil
}

// Method resolves the configuration of one method on one problem with further overrides on top.
func (s *Settings) Method(problem, method string, over ...Override) (Method, error) {
	m := Method{Name: method}
	more := make([]*layer, len(over))
	for i, o := range over {
		var err error
		if more[i], err = s.file.parse(o); err != nil {
			return m, err
		}
	}
	r, _, err := s.merge(problem, method, more...)
	if err != nil {
		return m, err
	}
	m.Config = r.Config
	if err := m.Config.normalise(); err != nil {
		return m, usage.Errorf("problems.%s.%v (%s)", problem, err, s.where)
	}
	if m.Config.Sampler.Sampler == "" {
		m.Config.Sampler.Sampler = method
	}
	m.Config.Sampler, err = m.Config.Sampler.Resolve()
	if err != nil {
		return m, usage.Errorf("method %s on problem %s (%s): %v", method, problem, s.where, err)
	}
	return m, nil
}

// merge merges all layers for one method on one problem, and says which layer set each key last; without a method, only what holds
// for the problem.
func (s *Settings) merge(problem, method string, over ...*layer) (*resolved, map[string]*layer, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00"))
	origins := map[string]*layer{}
	for _, l := range slices.Concat(s.layers, over) {
		for _, part := range l.parts(problem, method, func() string { return v.GetString("sampler\x00sampler") }) {
			for _, key := range leaves("", part) {
				origins[key] = l
			}
			if err := v.MergeConfigMap(part); err != nil {
				return nil, nil, err
			}
		}
	}
	var out resolved
	if err := v.UnmarshalExact(&out, strict); err != nil {
		return nil, nil, usage.Errorf("problem %s, method %s (%s): %v", problem, method, s.where, err)
	}
	return &out, origins, nil
}

// strict decodes exactly and converts nothing: the text "1" is no number.
func strict(c *mapstructure.DecoderConfig) { c.ErrorUnused, c.WeaklyTypedInput = true, false }

// Origins says for each key that is set in the configuration of a method on a problem which layer its value came from: "base",
// "protocol released", "scale quick", "protocol released, scale quick", "--set" or a file. Keys are those of Config
// with dots: sampler.step, options.target. A key that is not there has its default.
func (s *Settings) Origins(problem, method string) map[string]string {
	out := map[string]string{}
	_, origins, _ := s.merge(problem, method) // as Resolve did
	for key, l := range origins {
		out[key] = l.name
	}
	return out
}

// Keys returns the keys of Config that an override sets for one method on one problem, sorted; none if it does not concern it.
func (s *Settings) Keys(problem, method string, o Override) ([]string, error) {
	last, err := s.file.parse(o)
	if err != nil {
		return nil, err
	}
	var out []string
	_, origins, err := s.merge(problem, method, last)
	for key, l := range origins {
		if l == last {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out, err
}

// leaves returns the keys of the values in a mapping, with dots.
func leaves(path string, m map[string]any) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if inner, ok := m[k].(map[string]any); ok {
			out = append(out, leaves(path+k+".", inner)...)
		} else {
			out = append(out, path+k)
		}
	}
	return out
}
