package settings

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// File is an experiment's settings file, read and checked.
type File struct {
	Problems, Methods, Protocols []string // that it declares, in its order; protocols in order of presentation

	name     string
	root     map[string]any
	admitted []string // methods that are not in the file
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
	top, err := parse(source, text)
	if err != nil {
		return nil, err
	}
	var base struct {
		Base struct{ Problems, Methods yaml.Node }
	} // nodes have the order of their keys
	_ = top.Decode(&base) // what is wrong is found below
	f.Problems, f.Methods = keysIn(&base.Base.Problems), keysIn(&base.Base.Methods)
	for _, n := range slices.Concat(f.Problems, f.Methods) {
		if !plainName.MatchString(n) {
			return nil, usage.Errorf("%s: the name %q: want lower-case letters, digits, '-' and '_'", source, n)
		}
	}
	c := f.checker(func(n *yaml.Node) string { return fmt.Sprintf("%s, line %d", source, n.Line) })
	if err := c.check(reflect.TypeFor[fileShape](), top); err != nil {
		return nil, err
	}
	if err := top.Decode(&f.root); err != nil {
		return nil, invalid(source, err)
	}
	for _, p := range Protocols {
		if _, ok := child(f.root, "protocols")[p]; ok {
			f.Protocols = append(f.Protocols, p)
		}
	}
	if len(f.Problems) == 0 || len(f.Methods) == 0 || len(f.Protocols) == 0 {
		return nil, usage.Errorf("%s: base.problems, base.methods and protocols must name at least one each", source)
	}
	return f, nil
}

// keysIn returns the keys of a mapping in their order.
func keysIn(n *yaml.Node) (out []string) {
	for i := 0; i < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value)
	}
	return out
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

// Resolve merges the layers in order: base, protocol, scale, the protocol's own scale, overrides. scale is one of Scales.
func (f *File) Resolve(protocol, scale string, over []Override) (*Settings, error) {
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
		l, err := f.layer(o)
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
	} else if len(methods) > 0 {
		methods = append(slices.Clone(methods), s.file.admitted...)
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
	r, _, err := s.merge(problem, method, over...)
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

// Origins says for each key that is set in the configuration of a method on a problem, with further overrides on top, which layer its
// value came from: "base", "protocol released", "scale quick", "protocol released, scale quick", or From of an override. Keys are
// those of Config with dots: sampler.step, options.target. A key that is not there has its default.
func (s *Settings) Origins(problem, method string, over ...Override) (map[string]string, error) {
	_, origins, err := s.merge(problem, method, over...)
	return origins, err
}
