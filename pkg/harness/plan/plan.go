// Package plan lists the trials that a request implies, each with its key.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Datasets knows data sets by name; *dataset.Library is one.
type Datasets interface {
	// Digest identifies everything that decides the data, without reading them.
	Digest(name string) (string, error)
	Load(name string) (*dataset.Data, error)
}

// Request says which trials are wanted, as it was asked. Admit lets run what it names, and a Layout resolves its
// settings.
type Request struct {
	Experiments []*harness.Experiment
	// Protocols are those that are wanted, All for every one; nil: each experiment's default. An experiment that has
	// none of them is left out if another has one.
	Protocols []string
	Scale     string
	Overrides []settings.Override
	Problems  []string // nil: all
	Methods   []string // nil: all
	Seeds     []uint64 // in place of those of the settings; nil: those
	Data      Datasets
	Own       []string // data sets of a person's own that the experiments run on (harness.Experiment.On)
	Samplers  []string // programs that are methods, NAME=COMMAND
	Program   string   // the command of a target of a person's own
}

// Plan is the trials of a request, in order of experiment, protocol, problem, method, seed.
//
// Two trials may have the same key: a trial is computed once however many protocols or scales ask for it, since its key
// is made from its resolved configuration alone. The names of protocol and scale are labels of the plan, not of the
// result.
type Plan struct {
	Experiments []*harness.Experiment
	Scale       string
	Set         []string // the overrides, then the selections as flags: --problems a,b
	Trials      []harness.Trial
}

// New resolves the configuration of every trial and checks it, the experiment's own options included, so that what is
// wrong is said before anything runs.
func New(r Request) (*Plan, error) {
	files, err := r.Admit()
	if err != nil {
		return nil, err
	}
	p := &Plan{Scale: r.Scale, Set: r.Set()}
	for i, e := range r.Experiments {
		had := len(p.Trials)
		for _, protocol := range r.protocols(files[i]) {
			l, err := r.layout(e, files[i], protocol)
			if err != nil {
				return nil, err
			}
			for problem, method := range l.Wanted() {
				trials, err := l.Trials(problem, method)
				if err != nil {
					return nil, err
				}
				p.Trials = append(p.Trials, trials...)
			}
		}
		if len(p.Trials) > had {
			p.Experiments = append(p.Experiments, e)
		}
	}
	if len(p.Trials) == 0 {
		return nil, usage.Errorf("there are no such trials: %s", strings.Join(p.Set, " "))
	}
	return p, nil
}

// All stands for every protocol.
const All = "all"

// protocols returns those of an experiment that are wanted.
func (r *Request) protocols(f *settings.File) []string {
	switch {
	case r.Protocols == nil:
		return []string{f.Default}
	case slices.Contains(r.Protocols, All):
		return f.Protocols
	}
	unwanted := func(p string) bool { return !slices.Contains(r.Protocols, p) }
	return slices.DeleteFunc(slices.Clone(f.Protocols), unwanted)
}

// Added are the names of the programs that are methods.
func (r *Request) Added() (names []string) {
	for _, text := range r.Samplers {
		name, _, _ := strings.Cut(text, "=")
		names = append(names, name)
	}
	return names
}

// Admit reads the settings files, and lets the programs run, and methods that are named and would run nowhere. It
// refuses names that none of the files has.
func (r *Request) Admit() (files []*settings.File, err error) {
	protocols, problems, methods := []string{All}, []string(nil), []string(nil)
	harness.Register(r.Experiments...)
	for _, e := range r.Experiments {
		f, err := e.File()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		protocols = append(protocols, f.Protocols...)
		problems = append(problems, f.Problems...)
		methods = slices.Concat(methods, f.Methods, f.Variants)
	}
	for _, name := range r.Added() {
		if r.Methods != nil && !slices.Contains(r.Methods, name) {
			return nil, usage.Errorf("--methods leaves out %s, which --sampler adds: name it too", name)
		}
	}
	for _, name := range slices.Concat(r.Added(), r.Methods) {
		_, unknown := sifg.ByName(name)
		fresh := unknown == nil && !slices.Contains(methods, name) // a sampler that is no method of a file
		for _, f := range files {
			if fresh || slices.Contains(f.Methods, name) {
				f.Admit(name)
			}
		}
		if fresh {
			methods = append(methods, name)
		}
	}
	return files, cmp.Or(
		known("scale", []string{r.Scale}, settings.Scales),
		known("protocol", r.Protocols, protocols),
		known("problem", r.Problems, problems),
		known("method", r.Methods, methods),
		usage.Twice("data set", r.Own),
		usage.Twice("seed", r.Seeds),
	)
}

