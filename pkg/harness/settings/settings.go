// Package settings turns an experiment's YAML and what a person lays over it into exact, checked values.
package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Scales are the names of scales, in order of presentation.
var Scales = []string{"full", "quick", "smoke"}

// Protocol is what a settings file says of one of its protocols.
type Protocol struct {
	// Title says how its settings were chosen, in a few words.
	Title string `mapstructure:"title"`
	// Note says what it is, in a sentence without its full stop.
	Note string `mapstructure:"note"`
	// Claims: it checks the claims of the paper.
	Claims bool `mapstructure:"claims"`
	// Incomparable says why its numbers must not be set beside the printed ones; "": they may.
	Incomparable string `mapstructure:"incomparable"`
}

// Samples are the values of Judge.Sample.
var Samples = []string{"particles", "perturbed", "fresh"}

// Config is the resolved configuration of a trial: the whole input of its result. It is stored with the result.
type Config struct {
	Particles  int            `mapstructure:"particles"  json:"particles,omitzero"`
	Iterations int            `mapstructure:"iterations" json:"iterations,omitzero"`
	Data       string         `mapstructure:"data"       json:"data,omitempty"` // name of a data set
	Options    map[string]any `mapstructure:"options"    json:"options"`        // the experiment's own keys; see Decode
	Sampler    sifg.Config    `mapstructure:"-"          json:"sampler,omitzero"`
	Judge      Judge          `mapstructure:"judge"      json:"judge,omitzero"`

	// Program identifies the sampler where that is a program; a plan sets it.
	Program *program.Identity `mapstructure:"-" json:"program,omitempty"`
}

// None is the sampler that moves no particle. Its trials alone may have no iteration.
const None = "none"

// Judge says when a trial is measured and what is kept of it.
type Judge struct {
	// iterations between checkpoints; the first and the last are always judged
	Every int `mapstructure:"every"     json:"every"`
	// particles | perturbed (x of this iteration, before the move) | fresh
	Sample    string `mapstructure:"sample"    json:"sample"`
	Snapshots []int  `mapstructure:"snapshots" json:"snapshots"` // iterations whose judged sample is kept
	// number of particles whose path is kept at every checkpoint
	Track int `mapstructure:"track"     json:"track"`
}

// Bounds far above what can be computed, and far below what files hold exactly.
const (
	maxCount     = 1_000_000_000
	maxParticles = 10_000_000
)

// normalise checks the values, puts defaults in place, and cuts what exceeds the run: a snapshot after the last
// iteration, a track of more particles than there are. So a smaller scale need not repeat them.
func (c *Config) normalise() error {
	j := &c.Judge
	j.Sample = cmp.Or(j.Sample, Samples[0])
	if c.Particles < 2 || c.Particles > maxParticles {
		return fmt.Errorf("particles: must be 2 to %d, got %d", maxParticles, c.Particles)
	}
	if c.Iterations < 1 && c.Sampler.Sampler != None || c.Iterations < 0 || c.Iterations > maxCount {
		return fmt.Errorf("iterations: must be 1 to %d, got %d", maxCount, c.Iterations)
	}
	for key, n := range map[string]int{"judge.every": j.Every, "judge.track": j.Track} {
		if n < 0 || n > maxCount {
			return fmt.Errorf("%s: must be 0 to %d, got %d", key, maxCount, n)
		}
	}
	if !slices.Contains(Samples, j.Sample) {
		return fmt.Errorf("judge.sample: %q is unknown: want one of %s", j.Sample, strings.Join(Samples, ", "))
	}
	j.Track = min(j.Track, c.Particles)
	j.Snapshots = slices.DeleteFunc(slices.Clone(j.Snapshots), func(k int) bool { return k > c.Iterations })
	slices.Sort(j.Snapshots)
	j.Snapshots = slices.Compact(j.Snapshots)
	if len(j.Snapshots) > 0 && j.Snapshots[0] < 0 {
		return fmt.Errorf("judge.snapshots: must not be negative, got %d", j.Snapshots[0])
	}
	return nil
}

// Of returns the resolved configuration of a trial.
func Of(t record.Trial) (Config, error) {
	var c Config
	if err := json.Unmarshal([]byte(t.Config), &c); err != nil {
		return c, fmt.Errorf("the configuration of trial %s: %w", t.Key, err)
	}
	return c, nil
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
	Cell   string // of a grid: see harness.Trial
	Config Config
}

