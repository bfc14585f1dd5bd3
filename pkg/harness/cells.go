package harness

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Cells makes the trials of one experiment under one protocol with overlays over its configuration: the cells of a grid.
// The configuration is read and merged once and not once a cell. A trial has the key that NewPlan gives it for the same
// overrides. A Cells is not for several goroutines.
type Cells struct {
	m        maker
	seeds    []uint64
	merged   map[string]any    // all layers
	ready    map[string]*ready // by problem and overlays that change it
	overlays int
}

// Overlay is one override, read and checked, to be laid over the settings of many cells.
type Overlay struct {
	id    string
	layer map[string]any // what it says of all problems stands under each
}

// NewCells reads the configuration for a request with one experiment and one protocol.
func NewCells(r Request) (*Cells, error) {
	if len(r.Experiments) != 1 || len(r.Protocols) != 1 {
		panic("harness: cells are of one experiment and one protocol")
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	e, protocol := r.Experiments[0], r.Protocols[0]
	l, err := readLayers(e)
	if err != nil {
		return nil, err
	}
	set, err := overridesFor(e, r)
	if err != nil {
		return nil, err
	}
	s, merged, err := l.resolve(protocol, r.Scale, set)
	if err != nil {
		return nil, err
	}
	c := &Cells{seeds: s.Seeds, merged: merged, ready: map[string]*ready{}, m: maker{
		layers: l, e: e, first: Trial{Experiment: e.Name, Protocol: protocol, Scale: r.Scale}, code: fingerprint(e), data: r.Data,
	}}
	if err := checkSeeds("seeds", s.Seeds); err != nil {
		return nil, Usagef("%v (%s)", err, c.m.where())
	}
	return c, nil
}

// Experiment, Protocol and Scale are the labels of the trials.
func (c *Cells) Experiment() string { return c.m.first.Experiment }
func (c *Cells) Protocol() string   { return c.m.first.Protocol }
func (c *Cells) Scale() string      { return c.m.first.Scale }

// Problems and AllMethods return the names in the order of the file.
func (c *Cells) Problems() []string   { return c.m.problems }
func (c *Cells) AllMethods() []string { return c.m.methods }

// Methods returns the methods that run on a problem.
func (c *Cells) Methods(problem string) ([]string, error) {
	p, err := c.problem(problem, nil)
	if err != nil {
		return nil, err
	}
	return p.Include, nil
}

// GridNames returns the names of the grids that come with an experiment.
func GridNames(e *Experiment) []string {
	if e.Grids == nil {
		return nil
	}
	files, _ := fs.Glob(e.Grids, "grids/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// samplerKeys and problemKeys are the settings that may vary from cell to cell.
func samplerKeys() []string {
	return slices.Sorted(maps.Keys(fieldsOf(reflect.TypeFor[sifg.Config]())))
}

func problemKeys() []string {
	fixed := []string{"methods", "include", "seeds"}
	keys := slices.Sorted(maps.Keys(fieldsOf(reflect.TypeFor[problem[sifg.Config]]())))
	return slices.DeleteFunc(keys, func(k string) bool { return slices.Contains(fixed, k) })
}

// Qualify returns the whole key for one that may be in short form: a setting of the sampler alone means that of every
// method, one of the problem that of every problem. from says where it was written.
func Qualify(key, from string) (string, error) {
	first, _, _ := strings.Cut(key, ".")
	switch parts := strings.Split(key, "."); {
	case first == "seeds" || len(parts) == 3 && first == "problems" && parts[2] == "seeds":
		return "", Usagef("axis %s in %s: seeds repeat a cell, they do not make one; give them beside the axes, as seeds: [1, 2, 3] or "+
			"--seeds", key, from)
	case first == "methods" || first == "problems":
		return key, nil
	case slices.Contains(samplerKeys(), first):
		return "methods.*." + key, nil
	case slices.Contains(problemKeys(), first):
		return "problems.*." + key, nil
	}
	return "", Unknown("axis", key, from, slices.Concat(samplerKeys(), problemKeys(), []string{"methods", "problems"}))
}

// Overlay reads and checks an override.
func (c *Cells) Overlay(o Override) (*Overlay, error) {
	layer, err := c.m.parse(o)
	if err != nil {
		return nil, err
	}
	c.overlays++
	return &Overlay{id: fmt.Sprint(c.overlays), layer: c.m.spread(layer)}, nil
}

// Settings are the keys that an overlay sets in the configuration of a method on a problem, with dots: sampler.step,
// options.dim, particles, iterations_of.svgd.
func (o *Overlay) Settings(problem, method string) []string {
	var out []string
	own := child(o.layer, "problems", problem)
	for _, k := range slices.Sorted(maps.Keys(own)) {
		switch k {
		case "methods":
		case "iterations_of":
			if _, ok := child(own, k)[method]; ok {
				out = append(out, k+"."+method)
			}
		default:
			out = append(out, leaves(k, own[k])...)
		}
	}
	return append(out, leaves("sampler", child(own, "methods", method))...)
}

// leaves returns the keys of the values in a mapping, with dots.
func leaves(path string, v any) []string {
	m, ok := v.(map[string]any)
	if !ok {
		return []string{path}
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, leaves(path+"."+k, m[k])...)
	}
	return out
}

// Config returns the configuration of a method on a problem with the overlays, later over earlier. An error does not
// mean that there is no configuration: a value may be out of range. Trials then refuses it.
func (c *Cells) Config(problem, method string, overlays ...*Overlay) (TrialConfig, error) {
	p, err := c.problem(problem, overlays)
	if err != nil {
		return TrialConfig{}, err
	}
	settings := maps.Clone(child(c.merged, "methods", method))
	if settings == nil {
		settings = map[string]any{}
	}
	maps.Copy(settings, p.Methods[method])
	for _, o := range overlays {
		maps.Copy(settings, child(o.layer, "problems", problem, "methods", method))
	}
	maps.DeleteFunc(settings, func(_ string, v any) bool { return v == nil }) // a key with nothing under it
	var sampler sifg.Config
	if err := decodeMap(&sampler, settings); err != nil {
		return TrialConfig{}, err
	}
	return c.m.config(p, method, sampler)
}

// Trials returns a trial a seed for a configuration that Config made.
func (c *Cells) Trials(problem, method string, config TrialConfig, overlays ...*Overlay) ([]Trial, error) {
	p, err := c.problem(problem, overlays)
	if err != nil {
		return nil, err
	}
	trials, err := c.m.seeds(p, method, config)
	if err != nil || p.checked || len(trials) == 0 {
		return trials, err
	}
	err = c.m.check(&trials[0])
	p.checked = err == nil // what Setup accepts depends on neither seed nor method
	return trials, err
}

// problem returns a problem with those overlays that change it, checked.
func (c *Cells) problem(name string, overlays []*Overlay) (*ready, error) {
	id := name
	var changes []map[string]any
	for _, o := range overlays {
		own := child(o.layer, "problems", name)
		if _, ok := own["methods"]; len(own) > 1 || len(own) == 1 && !ok {
			id, changes = id+" "+o.id, append(changes, own)
		}
	}
	if p := c.ready[id]; p != nil {
		return p, nil
	}
	settings := deepCopy(child(c.merged, "problems", name))
	for _, change := range changes {
		for k, v := range change {
			if k != "methods" {
				lay(settings, k, v)
			}
		}
	}
	prune(settings)
	var p problem[map[string]any]
	if err := decodeMap(&p, settings); err != nil {
		return nil, fmt.Errorf("configuration of %s, problem %s: %w", c.m.e.Name, name, err)
	}
	r, err := c.m.ready(name, p, c.seeds)
	if err != nil {
		return nil, err
	}
	c.ready[id] = r
	return r, nil
}

// lay puts a value into a mapping as merging layers does: mappings are merged, the rest replaced, letters lower-case.
func lay(dst map[string]any, key string, v any) {
	key = strings.ToLower(key)
	m, ok := v.(map[string]any)
	if !ok {
		dst[key] = v
		return
	}
	inner, ok := dst[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		dst[key] = inner
	}
	for k, v := range m {
		lay(inner, k, v)
	}
}

func deepCopy(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		lay(out, k, v)
	}
	return out
}

// prune removes keys with nothing under them.
func prune(m map[string]any) {
	for k, v := range m {
		inner, ok := v.(map[string]any)
		if ok {
			prune(inner)
		}
		if v == nil || ok && len(inner) == 0 {
			delete(m, k)
		}
	}
}
