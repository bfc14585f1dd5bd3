package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

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

// Resolve merges the layers in order: base, protocol, scale, the protocol's own scale, overrides. scale is one of
// Scales.
func (f *File) Resolve(protocol, scale string, over []Override) (*Settings, error) {
	if !slices.Contains(f.Protocols, protocol) {
		return nil, usage.Errorf("experiment %s has no protocol %q: it has %s",
			f.name, protocol, strings.Join(f.Protocols, ", "))
	}
	s := &Settings{file: f, where: fmt.Sprintf("experiment %s, protocol %s, scale %s", f.name, protocol, scale)}
	from, _ := f.ancestry(protocol) // Read has checked it
	s.layers = f.layers(from, scale)
	written := len(s.layers)
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
	for i, l := range s.layers[written:] {
		if !l.used {
			return nil, usage.Errorf("%s changes nothing: no method of %s that runs has this setting", over[i], f.name)
		}
	}
	return s, nil
}

// layers returns what the file says under protocols and at scales, the layers that win last.
func (f *File) layers(protocols []string, scales ...string) (out []*layer) {
	add := func(name string, path ...string) { out = append(out, &layer{name: name, root: child(f.root, path...)}) }
	add("base", "base")
	for _, p := range protocols {
		add("protocol "+p, "protocols", p)
	}
	for _, scale := range scales {
		add("scale "+scale, "scales", scale)
		for _, p := range protocols {
			add(fmt.Sprintf("protocol %s, scale %s", p, scale), "protocols", p, "scales", scale)
		}
	}
	return out
}

func (s *Settings) problem(name string) (Problem, error) {
	p := Problem{Name: name}
	all, err := s.merge(name, "")
	if err != nil {
		return p, err
	}
	p.Seeds = all.Seeds
	err = cmp.Or(usage.Twice("seed", p.Seeds), usage.Twice("method", all.Include), usage.Twice("variant", all.Variants))
	if len(p.Seeds) == 0 {
		err = errors.New("seeds: at least one is needed")
	}
	if err != nil {
		return p, usage.Errorf("problems.%s (%s): %v", name, s.where, err)
	}
	methods := all.Include
	if all.Variants != nil {
		methods = all.Variants
	} else if methods == nil {
		methods = s.file.Methods
	} else if len(methods) > 0 {
		methods = append(methods, s.file.admitted...)
	}
	for i, m := range methods {
		absent := slices.Contains(s.file.Programs, m) && !slices.Contains(s.file.admitted, m)
		if absent || slices.Contains(methods[:i], m) {
			continue
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
	r, err := s.merge(problem, method, over...)
	if err != nil {
		return m, usage.Errorf("problems.%s (%s): %v", problem, s.where, err)
	}
	m.Config = r.Config
	if r.Variants != nil {
		m.Config = Config{Data: r.Data, Options: r.Options}
		return m, nil
	}
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

// Origins says for each key that is set in the configuration of a method on a problem, with further overrides on top,
// which layer its value came from: "base", "protocol own", "scale quick", "protocol own, scale quick", or
// From of an override. Keys are those of Config with dots: sampler.step, options.target. A key that is not there has
// its default.
func (s *Settings) Origins(problem, method string, over ...Override) (map[string]string, error) {
	r, err := s.merge(problem, method, over...)
	if err != nil {
		return nil, err
	}
	return r.origins, nil
}