// For returns the file for a request: wants says which trials it selects, and an override must change one of them. A
// method that it names runs on every problem on which methods run, if it is a sampler that the file does not have, or
// would run nowhere.
func (f *File) For(wants func(problem, method string) bool, named []string) *File {
	out := *f
	out.wants, out.named = wants, named
	return &out
}

// Resolve merges the layers in order: base, protocol, scale (one of Scales), the protocol's own scale, overrides.
func (f *File) Resolve(protocol, scale string, over []Override) (*Settings, error) {
	if !slices.Contains(f.Protocols, protocol) {
		return nil, usage.Errorf("experiment %s has no protocol %q: it has %s",
			f.name, protocol, strings.Join(f.Protocols, ", "))
	}
	written := &Settings{file: f, layers: f.layers(protocol, scale),
		where: fmt.Sprintf("experiment %s, protocol %s, scale %s", f.name, protocol, scale)}
	s, err := written.under(over)
	if err != nil {
		return nil, err
	}
	var all [][]string // the methods of each problem
	for _, name := range f.Problems {
		p, methods, err := s.problem(name)
		if err != nil {
			return nil, err
		}
		s.Problems, all = append(s.Problems, p), append(all, methods)
	}
	var added []string // methods that are named and would run nowhere
	for _, name := range f.named {
		if !slices.Contains(slices.Concat(append(all, added)...), name) && !lists(f.root, name) {
			added = append(added, name)
		}
	}
	none := true
	for i, methods := range all {
		p := &s.Problems[i]
		if len(methods) > 0 {
			methods = slices.Concat(methods, added)
		}
		for _, name := range methods {
			if f.wants != nil && !f.wants(p.Name, name) {
				continue
			}
			m, err := s.Method(p.Name, name)
			if err != nil {
				return nil, err
			}
			p.Methods, none = append(p.Methods, m), false
		}
	}
	for i, l := range s.layers[len(written.layers):] {
		if !l.used && !none {
			return nil, usage.Errorf("%s changes nothing: no method of %s that runs has this setting", over[i], f.name)
		}
	}
	return s, nil
}

// lists reports whether a list of methods in settings has this one.
func lists(settings any, method string) bool {
	m, _ := settings.(map[string]any)
	for key, value := range m {
		list, _ := value.([]any)
		if key == "include" && slices.Contains(list, any(method)) || lists(value, method) {
			return true
		}
	}
	return false
}

// problem returns a problem without its methods, and their names.
func (s *Settings) problem(name string) (p Problem, methods []string, err error) {
	all, err := s.merge(name, "")
	if err != nil {
		return p, nil, err
	}
	p = Problem{Name: name, Seeds: all.Seeds}
	err = usage.Twice("method", all.Include)
	if len(p.Seeds) == 0 {
		err = errors.New("seeds: at least one is needed")
	}
	if err != nil {
		return p, nil, usage.Errorf("problems.%s (%s): %v", name, s.where, err)
	}
	if all.Include == nil {
		return p, s.file.Methods, nil
	}
	for _, m := range all.Include {
		methods = append(methods, string(m))
	}
	return p, methods, nil
}

// under returns the settings with further overrides on top.
func (s *Settings) under(over []Override) (*Settings, error) {
	out := *s
	out.layers = slices.Clip(s.layers)
	for _, o := range over {
		l, err := s.file.layer(o)
		if err != nil {
			return nil, err
		}
		out.layers = append(out.layers, l)
	}
	return &out, nil
}

// Method resolves the configuration of one method on one problem with further overrides on top.
func (s *Settings) Method(problem, method string, over ...Override) (Method, error) {
	m := Method{Name: method}
	s, err := s.under(over)
	if err != nil {
		return m, err
	}
	merged, err := s.merge(problem, method)
	if err != nil {
		return m, err
	}
	m.Config, m.Config.Sampler = merged.Config, merged.sampler
	m.Config.Sampler.Sampler = cmp.Or(merged.sampler.Sampler, method)
	if err := m.Config.normalise(); err != nil {
		return m, usage.Errorf("problems.%s.%v (%s)", problem, err, s.where)
	}
	if m.Config.Sampler, err = m.Config.Sampler.Resolve(); err != nil {
		return m, usage.Errorf("method %s on problem %s (%s): %s", method, problem, s.where, keyed(err))
	}
	return m, nil
}

// Concerns reports whether an override sets something of a method on a problem.
func (s *Settings) Concerns(problem, method string, o Override) (bool, error) {
	s, err := s.under([]Override{o})
	if err == nil {
		_, err = s.merge(problem, method)
	}
	return err == nil && s.layers[len(s.layers)-1].used, err
}
