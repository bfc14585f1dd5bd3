package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Request says which trials are wanted.
type Request struct {
	Experiments []*Experiment
	Protocols   []string // nil: all that an experiment has
	Some        bool     // an experiment that lacks a protocol is left out of it, if another has it; else that is an error
	Scale       string
	Set         []Override
	Data        Datasets // where problems name data sets
}

// Datasets knows data sets by name; *dataset.Library is one.
type Datasets interface {
	// Digest identifies everything that decides the data, without reading them; its error names the data sets there are.
	Digest(name string) (string, error)
	Load(name string) (*dataset.Data, error)
}

// Plan is the trials of a request, in order of experiment, protocol, problem, method, seed.
//
// Two trials may have the same key: a trial is computed once however many protocols or scales ask for it, since its key
// is made from its resolved configuration alone. The names of protocol and scale are labels of the plan, not of the result.
type Plan struct {
	Experiments []*Experiment
	Scale       string
	Set         []string // the overrides, as they were given
	Trials      []Trial
}

// NewPlan resolves the configuration of every trial and checks it, the experiment's own options included, so that what
// is wrong is said before anything runs.
func NewPlan(r Request) (*Plan, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	plan := &Plan{Scale: r.Scale}
	for _, o := range r.Set {
		plan.Set = append(plan.Set, o.Text)
	}
	files := make([]*layers, len(r.Experiments))
	anywhere := map[string]bool{} // protocols that some experiment has
	for i, e := range r.Experiments {
		var err error
		if files[i], err = readLayers(e); err != nil {
			return nil, err
		}
		for _, p := range files[i].protocols {
			anywhere[p] = true
		}
	}
	for i, e := range r.Experiments {
		l, protocols := files[i], r.Protocols
		if protocols == nil {
			protocols = l.protocols
		}
		if r.Some {
			protocols = slices.DeleteFunc(slices.Clone(protocols), func(p string) bool { return anywhere[p] && !slices.Contains(l.protocols, p) })
		}
		if len(protocols) == 0 {
			continue
		}
		plan.Experiments = append(plan.Experiments, e)
		code := fingerprint(e)
		set, err := overridesFor(e, r)
		if err != nil {
			return nil, err
		}
		for _, protocol := range protocols {
			s, _, err := l.resolve(protocol, r.Scale, set)
			if err != nil {
				return nil, err
			}
			m := &maker{layers: l, e: e, first: Trial{Experiment: e.Name, Protocol: protocol, Scale: r.Scale}, code: code, data: r.Data}
			trials, err := m.trials(s)
			if err != nil {
				return nil, err
			}
			plan.Trials = append(plan.Trials, trials...)
		}
	}
	return plan, nil
}

// check refuses names of scales and protocols that there are not.
func (r *Request) check() error {
	if !slices.Contains(Scales, r.Scale) {
		return Unknown("scale", r.Scale, "", Scales)
	}
	for _, p := range r.Protocols {
		if !slices.Contains(Protocols, p) {
			return Unknown("protocol", p, "", append(slices.Clone(Protocols), "all"))
		}
	}
	return nil
}

// overridesFor returns the overrides that concern e: those without the name of an experiment in front, and those with
// its own name, which is cut off.
func overridesFor(e *Experiment, r Request) ([]Override, error) {
	var out []Override
	for _, o := range r.Set {
		first, rest, _ := strings.Cut(o.Text, ".")
		named := slices.ContainsFunc(r.Experiments, func(x *Experiment) bool { return x.Name == first })
		switch {
		case !named:
			out = append(out, o)
		case first == e.Name:
			o.Text = rest
			out = append(out, o)
		}
	}
	return out, nil
}

// maker makes trials of the settings of one experiment under one protocol at one scale.
type maker struct {
	*layers
	e     *Experiment
	first Trial  // has their labels
	code  string // fingerprint
	data  Datasets
}

// where says which settings an error is about.
func (m *maker) where() string {
	return fmt.Sprintf("experiment %s, protocol %s, scale %s", m.first.Experiment, m.first.Protocol, m.first.Scale)
}