// known refuses names that are not there, or twice.
func known(kind string, names, have []string) error {
	have = slices.Compact(slices.Sorted(slices.Values(have)))
	return cmp.Or(usage.Among(kind, names, "", have), usage.Twice(kind, names))
}

// Set lists the overrides and selections as the user gave them. A program of which an experiment's settings speak is
// neither.
func (r *Request) Set() []string {
	var out []string
	if r.Program != "" {
		out = append(out, "--program "+r.Program)
	}
	for _, text := range r.Samplers {
		name, _, _ := strings.Cut(text, "=")
		if !slices.ContainsFunc(r.Experiments, func(e *harness.Experiment) bool { return declares(e, name) }) {
			out = append(out, "--sampler "+text)
		}
	}
	for _, o := range r.Overrides {
		out = append(out, o.Text)
	}
	seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Seeds), " ", ","), "[]")
	for _, x := range [][2]string{
		{"data", strings.Join(r.Own, ",")},
		{"problems", strings.Join(r.Problems, ",")},
		{"methods", strings.Join(r.Methods, ",")},
		{"seeds", seeds},
	} {
		if x[1] != "" {
			out = append(out, "--"+x[0]+" "+x[1])
		}
	}
	return out
}

// declares reports whether an experiment's settings speak of a program.
func declares(e *harness.Experiment, name string) bool {
	f, err := e.File()
	return err == nil && slices.Contains(f.Programs, name)
}

// overrides returns the overrides that concern e: those without the name of an experiment in front, and those with its
// own name, which is cut off.
func (r *Request) overrides(e *harness.Experiment) []settings.Override {
	var out []settings.Override
	for _, o := range r.Overrides {
		first, rest, _ := strings.Cut(o.Text, ".")
		x := harness.ByName(r.Experiments, first)
		if x == e {
			o.Text = rest
		}
		if x == e || x == nil {
			out = append(out, o)
		}
	}
	return out
}

// Unique returns the trials with different keys, in order.
func (p *Plan) Unique() []harness.Trial {
	seen := make(map[string]bool, len(p.Trials))
	return slices.DeleteFunc(slices.Clone(p.Trials), func(t harness.Trial) bool {
		again := seen[t.Key]
		seen[t.Key] = true
		return again
	})
}

// Only keeps the trials whose key, or earlier key, begins with prefix, which must be those of one key.
func (p *Plan) Only(prefix string) error {
	other := func(t harness.Trial) bool {
		return !strings.HasPrefix(t.Key, prefix) && !strings.HasPrefix(t.Earlier, prefix)
	}
	found := slices.DeleteFunc(slices.Clone(p.Trials), other)
	switch {
	case len(found) == 0:
		return usage.Errorf("no trial of this plan has a key that begins with %q", prefix)
	case slices.ContainsFunc(found, func(t harness.Trial) bool { return t.Key != found[0].Key }):
		return usage.Errorf("key prefix %q is ambiguous", prefix)
	}
	p.Trials = found
	return nil
}

// Command is the command line that does something with the trials of an experiment under a protocol at a scale: sifg
// NAME EXPERIMENT --protocol …. set is that of their plan, and more are more arguments.
func Command(name, experiment, protocol, scale string, set []string, more ...string) string {
	args := []string{"sifg", name, experiment, "--protocol", protocol}
	own := func(s string) bool { return strings.HasPrefix(s, "--data ") } // whose scale is another by default
	if scale != "full" || slices.ContainsFunc(set, own) {
		args = append(args, "--scale", scale)
	}
	for _, s := range set {
		if flag, value, ok := strings.Cut(s, " "); ok && strings.HasPrefix(s, "--") {
			args = append(args, flag, value)
		} else {
			args = append(args, "--set", s)
		}
	}
	return usage.Quote(append(args, more...))
}