// trials lists the trials of resolved settings.
func (m *maker) trials(s *settings[map[string]any]) ([]Trial, error) {
	if err := checkSeeds("seeds", s.Seeds); err != nil {
		return nil, Usagef("%v (%s)", err, m.where())
	}
	var out []Trial
	for _, name := range m.problems {
		p, err := m.ready(name, s.Problems[name], s.Seeds)
		if err != nil {
			return nil, err
		}
		for _, method := range p.Include {
			var sampler sifg.Config
			if _, err := decode(&sampler, s.Methods[method], p.Methods[method]); err != nil {
				return nil, err
			}
			c, err := m.config(p, method, sampler)
			if err != nil {
				return nil, err
			}
			trials, err := m.seeds(p, method, c)
			if err != nil {
				return nil, err
			}
			out = append(out, trials...)
		}
		if len(p.Include) > 0 { // what Setup accepts depends on neither seed nor method
			if err := m.check(&out[len(out)-1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// ready is a problem whose values are checked and complete: it has seeds, and Include lists all methods that run.
type ready struct {
	problem[map[string]any]
	name    string
	digest  string // of its data
	open    func() (*dataset.Data, error)
	checked bool // Setup takes it
}

// ready checks and completes a problem; seeds are those of all problems.
func (m *maker) ready(name string, p problem[map[string]any], seeds []uint64) (*ready, error) {
	if err := p.normalise(); err != nil {
		return nil, Usagef("problems.%s.%v (%s)", name, err, m.where())
	}
	r := &ready{problem: p, name: name}
	if p.Data != "" && !m.reads {
		return nil, Usagef("problems.%s.data is %q, but experiment %s reads no data: leave it out (%s)", name, p.Data, m.e.Name, m.where())
	}
	var err error
	if r.digest, r.open, err = dataOf(m.data, p.Data); err != nil {
		return nil, Usagef("problems.%s.data (%s): %v", name, m.where(), err)
	}
	if r.Seeds == nil {
		r.Seeds = seeds
	}
	if r.Include == nil {
		r.Include = m.methods
	}
	return r, nil
}

// config returns the configuration of a method's trials, with the sampler's defaults in place.
func (m *maker) config(p *ready, method string, sampler sifg.Config) (TrialConfig, error) {
	c := TrialConfig{Particles: p.Particles, Iterations: p.Iterations, Data: p.Data, Options: p.Options, Judge: p.Judge}
	if n, ok := p.IterationsOf[method]; ok {
		c.Iterations = n
	}
	c.Judge.Snapshots = upTo(c.Judge.Snapshots, c.Iterations)
	if sampler.Sampler == "" {
		sampler.Sampler = method
	}
	var err error
	if c.Sampler, err = sampler.Resolve(); err != nil {
		err = methodError(p.name, method, m.where(), err)
	}
	return c, err
}

// seeds returns a trial a seed.
func (m *maker) seeds(p *ready, method string, c TrialConfig) ([]Trial, error) {
	out := make([]Trial, 0, len(p.Seeds))
	for _, seed := range p.Seeds {
		t := m.first
		t.Problem, t.Method, t.Seed, t.Config, t.Load = p.name, method, seed, c, p.open
		var err error
		if t.Key, err = t.key(m.code, p.digest); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// check refuses options that Setup would refuse.
func (m *maker) check(t *Trial) error {
	var err error
	if m.e.Check != nil {
		err = m.e.Check(t)
	} else {
		_, err = m.e.Setup(t)
	}
	if err != nil {
		return Usagef("problems.%s (%s): %v", t.Problem, m.where(), err)
	}
	return nil
}

// dataOf returns the digest of a data set and what reads it; nothing for no name.
func dataOf(data Datasets, name string) (digest string, open func() (*dataset.Data, error), err error) {
	switch {
	case name == "":
		return "", nil, nil
	case data == nil:
		return "", nil, fmt.Errorf("data set %q: no data sets were given", name)
	}
	if digest, err = data.Digest(name); err != nil {
		return "", nil, err
	}
	return digest, func() (*dataset.Data, error) { return data.Load(name) }, nil
}

// checkSeeds wants one seed at least, and each once.
func checkSeeds(key string, seeds []uint64) error {
	if len(seeds) == 0 {
		return fmt.Errorf("%s: one at least is needed", key)
	}
	seen := make(map[uint64]bool, len(seeds))
	for _, seed := range seeds {
		if seen[seed] {
			return fmt.Errorf("%s: %d is there twice", key, seed)
		}
		seen[seed] = true
	}
	return nil
}

// upTo returns the iterations that are not after the last.
func upTo(iterations []int, last int) []int {
	return slices.DeleteFunc(slices.Clone(iterations), func(k int) bool { return k > last })
}

func methodError(problem, method, where string, err error) error {
	var c *sifg.ConfigError
	if errors.As(err, &c) {
		return Usagef("%s of method %s on problem %s (%s): %s", c.Key, method, problem, where, c.Problem)
	}
	return Usagef("method %s on problem %s (%s): %v", method, problem, where, err)
}

// Samples are the values of judge.sample.
var Samples = []string{"particles", "perturbed", "fresh"}

// maxCount bounds particles and iterations: far above what can be computed, and far below what numbers in files hold exactly.
const maxCount = 1_000_000_000

// normalise checks a problem's values, puts defaults in place, and cuts what exceeds the run: a snapshot after the last
// iteration, a track of more particles than there are. So a smaller scale need not repeat them.
func (p *problem[M]) normalise() error {
	switch {
	case p.Particles < 2:
		return fmt.Errorf("particles: must be 2 or more, got %d", p.Particles)
	case p.Particles > maxCount:
		return fmt.Errorf("particles: must be %d or fewer, got %d", maxCount, p.Particles)
	case p.Iterations > maxCount:
		return fmt.Errorf("iterations: must be %d or fewer, got %d", maxCount, p.Iterations)
	case p.Iterations < 0:
		return fmt.Errorf("iterations: must not be negative, got %d", p.Iterations)
	case p.Judge.Every < 0:
		return fmt.Errorf("judge.every: must not be negative, got %d", p.Judge.Every)
	case p.Judge.Track < 0:
		return fmt.Errorf("judge.track: must not be negative, got %d", p.Judge.Track)
	}
	if p.Judge.Sample == "" {
		p.Judge.Sample = Samples[0]
	}
	if !slices.Contains(Samples, p.Judge.Sample) {
		return fmt.Errorf("judge.sample: %q is unknown: want one of %s", p.Judge.Sample, strings.Join(Samples, ", "))
	}
	for method, n := range p.IterationsOf {
		if n < 0 || n > maxCount {
			return fmt.Errorf("iterations_of.%s: must be 0 to %d, got %d", method, maxCount, n)
		}
	}
	if p.Seeds != nil {
		if err := checkSeeds("seeds", p.Seeds); err != nil {
			return err
		}
	}
	p.Judge.Track = min(p.Judge.Track, p.Particles)
	slices.Sort(p.Judge.Snapshots)
	p.Judge.Snapshots = slices.Compact(p.Judge.Snapshots)
	for _, k := range p.Judge.Snapshots {
		if k < 0 {
			return fmt.Errorf("judge.snapshots: must not be negative, got %d", k)
		}
	}
	return nil
}

// Unique returns the trials with different keys, in order.
func (p *Plan) Unique() []Trial {
	seen := map[string]bool{}
	var out []Trial
	for _, t := range p.Trials {
		if !seen[t.Key] {
			seen[t.Key] = true
			out = append(out, t)
		}
	}
	return out
}

// Only keeps the trials whose key begins with prefix, which must be those of one key.
func (p *Plan) Only(prefix string) error {
	var kept []Trial
	for _, t := range p.Trials {
		if strings.HasPrefix(t.Key, prefix) {
			kept = append(kept, t)
		}
	}
	switch {
	case len(kept) == 0:
		return Usagef("no trial of this plan has a key that begins with %q", prefix)
	case slices.ContainsFunc(kept, func(t Trial) bool { return t.Key != kept[0].Key }):
		return Usagef("the keys of several trials begin with %q: give more of it", prefix)
	}
	p.Trials = kept
	return nil
}
